// SPDX-License-Identifier: Apache-2.0
#include "executor/processes/worker_main.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/failure_text.hpp"
#include "tessera/scheduler/failures.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "core/api/resident_library.hpp"
#include "executor/processes/system.hpp"
#include "executor/processes/worker_mailbox.hpp"
#include "executor/task_limits.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <malloc.h>
#include <memory>
#include <new>
#include <string>
#include <utility>

namespace tessera {

namespace {

class worker {
 public:
  explicit worker(descriptor page) : page_(std::move(page)) {
    // A library keeps its memory for good; the next batch is limited again.
    set_before_library_load([this] {
      limits_.lift();
      has_unprepared_library_ = true;
    });
    page_->ready = steady_nanoseconds();
  }
  worker(const worker&) = delete;
  worker& operator=(const worker&) = delete;
  ~worker() { set_before_library_load({}); }

  void run_queued(int socket);

 private:
  [[nodiscard]] batch_slot* take_next();
  void run(batch_slot& slot);
  void run_tasks(batch_slot& slot);
  void follow_recipe();

  shared_page page_;
  task_limits limits_;
  /// Whether a task has loaded a library, which may not have allocated its memory yet.
  bool has_unprepared_library_ = false;
  std::unique_ptr<workload> work_;
  std::uint64_t recipe_number_ = 0;
};

/// Claims the queued batch with the smallest number, or returns null if no batch is queued.
batch_slot* worker::take_next() {
  for (;;) {
    batch_slot* next = nullptr;
    for (batch_slot& slot : page_->slots) {
      if (slot.phase != slot_phase::queued) continue;
      if (next == nullptr || slot.number < next->number) next = &slot;
    }
    if (next == nullptr) return nullptr;
    slot_phase expected = slot_phase::queued;
    next->started = steady_nanoseconds();
    if (next->phase.compare_exchange_strong(expected, slot_phase::running)) return next;
  }
}

void worker::run_queued(int socket) {
  while (batch_slot* slot = take_next()) {
    run(*slot);
    slot->ended = steady_nanoseconds();
    slot->phase = slot_phase::ended;
    ring(socket);
  }
  if (page_->recipe_number == recipe_number_ || page_->kind_size != 0) return;
  work_.reset();
  malloc_trim(0);
}

void worker::follow_recipe() {
  if (page_->recipe_number == recipe_number_ && work_) return;
  limits_.lift();
  work_.reset();
  recipe_number_ = page_->recipe_number;
  work_ = take_over(page_.read_recipe());
}

void worker::run(batch_slot& slot) {
  slot.done = 0;
  slot.failure_size = 0;
  limits_.reset_peak();
  const traffic before = traffic_of_thread();
  std::string text;
  try {
    follow_recipe();
    run_tasks(slot);
  } catch (const std::bad_alloc&) {
    const std::string message = "out of memory: a task of this operation may use " +
                                format(bytes{slot.task_memory}) +
                                " besides what its worker process holds";
    text = encode_failure(std::make_exception_ptr(explained_bad_alloc(message)));
  } catch (...) {
    text = encode_failure(std::current_exception());
  }
  if (!slot.may_keep && work_) work_->limit_tasks(bytes{0});
  slot.failure_size = std::min(text.size(), slot.failure.size());
  std::copy_n(text.data(), slot.failure_size, slot.failure.data());
  slot.peak_memory = limits_.peak().count();
  slot.moved = traffic_of_thread().since(before);
}

void worker::run_tasks(batch_slot& slot) {
  // Before the limit: see `prepare_resident_libraries`.
  if (std::exchange(has_unprepared_library_, false)) {
    for (const std::string& name : loaded_resident_libraries()) prepare_resident_libraries(name);
  }
  limits_.apply(slot.operation, bytes{slot.task_memory});
  for (index_t i = 0; i < slot.count; ++i) {
    work_->run(slot.operation, slot.first + i, page_->worker);
    slot.done.store(i + 1, std::memory_order_relaxed);
  }
}

}  // namespace

int worker_main(descriptor socket, descriptor page) {
  try {
    // A computation inside a task runs in the same worker process.
    set_default_executor(executors::serial());
    worker self(std::move(page));
    while (take_rings(socket.get(), true)) self.run_queued(socket.get());
    return EXIT_SUCCESS;
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "worker process: %s\n", failure.what());
    return EXIT_FAILURE;
  }
}

}  // namespace tessera
