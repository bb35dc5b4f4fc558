// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A stored array of which tests write parts, in runs that may fail.

#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <atomic>
#include <filesystem>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace tessera::test {

inline std::atomic<double> fails_from{std::numeric_limits<double>::infinity()};
inline std::atomic<int> num_calls{0};

/// The identity, which counts, and fails from an element on.
struct failing {
  double operator()(double x) const {
    if (x >= fails_from) throw store_error("the disk is full");
    ++num_calls;
    return x;
  }
};

/// An array "a.zarr" of 10 x 6 zeros in chunks of 4 x 3, and numbers to write into it.
class StoredPart : public testing::Test {
 protected:
  void SetUp() override {
    fails_from = std::numeric_limits<double>::infinity();
    num_calls = 0;
    store(zeros<double>({10, 6}, {.chunks = {4, 3}, .spec = limits()}), path(),
          {.compressor = codec::zlib{.level = 3},
           .attributes = {{"units", std::string("K")}},
           .fill_value = -1.0});
  }

  [[nodiscard]] spec limits() const { return {.work_dir = folder / "work"}; }
  [[nodiscard]] std::string path() const { return folder / "a.zarr"; }
  [[nodiscard]] run_with serial() const { return {.executor = executors::serial()}; }

  /// The numbers first, first + 1, ... in the given shape.
  [[nodiscard]] auto numbers(double first, index_t rows, index_t columns) const {
    std::vector<double> values(static_cast<std::size_t>(rows * columns));
    std::iota(values.begin(), values.end(), first);
    return from_memory(std::move(values), {rows, columns}, {.chunks = {4, 3}, .spec = limits()});
  }

  /// Expects numbers from `first` on in `box` of the stored array, and `outside` elsewhere.
  void expect_stored(const region& box, double first, double outside = 0) const {
    const auto result = open<double, 2>(path()).compute();
    index_t next = 0;
    for (index_t i = 0; i < result.shape()[0]; ++i) {
      for (index_t j = 0; j < result.shape()[1]; ++j) {
        const bool is_inside = box.contains({{i, j}, {i + 1, j + 1}});
        const double expected = is_inside ? first + static_cast<double>(next++) : outside;
        ASSERT_EQ(result(i, j), expected) << i << ", " << j;
      }
    }
  }
  [[nodiscard]] std::string mark_of_run() const {
    for (const auto& entry : std::filesystem::directory_iterator(path())) {
      if (entry.path().filename().string().starts_with(".tessera")) return entry.path();
    }
    return {};
  }
  [[nodiscard]] bool has_marks() const { return !mark_of_run().empty(); }

  scratch_directory folder;
};

}  // namespace tessera::test
