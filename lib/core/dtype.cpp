// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/dtype.hpp"

#include <ostream>

namespace tessera {

std::string_view name_of(dtype type) {
  switch (type) {
    // clang-format off
    case dtype::boolean: return "bool";
    case dtype::int8: return "int8";
    case dtype::int16: return "int16";
    case dtype::int32: return "int32";
    case dtype::int64: return "int64";
    case dtype::uint8: return "uint8";
    case dtype::uint16: return "uint16";
    case dtype::uint32: return "uint32";
    case dtype::uint64: return "uint64";
    case dtype::float16: return "float16";
    case dtype::float32: return "float32";
    case dtype::float64: return "float64";
    case dtype::complex64: return "complex64";
    case dtype::complex128: return "complex128";
      // clang-format on
  }
  throw std::logic_error("name_of: not a dtype");
}

std::ostream& operator<<(std::ostream& out, dtype type) { return out << name_of(type); }

}  // namespace tessera
