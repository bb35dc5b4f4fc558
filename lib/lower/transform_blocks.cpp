// SPDX-License-Identifier: Apache-2.0
#include "lower/transform_blocks.hpp"

#include "tessera/kernel/lines.hpp"

#include "lower/operands.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace tessera {
namespace {

/// Chunks that steps hand on are at most this share of what a task may take.
constexpr double share_of_chunk = 1.0 / 16;

index_t whole_number(double x) { return x < 1 ? 0 : static_cast<index_t>(std::min(x, 0x1p62)); }

/// Returns the greatest divisor of `n` that is at most `most`, or 1.
index_t divisor(index_t n, index_t most) {
  for (index_t parts = std::max<index_t>(1, ceil_divide(n, std::max<index_t>(1, most))); parts < n;
       ++parts) {
    if (n % parts == 0) return n / parts;
  }
  return 1;
}

/// Returns the greatest multiple of `unit` that is at most `n`; `n` where there is none.
index_t multiple(index_t n, index_t unit) { return n < unit ? n : n / unit * unit; }

/// Returns a length, at most `most`, and lets `n` be a multiple of it.
index_t cut(index_t& n, index_t most) {
  const index_t length = ceil_divide(n, ceil_divide(n, std::max<index_t>(1, most)));
  n = n / length * length;
  return length;
}

/// Returns the bytes that a kernel takes beside its blocks, of lines of `length`.
double work_of(const block_kernel& kernel, const kernel_parameters& parameters, index_t length) {
  constexpr index_t many = 64;
  const block_shapes shapes{{{many, length}}, {{many, length}}, parameters.get()};
  return static_cast<double>(kernel.workspace(shapes)) + static_cast<double>(kernel.kept(shapes));
}

}  // namespace

std::optional<transform_blocks> transform_limits::blocks(index_t rows, index_t columns) const {
  if (std::max(rows, columns) > line::most_points) return std::nullopt;
  const double most_in_chunk = share_of_chunk * room;
  const double between = memory_to_move(most_in_chunk);
  // Chunks that take more are refused, or computed on the way.
  const double most_to_read = room / 2;
  const double to_split =
      room - std::max(between, std::min(memory_to_move(chunk_read), most_to_read));
  const double to_turn =
      room - between -
      work_of(*of_columns, line::turned_parameters({rows, rows * columns, false}), rows);
  const double to_transform =
      room - between - work_of(*of_rows, line::transform_parameters({columns}), columns);
  // A step that splits may compute what it splits.
  transform_blocks found;
  found.rows = rows;
  found.columns = columns;
  const auto at_once = [&](double memory, double size, index_t length, index_t most) {
    return std::min(most, whole_number(memory / (lines * size * static_cast<double>(length))));
  };
  found.rows_split = at_once(to_split, 2 * size_before, columns, rows);
  found.columns_at_once = at_once(to_turn, size_before + size_after, rows, columns);
  found.rows_at_once = at_once(to_transform, 2 * size_after, columns, rows);
  if (found.rows_split < 1 || found.columns_at_once < 1 || found.rows_at_once < 1) {
    return std::nullopt;
  }
  const double to_join =
      room -
      std::max(between, memory_to_move(lines * size_after * static_cast<double>(chunk_after)));
  found.joined = std::max<index_t>(1, whole_number(to_join / (lines * size_joined)));
  if (found.joined >= chunk_after) {
    const index_t whole_rows = rows / std::gcd(rows, chunk_after);
    found.joined = multiple(found.joined / chunk_after, whole_rows) * chunk_after;
  }
  found.joined = std::min(found.joined, length_after);
  cut_chunks(found);
  return found;
}

void transform_limits::cut_chunks(transform_blocks& found) const {
  const double most_in_chunk = share_of_chunk * room / lines;
  const index_t before = std::max<index_t>(1, whole_number(most_in_chunk / size_before));
  const index_t after = std::max<index_t>(1, whole_number(most_in_chunk / size_after));
  const index_t columns = cut(found.columns_at_once, std::min(before, after));
  // Rows that are split off together begin and end with chunks of the line, where they can.
  const index_t unit = chunk_before / std::gcd(chunk_before, found.columns);
  found.rows_split = multiple(found.rows_split, unit);
  index_t rows = std::max<index_t>(1, std::min(before / columns, found.rows_split));
  rows = rows < unit && found.rows_split % unit == 0 ? divisor(unit, rows) : multiple(rows, unit);
  found.rows_split = found.rows_split / rows * rows;
  found.split = {rows, columns};
  const index_t rows_after = cut(found.rows_at_once, after / columns);
  found.turned = {rows_after, columns};
  // Tasks that join parts of rows read these twice: rows in a chunk are a part of those of a task.
  constexpr index_t many = 4;
  const double row = lines * size_after * static_cast<double>(rows_after);
  index_t joined = found.joined / found.rows;
  if (found.joined % found.rows != 0) {
    const auto least = whole_number(std::ceil(worthwhile_chunk / row));
    joined = std::min(joined, std::max(ceil_divide(joined, many), least));
  }
  joined = std::clamp<index_t>(joined, 1, std::max<index_t>(1, after / rows_after));
  found.transformed = {std::min(joined, found.columns), rows_after};
  const auto bytes = [&](const transform_chunks& chunks, double size) {
    return lines * size * static_cast<double>(chunks.rows) * static_cast<double>(chunks.columns);
  };
  found.least_chunk = std::min({bytes(found.split, size_before), bytes(found.turned, size_after),
                                bytes(found.transformed, size_after)});
  const auto wide = [](index_t most, index_t other, index_t extent) {
    return std::clamp<index_t>(most / other, 1, extent);
  };
  if (bytes(found.split, size_before) < worthwhile_chunk) {
    found.split.made = {rows, wide(before, rows, found.columns)};
    found.split.rows = wide(before, columns, found.rows);
  }
  if (bytes(found.turned, size_after) < worthwhile_chunk) {
    found.turned.made = {wide(after, columns, found.rows), columns};
    found.turned.columns = wide(after, rows_after, found.columns);
  }
  if (bytes(found.transformed, size_after) < worthwhile_chunk) {
    found.transformed.made = {wide(after, rows_after, found.columns), rows_after};
    found.transformed.columns = wide(after, found.transformed.rows, found.rows);
  }
}

std::optional<transform_blocks> transform_limits::blocks(index_t points) const {
  auto factor = static_cast<index_t>(std::sqrt(static_cast<double>(points)));
  for (; factor > 1; --factor) {
    if (points % factor != 0) continue;
    if (auto found = blocks(factor, points / factor)) return found;
    if (auto found = blocks(points / factor, factor)) return found;
  }
  return std::nullopt;
}

}  // namespace tessera
