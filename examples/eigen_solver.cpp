// SPDX-License-Identifier: Apache-2.0

/// \file
/// Tessera and Eigen: normal equations of a tall matrix by Tessera, solved by Eigen.
///
/// Fits y = X b by least squares. X has more rows than memory may hold; X'X and X'y are small, and
/// come in one pass. `eigen_solver --help` prints the usage.

#include "help.hpp"

#include <Eigen/Cholesky>
#include <cstdio>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  if (asks_for_help(argc, argv)) {
    std::printf("usage: eigen_solver\n\nPrints the coefficients 1, 2, 3 of a fit.\n");
    return 0;
  }
  const auto x = ts::random::normal<double>({100'000, 3}, {.chunks = {10'000, 3}, .seed = 1});
  const Eigen::Vector3d truth(1, 2, 3);
  const auto y = ts::matmul(x, ts::from_memory(truth));
  const auto [xx, xy] =
      ts::compute(ts::matmul(ts::transpose(x), x), ts::matmul(ts::transpose(x), y));
  const Eigen::VectorXd b = xx.eigen().ldlt().solve(xy.eigen());
  std::printf("%.6f %.6f %.6f\n", b(0), b(1), b(2));
}
