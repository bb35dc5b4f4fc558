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

  /// Calls `f` with each buffer that lives together with `buffer`, perhaps more than once.
  template <class F>
  void for_each_together(const scheduled_buffer& buffer, F f) const {
    const auto visit = [&](const std::vector<const scheduled_buffer*>& others) {
      for (const scheduled_buffer* other : others) {
        if (buffer.first_step <= other->last_step && other->first_step <= buffer.last_step) {
          f(*other);
        }
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

/// Returns the lowest offset at which `size` bytes fit between `taken`, sorted [start, stop) pairs.
std::size_t first_fit(const std::vector<std::pair<std::size_t, std::size_t>>& taken,
                      std::size_t size) {
  std::size_t offset = 0;
  for (const auto& [start, stop] : taken) {
    if (start >= offset + size) break;
    offset = std::max(offset, (stop + alignment - 1) / alignment * alignment);
  }
  return offset;
}

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
  std::map<std::size_t, std::size_t> external_at;
  for (const std::size_t id : order) {
    scheduled_buffer& buffer = buffers_[id];
    if (buffer.is_external) {
      if (buffer.first_step == buffer.last_step) external_at[buffer.first_step] += buffer.size;
      continue;
    }
    std::vector<std::pair<std::size_t, std::size_t>> taken;
    placed.for_each_together(buffer, [&](const scheduled_buffer& other) {
      taken.emplace_back(other.offset, other.offset + other.size);
    });
    std::sort(taken.begin(), taken.end());
    buffer.offset = first_fit(taken, buffer.size);
    arena_bytes_ = std::max(arena_bytes_, buffer.offset + buffer.size);
    placed.add(buffer);
  }
  for (const auto& [step, size] : external_at) external_bytes_ = std::max(external_bytes_, size);
}

}  // namespace tessera
