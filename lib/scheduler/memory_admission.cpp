// SPDX-License-Identifier: Apache-2.0
#include "scheduler/memory_admission.hpp"

#include "tessera/core/error.hpp"

#include "core/api/host_memory.hpp"
#include "core/api/numbered_label.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <queue>
#include <string>

namespace tessera {

namespace {

constexpr auto no_operation = static_cast<std::size_t>(-1);

void check_after(const std::vector<workload_operation>& operations) {
  for (std::size_t i = 0; i < operations.size(); ++i) {
    for (const std::size_t source : operations[i].after) {
      if (source < operations.size()) continue;
      throw value_error(fmt::format(
          "run: {} comes after operation {}, but there are {} operations, counted from 0",
          operation_title(i, operations[i].name), source, operations.size()));
    }
  }
}

}  // namespace

operation_order::operation_order(const std::vector<workload_operation>& operations)
    : sources(operations.size()), readers(operations.size()) {
  check_after(operations);
  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  std::vector<std::size_t> num_open(operations.size());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    sources[i] = operations[i].after;
    std::sort(sources[i].begin(), sources[i].end());
    sources[i].erase(std::unique(sources[i].begin(), sources[i].end()), sources[i].end());
    for (const std::size_t source : sources[i]) readers[source].push_back(i);
    num_open[i] = sources[i].size();
    if (num_open[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    sequence.push_back(ready.top());
    ready.pop();
    for (const std::size_t reader : readers[sequence.back()]) {
      if (--num_open[reader] == 0) ready.push(reader);
    }
  }
  if (sequence.size() == operations.size()) return;
  const auto open = std::find_if(num_open.begin(), num_open.end(), [](auto n) { return n != 0; });
  const auto number = static_cast<std::size_t>(open - num_open.begin());
  throw value_error(
      fmt::format("run: {} comes, directly or through others, after itself; the operations of a "
                  "workload must not form a cycle",
                  operation_title(number, operations[number].name)));
}

memory_admission::memory_admission(const std::vector<workload_operation>& operations,
                                   const operation_order& order, const limits& shared)
    : operations_(operations),
      order_(order),
      limit_(shared.host_memory.count()),
      baseline_(shared.baseline.count()),
      afterwards_(shared.afterwards.count()),
      num_workers_(shared.num_workers),
      states_(operations.size(), state::waiting),
      positions_(operations.size()),
      readers_(order.readers),
      given_back_(operations.size(), 0),
      run_(operations.size()),
      resident_run_(operations.size()) {
  for (std::size_t i = 0; i < positions_.size(); ++i) positions_[order.sequence[i]] = i;
  for (std::size_t i = 0; i < readers_.size(); ++i) {
    std::ranges::sort(readers_[i], {}, [this](std::size_t reader) { return positions_[reader]; });
    if (!readers_[i].empty()) given_back_[readers_[i].back()] += passing_memory(i);
  }
  bytes libraries;
  for (const auto& operation : operations)
    libraries = std::max(libraries, operation.library_memory);
  baseline_ += libraries.count() * num_workers_;
  for (std::size_t i = 0; i < operations.size(); ++i) update_step(i);
  if (const peak worst = highest_peak(); worst.total > limit_) refuse(worst);
  check_afterwards();
  most_resident_ = find_most_resident();
  has_room_for_all_ = find_room_for_all();
}

// The arrays of `operation` come earlier than in the reference run. The operations before it in
// the sequence then have less room.
bool memory_admission::may_begin(std::size_t operation) const {
  const std::uint64_t occupied = baseline_ + resident_ + resident_memory(operation);
  if (occupied + in_tasks_with(operation) > limit_) return false;
  const wide_integer resident = resident_ + resident_memory(operation);
  const wide_integer before =
      std::max<wide_integer>(0, resident_run_.peak_of_first(positions_[operation]));
  if (resident + before > wide_integer{most_resident_}) return false;
  return occupied + run_.peak_of_first(positions_[operation]) <= wide_integer{limit_};
}

bool memory_admission::leaves_room_for_workers(std::size_t operation) const {
  std::uint64_t largest = task_memory(operation);
  for (const std::size_t source : order_.sources[operation]) {
    if (states_[source] == state::begun) largest = std::max(largest, task_memory(source));
  }
  const std::uint64_t occupied = baseline_ + resident_ + resident_memory(operation);
  return occupied + num_workers_ * largest <= limit_;
}

void memory_admission::begin(std::size_t operation) {
  states_[operation] = state::begun;
  resident_ += resident_memory(operation);
  update_step(operation);
}

void memory_admission::end(std::size_t operation) {
  states_[operation] = state::ended;
  run_.clear(positions_[operation]);
  resident_run_.clear(positions_[operation]);
  for (const std::size_t source : order_.sources[operation]) {
    if (last_reader(source) != operation) continue;
    std::vector<std::size_t>& readers = readers_[source];
    while (!readers.empty() && states_[readers.back()] == state::ended) readers.pop_back();
    if (readers.empty()) {
      resident_ -= passing_memory(source);
    } else {
      given_back_[readers.back()] += passing_memory(source);
      update_step(readers.back());
    }
  }
}

void memory_admission::update_step(std::size_t operation) {
  const bool is_to_come = states_[operation] == state::waiting;
  const std::uint64_t acquired = is_to_come ? resident_memory(operation) : 0;
  run_.set(positions_[operation], {acquired, task_memory(operation), given_back_[operation]});
  resident_run_.set(positions_[operation], {acquired, 0, given_back_[operation]});
}

std::size_t memory_admission::last_reader(std::size_t source) const {
  return readers_[source].empty() ? no_operation : readers_[source].back();
}

bool memory_admission::may_run(std::size_t operation) const {
  return baseline_ + resident_ + in_tasks_with(operation) <= limit_;
}

void memory_admission::task_begins(std::size_t operation) {
  auto entry = submitted_.begin();
  while (entry != submitted_.end() && entry->first != operation &&
         task_memory(entry->first) >= task_memory(operation)) {
    ++entry;
  }
  if (entry == submitted_.end() || entry->first != operation) {
    entry = submitted_.insert(entry, {operation, 0});
  }
  ++entry->second;
}

void memory_admission::task_ends(std::size_t operation) {
  const auto entry =
      std::ranges::find(submitted_, operation, &std::pair<std::size_t, std::size_t>::first);
  if (--entry->second == 0) submitted_.erase(entry);
}

std::uint64_t memory_admission::in_tasks_with(std::size_t operation) const {
  std::uint64_t sum = 0;
  std::size_t num_free = num_workers_;
  bool is_counted = task_memory(operation) == 0;
  const auto count = [&](std::size_t counted, std::size_t most) {
    const std::size_t running = std::min(most, num_free);
    sum += running * task_memory(counted);
    num_free -= running;
  };
  for (const auto& [submitted, most] : submitted_) {
    if (!is_counted && task_memory(submitted) <= task_memory(operation)) {
      count(operation, 1);
      is_counted = true;
    }
    count(submitted, most);
  }
  if (!is_counted) count(operation, 1);
  return sum;
}

std::uint64_t memory_admission::find_most_resident() const {
  resident_arrays arrays;
  std::uint64_t largest = 0;
  std::uint64_t before = 0;
  std::uint64_t resident = 0;
  for (const std::size_t operation : order_.sequence) {
    const std::uint64_t output = resident_memory(operation);
    largest = std::max(largest, task_memory(operation));
    resident += output;
    arrays.most = std::max(arrays.most, bytes{resident});
    arrays.with_next = std::max(arrays.with_next, bytes{before + output});
    arrays.total += bytes{output};
    before = resident;
    resident -= given_back_[operation];
  }
  return (arrays.most + arrays.ahead(bytes{num_workers_ * largest})).count();
}

bool memory_admission::find_room_for_all() const {
  std::uint64_t largest = 0;
  std::uint64_t resident = 0;
  for (std::size_t i = 0; i < operations_.size(); ++i) {
    largest = std::max(largest, task_memory(i));
    resident += resident_memory(i);
  }
  return resident <= most_resident_ &&
         baseline_ + num_workers_ * largest + resident + afterwards_ <= limit_;
}

memory_admission::peak memory_admission::highest_peak() const {
  peak worst;
  std::uint64_t resident = 0;
  for (const std::size_t operation : order_.sequence) {
    resident += resident_memory(operation);
    const std::uint64_t total = baseline_ + resident + task_memory(operation);
    if (total > worst.total) worst = {operation, resident, total};
    resident -= given_back_[operation];
  }
  return worst;
}

void memory_admission::refuse(const peak& worst) const {
  const workload_operation& operation = operations_[worst.operation];
  throw memory_error(fmt::format(
      "run: {} needs {} for one task, with {} that the process itself uses and {} of arrays held "
      "in "
      "memory at that time, which is above the host memory of {}; use smaller chunks or set "
      "host_memory to at least {}",
      operation_title(worst.operation, operation.name), format(bytes{task_memory(worst.operation)}),
      format(bytes{baseline_}), format(bytes{worst.resident}), format(bytes{limit_}),
      format(bytes{worst.total})));
}

void memory_admission::check_afterwards() const {
  const std::uint64_t needed = baseline_ + afterwards_;
  if (needed <= limit_) return;
  throw memory_error(fmt::format(
      "run: to read the results takes {}, with {} that the process itself uses, which is above the "
      "host memory of {}; store the results instead of computing them into memory or set "
      "host_memory to at least {}",
      format(bytes{afterwards_}), format(bytes{baseline_}), format(bytes{limit_}),
      format(bytes{needed})));
}

std::uint64_t memory_admission::task_memory(std::size_t operation) const {
  const workload_operation& spec = operations_[operation];
  return spec.num_tasks == 0 ? 0 : (spec.task_memory - spec.library_memory).count();
}

std::uint64_t memory_admission::resident_memory(std::size_t operation) const {
  return operations_[operation].resident_memory.count();
}

std::uint64_t memory_admission::passing_memory(std::size_t operation) const {
  return (operations_[operation].resident_memory - operations_[operation].kept_memory).count();
}

}  // namespace tessera
