// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays computed part by part into memory, for functions with results of a shape that the
/// elements decide.

#include "tessera/array/compute.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/region.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/expr/view_maps.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// Returns the extents of parts of whole chunks: as many chunks as an eighth of the allowed memory
/// holds, or one chunk. Elements have `itemsize` bytes.
[[nodiscard]] index_vector block_extents(const array_layout& of, std::size_t itemsize);

/// Throws memory_error if `count` results of `function`, of `size` bytes each, exceed the memory of
/// the host, or the memory that the spec states.
void require_room(std::string_view function, const array_layout& of, index_t count,
                  std::size_t size);

/// Returns the indices that select a box.
[[nodiscard]] std::vector<any_index> indices_of(const region& box);

/// Calls `f(box, elements)` with each part of `x` until it returns false; boxes come in row-major
/// order. For each element there is room for `size` bytes.
template <array_expression X, class F>
void for_each_block(const X& x, std::size_t size, F f) {
  const array_layout& layout = x.layout();
  const chunk_grid parts(layout.shape, block_extents(layout, size));
  for (index_t i = 0; i < parts.size(); ++i) {
    const region box = parts.chunk_region(parts.chunk_at(i));
    const auto part = make_view<X::rank>("index", x, map_indexed(layout.shape, indices_of(box)));
    if (!f(box, part.compute())) return;
  }
}

}  // namespace tessera::detail
