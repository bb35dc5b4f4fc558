// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Elementwise functions on packets of float32 and float64.

#include <cstdint>

namespace tessera {

/// An elementwise function on packets of float32 and float64. A mask is a packet with
/// all bits of a lane set if it holds there.
enum class packing : std::uint8_t {
  none,
  exact,       ///< values -> values, the same as on elements
  close,       ///< values -> values within 3 ulp, not always equal to those on elements
  comparison,  ///< values -> a mask
  masks,       ///< masks -> a mask
  choice,      ///< a mask and values -> values
};

namespace detail {

/// The function `Op` on packets of `T`: its `packs`, if it has any of `T`.
template <class Op, class T>
consteval packing packing_of() {
  if constexpr (!requires { Op::packs; }) {
    return packing::none;
  } else if constexpr (requires { Op::template has_packets<T>; }) {
    return Op::template has_packets<T> ? Op::packs : packing::none;
  } else {
    return Op::packs;
  }
}

}  // namespace detail
}  // namespace tessera
