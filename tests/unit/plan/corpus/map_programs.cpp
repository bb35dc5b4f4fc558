// SPDX-License-Identifier: Apache-2.0
/// \file
/// Elementwise chains, slices, joins and reshapes.

#include "unit/plan/corpus/corpus.hpp"

namespace tessera::test {

std::vector<corpus_program> map_programs() {
  using arrays = corpus_arrays;
  return {
      {"chain stored",
       [](const arrays& in) {
         return outputs_of(in.to_store(sqrt(in.u() * in.u()) + in.v(), "r"));
       }},
      {"chunks that differ",
       [](const arrays& in) { return outputs_of(in.to_store(in.a() + in.b(), "r")); }},
      {"box of a chain",
       [](const arrays& in) {
         return outputs_of((in.u() + in.v())(slice(100, 140), slice(20, 60), whole));
       }},
      {"map of two lines",
       [](const arrays& in) {
         const auto roots = sqrt(in.large());
         return outputs_of(in.to_store(sort(roots, axis<1>), "r"),
                           in.to_store(cumulative_sum(roots, axis<2>), "s"));
       }},
      {"every third map",
       [](const arrays& in) { return outputs_of(in.to_store(in.u()(slice(1, none, 3)), "r")); }},
      {"reversed maps",
       [](const arrays& in) { return outputs_of(in.to_store(flip(in.u(), axis<0>), "r")); }},
      {"joined maps",
       [](const arrays& in) {
         return outputs_of(in.to_store(concat(in.u(), in.v(), axis<0>), "r"));
       }},
      {"stacked matrices",
       [](const arrays& in) {
         return outputs_of(in.to_store(stack(in.a(), in.b(), axis<0>), "r"));
       }},
      {"reshaped maps",
       [](const arrays& in) {
         return outputs_of(in.to_store(reshape(in.u(), {500, 361 * 720}) * 2.0F, "r"));
       }},
      {"transposed sum",
       [](const arrays& in) {
         return outputs_of(in.to_store(in.a() + matrix_transpose(in.a()), "r"));
       }},
      {"large map",
       [](const arrays& in) { return outputs_of(in.to_store(in.large() * 2.0F, "r")); }},
  };
}

}  // namespace tessera::test
