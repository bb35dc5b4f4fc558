// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a run that was continued means for those after it.

namespace tessera {

/// Notes that a run was continued: what `set_default_resume` requires of the program is met.
void note_continued();

}  // namespace tessera
