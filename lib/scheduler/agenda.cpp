// SPDX-License-Identifier: Apache-2.0
#include "scheduler/agenda.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

/// How many batches for each worker may wait, of all operations together, so that others are looked
/// at behind them.
constexpr std::size_t waiting_per_worker = 16;

/// What is read is little where it is less than this part of what its makers read.
constexpr double little = 0.25;

double bytes_read(const workload_operation& operation) {
  return static_cast<double>(operation.num_tasks) *
         static_cast<double>(operation.bytes_read_per_task.count());
}

/// Tells whether it makes no room to run `operation` soon: it reads little, and nothing of it is in
/// memory.
bool may_come_late(const std::vector<workload_operation>& operations, std::size_t operation,
                   const std::vector<std::size_t>& sources) {
  double read_by_makers = 0;
  for (const std::size_t source : sources) {
    if (operations[source].resident_memory > bytes{}) return false;
    read_by_makers += bytes_read(operations[source]);
  }
  return bytes_read(operations[operation]) < little * read_by_makers;
}

}  // namespace

agenda::agenda(workload& work, const operation_order& order, std::size_t num_workers,
               std::chrono::nanoseconds cost_per_batch)
    : work_(work),
      order_(order),
      num_workers_(num_workers),
      cost_per_batch_(cost_per_batch),
      states_(order.sequence.size()),
      most_waiting_(waiting_per_worker * num_workers) {
  set_turns();
  set_tail_turns();
  for (std::size_t operation = 0; operation < states_.size(); ++operation) {
    states_[operation].num_unbegun_sources = order.sources[operation].size();
    states_[operation].num_open_sources = order.sources[operation].size();
    if (order.sources[operation].empty()) wake(operation);
  }
}

void agenda::set_turns() {
  std::vector<std::size_t>& turns = all_.by_turn;
  turns = order_.sequence;
  const auto reads = [&](std::size_t operation) { return !order_.sources[operation].empty(); };
  const auto is_late = [&](std::size_t operation) {
    return reads(operation) &&
           may_come_late(work_.operations(), operation, order_.sources[operation]);
  };
  const auto first_late = std::stable_partition(turns.begin(), turns.end(),
                                                [&](std::size_t each) { return !is_late(each); });
  const auto first_source = std::stable_partition(turns.begin(), first_late, reads);
  std::reverse(turns.begin(), first_source);
  num_readers_ = static_cast<std::size_t>(first_source - turns.begin());
  first_late_ = static_cast<std::size_t>(first_late - turns.begin());
  for (std::size_t turn = 0; turn < turns.size(); ++turn) states_[turns[turn]].turn = turn;
}

void agenda::set_tail_turns() {
  std::vector<std::size_t>& turns = tails_.by_turn;
  turns = order_.sequence;
  for (auto each = turns.rbegin(); each != turns.rend(); ++each) {
    for (const std::size_t source : order_.sources[*each]) {
      states_[source].chain = std::max(states_[source].chain, states_[*each].chain + 1);
    }
  }
  std::stable_sort(turns.begin(), turns.end(), [this](std::size_t a, std::size_t b) {
    return states_[a].chain > states_[b].chain;
  });
  for (std::size_t turn = 0; turn < turns.size(); ++turn) states_[turns[turn]].tail_turn = turn;
}

void agenda::wake(std::size_t operation) {
  state& own = states_[operation];
  if (!own.is_tail && own.has_begun && may_be_tail(operation)) {
    sleep(operation);
    own.is_tail = true;
  }
  line& its = own.is_tail ? tails_ : all_;
  const std::size_t turn = own.is_tail ? own.tail_turn : own.turn;
  its.awake.insert(turn);
  its.next_turn = std::min(its.next_turn, turn);
}

void agenda::sleep(std::size_t operation) {
  const state& own = states_[operation];
  if (own.is_tail) {
    tails_.awake.erase(own.tail_turn);
  } else {
    all_.awake.erase(own.turn);
  }
}

std::optional<std::size_t> agenda::next() {
  const std::optional<std::size_t> tail = first_of(tails_);
  const std::optional<std::size_t> other = first_of(all_);
  const auto is_longer_reader = [this](std::size_t operation, std::size_t than) {
    return states_[operation].turn < num_readers_ && states_[operation].chain > states_[than].chain;
  };
  if (tail && !(other && is_longer_reader(*other, *tail))) {
    ++tails_.next_turn;
    return tail;
  }
  if (other) ++all_.next_turn;
  return other;
}

std::optional<std::size_t> agenda::first_of(line& one) {
  for (auto turn = one.awake.lower_bound(one.next_turn); turn != one.awake.end();) {
    const std::size_t operation = one.by_turn[*turn];
    if (!states_[operation].is_open) open(operation);
    // One that has nothing to do begins, and ends, once all that it reads from is there.
    const bool is_due = num_left(operation) > 0 || has_all_sources(operation);
    if (is_due && !is_done(operation)) {
      one.next_turn = *turn;
      return operation;
    }
    turn = one.awake.erase(turn);
  }
  one.next_turn = one.by_turn.size();
  return std::nullopt;
}

/// Tells whether few tasks are left of an operation that others wait for.
bool agenda::may_be_tail(std::size_t operation) const {
  const state& own = states_[operation];
  const index_t num_waiting = own.num_left - own.num_under_way;
  return num_waiting <= static_cast<index_t>(num_workers_) && own.turn < first_late_ &&
         !order_.readers[operation].empty();
}

void agenda::open(std::size_t operation) {
  state& own = states_[operation];
  own.is_open = true;
  const std::vector<task_range> left = work_.remaining(operation);
  own.queue = task_queue(work_, operation, left, num_workers_, cost_per_batch_);
  own.num_left = own.queue.num_tasks();
  if (order_.readers[operation].empty() || own.num_left == 0) return;
  index_t next = 0;
  for (const task_range& range : left) {
    if (next < range.first) own.finished.add({next, range.first});
    next = range.last;
  }
  const index_t num_tasks = work_.operations()[operation].num_tasks;
  if (next < num_tasks) own.finished.add({next, num_tasks});
}

std::optional<task_batch> agenda::take(std::size_t operation) {
  state& own = states_[operation];
  while (!own.queue.empty()) {
    const auto [batch, may_run] = own.queue.take();
    if (may_run) return batch;
    look_behind(batch);
    const auto missing = find_missing(batch);
    if (!missing) return batch;
    wait(batch, *missing);
  }
  sleep(operation);
  return std::nullopt;
}

/// Lets readers that have waited for `taken` to be looked at be followed by others.
void agenda::look_behind(const task_batch& taken) {
  auto& readers = states_[taken.operation].readers;
  auto each = readers.lower_bound(taken.first);
  for (; each != readers.end() && each->first < taken.first + taken.count; ++each) {
    waiting& one = each->second;
    if (!std::exchange(one.holds_lane, false)) continue;
    states_[one.batch.operation].queue.release(one.batch.worker);
    wake(one.batch.operation);
  }
}

std::optional<agenda::task_name> agenda::find_missing(const task_batch& batch) const {
  if (has_all_sources(batch.operation)) return std::nullopt;
  const task_range tasks{batch.first, batch.first + batch.count};
  for (const std::size_t source : order_.sources[batch.operation]) {
    const state& its = states_[source];
    if (its.is_done) continue;
    const std::vector<task_range> needed = work_.needs(batch.operation, tasks, source);
    // The last is likely to be the last to end.
    for (auto range = needed.rbegin(); range != needed.rend(); ++range) {
      if (const auto task = its.finished.last_missing(*range)) return task_name{source, *task};
    }
  }
  return std::nullopt;
}

void agenda::wait(const task_batch& batch, const task_name& missing) {
  state& source = states_[missing.operation];
  const bool holds = num_waiting_ >= most_waiting_ || source.queue.is_untouched(missing.task);
  if (holds) states_[batch.operation].queue.hold(batch.worker);
  source.readers.emplace(missing.task, waiting{batch, holds});
  ++num_waiting_;
}

void agenda::put_back(const task_batch& batch) {
  states_[batch.operation].queue.put_back(batch);
  wake(batch.operation);
}

void agenda::begin(std::size_t operation) {
  states_[operation].has_begun = true;
  for (const std::size_t reader : order_.readers[operation]) {
    if (--states_[reader].num_unbegun_sources == 0) wake(reader);
  }
  if (num_left(operation) > 0) return;
  sleep(operation);
  finish(operation);
}

void agenda::handed_out(const task_batch& batch) {
  state& own = states_[batch.operation];
  own.queue.handed_out(batch.worker);
  own.num_under_way += batch.count;
  if (!own.is_tail && !own.queue.empty() && may_be_tail(batch.operation)) wake(batch.operation);
}

void agenda::answered(const task_batch& batch) {
  state& own = states_[batch.operation];
  own.queue.answered(batch.worker);
  own.num_under_way -= batch.count;
}

void agenda::end(std::size_t operation, task_range tasks) {
  state& own = states_[operation];
  own.num_left -= tasks.last - tasks.first;
  if (own.num_left == 0) {
    finish(operation);
  } else if (!order_.readers[operation].empty()) {
    own.finished.add(tasks);
  }
  const auto first = own.readers.lower_bound(tasks.first);
  const auto last = own.readers.lower_bound(tasks.last);
  std::vector<waiting> freed;
  for (auto each = first; each != last; ++each) freed.push_back(each->second);
  own.readers.erase(first, last);
  num_waiting_ -= freed.size();
  for (const auto& [batch, holds_lane] : freed) {
    state& reader = states_[batch.operation];
    if (holds_lane) reader.queue.release(batch.worker);
    if (const auto missing = find_missing(batch)) {
      wait(batch, *missing);
    } else {
      reader.queue.put_back(batch);
    }
    if (!reader.queue.empty()) wake(batch.operation);
  }
}

void agenda::finish(std::size_t operation) {
  state& own = states_[operation];
  own.is_done = true;
  own.finished.clear();
  for (const std::size_t reader : order_.readers[operation]) {
    if (--states_[reader].num_open_sources == 0) wake(reader);
  }
}

}  // namespace tessera
