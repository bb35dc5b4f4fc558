// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What runs that did not end leave behind: how they are continued, listed and removed.
///
/// A computation that stores something, or that keeps intermediates in storage, has a directory of
/// its own in the work directory while it runs, named after the plan's identity. It is removed when
/// the computation has ended well. Otherwise the same computation, in the same or another process,
/// finds it and computes only the chunks that are missing. Changed inputs, parameters or code make
/// another identity, and so begin anew.
///
/// A program of several computations that is started again also finds what those before the one
/// that did not end have stored, as long as nobody has changed it, and does not compute it again.

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
  /// What its files take.
  bytes size;
  /// Whether a process of this host is working on it now.
  bool is_running = false;
};

/// Returns the runs in `work_dir` that did not end, sorted by path; none if there is no such
/// folder.
///
/// Throws: store_error <- the folder cannot be read.
[[nodiscard]] std::vector<unfinished_run> unfinished_runs(const std::string& work_dir);

/// Removes what the runs in `work_dir` left that did not end; those that are going on stay. Returns
/// how many it removed.
///
/// Throws: store_error <- something cannot be removed.
std::size_t remove_unfinished_runs(const std::string& work_dir);

}  // namespace tessera
