// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/buffer_schedule.hpp"

#include "tessera/core/few.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Every place starts at a multiple of this: a cache line.
constexpr std::size_t alignment = 64;

/// The steps in which a buffer lives.
using steps = std::pair<std::size_t, std::size_t>;

steps steps_of(const scheduled_buffer& buffer) { return {buffer.first_step, buffer.last_step}; }

bool meet(const steps& a, const steps& b) { return a.first <= b.second && b.first <= a.second; }

bool are_short(const steps& lived) {
  constexpr std::size_t most_steps = 8;
  return lived.second - lived.first < most_steps;
}

/// Whole cache lines.
struct run {
  std::size_t start;
  std::size_t stop;
};

run place_of(const scheduled_buffer& buffer) {
  return {buffer.offset, (buffer.offset + buffer.size + alignment - 1) / alignment * alignment};
}

/// Returns the lowest offset at which there is room for `size` bytes beside `taken`, in order.
template <class Runs>
std::size_t first_fit_beside(const Runs& taken, std::size_t size) {
  std::size_t offset = 0;
  for (const run& each : taken) {
    if (each.start >= offset + size) break;
    offset = std::max(offset, each.stop);
  }
  return offset;
}

template <class Runs>
void sort_by_start(Runs& runs) {
  std::sort(runs.begin(), runs.end(), [](const run& a, const run& b) { return a.start < b.start; });
}

/// Where there is no room: what lies apart, in order.
class taken_places {
 public:
  taken_places() = default;
  explicit taken_places(std::vector<run> found) {
    sort_by_start(found);
    for (const run& more : found) {
      if (!runs_.empty() && more.start <= runs_.back().stop) {
        runs_.back().stop = std::max(runs_.back().stop, more.stop);
      } else {
        runs_.push_back(more);
      }
    }
  }

  [[nodiscard]] const std::vector<run>& runs() const { return runs_; }

  void take(const scheduled_buffer& buffer) {
    if (buffer.size == 0) return;
    run more = place_of(buffer);
    const auto first = std::find_if(runs_.begin(), runs_.end(),
                                    [&](const run& each) { return each.stop >= more.start; });
    auto last = first;
    for (; last != runs_.end() && last->start <= more.stop; ++last) {
      more = {std::min(more.start, last->start), std::max(more.stop, last->stop)};
    }
    runs_.insert(runs_.erase(first, last), more);
  }

  /// Returns the lowest offset at which there is room for `size` bytes.
  [[nodiscard]] std::size_t first_fit(std::size_t size) const {
    return first_fit_beside(runs_, size);
  }

 private:
  std::vector<run> runs_;
};

/// A few buffers that have their places: each is compared with all.
class few_placed_buffers {
 public:
  void add(const scheduled_buffer& buffer) { all_.push_back(&buffer); }

  /// Returns the lowest offset at which there is room for `buffer`.
  std::size_t first_fit(const scheduled_buffer& buffer) {
    beside_.clear();
    for (const scheduled_buffer* other : all_) {
      if (other->size == 0 || !meet(steps_of(buffer), steps_of(*other))) continue;
      beside_.push_back(place_of(*other));
    }
    sort_by_start(beside_);
    return first_fit_beside(beside_, buffer.size);
  }

 private:
  few<const scheduled_buffer*> all_;
  few<run> beside_;
};

/// The buffers that have their places, by the steps in which they live, so that those of many
/// pieces, which live in a few steps each, are not compared with each other, nor with each of those
/// that live long: of these many live alike, as the states of folds do.
class many_placed_buffers {
 public:
  void add(const scheduled_buffer& buffer) {
    all_.push_back(&buffer);
    const steps lived = steps_of(buffer);
    if (!are_short(lived)) {
      long_[lived].take(buffer);
      return;
    }
    for (std::size_t step = lived.first; step <= lived.second; ++step) {
      if (step >= by_step_.size()) by_step_.resize(step + 1);
      by_step_[step].push_back(&buffer);
    }
  }

  /// Returns the lowest offset at which there is room for `buffer`.
  std::size_t first_fit(const scheduled_buffer& buffer) {
    const steps lived = steps_of(buffer);
    const bool lives_long = !are_short(lived);
    if (lives_long || lived != last_) {
      seen& looked_at = lives_long ? of_long_[lived] : of_short_;
      if (!lives_long) looked_at = {taken_beside(lived), all_.size()};
      last_ = lived;
      last_seen_ = &looked_at;
    }
    for (std::size_t& next = last_seen_->count; next < all_.size(); ++next) {
      if (meet(lived, steps_of(*all_[next]))) last_seen_->taken.take(*all_[next]);
    }
    return last_seen_->taken.first_fit(buffer.size);
  }

 private:
  /// What is taken, as far as the first `count` buffers tell.
  struct seen {
    taken_places taken;
    std::size_t count = 0;
  };

  /// Returns what is taken by buffers that live together with one that lives in a few steps.
  [[nodiscard]] taken_places taken_beside(const steps& lived) const {
    std::vector<run> found;
    for (const auto& [others, taken] : long_) {
      if (!meet(lived, others)) continue;
      found.insert(found.end(), taken.runs().begin(), taken.runs().end());
    }
    for (std::size_t step = lived.first; step <= lived.second && step < by_step_.size(); ++step) {
      for (const scheduled_buffer* other : by_step_[step]) {
        if (other->size > 0) found.push_back(place_of(*other));
      }
    }
    return taken_places(std::move(found));
  }

  std::vector<const scheduled_buffer*> all_;
  std::map<steps, taken_places> long_;
  std::vector<std::vector<const scheduled_buffer*>> by_step_;
  /// What has been looked at, for each of the long lifetimes and for the last short one.
  std::map<steps, seen> of_long_;
  seen of_short_;
  steps last_{1, 0};
  seen* last_seen_ = nullptr;
};

/// Gives each buffer, in the order of `numbers`, the lowest place that is free; returns the bytes
/// that hold all of them.
template <class Placed>
std::size_t place_beside(Placed placed, std::vector<scheduled_buffer>& buffers,
                         const few<std::size_t>& numbers) {
  std::size_t most = 0;
  for (const std::size_t number : numbers) {
    scheduled_buffer& buffer = buffers[number];
    buffer.offset = placed.first_fit(buffer);
    most = std::max(most, buffer.offset + buffer.size);
    placed.add(buffer);
  }
  return most;
}

/// As `place_beside`: most tasks have few buffers, and programs very many tasks.
std::size_t place_in_order(std::vector<scheduled_buffer>& buffers,
                           const few<std::size_t>& numbers) {
  constexpr std::size_t most_compared = 32;
  return numbers.size() <= most_compared ? place_beside(few_placed_buffers(), buffers, numbers)
                                         : place_beside(many_placed_buffers(), buffers, numbers);
}

/// Bytes that begin to live at a step, or have ended to live before it.
struct change {
  std::size_t step;
  bool begins;
  std::size_t bytes;
};

/// Returns the most that lives at one step.
std::size_t most_at_once(few<change> changes) {
  std::sort(changes.begin(), changes.end(), [](const change& a, const change& b) {
    return std::pair(a.step, a.begins) < std::pair(b.step, b.begins);
  });
  std::size_t lives = 0;
  std::size_t most = 0;
  for (const change& each : changes) {
    lives = each.begins ? lives + each.bytes : lives - each.bytes;
    most = std::max(most, lives);
  }
  return most;
}

/// Returns what begins and ends of the buffers `numbers`.
few<change> changes_of(const std::vector<scheduled_buffer>& buffers,
                       const few<std::size_t>& numbers) {
  few<change> changes;
  changes.reserve(2 * numbers.size());
  for (const std::size_t number : numbers) {
    const scheduled_buffer& buffer = buffers[number];
    changes.push_back({buffer.first_step, true, buffer.size});
    changes.push_back({buffer.last_step + 1, false, buffer.size});
  }
  return changes;
}

}  // namespace

std::size_t buffer_schedule::add(std::string name, std::size_t size, std::size_t first_step,
                                 std::size_t last_step) {
  constexpr std::size_t usual = 8;
  if (buffers_.empty()) buffers_.reserve(usual);
  buffers_.push_back({std::move(name), size, first_step, last_step, false, 0});
  return buffers_.size() - 1;
}

void buffer_schedule::add_external(std::string name, std::size_t size, std::size_t step) {
  buffers_.push_back({std::move(name), size, step, step, true, 0});
}

void buffer_schedule::add_kept(std::string name, std::size_t size) {
  constexpr std::size_t last_step = std::numeric_limits<std::size_t>::max();
  buffers_.push_back({std::move(name), size, 0, last_step, true, 0});
  kept_bytes_ += size;
}

void buffer_schedule::lay_out() {
  few<std::size_t> order;
  few<std::size_t> external;
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
  // No places take less than what lives at once.
  const std::size_t least = most_at_once(changes_of(buffers_, order));
  if (arena_bytes_ <= least + alignment * order.size()) return;
  // What lives one after the other in a chain fits better as it comes.
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return buffers_[a].first_step < buffers_[b].first_step;
  });
  std::vector<scheduled_buffer> others = buffers_;
  const std::size_t bytes = place_in_order(others, order);
  if (bytes >= arena_bytes_) return;
  arena_bytes_ = bytes;
  buffers_ = std::move(others);
}

}  // namespace tessera
