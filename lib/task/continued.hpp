// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The effect of a resumed run on the default resume mode.

namespace tessera {

/// Notes that a run was resumed. The mode `require` becomes `automatic`, as the requirement is met.
void note_continued();

}  // namespace tessera
