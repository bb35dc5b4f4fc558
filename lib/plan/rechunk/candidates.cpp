// SPDX-License-Identifier: Apache-2.0
#include "plan/rechunk/axis.hpp"
#include "plan/rechunk/costs.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tessera::rechunking {

namespace {

/// Returns the candidate lengths of a block, by axis.
std::vector<std::vector<index_t>> lengths_of(const problem& of, bool has_any) {
  std::vector<std::vector<index_t>> axes;
  for (std::size_t axis = 0; axis < of.shape.size(); ++axis) {
    const index_t extent = of.shape[axis];
    const index_t source = of.source[axis];
    const index_t target = of.target[axis];
    const index_t common = common_multiple(extent, source, target);
    if (has_any && extent <= tuning.short_axis) {
      axes.emplace_back(static_cast<std::size_t>(extent));
      std::iota(axes.back().begin(), axes.back().end(), index_t{1});
    } else if (has_any) {
      axes.push_back(ladder(extent, {1, source, target, common}));
    } else if (source == target) {
      axes.push_back(ladder(extent, {source}));
    } else {
      axes.push_back(ladder(extent, {source, target, common}));
    }
  }
  return axes;
}

/// Removes every second length, except for the source, the target and the whole extent, until there
/// are at most `tuning.most_products`.
void thin_out(const problem& of, std::vector<std::vector<index_t>>& axes) {
  const auto num_products = [&axes] {
    double count = 1;
    for (const auto& lengths : axes) count *= static_cast<double>(lengths.size());
    return count;
  };
  while (num_products() > tuning.most_products) {
    const auto longest = std::ranges::max_element(axes, {}, [](const auto& l) { return l.size(); });
    const auto axis = static_cast<std::size_t>(longest - axes.begin());
    std::size_t number = 0;
    const std::size_t before = longest->size();
    std::erase_if(*longest, [&](index_t length) {
      const bool is_fixed =
          length == of.shape[axis] || length == of.source[axis] || length == of.target[axis];
      return number++ % 2 == 1 && !is_fixed;
    });
    if (longest->size() == before) return;
  }
}

}  // namespace

std::vector<index_vector> candidates(const block_costs& costs, bool is_thorough) {
  const problem& of = costs.of();
  const double target = of.end == route_end::chunks ? costs.bytes_of(of.target) : 0;
  const double chunk = std::max(costs.source_bytes(), target);
  const double room =
      std::max(static_cast<double>(of.itemsize),
               static_cast<double>(of.memory) - static_cast<double>(of.chunk_copies) * chunk);
  const double most_tasks =
      tuning.rechunk_tasks_for_a_worker * static_cast<double>(of.costs.num_workers());
  std::vector<std::vector<index_t>> axes = lengths_of(of, is_thorough || room < target);
  thin_out(of, axes);

  index_vector counts;
  for (const auto& lengths : axes) counts.push_back(static_cast<index_t>(lengths.size()));
  std::vector<index_vector> blocks;
  index_vector position(counts.size());
  do {
    index_vector block(counts.size());
    for (std::size_t axis = 0; axis < block.size(); ++axis) {
      block[axis] = axes[axis][static_cast<std::size_t>(position[axis])];
    }
    const double size = costs.bytes_of(block);
    const bool is_large = is_thorough || size * tuning.least_part_of_memory >= room ||
                          costs.num_tasks(block) <= most_tasks || block == of.target;
    if (size <= static_cast<double>(of.memory) && is_large) blocks.push_back(std::move(block));
  } while (next_position(position, counts));

  if (blocks.size() > tuning.most_candidates) {
    // Large blocks save requests.
    std::ranges::stable_sort(blocks, [&](const index_vector& a, const index_vector& b) {
      const bool a_is_target = a == of.target;
      const bool b_is_target = b == of.target;
      if (a_is_target != b_is_target) return a_is_target;
      return costs.bytes_of(a) > costs.bytes_of(b);
    });
    blocks.resize(tuning.most_candidates);
  }
  return blocks;
}

}  // namespace tessera::rechunking
