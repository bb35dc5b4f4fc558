// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random plans, saved and loaded: they compute the same bits, and are the same when saved again.

#include "tessera/tessera.hpp"

#include "unit/plan/plan_files.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <span>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using ts::index_t;
using ts::testing::file_contents;
using ts::testing::temporary_directory;

index_t pick(index_t low, index_t high) { return *rc::gen::inRange<index_t>(low, high + 1); }

ts::pass_switches pick_passes() {
  return {.share = *rc::gen::arbitrary<bool>(),
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

ts::run_with serial() { return {.executor = ts::executors::serial()}; }

/// Returns the bytes of all results.
std::string run(const ts::bounded_plan& plan, const std::vector<std::size_t>& sizes) {
  std::string bytes;
  const auto outputs = ts::execute(plan, serial());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    bytes.append(reinterpret_cast<const char*>(outputs[i].elements.get()), sizes[i]);
  }
  return bytes;
}

struct sum_of_rows {
  void operator()(ts::block_view<const double, 2> x, ts::block_view<double, 2> out) const {
    for (index_t i = 0; i < out.shape()[0]; ++i) {
      for (index_t j = 0; j < out.shape()[1]; ++j) out(i, j) = x(i, j) + x(i + 1, j);
    }
  }
};

RC_GTEST_PROP(PlanFileProperty, LoadedPlansComputeTheSameBits, ()) {
  const temporary_directory folder;
  const ts::spec spec{.work_dir = folder / "work"};
  const std::array<index_t, 2> shape{pick(1, 7), pick(1, 7)};
  const auto count = static_cast<std::size_t>(shape[0] * shape[1]);
  const auto values = *rc::gen::container<std::vector<double>>(
      count, rc::gen::map(rc::gen::inRange(-9, 10), [](int i) { return i * 0.37; }));
  const auto chunks = [&] { return std::array<index_t, 2>{pick(1, shape[0]), pick(1, shape[1])}; };
  const auto x =
      ts::from_memory<double, 2>(values.data(), shape, {.chunks = chunks(), .spec = spec});
  const auto y = ts::random::uniform<double, 2>(
      shape, {.chunks = chunks(), .spec = spec, .seed = static_cast<std::uint64_t>(pick(0, 99))});
  ts::store(x, folder / "x.zarr", {.chunks = chunks()}, serial());
  const auto z = ts::open<double, 2>(folder / "x.zarr", spec);

  const double factor = static_cast<double>(pick(-3, 3));
  const auto mapped = ts::map([factor](double v) { return factor - v; }, x * y);
  const auto joined = ts::concat(z, mapped, ts::axis<0>);
  const auto product = ts::matmul(ts::permute_dims(mapped, ts::axis<1, 0>), z + y) * factor;
  const auto pairs = joined(ts::slice(0, ts::none, 2)) - joined(ts::slice(1, ts::none, 2));
  const auto sums = ts::map_overlap<double>(
      sum_of_rows{}, 2.0 * z + 1.0, {.depth = {{1, 0}, {0, 0}}, .beyond = ts::boundary::edge});
  const ts::plan plan(pick_passes(), serial(), joined, product, ts::var(joined, ts::axis<1>) + 1.0,
                      ts::mean(mapped - x), sums, pairs);
  const std::vector<std::size_t> sizes{
      2 * count * sizeof(double),
      static_cast<std::size_t>(shape[1] * shape[1]) * sizeof(double),
      2 * static_cast<std::size_t>(shape[0]) * sizeof(double),
      sizeof(double),
      count * sizeof(double),
      count * sizeof(double)};

  plan.save(folder / "first");
  const auto loaded = ts::bounded_plan::load(folder / "first");
  loaded.save(folder / "second");
  RC_ASSERT(file_contents(folder / "first") == file_contents(folder / "second"));
  RC_ASSERT(run(loaded, sizes) == run(plan.bounded(), sizes));
  RC_ASSERT(loaded.identity() == plan.bounded().identity());
}

}  // namespace
