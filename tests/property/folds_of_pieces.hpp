// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Folds of arrays that consist of pieces, and parts of folds.

#include "tessera/tessera.hpp"

#include "property/result_bits.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace result_bits {

/// Folds of arrays that consist of pieces, and parts of folds, of two stored arrays.
class folds_of_pieces {
  using array = ts::array<double, 3>;

  [[nodiscard]] array open(const std::string& name, const circumstances& in) const {
    return ts::open<double, 3>(directory_ + "/" + name, in.limits);
  }

  /// Returns folds along each axis; all of them have at least 47 elements along both.
  [[nodiscard]] auto wholes(const circumstances& in) const {
    const array x = open("x", in);
    const auto joined = ts::concat(x, open("y", in), ts::axis<0>);
    return std::tuple{ts::sum(x, ts::axis<0>),
                      ts::var(x, ts::axis<0>),
                      ts::reduction(rounded_norm{}, x, ts::axis<0>),
                      ts::mean(x * x, ts::axis<1>),
                      ts::sum(ts::sqrt(ts::abs(x)), ts::axis<2>),
                      ts::var(joined, ts::axis<0>),
                      ts::sum(joined, ts::axis<2>),
                      ts::reduction(rounded_norm{}, joined, ts::axis<1>)};
  }

 public:
  /// Stores the arrays in a directory, or finds them there.
  explicit folds_of_pieces(std::string directory, bool has_them = false)
      : directory_(std::move(directory)) {
    if (has_them) return;
    ts::store(ts::random::normal<double>({200, 60, 80}, {.chunks = {50, 30, 40}, .seed = 1}),
              directory_ + "/x");
    ts::store(ts::random::normal<double>({70, 60, 80}, {.chunks = {30, 60, 16}, .seed = 2}),
              directory_ + "/y");
    ts::ndarray<std::int64_t, 1> labels({270});
    for (index_t i = 0; i < 270; ++i) labels(i) = i * i % 5 - 1;
    ts::store(ts::asarray(std::move(labels), {.chunks = {10}}), directory_ + "/labels");
  }

  /// Returns the bits of folds of joined, stacked and padded arrays.
  [[nodiscard]] std::vector<bits> run(const circumstances& in) const {
    const array x = open("x", in);
    const array y = open("y", in);
    const auto joined = ts::concat(x, y, ts::axis<0>);
    const auto beside = ts::concat(x, x * 2.0, ts::axis<1>);
    const auto cut = ts::concat(x(ts::slice(0, 77)), y, x(ts::slice(100, ts::none)), ts::axis<0>);
    const auto stacked = ts::stack(x, x + 1.0, ts::axis<0>);
    // All pieces of a step read its labels, whole.
    const auto labels = ts::open<std::int64_t, 1>(directory_ + "/labels", in.limits);
    const auto fine = ts::rechunk(labels, {30});
    const auto turned = ts::concat(y, x, ts::axis<0>);
    const auto padded = ts::pad(x, {{3, 5}, {0, 7}, {1, 0}}, ts::boundary::reflect);
    return bits_of_all(
        in, ts::sum(joined), ts::var(joined, ts::axis<0>), ts::mean(joined, ts::axis<1, 2>),
        ts::reduction(rounded_norm{}, joined, ts::axis<0>), ts::sum(beside, ts::axis<0>),
        ts::var(beside, ts::axis<1>), ts::sum(ts::sqrt(ts::abs(cut)), ts::axis<0, 2>),
        ts::reduction(rounded_norm{}, cut, ts::axis<0>), ts::sum(stacked, ts::axis<0, 1>),
        ts::mean(stacked, ts::axis<1>), ts::var(padded), ts::sum(padded, ts::axis<0>),
        ts::groupby_reduce(turned, fine, ts::op::mean{}, 4, ts::axis<0>),
        ts::groupby_reduce(joined, labels, ts::op::var{}, 4, ts::axis<0>));
  }

  /// Returns the bits of parts of folds, of which the rest is in no result.
  [[nodiscard]] std::vector<bits> parts(const circumstances& in) const {
    return std::apply(
        [&](const auto&... whole) {
          const auto rows = ts::slice(7, 41);
          const auto every_third = ts::slice(2, ts::none, 3);
          return bits_of_all(in, whole(rows, every_third)...,
                             whole(every_third, ts::slice(33, 47))...,
                             whole(ts::slice(7, 9), ts::slice(33, 34))...);
        },
        wholes(in));
  }

  /// Returns the bits that they have in whole results.
  [[nodiscard]] std::vector<bits> parts_of_wholes() const {
    const auto results = std::apply(
        [](const auto&... whole) { return std::vector{whole.compute()...}; }, wholes({}));
    std::vector<bits> collected;
    const auto take = [&](const ts::ndarray<double, 2>& whole, std::array<index_t, 3> rows,
                          std::array<index_t, 3> columns) {
      bits part;
      for (index_t i = rows[0]; i < rows[1]; i += rows[2]) {
        for (index_t j = columns[0]; j < columns[1]; j += columns[2]) {
          const double element = whole(i, j);
          append(part, &element, 1);
        }
      }
      collected.push_back(part);
    };
    for (const auto& whole : results) take(whole, {7, 41, 1}, {2, whole.shape()[1], 3});
    for (const auto& whole : results) take(whole, {2, whole.shape()[0], 3}, {33, 47, 1});
    for (const auto& whole : results) take(whole, {7, 9, 1}, {33, 34, 1});
    return collected;
  }

 private:
  std::string directory_;
};

}  // namespace result_bits
