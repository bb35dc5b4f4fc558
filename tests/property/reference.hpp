// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays for checking programs: dense, slow and obvious, with one loop for each idea.

#include "tessera/core/index.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace reference {

using tessera::index_t;
using position = std::vector<index_t>;

/// A dense array of doubles.
struct dense {
  std::vector<index_t> shape;
  std::vector<double> values;

  [[nodiscard]] double operator()(const position& at) const {
    std::size_t offset = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      offset = offset * static_cast<std::size_t>(shape[axis]) + static_cast<std::size_t>(at[axis]);
    }
    return values[offset];
  }
};

/// Returns the array of `shape` with the element `f(position)` at each position.
inline dense make(const std::vector<index_t>& shape,
                  const std::function<double(const position&)>& f) {
  dense result{shape, {}};
  position at(shape.size(), 0);
  for (const index_t extent : shape) {
    if (extent == 0) return result;
  }
  while (true) {
    result.values.push_back(f(at));
    std::size_t axis = shape.size();
    while (axis > 0 && ++at[axis - 1] == shape[axis - 1]) at[--axis] = 0;
    if (axis == 0) return result;
  }
}

/// Calls `f` with the list of elements that are folded into each element of the result: all
/// elements of `x` with equal indices along the axes that are not in `reduced`.
inline dense fold(const dense& x, const std::vector<bool>& reduced,
                  const std::function<double(const std::vector<double>&)>& f) {
  std::vector<index_t> kept;
  std::vector<index_t> folded;
  for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
    (reduced[axis] ? folded : kept).push_back(x.shape[axis]);
  }
  return make(kept, [&](const position& outer) {
    std::vector<double> elements;
    (void)make(folded, [&](const position& inner) {
      position at;
      std::size_t o = 0;
      std::size_t i = 0;
      for (const bool is_reduced : reduced) at.push_back(is_reduced ? inner[i++] : outer[o++]);
      elements.push_back(x(at));
      return 0.0;
    });
    return f(elements);
  });
}

}  // namespace reference
