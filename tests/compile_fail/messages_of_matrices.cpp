// SPDX-License-Identifier: Apache-2.0
// Mistakes with vectors and matrices, as those of messages.cpp.
// clang-format off
#include <tessera/tessera.hpp>

#include <string>

namespace ts = tessera;

const auto x = ts::zeros<double>({3, 3});
const auto yes = ts::zeros<bool>({3, 3});
const std::string text = "u";

template <class T>
void use(const T&);

void mistakes() {
  use(ts::diagonal(x, 0, ts::axis<0, 2>));  // tessera::diagonal(x, offset, axis<i, j>): requires two axes in [-rank, rank) of x, the first two where none are given
  use(ts::diagonal(x, 0, ts::axis<0, -2>));  // tessera::diagonal(x, offset, axis<i, j>): requires axes that differ from each other
  use(ts::tril(x(0)));  // tessera::tril(x, k): requires an array of rank 2 or more
  use(ts::triu(x(0)));  // tessera::triu(x, k): requires an array of rank 2 or more
  use(ts::diag(x));  // tessera::diag(v, k): requires an array of rank 1; diagonal(x, k) takes that of a matrix
  use(ts::outer(x, x(0)));  // tessera::outer(a, b): requires two arrays of rank 1
  use(ts::vecdot(x, x(0), ts::axis<-2>));  // tessera::vecdot(a, b, axis<k>): requires an axis in [-rank, rank) of both
  use(ts::cross(x, x(0)));  // tessera::cross(a, b, axis<k>): requires arrays of equal rank, and an axis in [-rank, rank)
  use(ts::dot(x, x(0)));  // tessera::dot(a, b): requires two arrays of rank 1, or two of rank 2
  use(ts::inner(x, x));  // tessera::inner(a, b): requires two arrays of rank 1
  use(ts::vector_norm(x, text));  // tessera::vector_norm(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims, where(valid), order<p>, order_infinity, order_minus_infinity or order_at(p)
  use(ts::vector_norm(yes));  // tessera::vector_norm(x): requires elements that are numbers, not bool
  use(ts::matrix_norm(x, ts::order<2>));  // tessera::matrix_norm(x, options...): requires each option to be keepdims, order<1>, order<-1>, order_infinity or order_minus_infinity
  use(ts::matrix_norm(x(0)));  // tessera::matrix_norm(x): requires an array of rank 2 or more, of numbers
  use(ts::norm(ts::stack(x, x), ts::order<1>));  // tessera::norm(x, order): requires a vector, a matrix, or axis<k>
  use(ts::cov(x(0)));  // tessera::cov(x): requires an array of rank 2 of numbers, not bool: variables along axis 0, observations along axis 1
  use(ts::corrcoef(yes));  // tessera::corrcoef(x): requires an array of rank 2 of numbers, not bool: variables along axis 0, observations along axis 1
}
