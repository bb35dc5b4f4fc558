// SPDX-License-Identifier: Apache-2.0
#include "array/type_text.hpp"

#include <fmt/format.h>

namespace tessera::detail {

std::string text_of(const data_type& type) {
  switch (type.kind()) {
    case data_kind::numeric:
      return std::string(name_of(*type.element()));
    case data_kind::datetime:
    case data_kind::timedelta: {
      const char* const name = type.kind() == data_kind::datetime ? "datetime64" : "timedelta64";
      if (type.unit() == "generic" && type.multiple() == 1) return name;
      return fmt::format("{}[{}{}]", name,
                         type.multiple() == 1 ? "" : std::to_string(type.multiple()), type.unit());
    }
    case data_kind::structured:
      return "records";
    default: {
      // Without the quotes of JSON.
      const std::string text = type.to_json();
      return text.substr(1, text.size() - 2);
    }
  }
}

}  // namespace tessera::detail
