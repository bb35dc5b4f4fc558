// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/element_type.hpp"

#include "tessera/core/error.hpp"

#include <fmt/format.h>
#include <utility>

namespace tessera {

element_type element_type::opaque(std::string text, std::size_t size) {
  element_type type;
  type.size_ = size;
  type.text_ = std::move(text);
  return type;
}

dtype element_type::number() const {
  if (is_number()) return number_;
  throw dtype_error(fmt::format(
      "elements of the type {:.80} are no numbers: they can be copied, not computed with", text_));
}

std::string element_type::text() const {
  return is_number() ? std::string(name_of(number_)) : text_;
}

}  // namespace tessera
