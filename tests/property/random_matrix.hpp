// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Random matrices: chains of views, lists, masks, repeats, joins and maps. Each carries its
/// expected values, computed by plain loops.
///
/// All random choices come from one function, so that RapidCheck or a fuzzer may draw them.

#include "tessera/store/memory_store.hpp"

#include "property/program_values.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace random_program {

/// Draws matrices of one spec. Stored ones are written by runs of one kind.
class matrix_generator {
 public:
  matrix_generator(draw pick, ts::spec spec, ts::run_with run)
      : pick_(std::move(pick)), spec_(std::move(spec)), run_(std::move(run)) {}

  /// Returns a chain of one to three producers over a stored matrix or one in memory.
  [[nodiscard]] matrix next() {
    matrix x = stored_matrix(pick_(1, 9), pick_(1, 9));
    for (index_t depth = pick_(1, 3); depth > 0; --depth) x = producer(x);
    return x;
  }

  [[nodiscard]] index_t pick(index_t low, index_t high) { return pick_(low, high); }
  [[nodiscard]] const ts::spec& spec() const { return spec_; }
  [[nodiscard]] const ts::run_with& run() const { return run_; }

 private:
  static constexpr index_t num_producers = 17;
  static constexpr index_t most_elements = 2000;

  /// Draws small integers in memory or in a store, in random chunks.
  matrix stored_matrix(index_t rows, index_t columns) {
    dense values = reference::make(
        {rows, columns}, [&](const position&) { return static_cast<double>(pick_(-9, 9)); });
    const std::array<index_t, 2> chunks{pick_(1, rows + 1), pick_(1, columns + 1)};
    const ts::ndarray<double, 2> elements({rows, columns}, values.values);
    const ts::array<double, 2> x = ts::asarray(elements, {.chunks = chunks, .spec = spec_});
    if (pick_(0, 1) == 0) return {x, std::move(values), "memory"};
    auto store = std::make_shared<ts::memory_store>();
    ts::store(x, store, "x", {.compressor = ts::codec::none{}}, run_);
    return {ts::open<double, 2>(store, "x", spec_), std::move(values), "stored"};
  }

  std::vector<index_t> list_below(index_t extent) {
    std::vector<index_t> list(static_cast<std::size_t>(pick_(1, 12)));
    for (index_t& index : list) index = pick_(0, extent - 1);
    return list;
  }

  static index_t at(const std::vector<index_t>& list, index_t i) {
    return list[static_cast<std::size_t>(i)];
  }

  /// Returns the matrix of `array`; its element (i, j) is the element of `x` at `from(i, j)`.
  static matrix view_of(const matrix& x, ts::array<double, 2> array, index_t rows, index_t columns,
                        const std::function<position(index_t, index_t)>& from, const char* text) {
    dense values = reference::make({rows, columns}, [&](const position& element) {
      return x.values(from(element[0], element[1]));
    });
    return {std::move(array), std::move(values), std::string(text) + "(" + x.text + ")"};
  }

  matrix producer(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const index_t kind = 2 * n * m > most_elements ? 0 : pick_(0, num_producers - 1);
    if (kind < 6) return listed(x, kind);
    if (kind < 12) return viewed(x, kind - 6);
    return assembled(x, kind - 12);
  }

  /// Rows by a list of indices.
  matrix list_rows(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const auto rows = list_below(n);
    const auto count = static_cast<index_t>(rows.size());
    const auto from = [&](index_t i, index_t j) { return position{at(rows, i), j}; };
    return view_of(x, x.array(ts::index(rows)), count, m, from, "index");
  }

  /// Columns by a list of indices.
  matrix list_columns(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const auto columns = list_below(m);
    const auto count = static_cast<index_t>(columns.size());
    const auto from = [&](index_t i, index_t j) { return position{i, at(columns, j)}; };
    return view_of(x, ts::take(x.array, columns, ts::axis<1>), n, count, from, "take");
  }

  /// Rows by a mask that has at least one.
  matrix compress_rows(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    std::vector<bool> mask(static_cast<std::size_t>(n));
    std::vector<index_t> rows;
    for (index_t i = 0; i < n; ++i) {
      mask[static_cast<std::size_t>(i)] = i == n - 1 ? rows.empty() : pick_(0, 1) == 1;
      if (mask[static_cast<std::size_t>(i)]) rows.push_back(i);
    }
    const auto from = [&](index_t i, index_t j) { return position{at(rows, i), j}; };
    return view_of(x, ts::compress(mask, x.array, ts::axis<0>), static_cast<index_t>(rows.size()),
                   m, from, "compress");
  }

  /// Each row, or each column, several times.
  matrix repeat_elements(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const index_t count = pick_(1, 3);
    if (pick_(0, 1) == 0) {
      const auto from = [&](index_t i, index_t j) { return position{i / count, j}; };
      return view_of(x, ts::repeat(x.array, count, ts::axis<0>), n * count, m, from, "repeat 0");
    }
    const auto from = [&](index_t i, index_t j) { return position{i, j / count}; };
    return view_of(x, ts::repeat(x.array, count, ts::axis<1>), n, m * count, from, "repeat 1");
  }

  /// Copies of the matrix side by side.
  matrix tile_matrix(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const std::array<index_t, 2> counts{pick_(1, 2), pick_(1, 2)};
    const auto from = [&](index_t i, index_t j) { return position{i % n, j % m}; };
    return view_of(x, ts::tile(x.array, counts), n * counts[0], m * counts[1], from, "tile");
  }

  /// The elements in rows of another length.
  matrix reshape_matrix(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    std::vector<index_t> divisors;
    for (index_t d = 1; d <= n * m; ++d) {
      if (n * m % d == 0) divisors.push_back(d);
    }
    const index_t rows = at(divisors, pick_(0, static_cast<index_t>(divisors.size()) - 1));
    const index_t columns = n * m / rows;
    const auto from = [&](index_t i, index_t j) {
      const index_t number = i * columns + j;
      return position{number / m, number % m};
    };
    return view_of(x, ts::reshape(x.array, {rows, columns}), rows, columns, from, "reshape");
  }

  /// Lists, masks, repeats, tiles and reshapes.
  matrix listed(const matrix& x, index_t kind) {
    switch (kind) {
      case 0:
        return list_rows(x);
      case 1:
        return list_columns(x);
      case 2:
        return compress_rows(x);
      case 3:
        return repeat_elements(x);
      case 4:
        return tile_matrix(x);
      default:
        return reshape_matrix(x);
    }
  }

  /// Rows with a step of one to three.
  matrix slice_rows(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const index_t first = pick_(0, n - 1);
    const index_t step = pick_(1, 3);
    const auto from = [&](index_t i, index_t j) { return position{first + i * step, j}; };
    return view_of(x, x.array(ts::slice(first, ts::none, step)), (n - first + step - 1) / step, m,
                   from, "slice");
  }

  /// Columns from the last one back, with a step of one to three.
  matrix slice_columns(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const index_t step = pick_(1, 3);
    const auto from = [&](index_t i, index_t j) { return position{i, m - 1 - j * step}; };
    return view_of(x, x.array(ts::whole, ts::slice(ts::none, ts::none, -step)), n,
                   (m + step - 1) / step, from, "slice back");
  }

  /// One row in all rows.
  matrix broadcast_row(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const index_t row = pick_(0, n - 1);
    const auto from = [&](index_t, index_t j) { return position{row, j}; };
    return view_of(x, ts::broadcast_to(x.array(row), {pick_(1, 1) * n, m}), n, m, from,
                   "broadcast");
  }

  /// Views without a list: flips, transposes, slices, chunks.
  matrix viewed(const matrix& x, index_t kind) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    switch (kind) {
      case 0: {
        const auto from = [&](index_t i, index_t j) { return position{n - 1 - i, j}; };
        return view_of(x, ts::flip(x.array, ts::axis<0>), n, m, from, "flip");
      }
      case 1: {
        const auto from = [](index_t i, index_t j) { return position{j, i}; };
        return view_of(x, x.array.T(), m, n, from, "transpose");
      }
      case 2:
        return slice_rows(x);
      case 3:
        return slice_columns(x);
      case 4:
        return broadcast_row(x);
      default: {
        const std::array<index_t, 2> chunks{pick_(1, n), pick_(1, m)};
        const auto from = [](index_t i, index_t j) { return position{i, j}; };
        return view_of(x, ts::rechunk(x.array, chunks), n, m, from, "rechunk");
      }
    }
  }

  /// The rows, rolled.
  matrix roll_rows(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const index_t shift = pick_(-n, n);
    const auto from = [&](index_t i, index_t j) { return position{(i - shift + 2 * n) % n, j}; };
    return view_of(x, ts::roll(x.array, shift, ts::axis<0>), n, m, from, "roll");
  }

  /// The columns, with copies of the outer ones.
  matrix pad_columns(const matrix& x) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    const index_t before = pick_(0, 2);
    const index_t behind = pick_(0, 2);
    const auto from = [&](index_t i, index_t j) {
      return position{i, std::clamp<index_t>(j - before, 0, m - 1)};
    };
    return view_of(x, ts::pad(x.array, {{0, 0}, {before, behind}}, ts::boundary::edge), n,
                   m + before + behind, from, "pad");
  }

  /// Arrays of several pieces, and functions of elements.
  matrix assembled(const matrix& x, index_t kind) {
    const index_t n = x.rows();
    const index_t m = x.columns();
    switch (kind) {
      case 0:
        return roll_rows(x);
      case 1:
        return pad_columns(x);
      case 2: {
        const auto from = [&](index_t i, index_t j) { return position{i % n, j}; };
        matrix joined =
            view_of(x, ts::concat(x.array, x.array + 1.0, ts::axis<0>), 2 * n, m, from, "concat");
        for (index_t i = n * m; i < 2 * n * m; ++i) {
          joined.values.values[static_cast<std::size_t>(i)] += 1;
        }
        return joined;
      }
      case 3: {
        matrix subtrahend = stored_matrix(n, m);
        dense values = reference::make(x.values.shape, [&](const position& element) {
          return 2 * x.values(element) - subtrahend.values(element);
        });
        return {x.array * 2.0 - subtrahend.array, std::move(values), "2 * " + x.text + " - other"};
      }
      default: {
        dense values = x.values;
        for (double& value : values.values) value += 1;
        return {x.array + 1.0, std::move(values), x.text + " + 1"};
      }
    }
  }

  draw pick_;
  ts::spec spec_;
  ts::run_with run_;
};

}  // namespace random_program
