// SPDX-License-Identifier: Apache-2.0
/// \file
/// Chooses the tiles of matrix products.
///
/// Problem: the bits of a product depend on the extents of each call of BLAS, and on the parts of
/// its sums. Plans cut blocks for memory and for tasks, so their bits would depend on the host.
///
/// Idea: the program alone fixes a grid of tiles. A plan cuts between tiles, and each tile is a
/// call. Tiles are large, as each call packs its operands: against one call, tiles of 512 x 1024
/// take at most 4 % longer, 512 x 512 up to 5 %, 256 x 512 up to 7 %. A tile of 4 MiB is small
/// beside a chunk of an operand, so that a task that cannot hold a tile could not hold chunks.
/// Tiles are smaller
/// - if a strip of tiles across a chunk would be large, since a reader that folds an axis takes
///   whole strips:           chunk (1000, 50000)  ->  tile (250, 1000)
/// - if the product would have few tasks:          (2000, 2000)  ->  (500, 500)
/// - if then no library is called, nor its memory needed, for one or two rows, which loops multiply
///   as fast.
///
/// Invariant: no figure depends on memory, workers or costs.

#include "lower/product_tile.hpp"

#include "tessera/expr/layout.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace tessera {

namespace {

/// The extents of a tile along rows, or along columns, without reasons for smaller ones.
constexpr double longest_tile = 1024;
/// Tiles are not made smaller than this for memory, nor for tasks.
constexpr double least_for_memory = 256;
constexpr double least_for_tasks = 256;
constexpr double most_bytes = 1 << 22;
/// A tile has at least this many elements if rows or columns are few.
constexpr double least_tile_elements = 1 << 16;
/// A strip of tiles may have this many elements, or a quarter of the chunk.
constexpr double large_strip = 1 << 21;
constexpr double share_of_strip = 0.25;
/// Products of at most this many terms, and of few rows, call no library in a quarter of a chunk.
constexpr double most_terms_of_loops = 4 * 32 * 32 * 32;
constexpr double few_rows = 2;
/// Partial sums give a product this many tasks, if they are not small.
constexpr double wanted_tasks = 64;
/// A task of a partial sum has at least this many terms.
constexpr double least_terms = 1 << 16;
/// All partial sums have at most this share of the elements of the factors.
constexpr double most_partial = 1.0 / 16;
/// A product has this many tiles, if the tiles are not too small.
constexpr double wanted_tiles = 16;

/// A divisor of a chunk is searched among so many numbers below a limit, and above.
constexpr index_t most_tried = 1 << 16;

/// Returns the extent of tiles of at most `limit` elements of an axis, if possible; that of the
/// chunk if no near number divides it.
index_t fitted(index_t extent, index_t chunk, index_t limit) {
  if (chunk <= limit) return std::max<index_t>(1, chunk);
  if (chunk >= extent) {
    // Halves of blocks lie between tiles if their number is a power of two.
    const auto least = static_cast<std::uint64_t>(ceil_divide(chunk, limit));
    return ceil_divide(chunk, static_cast<index_t>(std::bit_ceil(least)));
  }
  const index_t least = std::max(limit / 4, limit - most_tried);
  for (index_t divisor = limit; divisor > least; --divisor) {
    if (chunk % divisor == 0) return divisor;
  }
  const index_t most = std::min(chunk, limit + most_tried);
  for (index_t divisor = limit + 1; divisor < most; ++divisor) {
    if (chunk % divisor == 0) return divisor;
  }
  return chunk;
}

/// The search for the tile of one product.
class tile_search {
 public:
  explicit tile_search(const product_domain& product)
      : product_(product), chunks_(clip_chunks(product.chunks, product.extents)) {}

  index_vector run() const {
    index_vector tile(chunks_.size());
    if (!product_.is_exact) fit_kept_axes(tile);
    cut_inner_axes(tile);
    return tile;
  }

 private:
  /// Returns the product of `extents` along the axes of `role`.
  [[nodiscard]] double count(product_axis role, const index_vector& extents) const {
    double elements = 1;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (product_.roles[axis] == role) elements *= static_cast<double>(extents[axis]);
    }
    return elements;
  }

  /// Returns the number of parts of `extents` along the axes of `role`.
  [[nodiscard]] double count_parts(product_axis role, const index_vector& extents) const {
    double parts = 1;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      if (product_.roles[axis] != role) continue;
      parts *= static_cast<double>(
          ceil_divide(product_.extents[axis], std::max<index_t>(1, extents[axis])));
    }
    return parts;
  }

  /// Sets `tile` along the axes of `role` to at most `limit` elements. The last axis comes first.
  void fit(index_vector& tile, product_axis role, double limit) const {
    for (std::size_t axis = tile.size(); axis-- > 0;) {
      if (product_.roles[axis] != role) continue;
      const auto most = static_cast<index_t>(std::max(1.0, limit));
      tile[axis] = fitted(product_.extents[axis], chunks_[axis], most);
      limit /= static_cast<double>(tile[axis]);
    }
  }

  /// Returns the most elements of a tile along an axis, across which a chunk has `across` elements.
  [[nodiscard]] static double longest_in(double strip, double across) {
    return std::clamp(strip / across, least_for_memory,
                      std::max(longest_tile, least_tile_elements / across));
  }

  void fit_kept_axes(index_vector& tile) const {
    const double rows = std::max(1.0, count(product_axis::row, chunks_));
    const double columns = std::max(1.0, count(product_axis::column, chunks_));
    const double strip = std::max(large_strip, share_of_strip * rows * columns);
    fit(tile, product_axis::column, longest_in(strip, rows));
    const double row_bytes =
        static_cast<double>(product_.itemsize) * count(product_axis::column, tile);
    fit(tile, product_axis::row,
        std::min(longest_in(strip, columns), std::max(least_for_memory, most_bytes / row_bytes)));
    const double terms = rows * columns * count(product_axis::inner, chunks_);
    if (rows <= few_rows && terms <= most_terms_of_loops) {
      fit(tile, product_axis::column, columns / 4);
    }
    while (count_tiles(tile) < wanted_tiles) {
      const bool are_rows_longer =
          count(product_axis::row, tile) >= count(product_axis::column, tile);
      const product_axis first = are_rows_longer ? product_axis::row : product_axis::column;
      const product_axis second = are_rows_longer ? product_axis::column : product_axis::row;
      if (!halve(tile, first) && !halve(tile, second)) return;
    }
  }

  [[nodiscard]] double count_tiles(const index_vector& tile) const {
    return count(product_axis::batch, product_.extents) * count_parts(product_axis::row, tile) *
           count_parts(product_axis::column, tile);
  }

  /// Halves `tile` along the axes of `role`. Returns false if it stays.
  bool halve(index_vector& tile, product_axis role) const {
    const double length = count(role, tile);
    if (length <= least_for_tasks) return false;
    const index_vector before = tile;
    fit(tile, role, length / 2);
    return tile != before;
  }

  /// Returns the number of parts into which the inner axes should be cut.
  [[nodiscard]] index_t wanted_parts() const {
    const double rows = count(product_axis::row, product_.extents);
    const double columns = count(product_axis::column, product_.extents);
    const double inner = count(product_axis::inner, product_.extents);
    double tasks = 1;
    double task_elements = inner;
    for (const product_axis role : {product_axis::batch, product_axis::row, product_axis::column}) {
      tasks *= count_parts(role, chunks_);
      task_elements *= count(role, chunks_);
    }
    const double most_for_states = most_partial * inner * (1 / rows + 1 / columns);
    const double most_for_work = task_elements / least_terms;
    return static_cast<index_t>(std::min({wanted_tasks / tasks, most_for_states, most_for_work}));
  }

  /// Sets `tile` along the inner axes to parts of whole steps.
  void cut_inner_axes(index_vector& tile) const {
    index_t parts = wanted_parts();
    for (std::size_t axis = 0; axis < tile.size(); ++axis) {
      if (product_.roles[axis] != product_axis::inner) continue;
      const index_t steps = ceil_divide(product_.extents[axis], chunks_[axis]);
      const index_t steps_in_part =
          ceil_divide(steps, std::clamp<index_t>(parts, index_t{1}, steps));
      tile[axis] = std::min(product_.extents[axis], steps_in_part * chunks_[axis]);
      parts = ceil_divide(std::max<index_t>(1, parts), ceil_divide(steps, steps_in_part));
    }
  }

  const product_domain& product_;
  index_vector chunks_;
};

}  // namespace

index_vector choose_tile(const product_domain& product) { return tile_search(product).run(); }

}  // namespace tessera
