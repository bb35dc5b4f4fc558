// SPDX-License-Identifier: Apache-2.0
#include "array/mpi/redistribute.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

namespace tessera::mpi {
namespace {

constexpr index_t num_columns = 12;

/// Returns rows, or columns, of a matrix, cut into one stripe for each rank.
std::vector<region> stripes(std::size_t axis, index_t num_rows, int num_ranks) {
  std::vector<region> boxes;
  for (int rank = 0; rank < num_ranks; ++rank) {
    region box{{0, 0}, {num_rows, num_columns}};
    const index_t extent = box.stop[axis];
    box.start[axis] = extent * rank / num_ranks;
    box.stop[axis] = extent * (rank + 1) / num_ranks;
    boxes.push_back(box);
  }
  return boxes;
}

TEST(Redistribute, SendsEveryElementToItsNewPlace) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const index_t num_rows = 7;
  const std::vector<region> before = stripes(0, num_rows, size);
  const std::vector<region> after = stripes(1, num_rows, size);

  // A row of memory is wider than the matrix, and begins with elements outside of it.
  const region& from = before[static_cast<std::size_t>(rank)];
  const index_t width = num_columns + 3;
  std::vector<double> memory(static_cast<std::size_t>((from.stop[0] - from.start[0]) * width), -1);
  for (index_t row = from.start[0]; row < from.stop[0]; ++row) {
    for (index_t column = 0; column < num_columns; ++column) {
      memory[static_cast<std::size_t>((row - from.start[0]) * width + column + 2)] =
          static_cast<double>(row * 100 + column);
    }
  }
  const auto* data = reinterpret_cast<const std::byte*>(memory.data() + 2);
  const auto sent = redistribute(MPI_COMM_WORLD, sizeof(double), {data, {width, 1}}, before, after);

  const region& to = after[static_cast<std::size_t>(rank)];
  const auto* element = reinterpret_cast<const double*>(sent.get());
  for (index_t row = to.start[0]; row < to.stop[0]; ++row) {
    for (index_t column = to.start[1]; column < to.stop[1]; ++column) {
      EXPECT_EQ(*element++, static_cast<double>(row * 100 + column));
    }
  }
}

}  // namespace
}  // namespace tessera::mpi
