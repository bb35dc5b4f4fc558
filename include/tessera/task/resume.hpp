// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether a run continues the work of an earlier one.

#include "tessera/task/run_with.hpp"

#include <string_view>

namespace tessera {

/// Returns the mode that `text` names: "auto", "never" or "require".
///
/// Throws: value_error <- it names none.
[[nodiscard]] resume_mode parse_resume_mode(std::string_view text);

/// Sets the mode of runs that say nothing of it, and returns what was set before.
///
/// `require` holds until a run was continued: those of a program that come after it may begin, so
/// that the mode is `automatic` from then on.
/// Threads: may be called from several threads at the same time.
resume_mode set_default_resume(resume_mode mode);

/// Returns the mode of runs that say nothing of it; `automatic` unless it was set.
[[nodiscard]] resume_mode default_resume();

}  // namespace tessera
