// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/buffer_schedule.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace tessera {

namespace {

/// Every place starts at a multiple of this: a cache line.
constexpr std::size_t alignment = 64;

bool live_together(const scheduled_buffer& a, const scheduled_buffer& b) {
  return a.first_step <= b.last_step && b.first_step <= a.last_step;
}

/// The buffers that have their places, by the steps in which they live, so that those of many
/// pieces, which live in a few steps each, are not compared with each other.
class placed_buffers {
 public:
  void add(const scheduled_buffer& buffer) {
    all_.push_back(&buffer);
    if (!is_short(buffer)) {
      long_.push_back(&buffer);
      return;
    }
    for (std::size_t step = buffer.first_step; step <= buffer.last_step; ++step) {
      if (step >= by_step_.size()) by_step_.resize(step + 1);
      by_step_[step].push_back(&buffer);
    }
  }

  [[nodiscard]] const std::vector<const scheduled_buffer*>& all() const { return all_; }

  /// Calls `f` with each buffer that lives together with `buffer`, perhaps more than once.
  template <class F>
  void for_each_together(const scheduled_buffer& buffer, F f) const {
    const auto visit = [&](const std::vector<const scheduled_buffer*>& others) {
      for (const scheduled_buffer* other : others) {
        if (live_together(buffer, *other)) f(*other);
      }
    };
    if (!is_short(buffer)) return visit(all_);
    visit(long_);
    for (std::size_t step = buffer.first_step; step <= buffer.last_step; ++step) {
      if (step < by_step_.size()) visit(by_step_[step]);
    }
  }

 private:
  static bool is_short(const scheduled_buffer& buffer) {
    constexpr std::size_t most_steps = 8;
    return buffer.last_step - buffer.first_step < most_steps;
  }

  std::vector<const scheduled_buffer*> all_;
  std::vector<const scheduled_buffer*> long_;
  std::vector<std::vector<const scheduled_buffer*>> by_step_;
};

/// Where there is no room, as other buffers are there that live together with those of one
/// lifetime.
///
/// Buffers come in an order of size: so many of them in a row live alike, as states of folds do,
/// that what is taken is kept from one to the next.
class taken_places {
 public:
  explicit taken_places(const placed_buffers& placed) : placed_(placed) {}

  /// Returns the lowest offset at which there is room for `buffer`.
  std::size_t first_fit(const scheduled_buffer& buffer) {
    if (!is_of(buffer)) look_at(buffer);
    for (; num_seen_ < placed_.all().size(); ++num_seen_) {
      const scheduled_buffer& other = *placed_.all()[num_seen_];
      if (live_together(buffer, other)) take(other);
    }
    std::size_t offset = 0;
    for (const run& each : taken_) {
      if (each.start >= offset + buffer.size) break;
      offset = std::max(offset, each.stop);
    }
    return offset;
  }

 private:
  /// Whole cache lines.
  struct run {
    std::size_t start;
    std::size_t stop;
  };

  [[nodiscard]] bool is_of(const scheduled_buffer& buffer) const {
    return like_ != nullptr && like_->first_step == buffer.first_step &&
           like_->last_step == buffer.last_step;
  }

  void look_at(const scheduled_buffer& buffer) {
    like_ = &buffer;
    found_.clear();
    placed_.for_each_together(buffer, [this](const scheduled_buffer& other) {
      if (other.size > 0) found_.push_back({other.offset, stop_of(other)});
    });
    std::sort(found_.begin(), found_.end(),
              [](const run& a, const run& b) { return a.start < b.start; });
    taken_.clear();
    for (const run& more : found_) {
      if (!taken_.empty() && more.start <= taken_.back().stop) {
        taken_.back().stop = std::max(taken_.back().stop, more.stop);
      } else {
        taken_.push_back(more);
      }
    }
    num_seen_ = placed_.all().size();
  }

  void take(const scheduled_buffer& other) {
    if (other.size == 0) return;
    run more{other.offset, stop_of(other)};
    const auto first = std::find_if(taken_.begin(), taken_.end(),
                                    [&](const run& each) { return each.stop >= more.start; });
    auto last = first;
    for (; last != taken_.end() && last->start <= more.stop; ++last) {
      more = {std::min(more.start, last->start), std::max(more.stop, last->stop)};
    }
    taken_.insert(taken_.erase(first, last), more);
  }

  static std::size_t stop_of(const scheduled_buffer& buffer) {
    return (buffer.offset + buffer.size + alignment - 1) / alignment * alignment;
  }

  const placed_buffers& placed_;
  const scheduled_buffer* like_ = nullptr;
  std::size_t num_seen_ = 0;
  /// What lies apart, in order.
  std::vector<run> taken_;
  std::vector<run> found_;
};

}  // namespace

std::size_t buffer_schedule::add(std::string name, std::size_t size, std::size_t first_step,
                                 std::size_t last_step) {
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
  std::vector<std::size_t> order(buffers_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [this](std::size_t a, std::size_t b) {
    return buffers_[a].size > buffers_[b].size;
  });
  placed_buffers placed;
  taken_places taken(placed);
  std::map<std::size_t, std::size_t> external_at;
  for (const std::size_t id : order) {
    scheduled_buffer& buffer = buffers_[id];
    if (buffer.is_external) {
      if (buffer.first_step == buffer.last_step) external_at[buffer.first_step] += buffer.size;
      continue;
    }
    buffer.offset = taken.first_fit(buffer);
    arena_bytes_ = std::max(arena_bytes_, buffer.offset + buffer.size);
    placed.add(buffer);
  }
  for (const auto& [step, size] : external_at) external_bytes_ = std::max(external_bytes_, size);
}

}  // namespace tessera
