// SPDX-License-Identifier: Apache-2.0
#include "observe/record/worker_starts.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace tessera {

worker_starts::worker_starts(const run_record& record) {
  for (const run_event& event : record.events) {
    if (event.kind == run_event_kind::worker_started) hosts_.push_back(event.text);
  }
  std::ranges::sort(hosts_);
  hosts_.erase(std::unique(hosts_.begin(), hosts_.end()), hosts_.end());
  for (const run_event& event : record.events) {
    if (event.kind != run_event_kind::worker_started) continue;
    const auto host = std::ranges::lower_bound(hosts_, event.text) - hosts_.begin();
    starts_.push_back({.worker = event.worker,
                       .host = static_cast<std::size_t>(host),
                       .asked = event.started,
                       .ready = event.ended,
                       .began = event.started});
  }
  std::ranges::stable_sort(
      starts_, {}, [](const start_up& start) { return std::pair(start.worker, start.ready); });
  if (!starts_.empty()) set_begins(record);
}

/// Delays the begin of each start to the end of the attempts that began before it was ready.
void worker_starts::set_begins(const run_record& record) {
  const std::vector<const run_event*> attempts = attempts_by_worker(record);
  auto next = attempts.begin();
  std::size_t worker = 0;
  session_time end{};
  for (start_up& start : starts_) {
    if (std::exchange(worker, start.worker) != start.worker) end = {};
    while (next != attempts.end() && (*next)->worker < worker) ++next;
    for (; next != attempts.end() && (*next)->worker == worker && (*next)->started < start.ready;
         ++next) {
      end = std::max(end, (*next)->ended);
    }
    start.began = std::min(start.ready, std::max(start.asked, end));
    end = std::max(end, start.ready);
  }
}

std::span<const start_up> worker_starts::of(std::size_t worker) const {
  return {std::ranges::lower_bound(starts_, worker, {}, &start_up::worker),
          std::ranges::upper_bound(starts_, worker, {}, &start_up::worker)};
}

session_time worker_starts::total() const {
  session_time sum{};
  for (const start_up& start : starts_) sum += start.ready - start.began;
  return sum;
}

std::size_t worker_starts::host_of(std::size_t worker) const {
  const std::span<const start_up> starts = of(worker);
  return starts.empty() ? num_hosts() : starts.front().host;
}

std::size_t worker_starts::host_of(std::size_t worker, session_time time) const {
  const std::span<const start_up> starts = of(worker);
  const auto next = std::ranges::upper_bound(starts, time, {}, &start_up::ready);
  return next == starts.begin() ? host_of(worker) : std::prev(next)->host;
}

const std::string& worker_starts::name_of_host(std::size_t host) const {
  static const std::string unknown;
  return host < hosts_.size() ? hosts_[host] : unknown;
}

std::vector<const run_event*> attempts_by_host(const run_record& record,
                                               const worker_starts& starts) {
  const std::vector<const run_event*> attempts = attempts_by_worker(record);
  /// The attempts of a worker: from one place to another in `attempts`.
  struct group {
    std::size_t host = 0;
    std::size_t first = 0;
    std::size_t last = 0;
  };
  std::vector<group> groups;
  for (std::size_t i = 0; i < attempts.size(); ++i) {
    const std::size_t worker = attempts[i]->worker;
    if (i == 0 || attempts[i - 1]->worker != worker)
      groups.push_back({starts.host_of(worker), i, i});
    groups.back().last = i + 1;
  }
  std::ranges::stable_sort(groups, {}, &group::host);
  std::vector<const run_event*> sorted;
  sorted.reserve(attempts.size());
  for (const group& part : groups) {
    const auto at = [&](std::size_t i) {
      return attempts.begin() + static_cast<std::ptrdiff_t>(i);
    };
    sorted.insert(sorted.end(), at(part.first), at(part.last));
  }
  return sorted;
}

}  // namespace tessera
