// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The spec of arrays that were given none.

#include "tessera/core/spec.hpp"

#include <optional>

namespace tessera {

/// Returns the spec of arrays that were given none.
///
/// It is the argument of `set_default_spec`, if there was one. Else it is a `spec{}` with
/// `allowed_memory` and `work_dir` of the options --tessera-memory and --tessera-work-dir
/// (runtime/runtime.hpp). Without these options, the environment variables TESSERA_MEMORY and
/// TESSERA_WORK_DIR count.
///
/// An array without a spec follows the arrays that it is computed with. If none of them has one,
/// the default counts as it is when the plan is made. Only chunks that are chosen automatically, as
/// `arange` chooses them, follow the default as it is when the array is made. A plan keeps the spec
/// that it was made with. So a program sets the default first.
///
/// Threads: may be called from several threads at the same time, as `set_default_spec` may.
/// Throws: value_error <- an environment variable has no such value.
[[nodiscard]] spec default_spec();

/// Sets the spec that `default_spec` returns, or unsets it (nullopt); returns the one that was set
/// before.
///
/// The spec replaces options and environment entirely. For a default in which a program sets some
/// members and its user the rest, begin with the present default:
///
///     ts::spec mine = ts::default_spec();
///     mine.reserved_memory = ts::measure_reserved_memory();
///     ts::set_default_spec(mine);
std::optional<spec> set_default_spec(std::optional<spec> wanted);

}  // namespace tessera
