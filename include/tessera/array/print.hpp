// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Printing of lazy arrays.

#include "tessera/array/detail/print.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/function/detail/arguments.hpp"

#include <iosfwd>

namespace tessera {

/// Prints dtype, shape and chunks of `x`, and the call that prints its elements. Nothing is
/// computed.
template <class Stream, array_expression X>
requires is_stream<Stream> std::ostream& operator<<(Stream& out, const X& x) {
  return detail::print_layout(out, dtype_of<typename X::value_type>, x.layout());
}

}  // namespace tessera
