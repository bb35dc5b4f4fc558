// SPDX-License-Identifier: Apache-2.0
/// \file
/// Products of matrices and functions of them.

#include "unit/plan/corpus/corpus.hpp"

namespace tessera::test {

std::vector<corpus_program> product_programs() {
  using arrays = corpus_arrays;
  return {
      {"product",
       [](const arrays& in) { return outputs_of(in.to_store(matmul(in.a(), in.b()), "r")); }},
      {"Gram matrix",
       [](const arrays& in) { return outputs_of(matmul(matrix_transpose(in.x()), in.x())); }},
      {"distances",
       [](const arrays& in) {
         const auto queries = in.x()(slice(0, 1000));
         return outputs_of(min(matmul(queries, matrix_transpose(in.x())), axis<1>));
       }},
      {"corner of a product",
       [](const arrays& in) {
         return outputs_of(matmul(in.a(), in.b())(slice(0, 100), slice(0, 100)));
       }},
      {"product of a chain",
       [](const arrays& in) {
         return outputs_of(in.to_store(sqrt(matmul(in.a() * 2.0, in.b() + in.a())) + 1.0, "r"));
       }},
      {"covariance", [](const arrays& in) { return outputs_of(cov(matrix_transpose(in.x()))); }},
      {"weights of maps",
       [](const arrays& in) {
         return outputs_of(tensordot(in.u(), in.u()(0), axis<1, 2>, axis<0, 1>));
       }},
      {"orthogonal factors",
       [](const arrays& in) {
         const auto [q, r] = qr(in.x());
         return outputs_of(in.to_store(q, "q"), r);
       }},
  };
}

}  // namespace tessera::test
