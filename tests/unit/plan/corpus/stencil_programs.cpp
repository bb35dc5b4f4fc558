// SPDX-License-Identifier: Apache-2.0
/// \file
/// Stencils, periodic and with borders, and pyramids.

#include "unit/plan/corpus/corpus.hpp"

namespace tessera::test {

namespace {

/// Returns a step of heat on a periodic square.
array<double, 2> heat_step(const array<double, 2>& x) {
  return x + 0.1 * (roll(x, 1, axis<0>) + roll(x, -1, axis<0>) + roll(x, 1, axis<1>) +
                    roll(x, -1, axis<1>) - 4.0 * x);
}

}  // namespace

std::vector<corpus_program> stencil_programs() {
  using arrays = corpus_arrays;
  return {
      {"periodic step",
       [](const arrays& in) { return outputs_of(in.to_store(heat_step(in.a()), "r")); }},
      {"rolled maps",
       [](const arrays& in) { return outputs_of(in.to_store(roll(in.u(), 250, axis<0>), "r")); }},
      {"differences of times",
       [](const arrays& in) { return outputs_of(in.to_store(diff(in.u(), 1, axis<0>), "r")); }},
      {"differences of rows",
       [](const arrays& in) { return outputs_of(in.to_store(diff(in.a(), 2, axis<1>), "r")); }},
      {"padded square",
       [](const arrays& in) {
         return outputs_of(in.to_store(pad(in.a(), 8, boundary::reflect), "r"));
       }},
      {"coarse matrix",
       [](const arrays& in) {
         return outputs_of(in.to_store(coarsen(op::mean{}, in.a(), {4, 4}), "r"));
       }},
      {"pyramid",
       [](const arrays& in) {
         const array<double, 2> half = coarsen(op::mean{}, in.a(), {2, 2});
         const array<double, 2> quarter = coarsen(op::mean{}, half, {2, 2});
         return outputs_of(in.to_store(in.a(), "0"), in.to_store(half, "1"),
                           in.to_store(quarter, "2"));
       }},
      {"smoothed matrix",
       [](const arrays& in) { return outputs_of(in.to_store(gaussian_filter(in.a(), 2.0), "r")); }},
      {"smoothed map",
       [](const arrays& in) {
         return outputs_of(in.to_store(
             correlate(in.u() * in.u(), {1.0F, 2.0F, 1.0F}, axis<0>, overlap::same), "r"));
       }},
      {"mean of windows",
       [](const arrays& in) {
         return outputs_of(
             mean(sliding_window_view(in.s(), 4096, axis<0>)(slice(0, none, 2048)), axis<1>));
       }},
  };
}

}  // namespace tessera::test
