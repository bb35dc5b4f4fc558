// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The directory of a run that was stopped and cannot be continued.

#include <string>

namespace tessera {

/// Removes the directory that the run `identity` has left in `work_dir`, as far as the system lets
/// it. It stays if a process works in it.
void remove_stopped_run(const std::string& work_dir, const std::string& identity);

}  // namespace tessera
