// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Records of computations that have ended well.
///
/// A program of several computations that is killed in a later one, and started again, need not
/// repeat the earlier ones. A record lies in the work directory from the end of its computation to
/// the end of the program, whether `main` returns, `exit` is called or an exception leaves `main`.
/// It stays beyond that if a computation of the program has begun and not ended well, or if the
/// program is killed. A program makes no use of its own records: it computes twice if it asks
/// twice. Records of a forked child are the child's.
///
/// Threads: all functions may be called from several threads at the same time.

#include <optional>
#include <string>
#include <system_error>

namespace tessera {

/// Notes that the plan `identity` has been computed, and in which state its results are since.
void remember_finished(const std::string& work_dir, const std::string& identity,
                       const std::string& results);

/// Returns the state in which another process has left the results of the plan `identity`. Returns
/// nullopt if no process has left any, or if this process has computed the plan since.
[[nodiscard]] std::optional<std::string> recall_finished(const std::string& work_dir,
                                                         const std::string& identity);

/// Tells whether there is a record of the plan `identity`, of whichever process.
[[nodiscard]] bool is_recorded(const std::string& work_dir, const std::string& identity);

/// Removes the record of the plan `identity`, of whichever process.
void forget_finished(const std::string& work_dir, const std::string& identity);

/// Makes `folder` and its parents. When the program ends, the folders that it has made, and one
/// with the default name of work directories, are removed if they are empty then.
///
/// Returns the error of the system if the folder cannot be made.
[[nodiscard]] std::error_code make_work_directory(const std::string& folder);

/// Notes that a run has begun in `directory`: the records of this process stay when it ends, unless
/// the run has ended well.
void note_begun(const std::string& directory);

/// Notes that nothing is left to do in `directory`.
void note_ended(const std::string& directory);

}  // namespace tessera
