// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Directories of runs that did not end: how they are continued, listed and removed.
///
/// A computation that stores something, or that keeps intermediates in storage, has a directory of
/// its own in the work directory while it runs, named after the plan's identity. It is removed when
/// the computation has ended well. Otherwise the same computation, in the same or another process,
/// finds it and computes only the chunks that are missing. Changed inputs, parameters or code make
/// another identity, and so begin anew.
///
/// A program of several computations may be started again. It then also finds the stored results of
/// the computations before the unfinished one. As long as they are unchanged, it does not compute
/// them again.

#include "tessera/core/bytes.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// A run that did not end, or that is still going on.
struct unfinished_run {
  /// Its directory.
  std::string path;
  /// The plan's table, as `ts::plan` prints it.
  std::string description;
  /// The size of its files.
  bytes size;
  /// Whether a process of this host is working on it now.
  bool is_running = false;
};

/// Returns the runs in `work_dir` that did not end, sorted by path; none if there is no such
/// folder.
///
/// Throws: store_error <- the folder cannot be read.
[[nodiscard]] std::vector<unfinished_run> unfinished_runs(const std::string& work_dir);

/// Removes the directories of unfinished runs in `work_dir`; those of running ones stay. Returns
/// the number of removed ones.
///
/// Throws: store_error <- something cannot be removed.
std::size_t remove_unfinished_runs(const std::string& work_dir);

}  // namespace tessera
