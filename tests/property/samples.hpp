// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Random arrays, passes and engines, and a comparison of programs with plain loops. Elements are
/// small integers, so sums are exact.

#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "property/reference.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <rapidcheck/gtest.h>
#include <string>
#include <vector>

namespace samples {

namespace ts = tessera;
using reference::dense;
using reference::position;
using ts::index_t;

inline index_t pick(index_t low, index_t high) { return *rc::gen::inRange<index_t>(low, high + 1); }

inline ts::spec pick_spec() {
  // Of this process alone: another one that runs the same program would begin it anew.
  static const ts::testing::temporary_directory work_dir;
  ts::spec spec;
  spec.work_dir = work_dir.path().string();
  spec.intermediate_compressor = *rc::gen::element<std::string>("none", "lz4");
  // Beside the memory of this process, which grows with each program under a sanitizer.
  if (*rc::gen::arbitrary<bool>()) {
    spec.host_memory = ts::bytes{2'000'000'000} + ts::resident_memory();
  }
  // Tasks that take long to start take several blocks.
  if (*rc::gen::inRange(0, 4) == 0) {
    spec.costs.task = std::chrono::seconds(10);
    spec.costs.workers = 1;
  }
  return spec;
}

inline ts::run_with pick_run() {
  const int which = *rc::gen::inRange(0, 3);
  if (which == 0) return {.executor = ts::executors::serial()};
  if (which == 1) return {.executor = ts::executors::threads(3)};
  return {};
}

inline ts::pass_switches pick_passes() {
  return {.cull = *rc::gen::arbitrary<bool>(),
          .share = *rc::gen::arbitrary<bool>(),
          .crop = *rc::gen::arbitrary<bool>(),
          .fuse_producers = *rc::gen::arbitrary<bool>(),
          .fuse_siblings = *rc::gen::arbitrary<bool>(),
          .duplicate = *rc::gen::arbitrary<bool>(),
          .keep = *rc::gen::arbitrary<bool>(),
          .split_folds = *rc::gen::arbitrary<bool>(),
          .cut_scans = *rc::gen::arbitrary<bool>(),
          .fuse_epilogues = *rc::gen::arbitrary<bool>(),
          .size_blocks = *rc::gen::arbitrary<bool>(),
          .fuse_levels = *rc::gen::arbitrary<bool>(),
          .memory_tier = *rc::gen::arbitrary<bool>()};
}

template <std::size_t N>
std::array<index_t, N> pick_extents(index_t least, index_t most) {
  std::array<index_t, N> extents{};
  for (index_t& extent : extents) extent = pick(least, most);
  return extents;
}

inline dense pick_values(const std::vector<index_t>& shape) {
  return reference::make(shape, [](const position&) { return static_cast<double>(pick(-9, 9)); });
}

/// An array in both worlds.
template <std::size_t N>
struct sample {
  dense values;
  ts::array<double, N> array;
};

/// Puts values into memory or into a store, in random chunks.
template <std::size_t N>
sample<N> place(dense values, const ts::spec& spec) {
  std::array<index_t, N> shape{};
  std::copy(values.shape.begin(), values.shape.end(), shape.begin());
  std::array<index_t, N> chunks{};
  for (std::size_t axis = 0; axis < N; ++axis) chunks[axis] = pick(1, shape[axis] + 1);
  const ts::ndarray<double, N> elements(shape, values.values);
  auto in_memory = ts::asarray(elements, {.chunks = chunks, .spec = spec});
  if (*rc::gen::arbitrary<bool>()) return {std::move(values), in_memory};
  auto store = std::make_shared<ts::memory_store>();
  ts::store_options options;
  if (*rc::gen::arbitrary<bool>()) options.compressor = ts::codec::none{};
  const auto plan = ts::plan(ts::stored(in_memory, store, "x", options), pick_run());
  (void)plan.compute();
  return {std::move(values), ts::open<double, N>(store, "x", spec)};
}

template <std::size_t N>
sample<N> pick_sample(const std::array<index_t, N>& shape, const ts::spec& spec) {
  return place<N>(pick_values({shape.begin(), shape.end()}), spec);
}

/// Computes an expression under random passes, into memory or through a store in random chunks.
template <class E>
auto compute(const E& e, const ts::spec& spec) {
  constexpr std::size_t rank = E::rank;
  if (*rc::gen::arbitrary<bool>()) return ts::plan(pick_passes(), pick_run(), e).compute();
  const auto shape = e.shape();
  std::array<index_t, rank> chunks{};
  for (std::size_t axis = 0; axis < rank; ++axis) chunks[axis] = pick(1, shape[axis] + 1);
  auto store = std::make_shared<ts::memory_store>();
  const auto plan =
      ts::plan(pick_passes(), pick_run(), ts::stored(e, store, "y", {.chunks = chunks}));
  (void)plan.compute();
  return ts::open<typename E::value_type, rank>(store, "y", spec).compute(pick_run());
}

template <class Result>
void expect_equal(const Result& computed, const dense& expected) {
  RC_ASSERT(std::vector<index_t>(computed.shape().begin(), computed.shape().end()) ==
            expected.shape);
  std::size_t i = 0;
  for (const auto value : computed.span()) {
    const double wanted = expected.values[i++];
    const auto actual = static_cast<double>(value);
    RC_ASSERT(actual == wanted || (std::isnan(actual) && std::isnan(wanted)) ||
              std::abs(actual - wanted) <= 1e-12 * (1 + std::abs(wanted)));
  }
}

inline double sum_of(const std::vector<double>& x) {
  return std::accumulate(x.begin(), x.end(), 0.0);
}

inline double mean_of(const std::vector<double>& x) {
  return sum_of(x) / static_cast<double>(x.size());
}

inline double var_of(const std::vector<double>& x) {
  // In long double: the checked result is more exact than a plain sum of doubles.
  const long double mean = static_cast<long double>(sum_of(x)) / static_cast<long double>(x.size());
  long double sum = 0;
  for (const double value : x) sum += (value - mean) * (value - mean);
  return static_cast<double>(sum / static_cast<long double>(x.size()));
}

}  // namespace samples
