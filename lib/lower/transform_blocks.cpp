// SPDX-License-Identifier: Apache-2.0
#include "lower/transform_blocks.hpp"

#include "tessera/kernel/line_kernel.hpp"

#include "lower/operands.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

/// The bytes of a chunk between two steps are at most this share of the memory of a task.
constexpr double share_of_chunk = 1.0 / 16;

index_t to_index(double x) { return x < 1 ? 0 : static_cast<index_t>(std::min(x, 0x1p62)); }

/// Returns the greatest divisor of `n` that is at most `most`, or 1.
index_t greatest_divisor(index_t n, index_t most) {
  for (index_t parts = std::max<index_t>(1, ceil_divide(n, std::max<index_t>(1, most))); parts < n;
       ++parts) {
    if (n % parts == 0) return n / parts;
  }
  return 1;
}

/// Returns the greatest multiple of `unit` that is at most `n`, or `n` if `n < unit`.
index_t greatest_multiple(index_t n, index_t unit) { return n < unit ? n : n / unit * unit; }

/// Returns the length of the parts if `n` is cut into as few parts of at most `most` as possible,
/// and rounds `n` down to a multiple of it.
index_t divide_evenly(index_t& n, index_t most) {
  const index_t length = ceil_divide(n, ceil_divide(n, std::max<index_t>(1, most)));
  n = n / length * length;
  return length;
}

/// Returns the bytes that `kernel` allocates besides its blocks, for lines of `length` elements.
double workspace_of(const block_kernel& kernel, const kernel_parameters& parameters,
                    index_t length) {
  constexpr index_t lines_in_block = 64;
  const block_shapes shapes{
      {{lines_in_block, length}}, {{lines_in_block, length}}, parameters.get()};
  return static_cast<double>(kernel.workspace(shapes)) + static_cast<double>(kernel.kept(shapes));
}

}  // namespace

std::optional<transform_blocks> transform_limits::choose_blocks(index_t rows,
                                                                index_t columns) const {
  if (std::max(rows, columns) > line::most_points) return std::nullopt;
  const double most_in_chunk = share_of_chunk * room;
  const double chunk_transfer = transfer_memory(most_in_chunk);
  // Each step has a budget: the memory of a task without the transfer of a chunk and the workspace
  // of the kernel. An operand whose chunks need more than half the memory is refused or inlined
  // later.
  const double most_to_read = room / 2;
  const double memory_to_split =
      room - std::max(chunk_transfer, std::min(transfer_memory(chunk_read), most_to_read));
  const double memory_to_turn =
      room - chunk_transfer -
      workspace_of(*of_columns, line::four_step_parameters({rows, rows * columns, false}), rows);
  const double memory_to_transform =
      room - chunk_transfer -
      workspace_of(*of_rows, line::transform_parameters({columns}), columns);
  // The splitting step may have its producer inlined, so it holds operand and output: factor two.
  transform_blocks blocks;
  blocks.rows = rows;
  blocks.columns = columns;
  // Returns the lines of `length` elements of `size` bytes that fit `memory`, at most `most`.
  const auto fitting_count = [&](double memory, double size, index_t length, index_t most) {
    return std::min(most, to_index(memory / (lines * size * static_cast<double>(length))));
  };
  blocks.rows_split = fitting_count(memory_to_split, 2 * size_before, columns, rows);
  blocks.columns_at_once = fitting_count(memory_to_turn, size_before + size_after, rows, columns);
  blocks.rows_at_once = fitting_count(memory_to_transform, 2 * size_after, columns, rows);
  if (blocks.rows_split < 1 || blocks.columns_at_once < 1 || blocks.rows_at_once < 1) {
    return std::nullopt;
  }
  blocks.joined = count_joined(rows);
  set_chunks(blocks);
  return blocks;
}

index_t transform_limits::count_joined(index_t rows) const {
  const double chunk_transfer =
      std::max(transfer_memory(share_of_chunk * room),
               transfer_memory(lines * size_after * static_cast<double>(chunk_after)));
  index_t joined = std::max<index_t>(1, to_index((room - chunk_transfer) / (lines * size_joined)));
  // Blocks of whole chunks of the result, and of whole rows if possible, read no chunk twice.
  if (joined >= chunk_after) {
    const index_t whole_rows = rows / std::gcd(rows, chunk_after);
    joined = greatest_multiple(joined / chunk_after, whole_rows) * chunk_after;
  }
  return std::min(joined, length_after);
}

void transform_limits::set_chunks(transform_blocks& blocks) const {
  const double most_in_chunk = share_of_chunk * room / lines;
  const index_t before = std::max<index_t>(1, to_index(most_in_chunk / size_before));
  const index_t after = std::max<index_t>(1, to_index(most_in_chunk / size_after));
  const index_t columns = divide_evenly(blocks.columns_at_once, std::min(before, after));
  // Blocks of rows begin and end at chunk borders of the line if possible.
  const index_t unit = chunk_before / std::gcd(chunk_before, blocks.columns);
  blocks.rows_split = greatest_multiple(blocks.rows_split, unit);
  index_t rows = std::max<index_t>(1, std::min(before / columns, blocks.rows_split));
  rows = rows < unit && blocks.rows_split % unit == 0 ? greatest_divisor(unit, rows)
                                                      : greatest_multiple(rows, unit);
  blocks.rows_split = blocks.rows_split / rows * rows;
  blocks.split = {rows, columns};
  const index_t rows_after = divide_evenly(blocks.rows_at_once, after / columns);
  blocks.turned = {rows_after, columns};
  // A task that joins parts of rows reads the chunks at its ends twice, so chunks are shorter.
  constexpr index_t parts_of_rows = 4;
  const double row = lines * size_after * static_cast<double>(rows_after);
  index_t joined = blocks.joined / blocks.rows;
  if (blocks.joined % blocks.rows != 0) {
    const auto least = to_index(std::ceil(worthwhile_chunk / row));
    joined = std::min(joined, std::max(ceil_divide(joined, parts_of_rows), least));
  }
  joined = std::clamp<index_t>(joined, 1, std::max<index_t>(1, after / rows_after));
  blocks.transformed = {std::min(joined, blocks.columns), rows_after};
  widen_chunks(blocks, before, after);
}

void transform_limits::widen_chunks(transform_blocks& blocks, index_t before, index_t after) const {
  const auto [rows, columns] = std::pair(blocks.split.rows, blocks.split.columns);
  const index_t rows_after = blocks.turned.rows;
  const auto bytes = [&](const transform_chunks& chunks, double size) {
    return lines * size * static_cast<double>(chunks.rows) * static_cast<double>(chunks.columns);
  };
  blocks.least_chunk = std::min({bytes(blocks.split, size_before), bytes(blocks.turned, size_after),
                                 bytes(blocks.transformed, size_after)});
  const auto wide = [](index_t most, index_t across, index_t extent) {
    return std::clamp<index_t>(most / across, 1, extent);
  };
  if (bytes(blocks.split, size_before) < worthwhile_chunk) {
    blocks.split.written = {rows, wide(before, rows, blocks.columns)};
    blocks.split.rows = wide(before, columns, blocks.rows);
  }
  if (bytes(blocks.turned, size_after) < worthwhile_chunk) {
    blocks.turned.written = {wide(after, columns, blocks.rows), columns};
    blocks.turned.columns = wide(after, rows_after, blocks.columns);
  }
  if (bytes(blocks.transformed, size_after) < worthwhile_chunk) {
    blocks.transformed.written = {wide(after, rows_after, blocks.columns), rows_after};
    blocks.transformed.columns = wide(after, blocks.transformed.rows, blocks.rows);
  }
}

std::optional<transform_blocks> transform_limits::choose_blocks(index_t points) const {
  auto factor = static_cast<index_t>(std::sqrt(static_cast<double>(points)));
  for (; factor > 1; --factor) {
    if (points % factor != 0) continue;
    if (auto blocks = choose_blocks(factor, points / factor)) return blocks;
    if (auto blocks = choose_blocks(points / factor, factor)) return blocks;
  }
  return std::nullopt;
}

}  // namespace tessera
