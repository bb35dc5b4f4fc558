// SPDX-License-Identifier: Apache-2.0
/// \file
/// Rechunks, several results and stored results.

#include "unit/plan/corpus/corpus.hpp"

namespace tessera::test {

std::vector<corpus_program> rechunk_programs() {
  using arrays = corpus_arrays;
  return {
      {"maps to series",
       [](const arrays& in) {
         return outputs_of(in.to_store(rechunk(in.u(), {whole, 19, 36}), "r"));
       }},
      {"large maps to series",
       [](const arrays& in) {
         return outputs_of(in.to_store(rechunk(in.large(), {500, 103, 144}), "r"));
       }},
      {"squares to rows",
       [](const arrays& in) {
         return outputs_of(in.to_store(rechunk(in.a(), {64, whole}), "r"));
       }},
      {"squares to columns, twice",
       [](const arrays& in) {
         const array<double, 2> columns = rechunk(in.a(), {whole, 64});
         return outputs_of(in.to_store(columns, "r"), sum(columns, axis<0>));
       }},
      {"copy and mean",
       [](const arrays& in) {
         return outputs_of(in.to_store(in.u(), "r"), mean(in.u(), axis<0>));
       }},
      {"product stored and folded",
       [](const arrays& in) {
         const array<float, 3> product = in.u() * in.v();
         return outputs_of(in.to_store(product, "r"), sum(product, axis<1, 2>), max(product));
       }},
      {"mean stored, anomaly stored",
       [](const arrays& in) {
         const array<float, 3> average = mean(in.t(), axis<0>, keepdims);
         return outputs_of(in.to_store(average, "m"), in.to_store(in.t() - average, "r"));
       }},
      {"result of a result",
       [](const arrays& in) {
         const array<double, 2> scaled = in.a() / max(in.a());
         return outputs_of(scaled, sum(scaled, axis<0>));
       }},
  };
}

}  // namespace tessera::test
