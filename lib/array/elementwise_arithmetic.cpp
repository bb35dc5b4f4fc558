// SPDX-License-Identifier: Apache-2.0
/// \file
/// Arithmetic, functions of bits and of bools for every dtype.
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/bitwise.hpp"
#include "tessera/function/complex.hpp"
#include "tessera/function/division.hpp"
#include "tessera/function/divisors.hpp"
#include "tessera/function/logical.hpp"
#include "tessera/function/sign.hpp"

#include "array/elementwise_table.hpp"

namespace tessera::detail {

std::vector<elementwise_entry> arithmetic_entries() {
  return entries_of_families<function::arithmetic_functions, function::bitwise_functions,
                             function::complex_functions, function::division_functions,
                             function::divisor_functions, function::logical_functions,
                             function::sign_functions>();
}

}  // namespace tessera::detail
