// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random pyramids: stored arrays, and functions of their coarser elements, against plain loops,
/// with random chunks, passes and placements.

#include "property/samples.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <rapidcheck/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace samples;

/// A lazy matrix, and its elements.
struct matrix {
  ts::array<double, 2> array;
  dense values;

  [[nodiscard]] index_t extent(std::size_t axis) const { return values.shape[axis]; }
};

/// Returns the sum of column `at[1]` of `x` from row `first` to row `at[0]`.
double sum_before(const dense& x, const position& at, index_t first) {
  double sum = 0;
  for (index_t i = std::max<index_t>(0, first); i <= at[0]; ++i) sum += x({i, at[1]});
  return sum;
}

/// The array that is stored in its full size: elementwise, or by a fold, scan, window or product.
matrix pick_base(const ts::spec& spec) {
  const auto shape = pick_extents<2>(1, 17);
  const auto x = pick_sample<2>(shape, spec);
  const auto make_dense = [&](const std::function<double(const position&)>& f) {
    return reference::make(x.values.shape, f);
  };
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return {ts::cumulative_sum(x.array, ts::axis<0>),
              make_dense([&](const position& at) { return sum_before(x.values, at, 0); })};
    case 1: {
      const auto y = pick_sample<3>({shape[0], pick(1, 6), shape[1]}, spec);
      return {ts::sum(y.array, ts::axis<1>),
              reference::fold(y.values, {false, true, false}, sum_of)};
    }
    case 2: {
      const auto y = pick_sample<2>({shape[1], pick(1, 9)}, spec);
      const auto product = [&](const position& at) {
        double sum = 0;
        for (index_t k = 0; k < shape[1]; ++k) sum += x.values({at[0], k}) * y.values({k, at[1]});
        return sum;
      };
      return {ts::matmul(x.array, y.array),
              reference::make({shape[0], y.values.shape[1]}, product)};
    }
    case 3: {
      const index_t length = pick(1, std::min<index_t>(4, shape[0]));
      const auto windows = [&](const position& at) {
        return sum_before(x.values, {at[0] + length - 1, at[1]}, at[0]);
      };
      return {ts::rolling_sum(x.array, length, ts::axis<0>),
              reference::make({shape[0] - length + 1, shape[1]}, windows)};
    }
    default:
      return {2.0 * x.array - 1.0,
              make_dense([&](const position& at) { return 2 * x.values(at) - 1; })};
  }
}

/// Returns the sum of some of the elements of boxes of `step`, each seen as a slice.
matrix sum_of_slices(const matrix& x, const std::array<index_t, 2>& step) {
  const index_t count = pick(1, 3);
  std::vector<std::array<index_t, 2>> positions;
  std::array<index_t, 2> reach{};
  for (index_t i = 0; i < count; ++i) {
    positions.push_back({pick(0, step[0] - 1), pick(0, step[1] - 1)});
    for (std::size_t axis = 0; axis < 2; ++axis) {
      reach[axis] = std::max(reach[axis], positions.back()[axis]);
    }
  }
  // As many as there are of each, or one less.
  std::array<index_t, 2> extents{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    extents[axis] = (x.extent(axis) - 1 - reach[axis]) / step[axis] + 1;
    extents[axis] = std::max<index_t>(1, extents[axis] - pick(0, 1));
  }
  const auto view = [&](const std::array<index_t, 2>& at) {
    const auto along = [&](std::size_t axis) {
      return ts::slice(at[axis], at[axis] + step[axis] * (extents[axis] - 1) + 1, step[axis]);
    };
    return x.array(along(0), along(1));
  };
  ts::array<double, 2> sum = view(positions.front()) * 1.0;
  for (std::size_t i = 1; i < positions.size(); ++i) sum = sum + view(positions[i]);
  return {sum, reference::make({extents[0], extents[1]}, [&](const position& at) {
            double total = 0;
            for (const auto& position : positions) {
              total += x.values({step[0] * at[0] + position[0], step[1] * at[1] + position[1]});
            }
            return total;
          })};
}

matrix coarsened(const matrix& x, const std::array<index_t, 2>& step) {
  const std::array<index_t, 2> extents{x.extent(0) / step[0], x.extent(1) / step[1]};
  const auto whole_blocks =
      x.array(ts::slice(0, extents[0] * step[0]), ts::slice(0, extents[1] * step[1]));
  return {ts::coarsen(ts::op::max{}, whole_blocks, {step[0], step[1]}),
          reference::make({extents[0], extents[1]}, [&](const position& at) {
            double greatest = x.values({step[0] * at[0], step[1] * at[1]});
            for (index_t a = 0; a < step[0]; ++a) {
              for (index_t b = 0; b < step[1]; ++b) {
                greatest = std::max(greatest, x.values({step[0] * at[0] + a, step[1] * at[1] + b}));
              }
            }
            return greatest;
          })};
}

matrix pick_level(const matrix& x) {
  std::array<index_t, 2> step{};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    step[axis] = pick(1, std::min<index_t>(3, x.extent(axis)));
  }
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return coarsened(x, step);
    case 1:
      return {ts::permute_dims(x.array, ts::axis<1, 0>) + 3.0,
              reference::make({x.extent(1), x.extent(0)}, [&](const position& at) {
                return x.values({at[1], at[0]}) + 3;
              })};
    default:
      return sum_of_slices(x, step);
  }
}

/// Returns random chunks of an array.
std::array<index_t, 2> pick_chunks(const matrix& x) {
  return {pick(1, x.extent(0) + 1), pick(1, x.extent(1) + 1)};
}

bool has_levels(const ts::bounded_plan& plan) {
  const auto& operations = plan.inside().operations;
  return std::any_of(operations.begin(), operations.end(),
                     [](const auto& planned) { return planned.op.primitive->kind() == "stages"; });
}

/// Returns a base and `count` levels; most are levels of the one before.
std::vector<matrix> pick_levels(const ts::spec& spec, index_t count) {
  std::vector<matrix> levels{pick_base(spec)};
  for (index_t i = 0; i < count; ++i) {
    const index_t from = pick(0, 3) == 0 ? pick(0, i) : i;
    levels.push_back(pick_level(levels[static_cast<std::size_t>(from)]));
  }
  return levels;
}

/// Executes the plan of `outputs`.
template <class... Outputs>
void run_plan(const ts::pass_switches& passes, const ts::run_with& run, const Outputs&... outputs) {
  const ts::plan plan(passes, run, outputs...);
  RC_CLASSIFY(has_levels(plan.bounded()), "made as levels");
  plan.execute();
}

RC_GTEST_PROP(Levels, OfWhatIsStoredAreWhatTheyShouldBe, ()) {
  const ts::spec spec = pick_spec();
  const index_t count = pick(1, 3);
  const std::vector<matrix> levels = pick_levels(spec, count);
  const auto store = std::make_shared<ts::memory_store>();
  const bool has_own_chunks = *rc::gen::arbitrary<bool>();
  const bool is_in_memory = *rc::gen::arbitrary<bool>();
  ts::pass_switches passes = *rc::gen::arbitrary<bool>() ? pick_passes() : ts::pass_switches{};
  passes.fuse_levels = true;
  if (is_in_memory) {
    std::vector<ts::array<double, 2>> arrays;
    for (const matrix& level : levels) arrays.push_back(level.array);
    const auto computed = ts::compute(arrays, pick_run());
    for (std::size_t i = 0; i < levels.size(); ++i) expect_equal(computed[i], levels[i].values);
    return;
  }
  const auto to = [&](std::size_t i) {
    ts::store_options options;
    if (has_own_chunks) {
      const auto chunks = pick_chunks(levels[i]);
      options.chunks = {chunks[0], chunks[1]};
    }
    return ts::stored(levels[i].array, store, std::to_string(i), options);
  };
  const ts::run_with run = pick_run();
  if (count == 1) {
    run_plan(passes, run, to(0), to(1));
  } else if (count == 2) {
    run_plan(passes, run, to(0), to(1), to(2));
  } else {
    run_plan(passes, run, to(0), to(1), to(2), to(3));
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    expect_equal(ts::open<double, 2>(store, std::to_string(i), spec).compute(), levels[i].values);
  }
}

/// A stored array, and a copy of it in other chunks.
std::vector<matrix> pick_source_and_copy(const ts::spec& spec) {
  const auto x = pick_sample<2>(pick_extents<2>(1, 17), spec);
  const matrix source{x.array, x.values};
  const auto chunks = pick_chunks(source);
  return {source, {ts::rechunk(x.array, {chunks[0], chunks[1]}), x.values}};
}

// The copy is stored, or read by levels alone.
RC_GTEST_PROP(Levels, OfAnArrayAndItsCopyAreWhatTheyShouldBe, ()) {
  const ts::spec spec = pick_spec();
  std::vector<matrix> arrays = pick_source_and_copy(spec);
  std::vector<std::size_t> results;
  for (index_t i = 0; i < 4; ++i) {
    if (i == 0 && *rc::gen::arbitrary<bool>()) {
      results.push_back(1);
      continue;
    }
    const auto last = static_cast<index_t>(arrays.size()) - 1;
    arrays.push_back(pick_level(arrays[static_cast<std::size_t>(pick(0, pick(1, last)))]));
    results.push_back(arrays.size() - 1);
  }
  std::ranges::shuffle(results, std::minstd_rand(*rc::gen::arbitrary<unsigned>()));
  const auto store = std::make_shared<ts::memory_store>();
  const auto to = [&](std::size_t i) {
    return ts::stored(arrays[results[i]].array, store, std::to_string(i));
  };
  ts::pass_switches passes = *rc::gen::arbitrary<bool>() ? pick_passes() : ts::pass_switches{};
  passes.fuse_levels = true;
  run_plan(passes, pick_run(), to(0), to(1), to(2), to(3));
  for (std::size_t i = 0; i < results.size(); ++i) {
    expect_equal(ts::open<double, 2>(store, std::to_string(i), spec).compute(),
                 arrays[results[i]].values);
  }
}

}  // namespace
