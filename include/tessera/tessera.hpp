// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// All of Tessera: typed, lazy programs over N-dimensional arrays that are larger than memory.

// clang-format off
// First and in this order, so that compilers say in few lines where a mistake is.
#include "tessera/core/bytes.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/indexing.hpp"
#include "tessera/array/detail/arguments.hpp"
#include "tessera/array/arithmetic.hpp"
#include "tessera/array/bitwise.hpp"
#include "tessera/array/logical.hpp"
#include "tessera/array/predicates.hpp"
#include "tessera/array/ndarray_view.hpp"
#include "tessera/array/ndarray.hpp"
// clang-format on

#include "tessera/array/any_array.hpp"
#include "tessera/array/array.hpp"
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/decode_cf.hpp"
#include "tessera/array/detail/refused_in_out.hpp"
#include "tessera/array/elementwise.hpp"
#include "tessera/array/from_memory.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/random.hpp"
#include "tessera/array/statistical.hpp"
#include "tessera/array/store_ndarray.hpp"
#include "tessera/array/stored_type.hpp"
#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/executor/resume.hpp"
#include "tessera/executor/simulated.hpp"
#include "tessera/kernel/eigen_map.hpp"
#include "tessera/observe/calibration.hpp"
#include "tessera/observe/default_observers.hpp"
#include "tessera/observe/history.hpp"
#include "tessera/observe/progress_bar.hpp"
#include "tessera/observe/runtime.hpp"
#include "tessera/observe/simulation.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/version.hpp"
#include "tessera/zarr/zarr_group.hpp"
