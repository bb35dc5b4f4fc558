// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elementwise functions on packets (SIMD registers) of float32, float64, complex64 and complex128.

#include "tessera/meta/promotion.hpp"

#include <cstdint>

namespace tessera {

/// The kind of an elementwise function on packets. A mask is a packet: all bits of a lane are set
/// if the condition holds in that lane, else none.
enum class packing : std::uint8_t {
  none,
  exact,       ///< values -> values, the same as on elements
  close,       ///< values -> values within 3 ulp, not always equal to those on elements
  comparison,  ///< values -> a mask
  masks,       ///< masks -> a mask
  choice,      ///< a mask and values -> values
};

namespace detail {

/// Returns the kind of `Op` on packets of `T`: `Op::packs`, or `none` if it has no packets of `T`.
/// An operation with packets of complex numbers says so: `Op::packs_complex`.
template <class Op, class T>
consteval packing packing_of() {
  if constexpr (!requires { Op::packs; }) {
    return packing::none;
  } else if constexpr (complex_element<T> && !requires { Op::packs_complex; }) {
    return packing::none;
  } else if constexpr (requires { Op::template has_packets<T>; }) {
    return Op::template has_packets<T> ? Op::packs : packing::none;
  } else {
    return Op::packs;
  }
}

}  // namespace detail
}  // namespace tessera
