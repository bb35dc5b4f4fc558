// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is remembered of computations that have ended well.
///
/// A program of several computations that is killed in a later one, and started again, need not
/// repeat the earlier ones. A record lies in the work directory from the end of its computation to
/// the end of the program, whether `main` returns, `exit` is called or an exception leaves `main`;
/// beyond that where a computation of the program has begun and not ended well, or where the
/// program is killed. A program makes no use of its own records: what it asks for twice it computes
/// twice. What a forked child makes is the child's.
///
/// Threads: all functions may be called from several threads at the same time.

#include <optional>
#include <string>
#include <system_error>

namespace tessera {

/// Notes that the plan `identity` has been computed, and in which state its results are since.
void remember_finished(const std::string& work_dir, const std::string& identity,
                       const std::string& results);

/// Returns the state in which another process has left the results of the plan `identity`; nothing
/// where none has, or where this process has computed the plan since.
[[nodiscard]] std::optional<std::string> recall_finished(const std::string& work_dir,
                                                         const std::string& identity);

/// Makes `folder` and those that it lies in. Those that it has made, and one that is named as work
/// directories are by default, are removed when the program ends, where they are empty then.
///
/// Returns why it cannot be made, if so.
[[nodiscard]] std::error_code make_work_directory(const std::string& folder);

/// Notes that a run has begun in `directory`: the records of this process stay when it ends, unless
/// the run has ended well.
void note_begun(const std::string& directory);

/// Notes that nothing is left to do in `directory`.
void note_ended(const std::string& directory);

}  // namespace tessera
