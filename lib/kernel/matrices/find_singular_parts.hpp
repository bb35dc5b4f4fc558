// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How singular parts are found: by divide and conquer, and where that loses something, rotations.

#include "kernel/matrices/singular_parts.hpp"

#include <Eigen/SVD>
#include <limits>

namespace tessera::matrices {

template <class Solver, class T>
singular_parts<T> parts_by(const matrix<T>& a, unsigned wanted) {
  const Solver solver(a, wanted);
  if (wanted == 0) return {{}, solver.singularValues(), {}};
  return {solver.matrixU(), solver.singularValues(), solver.matrixV()};
}

template <class T>
singular_parts<T> parts_of(const matrix<T>& a, bool has_vectors) {
  const unsigned wanted = has_vectors ? Eigen::ComputeFullU | Eigen::ComputeFullV : 0U;
  const real_of<T> norm = a.norm();
  if (!(norm <= std::numeric_limits<real_of<T>>::max())) {
    constexpr real_of<T> nan = std::numeric_limits<real_of<T>>::quiet_NaN();
    const index_t n = has_vectors ? a.rows() : 0;
    return {matrix<T>::Constant(n, n, nan), vector<real_of<T>>::Constant(a.rows(), nan),
            matrix<T>::Constant(n, n, nan)};
  }
  singular_parts<T> parts = parts_by<Eigen::BDCSVD<matrix<T>>, T>(a, wanted);
  constexpr real_of<T> lost = 1000 * std::numeric_limits<real_of<T>>::epsilon();
  if (std::abs(parts.s.norm() - norm) <= lost * norm) return parts;
  return parts_by<Eigen::JacobiSVD<matrix<T>>, T>(a, wanted);
}

}  // namespace tessera::matrices
