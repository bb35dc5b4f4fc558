// SPDX-License-Identifier: Apache-2.0
#include "executor/processes/session.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/failure_text.hpp"

#include "core/api/host_name.hpp"
#include "executor/processes/system.hpp"

#include <algorithm>
#include <chrono>
#include <exception>
#include <poll.h>
#include <string_view>
#include <utility>

namespace tessera {

processes_session::processes_session(worker_pool& pool, workload& work, std::size_t num_workers)
    : pool_(pool), operations_(work.operations()), recipe_(work.recipe()), seats_(num_workers) {}

processes_session::~processes_session() {
  cancel();
  const auto is_busy = [](const seat& worker) { return worker.load() > 0; };
  while (std::ranges::any_of(seats_, is_busy)) poll(std::nullopt);
  for (seat& worker : seats_) {
    if (worker.process != nullptr) pool_.give_back(std::move(worker.process));
  }
}

void processes_session::submit(const task_batch& batch, std::uint64_t ticket) {
  queue_.push_back({batch, ticket});
  dispatch();
}

std::optional<task_completion> processes_session::wait(std::optional<session_time> until) {
  while (completions_.empty()) {
    const bool is_last_poll = until && now() >= *until;
    poll(until);
    if (completions_.empty() && is_last_poll) return std::nullopt;
  }
  task_completion completion = std::move(completions_.front());
  completions_.pop_front();
  return completion;
}

std::vector<worker_start> processes_session::started_workers() {
  for (seat& worker : seats_) note_start(worker);
  return std::exchange(starts_, {});
}

/// Records the start of a process that has said that it is ready. A process of an earlier session
/// is ready when it is asked for.
void processes_session::note_start(seat& of) {
  if (of.is_told || of.process == nullptr) return;
  const std::int64_t ready = of.process->page()->ready;
  if (ready == 0) return;
  of.is_told = true;
  starts_.push_back({static_cast<std::size_t>(&of - seats_.data()), host_name(), of.asked,
                     std::max(of.asked, clock_.since_start(ready))});
}

void processes_session::cancel() {
  for (const submission& queued : std::exchange(queue_, {})) drop(queued);
  for (seat& worker : seats_) {
    for (std::size_t slot = 0; slot < worker.in_flight.size(); ++slot) {
      const std::optional<submission> queued = worker.in_flight[slot];
      if (queued && take_back(worker, slot)) drop(*queued);
    }
  }
}

std::optional<session_time> processes_session::started(std::uint64_t ticket) const {
  for (const seat& worker : seats_) {
    for (std::size_t slot = 0; slot < worker.in_flight.size(); ++slot) {
      if (!worker.in_flight[slot] || worker.in_flight[slot]->ticket != ticket) continue;
      const batch_slot& current = worker.process->page()->slots[slot];
      const slot_phase phase = current.phase;
      if (phase != slot_phase::running && phase != slot_phase::ended) return std::nullopt;
      return clock_.since_start(current.started);
    }
  }
  return std::nullopt;
}

bool processes_session::abandon(std::uint64_t ticket) {
  const auto has_ticket = [ticket](const submission& batch) { return batch.ticket == ticket; };
  if (const auto queued = std::ranges::find_if(queue_, has_ticket); queued != queue_.end()) {
    drop(*queued);
    queue_.erase(queued);
    return true;
  }
  for (seat& worker : seats_) {
    for (std::size_t slot = 0; slot < worker.in_flight.size(); ++slot) {
      const std::optional<submission> submitted = worker.in_flight[slot];
      if (!submitted || !has_ticket(*submitted)) continue;
      if (take_back(worker, slot)) {
        drop(*submitted);
      } else if (worker.process->page()->slots[slot].phase == slot_phase::running) {
        worker.stopped = slot;
        worker.process->kill();
      }
      return true;
    }
  }
  return false;
}

/// Assigns queued batches to workers, at most two batches to each: a running and a waiting one.
void processes_session::dispatch() {
  for (auto next = queue_.begin(); next != queue_.end();) {
    seat* const free = seat_for(next->batch);
    if (free == nullptr) {
      ++next;
      continue;
    }
    const submission queued = *next;
    next = queue_.erase(next);
    assign(queued, *free);
  }
  balance();
}

/// Returns the seat with the fewest batches, or null if both slots of every seat are in use.
processes_session::seat* processes_session::seat_for(const task_batch& batch) {
  if (batch.worker != any_worker) {
    seat& bound = seats_.at(batch.worker);
    return bound.load() < bound.in_flight.size() ? &bound : nullptr;
  }
  const auto least = std::ranges::min_element(seats_, {}, &seat::load);
  return least->load() < least->in_flight.size() ? &*least : nullptr;
}

void processes_session::assign(const submission& queued, seat& to) {
  if (to.process == nullptr) {
    to.asked = now();
    to.is_told = false;
    try {
      to.process = pool_.lease();
    } catch (const worker_error&) {
      completions_.push_back({queued.ticket, 0, std::current_exception(), 0, now(), now()});
      return;
    }
    to.has_worked = false;
    to.stopped.reset();
    to.process->page()->worker = static_cast<std::uint64_t>(&to - seats_.data());
    to.process->page().write_recipe(recipe_);
  }
  const std::size_t free = to.in_flight[0] ? 1 : 0;
  to.in_flight[free] = queued;
  batch_slot& slot = to.process->page()->slots[free];
  slot.number = num_assigned_++;
  slot.operation = queued.batch.operation;
  slot.first = queued.batch.first;
  slot.count = queued.batch.count;
  slot.task_memory = operations_[queued.batch.operation].task_memory.count();
  slot.may_keep = queued.batch.may_keep;
  slot.done = 0;
  slot.started = steady_nanoseconds();
  slot.phase = slot_phase::queued;
  ring(to.process->socket());
}

/// Moves waiting batches from workers with two batches to idle workers (work stealing).
void processes_session::balance() {
  for (seat& idle : seats_) {
    if (idle.load() > 0) continue;
    for (seat& busy : seats_) {
      if (busy.load() < busy.in_flight.size() || idle.load() > 0) continue;
      for (std::size_t slot = 0; slot < busy.in_flight.size(); ++slot) {
        const submission queued = *busy.in_flight[slot];
        if (queued.batch.worker != any_worker || !take_back(busy, slot)) continue;
        assign(queued, idle);
        break;
      }
    }
  }
}

/// Empties a slot. Returns false if its batch has begun to run.
bool processes_session::take_back(seat& from, std::size_t slot) {
  slot_phase expected = slot_phase::queued;
  if (!from.process->page()->slots[slot].phase.compare_exchange_strong(expected,
                                                                       slot_phase::empty)) {
    return false;
  }
  from.in_flight[slot].reset();
  return true;
}

/// Waits for rings of workers, and for their ends, until `until`; then handles them.
void processes_session::poll(std::optional<session_time> until) {
  std::vector<pollfd> sockets;
  std::vector<seat*> speakers;
  for (seat& worker : seats_) {
    if (worker.process == nullptr) continue;
    sockets.push_back({worker.process->socket(), POLLIN, 0});
    speakers.push_back(&worker);
  }
  timespec pause{};
  if (until) {
    const auto remaining = std::max(*until - now(), session_time{0});
    pause.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(remaining).count();
    pause.tv_nsec = (remaining % std::chrono::seconds{1}).count();
  }
  if (ppoll(sockets.data(), sockets.size(), until ? &pause : nullptr, nullptr) <= 0) return;
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    if (sockets[i].revents == 0) continue;
    const bool is_there = take_rings(sockets[i].fd, false);
    collect(*speakers[i]);
    if (!is_there) lose(*speakers[i]);
  }
  dispatch();
}

void processes_session::collect(seat& from) {
  for (std::size_t i = 0; i < from.in_flight.size(); ++i) {
    batch_slot& slot = from.process->page()->slots[i];
    if (!from.in_flight[i] || slot.phase != slot_phase::ended) continue;
    task_completion completion = completion_of(from, i);
    completion.ended = clock_.since_start(slot.ended);
    completion.peak_memory = bytes{slot.peak_memory};
    completion.moved = slot.moved;
    if (slot.failure_size > 0) {
      completion.failure = decode_failure({slot.failure.data(), slot.failure_size});
    }
    completions_.push_back(std::move(completion));
    slot.phase = slot_phase::empty;
    from.in_flight[i].reset();
    from.has_worked = true;
  }
}

/// Completes the batches of a process that has ended.
///
/// The running batch fails, and the waiting batch goes back to the queue. If the process never ran
/// a batch, the waiting batches fail, too: a new process would end in the same way.
void processes_session::lose(seat& from) {
  note_start(from);
  const auto failure = std::make_exception_ptr(worker_error(from.process->how_it_ended()));
  const auto is_running = [](const batch_slot& slot) { return slot.phase == slot_phase::running; };
  const auto& slots = from.process->page()->slots;
  const bool is_useless = !from.has_worked && std::ranges::none_of(slots, is_running);
  for (std::size_t i = 0; i < from.in_flight.size(); ++i) {
    if (!from.in_flight[i]) continue;
    const submission submitted = *from.in_flight[i];
    if (from.stopped == i) {
      completions_.push_back(completion_of(from, i));
    } else if (!from.stopped && (is_running(slots[i]) || is_useless)) {
      completions_.push_back(completion_of(from, i));
      completions_.back().failure = failure;
    } else {
      queue_.push_front(submitted);
    }
    from.in_flight[i].reset();
  }
  from.process.reset();
}

void processes_session::drop(const submission& dropped) {
  completions_.push_back({dropped.ticket, 0, nullptr, 0, now(), now()});
}

task_completion processes_session::completion_of(const seat& from, std::size_t slot) const {
  const batch_slot& ended = from.process->page()->slots[slot];
  const auto worker = static_cast<std::size_t>(&from - seats_.data());
  return {from.in_flight[slot]->ticket,      ended.done, nullptr, worker,
          clock_.since_start(ended.started), now()};
}

}  // namespace tessera
