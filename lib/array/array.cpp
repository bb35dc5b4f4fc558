// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/array.hpp"

namespace tessera::detail {

shared_state<shown_array> show(array_view view, const array_layout& layout) {
  return std::make_shared<const shown_array>(shown_array{std::move(view), layout});
}

}  // namespace tessera::detail
