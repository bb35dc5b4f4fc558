// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/stored_array.hpp"

namespace tessera {

std::shared_ptr<const stored_array> stored_array_of(const array_source& source) {
  const auto* const part = dynamic_cast<const stored_array_part*>(&source);
  return part == nullptr ? nullptr : part->whole();
}

}  // namespace tessera
