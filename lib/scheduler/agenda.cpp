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
      turns_(states_.size()),
      by_turn_(order.sequence),
      most_waiting_(waiting_per_worker * num_workers) {
  const auto reads = [&](std::size_t operation) { return !order.sources[operation].empty(); };
  const auto is_late = [&](std::size_t operation) {
    return reads(operation) &&
           may_come_late(work.operations(), operation, order.sources[operation]);
  };
  const auto first_late = std::stable_partition(by_turn_.begin(), by_turn_.end(),
                                                [&](std::size_t each) { return !is_late(each); });
  const auto first_source = std::stable_partition(by_turn_.begin(), first_late, reads);
  std::reverse(by_turn_.begin(), first_source);
  for (std::size_t turn = 0; turn < by_turn_.size(); ++turn) {
    const std::size_t operation = by_turn_[turn];
    turns_[operation] = turn;
    states_[operation].num_unbegun_sources = order.sources[operation].size();
    states_[operation].num_open_sources = order.sources[operation].size();
    if (!reads(operation)) awake_.insert(turn);
  }
}

void agenda::wake(std::size_t operation) {
  awake_.insert(turns_[operation]);
  next_turn_ = std::min(next_turn_, turns_[operation]);
}

std::optional<std::size_t> agenda::next() {
  for (auto turn = awake_.lower_bound(next_turn_); turn != awake_.end();) {
    const std::size_t operation = by_turn_[*turn];
    if (!states_[operation].is_open) open(operation);
    // One that has nothing to do begins, and ends, once all that it reads from is there.
    const bool is_due = num_left(operation) > 0 || has_all_sources(operation);
    if (is_due && !is_done(operation)) {
      next_turn_ = *turn + 1;
      return operation;
    }
    turn = awake_.erase(turn);
  }
  return std::nullopt;
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
  awake_.erase(turns_[operation]);
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
  for (const std::size_t reader : order_.readers[operation]) {
    if (--states_[reader].num_unbegun_sources == 0) wake(reader);
  }
  if (num_left(operation) > 0) return;
  awake_.erase(turns_[operation]);
  finish(operation);
}

void agenda::handed_out(const task_batch& batch) {
  states_[batch.operation].queue.handed_out(batch.worker);
}

void agenda::answered(const task_batch& batch) {
  states_[batch.operation].queue.answered(batch.worker);
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
