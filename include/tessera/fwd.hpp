// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names of the types that appear in interfaces, for headers that need no more.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"

#include <cstddef>

namespace tessera {

class bytes;
class bounded_plan;
class executor;
class key_value_store;
class zarr_array;
class zarr_group;
struct pass_switches;
struct spec;

template <element T, std::size_t N>
class array;
template <class Op, class... Operands>
class expression;
template <element T, std::size_t N>
class ndarray;

}  // namespace tessera
