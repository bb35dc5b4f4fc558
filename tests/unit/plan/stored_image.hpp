// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An image in a store that counts, and the means of its blocks.

#include "tessera/tessera.hpp"

#include "plan/api/planned.hpp"
#include "unit/array/counting_store.hpp"

#include <array>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera::test {

/// "x" in the store is an image of 48 x 64 float64 in 6 x 8 compressed chunks of 8 x 8.
class stored_image : public ::testing::Test {
 protected:
  using matrix = array<double, 2>;

  static constexpr index_t rows = 48;
  static constexpr index_t columns = 64;
  static constexpr long all_chunks = 48;

  /// The label and the number of tasks of each operation of a plan, and the chunks that its run
  /// reads and writes.
  struct counted {
    std::vector<std::string> operations;
    long read = 0;
    long written = 0;
  };

  stored_image() { put("x", {rows, columns}, {8, 8}); }

  static double element(index_t i, index_t j) {
    return static_cast<double>(i * i - 3 * i * j + 2 * j);
  }

  /// Returns the mean of a block of `width` x `width` elements: exact if `width` is a power of two,
  /// as the sum is an integer.
  static double mean_at(index_t width, index_t i, index_t j) {
    double sum = 0;
    for (index_t a = 0; a < width; ++a) {
      for (index_t b = 0; b < width; ++b) sum += element(width * i + a, width * j + b);
    }
    return sum / static_cast<double>(width * width);
  }

  void put(const std::string& name, std::array<index_t, 2> shape, std::array<index_t, 2> chunks) {
    ndarray<double, 2> values(shape);
    for (index_t i = 0; i < shape[0]; ++i) {
      for (index_t j = 0; j < shape[1]; ++j) values(i, j) = element(i, j);
    }
    store(asarray(std::move(values), {.chunks = chunks}), store_, name,
          {.compressor = codec::zlib{}});
  }

  [[nodiscard]] matrix open(const std::string& name) const {
    return tessera::open<double, 2>(store_, name, spec_);
  }

  template <class E>
  [[nodiscard]] auto to(const std::string& name, const E& e) const {
    return stored(e, store_, name, {.compressor = codec::zlib{}});
  }

  template <class... Outputs>
  counted run(const pass_switches& passes, const Outputs&... outputs) {
    const plan planned(passes, settings_, outputs...);
    counted counts{{}, store_->num_reads(), store_->num_writes()};
    for (const auto& op : planned.bounded().inside().operations) {
      counts.operations.push_back(fmt::format("{} | {} tasks", op.label, op.num_tasks));
    }
    planned.execute();
    counts.read = store_->num_reads() - counts.read;
    counts.written = store_->num_writes() - counts.written;
    return counts;
  }

  spec spec_;
  run_with settings_{.executor = executors::threads(2)};
  std::shared_ptr<counting_store> store_ = std::make_shared<counting_store>();
};

}  // namespace tessera::test
