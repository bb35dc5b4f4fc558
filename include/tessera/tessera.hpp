// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// All of Tessera: typed, lazy programs over N-dimensional arrays that are larger than memory.

#include "tessera/array/any_array.hpp"
#include "tessera/array/array.hpp"
#include "tessera/array/compute.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/array/decode_cf.hpp"
#include "tessera/array/elementwise.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/random.hpp"
#include "tessera/array/statistical.hpp"
#include "tessera/array/stored_type.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/error.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/executor/simulated.hpp"
#include "tessera/observe/default_observers.hpp"
#include "tessera/observe/history.hpp"
#include "tessera/observe/progress_bar.hpp"
#include "tessera/observe/runtime.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/version.hpp"
#include "tessera/zarr/zarr_group.hpp"
