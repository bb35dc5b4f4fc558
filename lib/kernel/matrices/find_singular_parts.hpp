// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Eigen's singular parts, by divide and conquer, or by Jacobi rotations if that loses accuracy.
/// Compilers take long for these, so that each pair of types has its own source.

#include "kernel/matrices/decompositions.hpp"

#include <Eigen/SVD>
#include <cmath>
#include <limits>

namespace tessera::matrices {

template <class Solver, class T>
singular_parts<T> parts_by(const matrix_map<T>& a, unsigned wanted) {
  const Solver solver(a, wanted);
  if (wanted == 0) return {{}, solver.singularValues(), {}};
  return {solver.matrixU(), solver.singularValues(), solver.matrixV()};
}

template <class T>
std::optional<singular_parts<T>> decompose<T>::singular(map& a, bool has_vectors) {
  const unsigned wanted = has_vectors ? Eigen::ComputeFullU | Eigen::ComputeFullV : 0U;
  // The square of a great element is infinite.
  const real_of<T> norm = a.stableNorm();
  singular_parts<T> parts = parts_by<Eigen::BDCSVD<matrix<T>>, T>(a, wanted);
  constexpr real_of<T> lost = 1000 * std::numeric_limits<real_of<T>>::epsilon();
  if (std::abs(parts.s.stableNorm() - norm) <= lost * norm) return parts;
  return parts_by<Eigen::JacobiSVD<matrix<T>>, T>(a, wanted);
}

}  // namespace tessera::matrices
