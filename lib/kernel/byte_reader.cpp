// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/kernel/block_kernel.hpp"
#include "tessera/kernel/detail/bytes_of.hpp"

#include <string>

namespace tessera::detail {

std::string_view byte_reader::take_bytes(std::size_t size) {
  if (size > bytes_.size()) {
    throw value_error("kernel parameters: found " + std::to_string(bytes_.size()) +
                      " bytes where " + std::to_string(size) +
                      " belong; they are not those of this kernel");
  }
  const std::string_view part_read = bytes_.substr(0, size);
  bytes_.remove_prefix(size);
  return part_read;
}

void byte_reader::require_end() const {
  if (bytes_.empty()) return;
  throw value_error("kernel parameters: found " + std::to_string(bytes_.size()) +
                    " bytes too many; they are not those of this kernel");
}

kernel_parameters no_parameters(std::string_view identity) {
  byte_reader(identity).require_end();
  return {};
}

}  // namespace tessera::detail
