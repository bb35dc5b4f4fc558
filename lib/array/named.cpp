// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/named.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>

namespace tessera::detail {

void require_label(const std::string& label) {
  if (label.empty()) throw value_error("named: the label is empty; give one, such as \"anomaly\"");
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  if (std::ranges::any_of(label, is_control)) {
    throw value_error("named: the label has a control character; labels are lines of text");
  }
}

}  // namespace tessera::detail
