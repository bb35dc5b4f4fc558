// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Registers the kernels that plans of the corpus name: the linker leaves out kernels of the
/// library that nothing calls.

#include "tessera/function/cumulative.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/sorting.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/kernel/elementwise_kernel.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include "kernel/api/contraction_kernel.hpp"

namespace tessera::testing {

inline bool know_plan_kernels() {
  using x = tree_operand<double, 0>;
  using y = tree_operand<double, 1>;
  using constant = tree_constant<double>;
  static_cast<void>(elementwise_kernel<tree_node<op::add, x, constant>>());
  static_cast<void>(elementwise_kernel<tree_node<op::multiply, x, y>>());
  static_cast<void>(elementwise_kernel<tree_node<op::sqrt, x>>());
  static_cast<void>(op::sum::kernel<double>());
  static_cast<void>(op::var::kernel<double>());
  static_cast<void>(op::cumulative_sum::kernel<double>());
  static_cast<void>(op::sort::kernel(dtype::float64));
  static_cast<void>(generator::arange<double>());
  static_cast<void>(generator::uniform<double>());
  static_cast<void>(contraction::matmul<double>());
  static_cast<void>(zarr_arrays_are_known());
  return true;
}

}  // namespace tessera::testing
