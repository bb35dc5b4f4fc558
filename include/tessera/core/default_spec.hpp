// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The spec of arrays that were given none.

#include "tessera/core/spec.hpp"

#include <optional>

namespace tessera {

/// Returns the spec of arrays that were given none.
///
/// It is what `set_default_spec` was given; else a `spec{}` whose `allowed_memory` and `work_dir`
/// are what the options --tessera-memory and --tessera-work-dir say (runtime/runtime.hpp), else the
/// environment variables TESSERA_MEMORY and TESSERA_WORK_DIR.
///
/// An array without a spec keeps to none: it follows the arrays that it is computed with, and where
/// none of them has one, the default as it is when the plan is made. Only chunks that are chosen
/// automatically, as `arange` chooses them, follow the default as it is when the array is made. A
/// plan keeps the spec that it was made with. So a program sets the default first.
///
/// Threads: may be called from several threads at the same time, as `set_default_spec` may.
/// Throws: value_error <- an environment variable has no such value.
[[nodiscard]] spec default_spec();

/// Sets what `default_spec` returns, and returns what was set before; nothing: what it is without.
///
/// A spec is taken as it is, in place of what options and the environment say. For a default in
/// which a program sets some members and its user the others, begin with what these say:
///
///     ts::spec mine = ts::default_spec();
///     mine.reserved_memory = ts::measure_reserved_memory();
///     ts::set_default_spec(mine);
std::optional<spec> set_default_spec(std::optional<spec> wanted);

}  // namespace tessera
