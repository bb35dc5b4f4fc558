// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elementwise functions of arrays of a dtype that is known at run time alone.
#include "tessera/array/run_time_elementwise.hpp"

#include "array_api/call.hpp"

namespace tessera::array_api {
namespace {

/// The functions that `elementwise` knows by name.
constexpr const char* names[]{"abs",
                              "acos",
                              "acosh",
                              "add",
                              "asin",
                              "asinh",
                              "atan",
                              "atan2",
                              "atanh",
                              "bitwise_and",
                              "bitwise_left_shift",
                              "bitwise_invert",
                              "bitwise_or",
                              "bitwise_right_shift",
                              "bitwise_xor",
                              "ceil",
                              "clip",
                              "conj",
                              "copysign",
                              "cos",
                              "cosh",
                              "divide",
                              "equal",
                              "exp",
                              "expm1",
                              "floor",
                              "floor_divide",
                              "greater",
                              "greater_equal",
                              "hypot",
                              "imag",
                              "isfinite",
                              "isinf",
                              "isnan",
                              "less",
                              "less_equal",
                              "log",
                              "log1p",
                              "log2",
                              "log10",
                              "logaddexp",
                              "logical_and",
                              "logical_not",
                              "logical_or",
                              "logical_xor",
                              "maximum",
                              "minimum",
                              "multiply",
                              "negative",
                              "nextafter",
                              "not_equal",
                              "positive",
                              "pow",
                              "real",
                              "reciprocal",
                              "remainder",
                              "round",
                              "sign",
                              "signbit",
                              "sin",
                              "sinh",
                              "square",
                              "sqrt",
                              "subtract",
                              "tan",
                              "tanh",
                              "trunc",
                              "where"};

}  // namespace

void add_elementwise(functions& table) {
  for (const std::string name : names) {
    table[name] = [name](const call& given) {
      const std::vector<any_array> arrays = given.arrays(0);
      return results{elementwise(name, std::vector<any_operand>(arrays.begin(), arrays.end()))};
    };
  }
  table["astype"] = [](const call& given) {
    return results{astype(given.array(0), given.type(1))};
  };
  // An array of the dtype that these have in common.
  table["result_type"] = [](const call& given) {
    std::vector<dtype> types;
    for (const any_array& x : given.arrays(0)) types.push_back(x.dtype());
    return results{astype(given.array(0), result_type(types))};
  };
}

}  // namespace tessera::array_api
