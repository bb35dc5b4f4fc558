// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Directories of runs in a work directory that is a folder of a store, "s3://bucket/tmp".
///
/// Problem: hosts that share nothing but a store continue each other's runs, and two equal runs at
/// the same time must not remove each other's work.
///
/// Idea: a run has the folder `run-<identity>`, and claims its key `owner`. The claim ends with the
/// process (`key_value_store::claim`). Names are hashes of the computation, so that any host finds
/// the folder of a run that was killed. A run that finds an owner takes a folder of its own, and so
/// does each run in a store without conditional writes, whose claims other processes do not see.
///
/// A location keeps its options: "s3://bucket/tmp/run-0?anonymous".

#include "tessera/store/unfinished_runs.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// The folder of a run, which this process owns.
struct run_folder {
  std::string location;
  /// Whether an earlier run has left it.
  bool is_resumed = false;
};

/// Takes the folder of the plan `identity`, or a new one if it has an owner or there is no
/// identity.
///
/// Throws: value_error, store_error <- as `open_store`, or the store fails.
[[nodiscard]] run_folder take_run_folder(const std::string& work_dir, std::string_view identity,
                                         std::string_view description);

/// Ends the ownership. Does nothing if the folder has no owner in this process.
void leave_run_folder(const std::string& location);

/// Removes the values that an earlier run has left.
void clear_run_folder(const std::string& location);

/// Removes all values and ends the ownership.
void remove_run_folder(const std::string& location);

/// Removes the folder of a run unless a process owns it, or may own it unseen; returns whether it
/// did.
bool remove_unless_owned(const std::string& location);

/// `unfinished_runs` and `remove_unfinished_runs` of a folder of a store.
[[nodiscard]] std::vector<unfinished_run> unfinished_runs_in_store(const std::string& work_dir);
[[nodiscard]] std::size_t remove_unfinished_runs_in_store(const std::string& work_dir);

}  // namespace tessera::detail
