// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory that a worker process shares with the scheduling process, for all their data.
///
/// A byte through their socket only wakes the peer. The end of the socket tells that the peer is
/// gone. The mailbox survives a crash of the worker, so that its progress is known.

#include "tessera/core/index.hpp"
#include "tessera/core/traffic.hpp"
#include "tessera/scheduler/workload.hpp"

#include "executor/descriptor.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tessera {

/// The phase of a slot, which tells its owner:
///
///     empty -> queued     scheduling process: has written the batch
///     queued -> empty     scheduling process, by compare-and-swap: takes the batch back
///     queued -> running   worker, by compare-and-swap: claims the batch
///     running -> ended    worker: has written the results
///     ended -> empty      scheduling process: has read the results
enum class slot_phase : std::uint32_t { empty, queued, running, ended };

/// A batch, and the results of its run.
struct batch_slot {
  std::atomic<slot_phase> phase;
  /// Batches run in the order of their numbers.
  std::atomic<std::uint64_t> number;
  std::uint64_t operation = 0;
  index_t first = 0;
  index_t count = 0;
  /// The memory of a task, in bytes, beyond the memory that the worker holds.
  std::uint64_t task_memory = 0;
  /// Whether the worker may keep the arenas of its tasks for the next batch.
  bool may_keep = true;

  /// Times of the steady clock, which all processes of a host share.
  std::atomic<std::int64_t> started;
  std::int64_t ended = 0;
  /// The number of finished tasks, valid at any time, also after a crash of the worker.
  std::atomic<index_t> done;
  std::uint64_t peak_memory = 0;
  /// The traffic of the batch between memory and storage.
  traffic moved;
  /// The text of the failure, truncated to the buffer; empty without a failure.
  std::uint64_t failure_size = 0;
  std::array<char, 16384> failure;
};

/// The layout of the file. The two texts of the recipe follow it.
struct worker_mailbox {
  /// Incremented for each new recipe, which applies to all batches that are queued later.
  std::atomic<std::uint64_t> recipe_number;
  /// If the sizes are 0, there is no recipe, and the worker destroys its workload.
  std::uint64_t kind_size = 0;
  std::uint64_t content_size = 0;
  /// The time at which the process was ready for batches, as `started`; zero before.
  std::atomic<std::int64_t> ready;
  /// The number of the worker in its session.
  std::uint64_t worker = 0;
  /// A running batch and a waiting batch.
  std::array<batch_slot, 2> slots;
};

static_assert(std::atomic<slot_phase>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free &&
              std::atomic<std::int64_t>::is_always_lock_free);

/// The mapped mailbox of a worker.
class shared_page {
 public:
  /// Creates a page in memory. Throws: std::system_error <- the system refuses.
  shared_page();
  /// Maps the page in `file`. Throws: std::system_error <- the system refuses.
  explicit shared_page(descriptor file);
  shared_page(shared_page&& source) noexcept
      : file_(std::move(source.file_)), page_(std::exchange(source.page_, nullptr)) {}
  shared_page& operator=(shared_page&&) = delete;
  ~shared_page();

  [[nodiscard]] worker_mailbox* operator->() const { return page_; }
  [[nodiscard]] int file() const { return file_.get(); }

  /// Sets the recipe of later batches. Requires: no batch is queued.
  void write_recipe(const workload_recipe& recipe);
  [[nodiscard]] workload_recipe read_recipe() const;

 private:
  void map();

  descriptor file_;
  worker_mailbox* page_ = nullptr;
};

}  // namespace tessera
