// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Whether what an earlier run has left is continued.

#include "tessera/core/spec.hpp"

#include <string_view>

namespace tessera {

/// Returns the mode that `text` names: "auto", "never" or "require".
///
/// Throws: value_error <- it names none.
[[nodiscard]] resume_mode parse_resume_mode(std::string_view text);

/// Sets the mode of computations whose spec says nothing, and returns what was set before.
///
/// Threads: may be called from several threads at the same time.
resume_mode set_default_resume(resume_mode mode);

/// Returns the mode of computations whose spec says nothing; `automatic` unless it was set.
[[nodiscard]] resume_mode default_resume();

}  // namespace tessera
