// SPDX-License-Identifier: Apache-2.0

/// \file
/// Random programs of rechunks that are computed by their first copy and read from their last one:
/// their values, and that they have a plan wherever there is one without them.

#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ts::index_t;

/// A program on two matrices of doubles that are small integers, of which every result is exact.
struct random_program {
  std::array<index_t, 2> shape{};
  std::array<index_t, 2> from{};
  std::array<index_t, 2> to{};
  int kind = 0;

  template <class Random>
  static random_program draw(Random up_to, int kind) {
    random_program drawn{.kind = kind};
    for (std::size_t axis = 0; axis < 2; ++axis) {
      drawn.shape[axis] = 150 + up_to(150);
      const bool is_long = (axis == 0) == (up_to(2) == 1);
      drawn.from[axis] = is_long ? drawn.shape[axis] : up_to(6);
      drawn.to[axis] = is_long ? up_to(6) : up_to(drawn.shape[axis]);
    }
    return drawn;
  }

  /// Returns the bytes of the larger of two chunks.
  [[nodiscard]] std::size_t chunk_bytes() const {
    return 8 * static_cast<std::size_t>(std::max(from[0] * from[1], to[0] * to[1]));
  }

  template <class X, class Take>
  void run(const X& x, const X& y, Take take) const {
    const auto z = ts::rechunk(x, {to[0], to[1]});
    switch (kind) {
      case 0:
        return take(ts::sum(z, ts::axis<0>));
      case 1:
        return take(ts::sum(z * 2.0 + 1.0, ts::axis<1>));
      case 2:
        return take(ts::sum(z));
      case 3:
        return take(z + y);
      case 4:
        return take(ts::rechunk(x + y, {to[0], to[1]}));
      case 5:
        return take(ts::matmul(z, ts::matrix_transpose(y)));
      case 6:
        return take(ts::cumulative_sum(z, ts::axis<0>));
      case 7:
        return take(z - ts::min(z, ts::axis<0>, ts::keepdims));
      default:
        return take(ts::sum(ts::rechunk(ts::matrix_transpose(x), {to[1], to[0]}), ts::axis<0>));
    }
  }
};

class RandomRechunkEnds : public ::testing::Test {
 protected:
  RandomRechunkEnds() { std::filesystem::create_directories(spec.work_dir); }
  ~RandomRechunkEnds() override { std::filesystem::remove_all(spec.work_dir); }

  index_t up_to(index_t most) { return std::uniform_int_distribution<index_t>(1, most)(random); }

  /// Stores the operands of `program`.
  void store_arrays(const random_program& program, const std::vector<double>& x,
                    const std::vector<double>& y) {
    const std::vector<index_t> chunks(program.from.begin(), program.from.end());
    const ts::store_options options{.chunks = chunks, .compressor = ts::codec::none{}};
    (void)ts::store(ts::ndarray<double, 2>(program.shape, x), store, "x", options);
    (void)ts::store(ts::ndarray<double, 2>(program.shape, y), store, "y", options);
  }
  void erase_arrays() {
    store->erase_all("x");
    store->erase_all("y");
  }

  template <class Take>
  void run(const random_program& program, Take take) {
    program.run(ts::open<double, 2>(store, "x", spec), ts::open<double, 2>(store, "y", spec), take);
  }

  bool is_planned(const random_program& program, const ts::pass_switches& passes) {
    bool is_possible = true;
    run(program, [&](const auto& result) {
      try {
        EXPECT_LE(ts::plan(passes, result).projected_memory(), spec.allowed_memory);
      } catch (const ts::memory_error&) {
        is_possible = false;
      }
    });
    return is_possible;
  }

  std::shared_ptr<ts::test::counting_store> store = std::make_shared<ts::test::counting_store>();
  ts::spec spec{
      .work_dir = ::testing::TempDir() + "random-rechunk-ends-" + std::to_string(getpid()),
      .intermediate_compressor = "none"};
  ts::pass_switches in_storage{.memory_tier = false};
  ts::pass_switches direct{.stage_rechunks = false, .memory_tier = false};
  std::random_device::result_type seed = std::random_device()();
  std::mt19937 random{seed};
};

TEST_F(RandomRechunkEnds, GiveTheSameElements) {
  SCOPED_TRACE(seed);
  int num_staged = 0;
  for (int i = 0; i < 27; ++i) {
    const auto program = random_program::draw([this](index_t most) { return up_to(most); }, i % 9);
    spec.allowed_memory = ts::bytes{4 * program.chunk_bytes() + 81'920};
    std::vector<double> values(static_cast<std::size_t>(program.shape[0] * program.shape[1]));
    for (double& value : values) value = static_cast<double>(up_to(50));
    const ts::ndarray<double, 2> x(program.shape, values);
    const std::vector<double> backwards(values.rbegin(), values.rend());
    const ts::ndarray<double, 2> y(program.shape, backwards);
    store_arrays(program, values, backwards);
    std::vector<double> expected;
    program.run(ts::array<double, 2>(ts::asarray(x)), ts::array<double, 2>(ts::asarray(y)),
                [&](const auto& result) {
                  const auto computed = ts::compute(result);
                  expected.assign(computed.span().begin(), computed.span().end());
                });
    run(program, [&](const auto& result) {
      // BLAS may need more memory than there is.
      if (program.kind == 5 && !is_planned(program, in_storage)) return;
      ts::pass_switches unbound = direct;
      unbound.bound_memory = false;
      const std::size_t before = ts::plan(unbound, result).num_operations();
      const auto plan = ts::plan(in_storage, result);
      num_staged += plan.num_operations() != before ? 1 : 0;
      ASSERT_LE(plan.projected_memory(), spec.allowed_memory);
      const auto computed = plan.compute();
      ASSERT_TRUE(std::equal(expected.begin(), expected.end(), computed.span().begin()))
          << "kind " << program.kind;
    });
    erase_arrays();
  }
  EXPECT_GT(num_staged, 2);
}

TEST_F(RandomRechunkEnds, LeaveAPlanToWhatHasOneWithoutThem) {
  SCOPED_TRACE(seed);
  for (int i = 0; i < 45; ++i) {
    const auto program = random_program::draw([this](index_t most) { return up_to(most); }, i % 9);
    const std::vector<double> ones(static_cast<std::size_t>(program.shape[0] * program.shape[1]),
                                   1);
    store_arrays(program, ones, ones);
    const std::size_t room = static_cast<std::size_t>(up_to(12) * 8'000 + up_to(30) * 20'000);
    // More than this process holds, so that the plan does not depend on it.
    spec.reserved_memory = 2_GB;
    spec.allowed_memory =
        2_GB + ts::bytes{static_cast<std::size_t>(1 + up_to(3)) * program.chunk_bytes() + room};
    spec.intermediate_compressor = up_to(2) == 1 ? "none" : "lz4";
    spec.host_memory.reset();
    if (up_to(3) == 1) {
      spec.host_memory =
          spec.allowed_memory + ts::bytes{static_cast<std::size_t>(up_to(60) * 40'000)};
    }
    ts::pass_switches passes{.memory_tier = up_to(2) == 1};
    const bool has_plan = is_planned(program, passes);
    passes.stage_rechunks = false;
    EXPECT_TRUE(has_plan || !is_planned(program, passes))
        << "kind " << program.kind << ", " << spec.allowed_memory;
    erase_arrays();
  }
}

TEST_F(RandomRechunkEnds, AreNotTakenWhereWhatTheyNeedIsMoreThanWasAssumed) {
  const std::vector<double> ones(300 * 300, 1);
  const auto stored = [&](const random_program& program) {
    store_arrays(program, {ones.begin(), ones.begin() + program.shape[0] * program.shape[1]},
                 {ones.begin(), ones.begin() + program.shape[0] * program.shape[1]});
    return program;
  };
  spec.intermediate_compressor = "lz4";
  // The sum would fit into memory, but may not be there.
  const auto sum = stored({{243, 214}, {243, 3}, {3, 111}, 4});
  spec.allowed_memory = 431'664_B;
  EXPECT_TRUE(is_planned(sum, direct));
  EXPECT_TRUE(is_planned(sum, in_storage));
  erase_arrays();
  // A task and the result keep to the host's memory, but not every task that is allowed does.
  const auto scan = stored({{264, 281}, {264, 281}, {3, 4}, 6});
  spec.reserved_memory = 2_GB;
  spec.allowed_memory = 2_GB + 1'330'944_B;
  spec.host_memory = 2_GB + 1'450'944_B;
  EXPECT_TRUE(is_planned(scan, {.stage_rechunks = false}));
  EXPECT_TRUE(is_planned(scan, {}));
  erase_arrays();
  // However much less a task is allowed, copies leave too little of the host for the result.
  const auto twice = stored({{181, 280}, {6, 280}, {170, 5}, 4});
  spec.allowed_memory = 2_GB + 597'760_B;
  // The libraries of the other worker take 431 kB of it.
  spec.host_memory = 2_GB + 1'108'760_B;
  EXPECT_TRUE(is_planned(twice, direct));
  EXPECT_TRUE(is_planned(twice, in_storage));
}

TEST_F(RandomRechunkEnds, CopyAMatrixInChunksThatATaskCanMake) {
  spec.allowed_memory = 95'232_B;
  const random_program product{{162, 236}, {162, 2}, {2, 208}, 5};
  const std::vector<double> ones(162 * 236, 1);
  store_arrays(product, ones, ones);
  run(product, [&](const auto& result) {
    const auto plan = ts::plan(in_storage, result);
    EXPECT_LE(plan.projected_memory(), spec.allowed_memory);
    const auto computed = plan.compute();
    EXPECT_TRUE(std::ranges::all_of(computed.span(), [](double sum) { return sum == 236; }));
  });
}

}  // namespace
