// SPDX-License-Identifier: Apache-2.0
/// \file
/// Prefix scans and rolling windows.

#include "unit/plan/corpus/corpus.hpp"

namespace tessera::test {

std::vector<corpus_program> scan_programs() {
  using arrays = corpus_arrays;
  return {
      {"prefix sum of times",
       [](const arrays& in) {
         return outputs_of(in.to_store(cumulative_sum(in.u(), axis<0>), "r"));
       }},
      {"prefix sum of rows",
       [](const arrays& in) {
         return outputs_of(in.to_store(cumulative_sum(in.a(), axis<1>), "r"));
       }},
      {"prefix sum of a line",
       [](const arrays& in) { return outputs_of(in.to_store(cumulative_sum(in.s()), "r")); }},
      {"rolling mean",
       [](const arrays& in) {
         return outputs_of(in.to_store(rolling_mean(in.u() * in.u(), 30, axis<0>), "r"));
       }},
      {"rolling mean of a line",
       [](const arrays& in) { return outputs_of(in.to_store(rolling_mean(in.s(), 365), "r")); }},
      {"running variance",
       [](const arrays& in) {
         const auto square_of_mean = square(rolling_mean(in.t(), 60, axis<0>));
         return outputs_of(
             in.to_store(rolling_mean(in.t() * in.t(), 60, axis<0>) - square_of_mean, "r"));
       }},
      {"scan of a scan",
       [](const arrays& in) {
         return outputs_of(
             in.to_store(cumulative_sum(cumulative_sum(in.t(), axis<0>), axis<0>), "r"));
       }},
      {"filled forward and backward",
       [](const arrays& in) {
         return outputs_of(in.to_store(bfill(ffill(in.t(), axis<0>), axis<0>), "r"));
       }},
      {"mean of a running maximum",
       [](const arrays& in) {
         return outputs_of(mean(cumulative_max(in.t(), axis<0>), axis<1, 2>));
       }},
  };
}

}  // namespace tessera::test
