// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Memory that readers keep between the reads of one task.

namespace tessera {

/// The time that a thread spends on a task, or on a call that reads several chunks.
///
/// A reader may keep memory until then, such as a large index of a shard. It counts as the task's
/// workspace, so that it must not outlive the task.
class kept_memory_scope {
 public:
  kept_memory_scope();
  kept_memory_scope(const kept_memory_scope&) = delete;
  kept_memory_scope& operator=(const kept_memory_scope&) = delete;
  ~kept_memory_scope();
};

/// Calls `release` at the end of this thread's outermost scope. Requires: the thread is in a scope.
void release_with_scope(void (*release)());

}  // namespace tessera
