// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Vectors that are made for each block of a task, and for each operation of a plan.

// GCC 12 takes the size of the inline elements for the most that a move may read.
#pragma GCC diagnostic push
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overread"
#endif
#include <boost/container/small_vector.hpp>
#pragma GCC diagnostic pop
#include <span>

namespace tessera {

/// A vector of a few elements most of the time, for which it takes no memory of its own: blocks may
/// be small.
template <class T>
using small_vector = boost::container::small_vector<T, 8>;

/// Returns its elements, which a span does not take from an iterator of that library.
template <class T>
[[nodiscard]] std::span<const T> as_span(const small_vector<T>& elements) {
  return {elements.data(), elements.size()};
}

}  // namespace tessera
