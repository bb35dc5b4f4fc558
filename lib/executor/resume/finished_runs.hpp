// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What is remembered of computations that have ended well.
///
/// A program of several computations that is killed in a later one, and started again, need not
/// repeat the earlier ones. A record lies in the work directory from the end of its computation to
/// the normal end of the program. A program makes no use of its own records: what it asks for twice
/// it computes twice.
///
/// Threads: all functions may be called from several threads at the same time.

#include <optional>
#include <string>

namespace tessera {

/// Notes that the plan `identity` has been computed, and in which state its results are since.
void remember_finished(const std::string& work_dir, const std::string& identity,
                       const std::string& results);

/// Returns the state in which another process has left the results of the plan `identity`; nothing
/// where none has, or where this process has computed the plan since.
[[nodiscard]] std::optional<std::string> recall_finished(const std::string& work_dir,
                                                         const std::string& identity);

/// Removes `folder`, which this process made, when the program ends normally, if it is empty then.
void remove_when_empty(const std::string& folder);

/// Lets the records of this process stay when it ends, as a computation of it did not end well.
void keep_finished();

}  // namespace tessera
