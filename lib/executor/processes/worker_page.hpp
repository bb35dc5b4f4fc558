// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory that a worker process shares with the process that schedules: all that the two tell
/// each other is in there. A byte through their socket only says that there is something to see,
/// and the socket's end that the other one is gone.

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

/// Who may touch a slot: the scheduling process an empty or ended one, the worker a running one.
/// Whoever of them turns a queued one into something else.
enum class slot_phase : std::uint32_t { empty, queued, running, ended };

/// A batch on its way: what to run, and what has become of it.
struct batch_slot {
  std::atomic<slot_phase> phase;
  /// Batches run in the order of their numbers.
  std::atomic<std::uint64_t> number;
  std::uint64_t operation = 0;
  index_t first = 0;
  index_t count = 0;
  /// What a task may use, in bytes, besides what the worker holds.
  std::uint64_t task_memory = 0;
  /// Whether the worker may keep what its tasks ran in, for the next batch.
  bool may_keep = true;

  /// Times of the steady clock, which all processes of a host share.
  std::atomic<std::int64_t> started;
  std::int64_t ended = 0;
  /// Valid at any time, also when the worker has died.
  std::atomic<index_t> done;
  std::uint64_t peak_memory = 0;
  /// What the batch has moved between memory and storage.
  traffic moved;
  /// The failure's text, cut where it is too long; empty: none.
  std::uint64_t failure_size = 0;
  std::array<char, 16384> failure;
};

/// The file has this form, and the recipe's two texts behind it.
struct worker_page {
  /// Another number: another recipe, for the batches that are queued from now on.
  std::atomic<std::uint64_t> recipe_number;
  /// Both zero: no workload, whatever was made is dropped.
  std::uint64_t kind_size = 0;
  std::uint64_t content_size = 0;
  /// The worker's place among those of the session.
  std::uint64_t worker = 0;
  /// One batch runs while the next is at hand.
  std::array<batch_slot, 2> slots;
};

static_assert(std::atomic<slot_phase>::is_always_lock_free &&
              std::atomic<std::uint64_t>::is_always_lock_free);

/// A worker's page, mapped.
class shared_page {
 public:
  /// Makes a page in memory. Throws: std::system_error <- the system refuses.
  shared_page();
  /// Maps the page in `file`. Throws: std::system_error <- the system refuses.
  explicit shared_page(descriptor file);
  shared_page(shared_page&& other) noexcept
      : file_(std::move(other.file_)), page_(std::exchange(other.page_, nullptr)) {}
  shared_page& operator=(shared_page&&) = delete;
  ~shared_page();

  [[nodiscard]] worker_page* operator->() const { return page_; }
  [[nodiscard]] int file() const { return file_.get(); }

  /// Sets the recipe of what is queued from now on; requires that nothing is.
  void write_recipe(const workload_recipe& recipe);
  [[nodiscard]] workload_recipe read_recipe() const;

 private:
  void map();

  descriptor file_;
  worker_page* page_ = nullptr;
};

}  // namespace tessera
