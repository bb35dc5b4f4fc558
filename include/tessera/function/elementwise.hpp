// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The elementwise functions: the ones of the Python Array API standard, `where`, `clip`, `astype`,
/// and `map` for a user's function.
///
/// Shape:  operands broadcast as in NumPy.
/// Chunks: the chunks of the operand whose chunk holds the most elements.
/// Dtype:  as NumPy promotes; functions of real numbers make float64 of integers. A C++ scalar
///         takes the dtype of the arrays: `float_array * 2.0` stays float.
/// Throws: shape_error <- extents do not broadcast. value_error <- a scalar does not fit into its
///         dtype, or specs differ.

#include "tessera/function/angles.hpp"
#include "tessera/function/arithmetic.hpp"
#include "tessera/function/binary_exponential.hpp"
#include "tessera/function/bitwise.hpp"
#include "tessera/function/choice.hpp"
#include "tessera/function/closeness.hpp"
#include "tessera/function/comparison.hpp"
#include "tessera/function/complex.hpp"
#include "tessera/function/conversion.hpp"
#include "tessera/function/division.hpp"
#include "tessera/function/divisors.hpp"
#include "tessera/function/exponential.hpp"
#include "tessera/function/float_parts.hpp"
#include "tessera/function/hyperbolic.hpp"
#include "tessera/function/logical.hpp"
#include "tessera/function/map.hpp"
#include "tessera/function/missing.hpp"
#include "tessera/function/powers.hpp"
#include "tessera/function/predicates.hpp"
#include "tessera/function/rounding.hpp"
#include "tessera/function/selection.hpp"
#include "tessera/function/sign.hpp"
#include "tessera/function/special.hpp"
#include "tessera/function/trigonometric.hpp"

#include <boost/hana/fwd/tuple.hpp>

namespace tessera::function {

/// The families of elementwise functions, each a list of tags; `astype` and `map`, which are
/// templates, are in none.
using elementwise_families = boost::hana::tuple<
    angle_functions, arithmetic_functions, binary_exponential_functions, bitwise_functions,
    closeness_functions, comparison_functions, complex_functions, division_functions,
    divisor_functions, exponential_functions, float_part_functions, hyperbolic_functions,
    logical_functions, missing_functions, power_functions, predicate_functions, rounding_functions,
    selection_functions, sign_functions, special_functions, trigonometric_functions>;

}  // namespace tessera::function
