// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Vectors that are made for each block of a task, and for each operation of a plan.

// GCC 12 takes what a vector has inside for all that it may move.
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
using few = boost::container::small_vector<T, 8>;

/// Returns its elements, which a span does not take from an iterator of that library.
template <class T>
[[nodiscard]] std::span<const T> span_of(const few<T>& elements) {
  return {elements.data(), elements.size()};
}

}  // namespace tessera
