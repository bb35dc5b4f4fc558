// SPDX-License-Identifier: Apache-2.0
#include "plan/rechunk/axis.hpp"
#include "plan/rechunk/costs.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace tessera::rechunking {

namespace {

constexpr std::size_t most_candidates = 4000;
/// Products of lengths that are looked at.
constexpr double most_products = 2e6;
/// All lengths of an axis are tried up to this one.
constexpr index_t short_axis = 64;
/// Blocks below this part of the room are kept only where they give the workers more to do.
constexpr double least_part = 48;
constexpr double tasks_for_a_worker = 16;

/// Returns the lengths that a block may have along each axis.
std::vector<std::vector<index_t>> lengths_of(const problem& of, bool has_any) {
  std::vector<std::vector<index_t>> axes;
  for (std::size_t axis = 0; axis < of.shape.size(); ++axis) {
    const index_t extent = of.shape[axis];
    const index_t source = of.source[axis];
    const index_t target = of.target[axis];
    const index_t both = common_multiple(extent, source, target);
    if (has_any && extent <= short_axis) {
      axes.emplace_back(static_cast<std::size_t>(extent));
      std::iota(axes.back().begin(), axes.back().end(), index_t{1});
    } else if (has_any) {
      axes.push_back(ladder(extent, {1, source, target, both}));
    } else if (source == target) {
      axes.push_back(ladder(extent, {source}));
    } else {
      axes.push_back(ladder(extent, {source, target, both}));
    }
  }
  return axes;
}

/// Leaves out every second length, not the source's, the target's or the whole extent, until there
/// are not too many products.
void thin_out(const problem& of, std::vector<std::vector<index_t>>& axes) {
  const auto num_products = [&axes] {
    double count = 1;
    for (const auto& lengths : axes) count *= static_cast<double>(lengths.size());
    return count;
  };
  while (num_products() > most_products) {
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
  const double most_tasks = tasks_for_a_worker * static_cast<double>(of.costs.num_workers());
  std::vector<std::vector<index_t>> axes = lengths_of(of, is_thorough || room < target);
  thin_out(of, axes);

  index_vector counts;
  for (const auto& lengths : axes) counts.push_back(static_cast<index_t>(lengths.size()));
  std::vector<index_vector> found;
  index_vector position(counts.size());
  do {
    index_vector block(counts.size());
    for (std::size_t axis = 0; axis < block.size(); ++axis) {
      block[axis] = axes[axis][static_cast<std::size_t>(position[axis])];
    }
    const double size = costs.bytes_of(block);
    const bool is_large = is_thorough || size * least_part >= room ||
                          costs.num_tasks(block) <= most_tasks || block == of.target;
    if (size <= static_cast<double>(of.memory) && is_large) found.push_back(std::move(block));
  } while (next_position(position, counts));

  if (found.size() > most_candidates) {
    // The largest are those that save requests.
    std::ranges::stable_sort(found, [&](const index_vector& a, const index_vector& b) {
      const bool a_is_target = a == of.target;
      const bool b_is_target = b == of.target;
      if (a_is_target != b_is_target) return a_is_target;
      return costs.bytes_of(a) > costs.bytes_of(b);
    });
    found.resize(most_candidates);
  }
  return found;
}

}  // namespace tessera::rechunking
