// SPDX-License-Identifier: Apache-2.0
/// \file
/// Reductions, alone and together, and functions of them.

#include "unit/plan/corpus/corpus.hpp"

namespace tessera::test {

std::vector<corpus_program> fold_programs() {
  using arrays = corpus_arrays;
  return {
      {"mean of maps", [](const arrays& in) { return outputs_of(mean(in.u(), axis<0>)); }},
      {"mean of each map", [](const arrays& in) { return outputs_of(mean(in.u(), axis<1, 2>)); }},
      {"mean of some maps",
       [](const arrays& in) { return outputs_of(mean(in.u(), axis<1, 2>)(slice(0, 10))); }},
      {"mean of all", [](const arrays& in) { return outputs_of(mean(in.u())); }},
      {"deviation, series, mean",
       [](const arrays& in) {
         return outputs_of(stddev(in.u(), axis<0>), mean(in.u(), axis<1, 2>), mean(in.u()));
       }},
      {"even and odd steps",
       [](const arrays& in) {
         return outputs_of(mean(in.u()(slice(0, none, 2)), axis<0>),
                           mean(in.u()(slice(1, none, 2)), axis<0>));
       }},
      {"quadratic means",
       [](const arrays& in) {
         return outputs_of(mean(in.u() * in.u(), axis<0>), mean(in.v() * in.v(), axis<0>),
                           mean(in.u() * in.v(), axis<0>));
       }},
      {"anomaly stored",
       [](const arrays& in) {
         const auto u = in.u();
         return outputs_of(
             in.to_store((u - mean(u, axis<0>, keepdims)) / stddev(u, axis<0>, keepdims), "r"));
       }},
      {"sums of rows and columns",
       [](const arrays& in) { return outputs_of(sum(in.a(), axis<0>), sum(in.a(), axis<1>)); }},
      {"position of the maximum",
       [](const arrays& in) { return outputs_of(argmax(in.u(), axis<0>)); }},
      {"mean of large maps",
       [](const arrays& in) { return outputs_of(mean(in.large(), axis<0>)); }},
      {"ten largest", [](const arrays& in) { return outputs_of(argtopk(in.a(), 10, axis<1>)); }},
  };
}

}  // namespace tessera::test
