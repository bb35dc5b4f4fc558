// SPDX-License-Identifier: Apache-2.0
#include "plan/step_runs.hpp"

#include "core/api/small_vector.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

/// Adds the steps of `length` that [first, last) is made of.
void add_runs(std::vector<step_run>& runs, index_t first, index_t last, index_t length,
              const std::vector<index_t>& cuts) {
  const index_t count = ceil_divide(last - first, length);
  small_vector<index_t> bounds{0, count};
  if ((last - first) % length != 0) bounds.push_back(count - 1);
  for (const index_t cut : cuts) {
    if (cut <= first || cut >= last) continue;
    bounds.push_back((cut - first) / length);
    bounds.push_back(ceil_divide(cut - first, length));
  }
  std::sort(bounds.begin(), bounds.end());
  for (std::size_t i = 1; i < bounds.size(); ++i) {
    if (bounds[i] == bounds[i - 1]) continue;
    const index_t start = first + bounds[i - 1] * length;
    runs.push_back({start, std::min(length, last - start), bounds[i] - bounds[i - 1]});
  }
}

}  // namespace

std::vector<step_run> runs_along(index_t domain, index_t block, index_t step,
                                 const std::vector<index_t>& cuts, index_t overlap) {
  std::vector<step_run> runs;
  if (domain == 0) return runs;
  const index_t num_blocks = ceil_divide(domain - overlap, block);
  const bool are_even = overlap == 0 && block % step == 0;
  if (are_even || num_blocks == 1 || num_blocks > tuning.most_counted_steps) {
    add_runs(runs, 0, domain, step, cuts);
    return runs;
  }
  for (index_t first = 0; first < domain - overlap; first += block) {
    add_runs(runs, first, std::min(first + block + overlap, domain), step, cuts);
  }
  return runs;
}

wide_integer sum_of_floors(wide_integer count, wide_integer first, wide_integer distance,
                           wide_integer divisor) {
  if (distance < 0) {
    first += (count - 1) * distance;
    distance = -distance;
  }
  // Euclid's algorithm on the lattice points under the line.
  wide_integer sum = 0;
  while (count > 0) {
    sum += count * (count - 1) / 2 * (distance / divisor) + count * (first / divisor);
    distance %= divisor;
    first %= divisor;
    const wide_integer top = distance * count + first;
    if (top < divisor) break;
    count = top / divisor;
    first = top % divisor;
    std::swap(distance, divisor);
  }
  return sum;
}

}  // namespace tessera
