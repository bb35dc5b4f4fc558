// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the steps of a matrix product along its inner axes.
///
/// Problem: a task holds the chunks of the factors that a step touches. Factors whose chunks are
/// short across the inner axes and long along them have many of these:
///
///     chunks (7, 260000), block of 448 rows:  64 chunks, 466 MB
///
/// Idea: a step is as long as the longer chunk of the factors, or as the shorter if a block of a
/// factor would be larger than an automatic chunk and than its own chunk. If it still would, the
/// step is a part of a chunk, and factors are copied to chunks of one step.
/// Invariant: no figure depends on memory, workers or costs, as the bits depend on the steps.

#include "lower/product_steps.hpp"

#include "core/api/element_count.hpp"

#include <algorithm>
#include <cstddef>

namespace tessera {

namespace {

/// Steps of copied factors have this share of an automatic chunk, and at least so many elements
/// along the inner axes: as many as the kernel takes at once.
constexpr double share_of_copied_chunk = 1.0 / 8;
constexpr index_t least_inner_step = 256;

/// Tells whether a block of `side` of so many elements is larger than an automatic chunk and than
/// a chunk of the factor.
bool is_large(double elements, const product_side& side, double most_elements) {
  return elements > std::max(most_elements, side.chunk_elements);
}

/// Returns parts of `steps` that make no large block of either side.
index_vector cut_steps(index_vector steps, const std::array<product_side, 2>& sides,
                       double most_elements) {
  const double across = std::max(sides[0].across, sides[1].across);
  while (element_count(steps) * across > share_of_copied_chunk * most_elements &&
         element_count(steps) > least_inner_step) {
    index_t& longest = *std::ranges::max_element(steps);
    longest = ceil_divide(longest, 2);
    if (longest > least_inner_step)
      longest = ceil_divide(longest, least_inner_step) * least_inner_step;
  }
  return steps;
}

/// Tells whether steps cut the chunks of `side`, and the chunks that a step touches are large.
bool must_be_copied(const product_side& side, const index_vector& steps, double most_elements) {
  bool is_cut = false;
  double touched = side.across;
  for (std::size_t axis = 0; axis < steps.size(); ++axis) {
    is_cut |= steps[axis] < side.inner_chunks[axis];
    touched *= static_cast<double>(std::max(steps[axis], side.inner_chunks[axis]));
  }
  return is_cut && is_large(touched, side, most_elements);
}

}  // namespace

product_steps choose_steps(const std::array<product_side, 2>& sides, double most_elements) {
  index_vector longer = sides[0].inner_chunks;
  index_vector shorter = longer;
  for (std::size_t axis = 0; axis < longer.size(); ++axis) {
    longer[axis] = std::max(longer[axis], sides[1].inner_chunks[axis]);
    shorter[axis] = std::min(shorter[axis], sides[1].inner_chunks[axis]);
  }
  const auto are_large = [&](const index_vector& steps) {
    return std::ranges::any_of(sides, [&](const product_side& side) {
      return is_large(side.across * element_count(steps), side, most_elements);
    });
  };
  product_steps steps{longer};
  if (are_large(longer)) {
    steps.extents = are_large(shorter) ? cut_steps(shorter, sides, most_elements) : shorter;
  }
  for (std::size_t i = 0; i < sides.size(); ++i) {
    steps.is_copied[i] = must_be_copied(sides[i], steps.extents, most_elements);
  }
  return steps;
}

}  // namespace tessera
