// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Names of the types that appear in interfaces, for headers that need no more: hardly more lines
/// than its own. An array of complex numbers can be named where core/dtype.hpp is included as well.

#include "tessera/core/element.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

class bytes;
class bounded_plan;
class executor;
class key_value_store;
class zarr_array;
class zarr_group;
enum class resume_mode : std::uint8_t;
struct pass_switches;
struct run_with;
struct spec;

template <element T, std::size_t N>
class array;
template <class Op, class... Operands>
class expression;
template <element T, std::size_t N>
class ndarray;

}  // namespace tessera
