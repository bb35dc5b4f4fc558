// SPDX-License-Identifier: Apache-2.0
#include "primitive/composition/lifetimes.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera::detail {

namespace {

lifetime hull_of(const lifetime& a, const lifetime& b) {
  return {std::min(a.first, b.first), std::max(a.last, b.last)};
}

bool contains(const lifetime& outer, const lifetime& inner) {
  return outer.first <= inner.first && inner.last <= outer.last;
}

bool overlap(const lifetime& a, const lifetime& b) {
  return a.first <= b.last && b.first <= a.last;
}

/// Adds the loop of `over` for each maximal run, in [first, last), of stages at that scope or
/// below.
void add_loops(std::vector<stage_loop>& loops, std::span<const task_scope> scopes,
               task_scope over) {
  for (std::size_t first = 0; first < scopes.size(); ++first) {
    if (scopes[first] > over) continue;
    std::size_t last = first;
    while (last + 1 < scopes.size() && scopes[last + 1] <= over) ++last;
    loops.push_back({over, {first, last}});
    first = last;
  }
}

}  // namespace

std::vector<stage_loop> loops_of(std::span<const task_scope> scopes) {
  std::vector<stage_loop> loops;
  add_loops(loops, scopes, task_scope::step);
  add_loops(loops, scopes, task_scope::sweep);
  return loops;
}

lifetime value_lifetime(std::span<const stage_loop> loops, std::span<const lifetime> accesses,
                        task_scope kept) {
  lifetime result = accesses.front();
  for (const lifetime& access : accesses) result = hull_of(result, access);
  const lifetime all_accesses = result;
  const auto is_inside = [&](const stage_loop& loop) {
    return std::ranges::any_of(accesses,
                               [&](const lifetime& used) { return overlap(loop.steps, used); });
  };
  for (const stage_loop& loop : loops) {
    // The first loop, from the inside, that holds all accesses and that the value need not survive.
    if (loop.over >= kept && contains(loop.steps, all_accesses)) break;
    if (is_inside(loop)) result = hull_of(result, loop.steps);
  }
  return result;
}

}  // namespace tessera::detail
