// SPDX-License-Identifier: Apache-2.0
#include "scheduler/ready_queue.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

/// The largest number of waiting batches for each worker, over all operations. Up to this number a
/// waiting batch does not block its lane.
constexpr std::size_t waiting_per_worker = 16;

/// A reader is small if it reads less than this fraction of the bytes that its sources read.
constexpr double small_fraction = 0.25;

double bytes_read(const workload_operation& operation) {
  return static_cast<double>(operation.num_tasks) *
         static_cast<double>(operation.bytes_read_per_task.count());
}

/// Tells whether an early run of `operation` frees no memory: it is small, and its sources hold no
/// memory.
bool may_be_deferred(const std::vector<workload_operation>& operations, std::size_t operation,
                     const std::vector<std::size_t>& sources) {
  double read_by_sources = 0;
  for (const std::size_t source : sources) {
    if (operations[source].resident_memory > bytes{}) return false;
    read_by_sources += bytes_read(operations[source]);
  }
  return bytes_read(operations[operation]) < small_fraction * read_by_sources;
}

}  // namespace

ready_queue::ready_queue(workload& work, const operation_order& order, std::size_t num_workers,
                         std::chrono::nanoseconds cost_per_batch)
    : work_(work),
      order_(order),
      num_workers_(num_workers),
      cost_per_batch_(cost_per_batch),
      states_(order.sequence.size()),
      most_waiting_(waiting_per_worker * num_workers) {
  set_ranks();
  set_tail_ranks();
  for (std::size_t operation = 0; operation < states_.size(); ++operation) {
    states_[operation].num_unbegun_sources = order.sources[operation].size();
    states_[operation].num_open_sources = order.sources[operation].size();
    if (order.sources[operation].empty()) enqueue(operation);
  }
}

void ready_queue::set_ranks() {
  std::vector<std::size_t>& ranking = main_.by_rank;
  ranking = order_.sequence;
  const auto reads = [&](std::size_t operation) { return !order_.sources[operation].empty(); };
  const auto is_deferred = [&](std::size_t operation) {
    return reads(operation) &&
           may_be_deferred(work_.operations(), operation, order_.sources[operation]);
  };
  const auto first_deferred =
      std::stable_partition(ranking.begin(), ranking.end(),
                            [&](std::size_t operation) { return !is_deferred(operation); });
  const auto first_source = std::stable_partition(ranking.begin(), first_deferred, reads);
  std::reverse(ranking.begin(), first_source);
  num_readers_ = static_cast<std::size_t>(first_source - ranking.begin());
  first_deferred_ = static_cast<std::size_t>(first_deferred - ranking.begin());
  for (std::size_t rank = 0; rank < ranking.size(); ++rank) states_[ranking[rank]].rank = rank;
}

void ready_queue::set_tail_ranks() {
  std::vector<std::size_t>& ranking = tails_.by_rank;
  ranking = order_.sequence;
  for (auto reader = ranking.rbegin(); reader != ranking.rend(); ++reader) {
    for (const std::size_t source : order_.sources[*reader]) {
      states_[source].path_length =
          std::max(states_[source].path_length, states_[*reader].path_length + 1);
    }
  }
  std::stable_sort(ranking.begin(), ranking.end(), [this](std::size_t a, std::size_t b) {
    return states_[a].path_length > states_[b].path_length;
  });
  for (std::size_t rank = 0; rank < ranking.size(); ++rank) states_[ranking[rank]].tail_rank = rank;
}

void ready_queue::enqueue(std::size_t operation) {
  state& current = states_[operation];
  if (!current.is_tail && current.has_begun && may_be_tail(operation)) {
    dequeue(operation);
    current.is_tail = true;
  }
  ranking_queue& queue = current.is_tail ? tails_ : main_;
  const std::size_t rank = current.is_tail ? current.tail_rank : current.rank;
  queue.candidates.insert(rank);
  queue.next_rank = std::min(queue.next_rank, rank);
}

void ready_queue::dequeue(std::size_t operation) {
  const state& current = states_[operation];
  if (current.is_tail) {
    tails_.candidates.erase(current.tail_rank);
  } else {
    main_.candidates.erase(current.rank);
  }
}

std::optional<std::size_t> ready_queue::next() {
  const std::optional<std::size_t> tail = first_of(tails_);
  const std::optional<std::size_t> first = first_of(main_);
  const auto is_longer_reader = [this](std::size_t operation, std::size_t than) {
    return states_[operation].rank < num_readers_ &&
           states_[operation].path_length > states_[than].path_length;
  };
  if (tail && !(first && is_longer_reader(*first, *tail))) {
    ++tails_.next_rank;
    return tail;
  }
  if (first) ++main_.next_rank;
  return first;
}

std::optional<std::size_t> ready_queue::first_of(ranking_queue& queue) {
  for (auto rank = queue.candidates.lower_bound(queue.next_rank); rank != queue.candidates.end();) {
    const std::size_t operation = queue.by_rank[*rank];
    if (!states_[operation].is_open) open(operation);
    // An operation without remaining tasks begins, and ends, once its sources are done.
    const bool is_due = num_left(operation) > 0 || has_all_sources(operation);
    if (is_due && !is_done(operation)) {
      queue.next_rank = *rank;
      return operation;
    }
    rank = queue.candidates.erase(rank);
  }
  queue.next_rank = queue.by_rank.size();
  return std::nullopt;
}

/// Tells whether an operation that has readers has at most a task for each worker left to submit.
bool ready_queue::may_be_tail(std::size_t operation) const {
  const state& current = states_[operation];
  const index_t num_waiting = current.num_left - current.num_under_way;
  return num_waiting <= static_cast<index_t>(num_workers_) && current.rank < first_deferred_ &&
         !order_.readers[operation].empty();
}

void ready_queue::open(std::size_t operation) {
  state& current = states_[operation];
  current.is_open = true;
  const std::vector<task_range> remaining = work_.remaining(operation);
  current.queue = task_queue(work_, operation, remaining, num_workers_, cost_per_batch_);
  current.num_left = current.queue.num_tasks();
  if (order_.readers[operation].empty() || current.num_left == 0) return;
  index_t next = 0;
  for (const task_range& range : remaining) {
    if (next < range.first) current.finished.add({next, range.first});
    next = range.last;
  }
  const index_t num_tasks = work_.operations()[operation].num_tasks;
  if (next < num_tasks) current.finished.add({next, num_tasks});
}

std::optional<task_batch> ready_queue::take(std::size_t operation) {
  state& current = states_[operation];
  while (!current.queue.empty()) {
    const auto [batch, may_run] = current.queue.take();
    if (may_run) return batch;
    unblock_readers(batch);
    const auto missing = find_missing(batch);
    if (!missing) return batch;
    wait(batch, *missing);
  }
  dequeue(operation);
  return std::nullopt;
}

/// Unblocks the lanes of the batches that wait for tasks of `source`, which was taken just now.
void ready_queue::unblock_readers(const task_batch& source) {
  auto& readers = states_[source.operation].readers;
  auto reader = readers.lower_bound(source.first);
  for (; reader != readers.end() && reader->first < source.first + source.count; ++reader) {
    waiting& entry = reader->second;
    if (!std::exchange(entry.blocks_lane, false)) continue;
    states_[entry.batch.operation].queue.release(entry.batch.worker);
    enqueue(entry.batch.operation);
  }
}

std::optional<ready_queue::task_name> ready_queue::find_missing(const task_batch& batch) const {
  if (has_all_sources(batch.operation)) return std::nullopt;
  const task_range tasks{batch.first, batch.first + batch.count};
  for (const std::size_t source : order_.sources[batch.operation]) {
    const state& source_state = states_[source];
    if (source_state.is_done) continue;
    const std::vector<task_range> needed = work_.needs(batch.operation, tasks, source);
    // The last task is likely to end last.
    for (auto range = needed.rbegin(); range != needed.rend(); ++range) {
      if (const auto task = source_state.finished.last_missing(*range))
        return task_name{source, *task};
    }
  }
  return std::nullopt;
}

void ready_queue::wait(const task_batch& batch, const task_name& missing) {
  state& source = states_[missing.operation];
  const bool blocks = num_waiting_ >= most_waiting_ || source.queue.is_untouched(missing.task);
  if (blocks) states_[batch.operation].queue.hold(batch.worker);
  source.readers.emplace(missing.task, waiting{batch, blocks});
  ++num_waiting_;
}

void ready_queue::put_back(const task_batch& batch) {
  states_[batch.operation].queue.put_back(batch);
  enqueue(batch.operation);
}

void ready_queue::begin(std::size_t operation) {
  states_[operation].has_begun = true;
  for (const std::size_t reader : order_.readers[operation]) {
    if (--states_[reader].num_unbegun_sources == 0) enqueue(reader);
  }
  if (num_left(operation) > 0) return;
  dequeue(operation);
  finish(operation);
}

void ready_queue::handed_out(const task_batch& batch) {
  state& current = states_[batch.operation];
  current.queue.handed_out(batch.worker);
  current.num_under_way += batch.count;
  if (!current.is_tail && !current.queue.empty() && may_be_tail(batch.operation))
    enqueue(batch.operation);
}

void ready_queue::answered(const task_batch& batch) {
  state& current = states_[batch.operation];
  current.queue.answered(batch.worker);
  current.num_under_way -= batch.count;
}

void ready_queue::end(std::size_t operation, task_range tasks) {
  state& current = states_[operation];
  current.num_left -= tasks.last - tasks.first;
  if (current.num_left == 0) {
    finish(operation);
  } else if (!order_.readers[operation].empty()) {
    current.finished.add(tasks);
  }
  const auto first = current.readers.lower_bound(tasks.first);
  const auto last = current.readers.lower_bound(tasks.last);
  std::vector<waiting> freed;
  for (auto reader = first; reader != last; ++reader) freed.push_back(reader->second);
  current.readers.erase(first, last);
  num_waiting_ -= freed.size();
  for (const auto& [batch, blocks_lane] : freed) {
    state& reader = states_[batch.operation];
    if (blocks_lane) reader.queue.release(batch.worker);
    if (const auto missing = find_missing(batch)) {
      wait(batch, *missing);
    } else {
      reader.queue.put_back(batch);
    }
    if (!reader.queue.empty()) enqueue(batch.operation);
  }
}

void ready_queue::finish(std::size_t operation) {
  state& current = states_[operation];
  current.is_done = true;
  current.finished.clear();
  for (const std::size_t reader : order_.readers[operation]) {
    if (--states_[reader].num_open_sources == 0) enqueue(reader);
  }
}

}  // namespace tessera
