// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes the nodes of a plan: what lowering calls once the types are gone.
///
/// An operation computes the array that is returned in chunks of `chunks`, which are clipped to its
/// shape.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/expr/assemble.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/primitive/strips.hpp"

#include <cstddef>
#include <string_view>
#include <vector>

namespace tessera {

/// A function of elements of some arrays, each seen in the same domain.
struct strip_source {
  /// What computes an element; null for the one operand as it is.
  const strip_kernel* kernel = nullptr;
  kernel_parameters parameters;
  std::vector<array_view> operands;
};

/// Returns the array of `shape` whose elements `source` computes.
[[nodiscard]] array_handle make_map(std::string_view name, const index_vector& shape,
                                    const index_vector& chunks, const strip_source& source);

/// Returns the array of `shape` that `parts` of `sources` make up.
[[nodiscard]] array_handle make_assembly(std::string_view name, const index_vector& shape,
                                         const index_vector& chunks,
                                         const std::vector<assembled_piece>& parts,
                                         const std::vector<strip_source>& sources);

/// Returns the first result of a fold, as `sink` says, of what `sources` compute.
///
/// `domain` is the shape that the sources have, `stream` the chunks in which it is best read; the
/// leaves follow from them. A fold over no elements at all becomes a constant.
[[nodiscard]] array_handle make_fold(std::string_view name, const index_vector& domain,
                                     const index_vector& stream, const index_vector& chunks,
                                     fold_sink sink, const std::vector<strip_source>& sources);

/// Returns the scan, as `sink` says but for its leaves, of what `source` computes.
///
/// `stream` are the chunks in which the source is best read; the leaves follow from them. With
/// `has_initial`, what a state that has taken nothing gives stands before all elements.
[[nodiscard]] array_handle make_scan(std::string_view name, const index_vector& domain,
                                     const index_vector& stream, const index_vector& chunks,
                                     scan_sink sink, const strip_source& source, bool has_initial);

/// Returns where the elements of `domain` are: their index along the axis `reduced`, or in
/// row-major order where that is several.
[[nodiscard]] strip_source positions_in(const index_vector& domain, axis_mask reduced);

/// Returns an array with the elements that `view` shows: the array itself where the view is of all
/// of it in its own order and its chunks are `chunks`, a copy otherwise.
[[nodiscard]] array_handle materialise(std::string_view name, const array_view& view,
                                       const index_vector& shape, const index_vector& chunks);

/// Returns the array of `shape` whose elements are those that `view` shows.
[[nodiscard]] array_handle make_copy(std::string_view name, const index_vector& shape,
                                     const index_vector& chunks, const array_view& view);

/// Returns `array` where an operation computes it, else a copy that one computes: what a plan can
/// be asked for.
[[nodiscard]] array_handle computed(const array_handle& array);

/// Returns an array whose elements `kernel` computes from their position.
[[nodiscard]] array_handle make_generated(std::string_view name, const index_vector& shape,
                                          const index_vector& chunks,
                                          const generator_kernel& kernel,
                                          kernel_parameters parameters);

/// An array as it is seen, and the chunks in which it is best read.
struct seen_array {
  array_view view;
  index_vector shape;
  index_vector chunks;
};

/// Returns the array of `shape` that `map`, behind which is a gather, shows of `from`, in `chunks`;
/// where these would be read again and again, in `own_chunks` first.
[[nodiscard]] array_handle make_gathered(std::string_view name, const index_vector& shape,
                                         const index_vector& chunks, const index_vector& own_chunks,
                                         const index_map& map, const seen_array& from);

/// Returns the whole of an array as a view.
[[nodiscard]] array_view whole_of(array_handle array);

/// Returns `view` seen through `map`, which leads into the view's indices.
[[nodiscard]] array_view seen_through(const array_view& view, const index_map& map);
[[nodiscard]] strip_source seen_through(strip_source source, const index_map& map);

}  // namespace tessera
