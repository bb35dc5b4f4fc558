// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The directory for a run's intermediate arrays.

#include <string>

namespace tessera {

/// The directory for a run's intermediate arrays, held by one process at a time.
///
/// It is locked for as long as the object lives; the lock of a process that was killed is gone with
/// it. It stays until `remove` is called.
class run_directory {
 public:
  /// Takes the directory of the plan `identity` in `work_dir`: one that an earlier run has left, or
  /// a new one. It is always a new one if another process, or another thread of this one, is
  /// working in it. So it is if the identity is empty, as that of an unknown plan.
  ///
  /// Throws: store_error <- the directory cannot be made.
  run_directory(const std::string& work_dir, const std::string& identity,
                const std::string& description);
  run_directory(const run_directory&) = delete;
  run_directory& operator=(const run_directory&) = delete;
  /// Gives the lock back.
  ~run_directory();

  /// Returns the directory's absolute path.
  [[nodiscard]] const std::string& name() const { return path_; }

  /// Tells whether an earlier run has left it.
  [[nodiscard]] bool is_resumed() const { return is_resumed_; }

  /// Removes the files that an earlier run has left in it.
  void clear();

  /// Removes the directory and all that is in it, as far as the system lets it.
  void remove();

 private:
  [[nodiscard]] bool try_lock(const std::string& path);

  std::string path_;
  bool is_resumed_ = false;
  int lock_ = -1;
};

}  // namespace tessera
