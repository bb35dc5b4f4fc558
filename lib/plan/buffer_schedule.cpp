// SPDX-License-Identifier: Apache-2.0
/// \file
/// The layout of a task's buffers in one arena.
///
/// Each buffer lives in a range of steps. Two buffers may share bytes if their ranges do not
/// overlap:
///     bytes ^  +---------+ +-----+
///           |  |    a    | |  c  |      a and c share bytes, b lies above both
///           |  +---------+-+-----+
///           |  |        b        |
///           +--+-----------------+--> steps
/// Placing buffers with the least arena is NP-hard (dynamic storage allocation). First fit is used,
/// largest buffers first; if that wastes memory, also in the order of their first steps. The better
/// of the two is kept.
/// Invariant: `arena_bytes` is the size of the layout, so that the memory of a task is exact.
/// Reference: "greedy by size" of Pisarchyk and Lee, "Efficient Memory Management for Deep Neural
/// Net Inference" (2020).

#include "plan/api/buffer_schedule.hpp"

#include "core/api/cache_sizes.hpp"
#include "core/api/small_vector.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Every buffer starts at a multiple of this.
constexpr std::size_t alignment = cache_line;

/// The first and the last step in which a buffer lives.
using step_range = std::pair<std::size_t, std::size_t>;

step_range steps_of(const scheduled_buffer& buffer) {
  return {buffer.first_step, buffer.last_step};
}

bool overlap(const step_range& a, const step_range& b) {
  return a.first <= b.second && b.first <= a.second;
}

bool are_short(const step_range& lifetime) {
  return lifetime.second - lifetime.first < tuning.most_short_steps;
}

/// A range of bytes of the arena, in whole cache lines.
struct byte_range {
  std::size_t start;
  std::size_t stop;
};

byte_range bytes_of(const scheduled_buffer& buffer) {
  return {buffer.offset, (buffer.offset + buffer.size + alignment - 1) / alignment * alignment};
}

/// Returns the lowest offset of a gap of `size` bytes between the `occupied` ranges, which are
/// sorted.
template <class Runs>
std::size_t first_fit_between(const Runs& occupied, std::size_t size) {
  std::size_t offset = 0;
  for (const byte_range& interval : occupied) {
    if (interval.start >= offset + size) break;
    offset = std::max(offset, interval.stop);
  }
  return offset;
}

template <class Runs>
void sort_by_start(Runs& runs) {
  std::sort(runs.begin(), runs.end(),
            [](const byte_range& a, const byte_range& b) { return a.start < b.start; });
}

/// The occupied bytes as disjoint ranges, in order.
class occupied_space {
 public:
  occupied_space() = default;
  explicit occupied_space(std::vector<byte_range> intervals) {
    sort_by_start(intervals);
    for (const byte_range& added : intervals) {
      if (!runs_.empty() && added.start <= runs_.back().stop) {
        runs_.back().stop = std::max(runs_.back().stop, added.stop);
      } else {
        runs_.push_back(added);
      }
    }
  }

  [[nodiscard]] const std::vector<byte_range>& runs() const { return runs_; }

  void occupy(const scheduled_buffer& buffer) {
    if (buffer.size == 0) return;
    byte_range added = bytes_of(buffer);
    const auto first = std::find_if(runs_.begin(), runs_.end(), [&](const byte_range& interval) {
      return interval.stop >= added.start;
    });
    auto last = first;
    for (; last != runs_.end() && last->start <= added.stop; ++last) {
      added = {std::min(added.start, last->start), std::max(added.stop, last->stop)};
    }
    runs_.insert(runs_.erase(first, last), added);
  }

  /// Returns the lowest offset of a gap of `size` bytes.
  [[nodiscard]] std::size_t first_fit(std::size_t size) const {
    return first_fit_between(runs_, size);
  }

 private:
  std::vector<byte_range> runs_;
};

/// The placement of few buffers: each is compared with all placed buffers.
class small_placement {
 public:
  void add(const scheduled_buffer& buffer) { scheduled_.push_back(&buffer); }

  /// Returns the lowest offset at which there is room for `buffer`.
  std::size_t first_fit(const scheduled_buffer& buffer) {
    occupied_.clear();
    for (const scheduled_buffer* scheduled : scheduled_) {
      if (scheduled->size == 0 || !overlap(steps_of(buffer), steps_of(*scheduled))) continue;
      occupied_.push_back(bytes_of(*scheduled));
    }
    sort_by_start(occupied_);
    return first_fit_between(occupied_, buffer.size);
  }

 private:
  small_vector<const scheduled_buffer*> scheduled_;
  small_vector<byte_range> occupied_;
};

/// The placement of many buffers, indexed by lifetime.
///
/// Buffers of pieces live for a few steps each: they are found by step. Many buffers that live long
/// have one lifetime, as the states of folds: they are found by lifetime.
class large_placement {
 public:
  void add(const scheduled_buffer& buffer) {
    scheduled_.push_back(&buffer);
    const step_range lifetime = steps_of(buffer);
    if (!are_short(lifetime)) {
      long_[lifetime].occupy(buffer);
      return;
    }
    for (std::size_t step = lifetime.first; step <= lifetime.second; ++step) {
      if (step >= by_step_.size()) by_step_.resize(step + 1);
      by_step_[step].push_back(&buffer);
    }
  }

  /// Returns the lowest offset at which there is room for `buffer`.
  std::size_t first_fit(const scheduled_buffer& buffer) {
    const step_range lifetime = steps_of(buffer);
    const bool lives_long = !are_short(lifetime);
    if (lives_long || lifetime != last_) {
      snapshot& state = lives_long ? states_of_long_[lifetime] : state_of_short_;
      if (!lives_long) state = {occupied_during(lifetime), scheduled_.size()};
      last_ = lifetime;
      last_state_ = &state;
    }
    for (std::size_t& next = last_state_->count; next < scheduled_.size(); ++next) {
      if (overlap(lifetime, steps_of(*scheduled_[next])))
        last_state_->occupied.occupy(*scheduled_[next]);
    }
    return last_state_->occupied.first_fit(buffer.size);
  }

 private:
  /// The space that the first `count` buffers occupy during one lifetime.
  struct snapshot {
    occupied_space occupied;
    std::size_t count = 0;
  };

  /// Returns the space that buffers occupy during a short lifetime.
  [[nodiscard]] occupied_space occupied_during(const step_range& lifetime) const {
    std::vector<byte_range> intervals;
    for (const auto& [other_lifetime, occupied] : long_) {
      if (!overlap(lifetime, other_lifetime)) continue;
      intervals.insert(intervals.end(), occupied.runs().begin(), occupied.runs().end());
    }
    for (std::size_t step = lifetime.first; step <= lifetime.second && step < by_step_.size();
         ++step) {
      for (const scheduled_buffer* scheduled : by_step_[step]) {
        if (scheduled->size > 0) intervals.push_back(bytes_of(*scheduled));
      }
    }
    return occupied_space(std::move(intervals));
  }

  std::vector<const scheduled_buffer*> scheduled_;
  std::map<step_range, occupied_space> long_;
  std::vector<std::vector<const scheduled_buffer*>> by_step_;
  /// The snapshots of the long lifetimes and of the last short one.
  std::map<step_range, snapshot> states_of_long_;
  snapshot state_of_short_;
  step_range last_{1, 0};
  snapshot* last_state_ = nullptr;
};

/// Places each buffer, in the order of `numbers`, at the lowest free offset. Returns the bytes that
/// hold all of them.
template <class Scheduled>
std::size_t place_with(Scheduled scheduled, std::vector<scheduled_buffer>& buffers,
                       const small_vector<std::size_t>& numbers) {
  std::size_t most = 0;
  for (const std::size_t number : numbers) {
    scheduled_buffer& buffer = buffers[number];
    buffer.offset = scheduled.first_fit(buffer);
    most = std::max(most, buffer.offset + buffer.size);
    scheduled.add(buffer);
  }
  return most;
}

/// As `place_with`, with the placement that is faster for that many buffers.
std::size_t place_in_order(std::vector<scheduled_buffer>& buffers,
                           const small_vector<std::size_t>& numbers) {
  return numbers.size() <= tuning.most_compared_buffers
             ? place_with(small_placement(), buffers, numbers)
             : place_with(large_placement(), buffers, numbers);
}

/// The bytes of a buffer at the step at which it begins, or after which it has ended.
struct change {
  std::size_t step;
  bool begins;
  std::size_t bytes;
};

/// Returns the largest sum of bytes that live in one step.
std::size_t most_at_once(small_vector<change> changes) {
  std::sort(changes.begin(), changes.end(), [](const change& a, const change& b) {
    return std::pair(a.step, a.begins) < std::pair(b.step, b.begins);
  });
  std::size_t lives = 0;
  std::size_t most = 0;
  for (const change& next : changes) {
    lives = next.begins ? lives + next.bytes : lives - next.bytes;
    most = std::max(most, lives);
  }
  return most;
}

/// Returns the changes of the buffers `numbers`.
small_vector<change> changes_of(const std::vector<scheduled_buffer>& buffers,
                                const small_vector<std::size_t>& numbers) {
  small_vector<change> changes;
  changes.reserve(2 * numbers.size());
  for (const std::size_t number : numbers) {
    const scheduled_buffer& buffer = buffers[number];
    changes.push_back({buffer.first_step, true, buffer.size});
    changes.push_back({buffer.last_step + 1, false, buffer.size});
  }
  return changes;
}

}  // namespace

std::size_t buffer_schedule::add(std::string use, std::size_t size, std::size_t first_step,
                                 std::size_t last_step, buffer_array array) {
  constexpr std::size_t usual = 8;
  if (buffers_.empty()) buffers_.reserve(usual);
  buffers_.push_back({std::move(use), size, first_step, last_step, array});
  return buffers_.size() - 1;
}

void buffer_schedule::add_external(std::string use, std::size_t size, std::size_t step,
                                   buffer_array array) {
  buffers_.push_back({std::move(use), size, step, step, array, true});
}

void buffer_schedule::add_kept(std::string use, std::size_t size) {
  constexpr std::size_t last_step = std::numeric_limits<std::size_t>::max();
  buffers_.push_back({std::move(use), size, 0, last_step, {}, true});
  kept_bytes_ += size;
}

void buffer_schedule::lay_out() {
  small_vector<std::size_t> order;
  small_vector<std::size_t> external;
  for (std::size_t id = 0; id < buffers_.size(); ++id) {
    const scheduled_buffer& buffer = buffers_[id];
    if (!buffer.is_external) order.push_back(id);
    if (buffer.is_external && buffer.first_step == buffer.last_step) external.push_back(id);
  }
  external_bytes_ = most_at_once(changes_of(buffers_, external));
  std::sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return buffers_[a].size != buffers_[b].size ? buffers_[a].size > buffers_[b].size : a < b;
  });
  arena_bytes_ = place_in_order(buffers_, order);
  // The bytes that live in one step are a lower bound of every layout.
  const std::size_t least = most_at_once(changes_of(buffers_, order));
  if (arena_bytes_ <= least + alignment * order.size()) return;
  // Buffers that live in a chain fit better in the order of their first steps.
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return buffers_[a].first_step < buffers_[b].first_step;
  });
  std::vector<scheduled_buffer> by_first_step = buffers_;
  const std::size_t bytes = place_in_order(by_first_step, order);
  if (bytes >= arena_bytes_) return;
  arena_bytes_ = bytes;
  buffers_ = std::move(by_first_step);
}

}  // namespace tessera
