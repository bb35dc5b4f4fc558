// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The work of an expression tree on an element, by which plans are chosen.

#include "tessera/kernel/packing.hpp"
#include "tessera/kernel/tree.hpp"

namespace tessera::detail {

/// The work of an exponential beside an addition, and so of an unknown function.
inline constexpr double heavy_function = 12;

template <class Op>
constexpr double weight_of() {
  if constexpr (requires { Op::weight; }) {
    return Op::weight;
  } else if constexpr (requires { Op::packs; }) {
    return Op::packs == packing::close ? heavy_function : 1;
  } else {
    return 1;
  }
}

template <class Tree>
inline constexpr double tree_weight = 0;
template <class Op, class... Children>
inline constexpr double tree_weight<tree_node<Op, Children...>> = (weight_of<Op>() + ... +
                                                                   tree_weight<Children>);

}  // namespace tessera::detail
