// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/mpi.hpp"
#include "tessera/tessera.hpp"

#include "property/folds_of_pieces.hpp"
#include "property/result_bits.hpp"
#include "unit/mpi/shared_directory.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <mpi.h>
#include <string>
#include <vector>

namespace tessera::testing {
namespace {

using result_bits::bits;
using result_bits::circumstances;
using result_bits::folds_of_pieces;
using result_bits::unlike;

/// Arrays that the first rank has stored, which all of them find.
class FoldBitsOnRanks : public ::testing::Test {
 protected:
  void SetUp() override {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    if (rank_ == 0) const folds_of_pieces makes(arrays());
    MPI_Barrier(MPI_COMM_WORLD);
    folds_ = std::make_unique<folds_of_pieces>(arrays(), true);
  }

  /// Each rank by itself.
  [[nodiscard]] circumstances alone() const {
    circumstances in;
    in.limits.work_dir = (directory_.path() / ("work" + std::to_string(rank_))).string();
    in.settings.executor = executors::serial();
    return in;
  }

  [[nodiscard]] circumstances together(std::size_t workers, bool fuses) const {
    circumstances in;
    in.limits.work_dir = (directory_.path() / "work").string();
    in.limits.costs.workers = workers;
    in.passes.fuse_producers = fuses;
    in.passes.split_folds = fuses;
    in.settings.executor = executors::mpi();
    in.is_alone = !fuses;
    return in;
  }

  [[nodiscard]] std::string arrays() const { return (directory_.path() / "arrays").string(); }

  shared_directory directory_;
  int rank_ = 0;
  std::unique_ptr<folds_of_pieces> folds_;
};

TEST_F(FoldBitsOnRanks, AreThoseOfOneProcess) {
  const std::vector<bits> folds = folds_->run(alone());
  const std::vector<bits> parts = folds_->parts(alone());
  for (const std::size_t workers : {1, 64}) {
    for (const bool fuses : {true, false}) {
      EXPECT_EQ(unlike(folds_->run(together(workers, fuses)), folds), std::vector<std::size_t>{});
      EXPECT_EQ(unlike(folds_->parts(together(workers, fuses)), parts), std::vector<std::size_t>{});
    }
  }
}

}  // namespace
}  // namespace tessera::testing
