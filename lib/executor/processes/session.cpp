// SPDX-License-Identifier: Apache-2.0
#include "executor/processes/session.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/failure_text.hpp"

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
  const auto is_busy = [](const seat& each) { return each.load() > 0; };
  while (std::ranges::any_of(seats_, is_busy)) look(std::nullopt);
  for (seat& each : seats_) {
    if (each.process != nullptr) pool_.give_back(std::move(each.process));
  }
}

void processes_session::submit(const task_batch& batch, std::uint64_t ticket) {
  queue_.push_back({batch, ticket});
  dispatch();
}

std::optional<task_completion> processes_session::wait(std::optional<session_time> until) {
  while (completions_.empty()) {
    const bool is_last_look = until && now() >= *until;
    look(until);
    if (completions_.empty() && is_last_look) return std::nullopt;
  }
  task_completion completion = std::move(completions_.front());
  completions_.pop_front();
  return completion;
}

void processes_session::cancel() {
  for (const submission& each : std::exchange(queue_, {})) drop(each);
  for (seat& each : seats_) {
    for (std::size_t slot = 0; slot < each.flights.size(); ++slot) {
      const std::optional<submission> queued = each.flights[slot];
      if (queued && take_back(each, slot)) drop(*queued);
    }
  }
}

std::optional<session_time> processes_session::started(std::uint64_t ticket) const {
  for (const seat& each : seats_) {
    for (std::size_t slot = 0; slot < each.flights.size(); ++slot) {
      if (!each.flights[slot] || each.flights[slot]->ticket != ticket) continue;
      const batch_slot& its = each.process->page()->slots[slot];
      const slot_phase phase = its.phase;
      if (phase != slot_phase::running && phase != slot_phase::ended) return std::nullopt;
      return clock_.since_start(its.started);
    }
  }
  return std::nullopt;
}

bool processes_session::abandon(std::uint64_t ticket) {
  const auto has_ticket = [ticket](const submission& each) { return each.ticket == ticket; };
  if (const auto queued = std::ranges::find_if(queue_, has_ticket); queued != queue_.end()) {
    drop(*queued);
    queue_.erase(queued);
    return true;
  }
  for (seat& each : seats_) {
    for (std::size_t slot = 0; slot < each.flights.size(); ++slot) {
      const std::optional<submission> flight = each.flights[slot];
      if (!flight || !has_ticket(*flight)) continue;
      if (take_back(each, slot)) {
        drop(*flight);
      } else if (each.process->page()->slots[slot].phase == slot_phase::running) {
        each.stopped = slot;
        each.process->kill();
      }
      return true;
    }
  }
  return false;
}

/// Brings batches to workers: at once to those that have none, else behind those that run.
void processes_session::dispatch() {
  for (auto next = queue_.begin(); next != queue_.end();) {
    seat* const found = seat_for(next->batch);
    if (found == nullptr) {
      ++next;
      continue;
    }
    const submission what = *next;
    next = queue_.erase(next);
    place(what, *found);
  }
  balance();
}

/// Returns the seat with the least to do that has room; null: none has.
processes_session::seat* processes_session::seat_for(const task_batch& batch) {
  if (batch.worker != any_worker) {
    seat& bound = seats_.at(batch.worker);
    return bound.load() < bound.flights.size() ? &bound : nullptr;
  }
  const auto least = std::ranges::min_element(seats_, {}, &seat::load);
  return least->load() < least->flights.size() ? &*least : nullptr;
}

void processes_session::place(const submission& what, seat& where) {
  if (where.process == nullptr) {
    try {
      where.process = pool_.lease();
    } catch (const worker_error&) {
      completions_.push_back({what.ticket, 0, std::current_exception(), 0, now(), now()});
      return;
    }
    where.has_worked = false;
    where.stopped.reset();
    where.process->page()->worker = static_cast<std::uint64_t>(&where - seats_.data());
    where.process->page().write_recipe(recipe_);
  }
  const std::size_t free = where.flights[0] ? 1 : 0;
  where.flights[free] = what;
  batch_slot& slot = where.process->page()->slots[free];
  slot.number = num_placed_++;
  slot.operation = what.batch.operation;
  slot.first = what.batch.first;
  slot.count = what.batch.count;
  slot.task_memory = operations_[what.batch.operation].task_memory.count();
  slot.may_keep = what.batch.may_keep;
  slot.done = 0;
  slot.started = steady_nanoseconds();
  slot.phase = slot_phase::queued;
  ring(where.process->socket());
}

/// Where a worker has nothing to do, it gets what waits behind another one's batch.
void processes_session::balance() {
  for (seat& idle : seats_) {
    if (idle.load() > 0) continue;
    for (seat& busy : seats_) {
      if (busy.load() < busy.flights.size() || idle.load() > 0) continue;
      for (std::size_t slot = 0; slot < busy.flights.size(); ++slot) {
        const submission queued = *busy.flights[slot];
        if (queued.batch.worker != any_worker || !take_back(busy, slot)) continue;
        place(queued, idle);
        break;
      }
    }
  }
}

/// Empties a slot whose batch has not begun to run; returns false where it has.
bool processes_session::take_back(seat& from, std::size_t slot) {
  slot_phase expected = slot_phase::queued;
  if (!from.process->page()->slots[slot].phase.compare_exchange_strong(expected,
                                                                       slot_phase::empty)) {
    return false;
  }
  from.flights[slot].reset();
  return true;
}

/// Waits until a worker has something to say, and takes it in.
void processes_session::look(std::optional<session_time> until) {
  std::vector<pollfd> sockets;
  std::vector<seat*> speakers;
  for (seat& each : seats_) {
    if (each.process == nullptr) continue;
    sockets.push_back({each.process->socket(), POLLIN, 0});
    speakers.push_back(&each);
  }
  timespec pause{};
  if (until) {
    const auto left = std::max(*until - now(), session_time{0});
    pause.tv_sec = std::chrono::duration_cast<std::chrono::seconds>(left).count();
    pause.tv_nsec = (left % std::chrono::seconds{1}).count();
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
  for (std::size_t i = 0; i < from.flights.size(); ++i) {
    batch_slot& slot = from.process->page()->slots[i];
    if (!from.flights[i] || slot.phase != slot_phase::ended) continue;
    task_completion completion = completion_of(from, i);
    completion.ended = clock_.since_start(slot.ended);
    completion.peak_memory = bytes{slot.peak_memory};
    completion.moved = slot.moved;
    if (slot.failure_size > 0) {
      completion.failure = decode_failure({slot.failure.data(), slot.failure_size});
    }
    completions_.push_back(std::move(completion));
    slot.phase = slot_phase::empty;
    from.flights[i].reset();
    from.has_worked = true;
  }
}

/// Answers for a process that has ended. What is not to blame goes to another one: what it had not
/// begun, unless it did not even begin one, as the next might not, either.
void processes_session::lose(seat& from) {
  const auto failure = std::make_exception_ptr(worker_error(from.process->how_it_ended()));
  const auto is_running = [](const batch_slot& slot) { return slot.phase == slot_phase::running; };
  const auto& slots = from.process->page()->slots;
  const bool is_useless = !from.has_worked && std::ranges::none_of(slots, is_running);
  for (std::size_t i = 0; i < from.flights.size(); ++i) {
    if (!from.flights[i]) continue;
    const submission flight = *from.flights[i];
    if (from.stopped == i) {
      completions_.push_back(completion_of(from, i));
    } else if (!from.stopped && (is_running(slots[i]) || is_useless)) {
      completions_.push_back(completion_of(from, i));
      completions_.back().failure = failure;
    } else {
      queue_.push_front(flight);
    }
    from.flights[i].reset();
  }
  from.process.reset();
}

void processes_session::drop(const submission& what) {
  completions_.push_back({what.ticket, 0, nullptr, 0, now(), now()});
}

task_completion processes_session::completion_of(const seat& from, std::size_t slot) const {
  const batch_slot& its = from.process->page()->slots[slot];
  const auto worker = static_cast<std::size_t>(&from - seats_.data());
  return {from.flights[slot]->ticket,      its.done, nullptr, worker,
          clock_.since_start(its.started), now()};
}

}  // namespace tessera
