// SPDX-License-Identifier: Apache-2.0
// Mistakes with vectors and matrices, as in messages.cpp.
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
  use(ts::vecdot(x, x(0), ts::axis<-2>));  // tessera::vecdot(a, b, axis<k>): requires an axis in [-rank, rank) of both
  use(ts::cross(x, x(0)));  // tessera::cross(a, b, axis<k>): requires arrays of equal rank, and an axis in [-rank, rank)
  use(ts::dot(x, ts::sum(x)));  // tessera::dot(a, b): requires arrays of numbers of rank 1 or more
  use(ts::inner(yes, yes));  // tessera::inner(a, b): requires arrays of numbers of rank 1 or more
  use(ts::vecdot(yes, yes));  // tessera::vecdot(a, b): requires elements that are numbers, not bool
  use(ts::tensordot(x, x, ts::axis<0, 1>, ts::axis<0>));  // tessera::tensordot(a, b, axis<i...>, axis<j...>): requires as many axes of a as of b, each in [-rank, rank) and no two the same
  use(ts::tensordot(x, x, ts::axis<0, -2>, ts::axis<0, 1>));  // tessera::tensordot(a, b, axis<i...>, axis<j...>): requires as many axes of a as of b, each in [-rank, rank) and no two the same
  use(ts::tensordot(yes, yes, ts::axis<0>, ts::axis<0>));  // tessera::tensordot(a, b): requires elements that are numbers, not bool
  use(ts::tensordot(x, ts::sum(x), ts::axis_at(0), ts::axis_at(0)));  // tessera::tensordot(a, b, axis_at(i), axis_at(j)): requires arrays of numbers of rank 1 or more
  use(ts::tensordot(x, x(0)));  // tessera::tensordot<n>(a, b): requires arrays of numbers of rank n or more; n is 2 where none is given
  use(ts::matrix_power(x(0), 2));  // tessera::matrix_power(x, n): requires an array of rank 2 or more, of numbers
  use(ts::einsum<"ij">(x.compute()));  // tessera::einsum<subscripts>(xs...): requires each of xs to be a lazy array; asarray(m) is one of the ndarray m
  use(ts::einsum<"ij,jk->ik">(x));  // tessera::einsum<subscripts>(xs...): requires one group of letters for each of xs, as in ij,jk->ik
  use(ts::einsum<"i1->i">(x));  // tessera::einsum<subscripts>(xs...): requires one group of letters for each of xs, as in ij,jk->ik
  use(ts::einsum<"ijk->i">(x));  // tessera::einsum<subscripts>(xs...): requires one letter for each axis of each of xs; ... stands for any number
  use(ts::einsum<"...ijk">(x));  // tessera::einsum<subscripts>(xs...): requires one letter for each axis of each of xs; ... stands for any number
  use(ts::einsum<"ij->ik">(x));  // tessera::einsum<subscripts>(xs...): requires each letter of the result to be one of an array, and ... in the result where an array has them
  use(ts::einsum<"...j->j">(x));  // tessera::einsum<subscripts>(xs...): requires each letter of the result to be one of an array, and ... in the result where an array has them
  use(ts::einsum<"ij->ii">(x));  // tessera::einsum<subscripts>(xs...): requires letters of the result that differ from each other
  use(ts::einsum<"ij->i">(yes));  // tessera::einsum<subscripts>(xs...): requires elements that are numbers, not bool
  use(ts::vector_norm(x, text));  // tessera::vector_norm(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims, where(valid), order<p>, order_infinity, order_minus_infinity or order_at(p)
  use(ts::vector_norm(yes));  // tessera::vector_norm(x): requires elements that are numbers, not bool
  use(ts::matrix_norm(x, ts::order<3>));  // tessera::matrix_norm(x, options...): requires each option to be keepdims, order<1>, order<-1>, order<2>, order<-2>, order_infinity, order_minus_infinity or order_nuclear
  use(ts::cholesky(x(0)));  // tessera::cholesky(x): requires an array of rank 2 or more, of numbers
  use(ts::inv(yes));  // tessera::inv(x): requires an array of rank 2 or more, of numbers
  use(ts::det(x(0)));  // tessera::det(x): requires an array of rank 2 or more, of numbers
  use(ts::slogdet(x(0)));  // tessera::slogdet(x): requires an array of rank 2 or more, of numbers
  use(ts::eigh(yes));  // tessera::eigh(x): requires an array of rank 2 or more, of numbers
  use(ts::eigvalsh(x(0)));  // tessera::eigvalsh(x): requires an array of rank 2 or more, of numbers
  use(ts::solve(x(0), x));  // tessera::solve(a, b): requires an array of rank 2 or more, and one of rank 1 or more, of numbers
  use(ts::solve_triangular(x(0), x));  // tessera::solve_triangular(a, b), solve_triangular(a, b, lower_triangle): requires an array of rank 2 or more, and one of rank 1 or more, of numbers
  use(ts::lu(x(0)));  // tessera::lu(x): requires an array of rank 2 or more, of numbers
  use(ts::qr(x, ts::keepdims));  // tessera::qr(x), qr(x, full_matrices): requires an array of rank 2 or more, of numbers
  use(ts::svd(x(0)));  // tessera::svd(x), svd(x, full_matrices): requires an array of rank 2 or more, of numbers
  use(ts::svdvals(x(0)));  // tessera::svdvals(x): requires an array of rank 2 or more, of numbers
  use(ts::lstsq(x(0), x));  // tessera::lstsq(a, b), lstsq(a, b, rtol(1e-10)): requires an array of rank 2 or more, and one of rank 1 or more, of numbers
  use(ts::pinv(x, 1e-10));  // tessera::pinv(x), pinv(x, rtol(1e-10)): requires an array of rank 2 or more, of numbers
  use(ts::matrix_rank(x(0)));  // tessera::matrix_rank(x), matrix_rank(x, rtol(1e-10)): requires an array of rank 2 or more, of numbers
  use(ts::matrix_norm(x(0)));  // tessera::matrix_norm(x): requires an array of rank 2 or more, of numbers
  use(ts::norm(ts::stack(x, x), ts::order<1>));  // tessera::norm(x, order): requires a vector, a matrix, or axis<k>
  use(ts::cov(x(0)));  // tessera::cov(x): requires an array of rank 2 of numbers, not bool: variables along axis 0, observations along axis 1
  use(ts::corrcoef(yes));  // tessera::corrcoef(x): requires an array of rank 2 of numbers, not bool: variables along axis 0, observations along axis 1
}
