// SPDX-License-Identifier: Apache-2.0
/// \file
/// Sorting, quantiles and Fourier transforms.

#include "unit/plan/corpus/corpus.hpp"

namespace tessera::test {

std::vector<corpus_program> line_programs() {
  using arrays = corpus_arrays;
  return {
      {"sorted series",
       [](const arrays& in) { return outputs_of(in.to_store(sort(in.t(), axis<0>), "r")); }},
      {"sorted rows",
       [](const arrays& in) { return outputs_of(in.to_store(sort(in.a(), axis<1>), "r")); }},
      {"sorted line", [](const arrays& in) { return outputs_of(in.to_store(sort(in.s()), "r")); }},
      {"quantile and mean",
       [](const arrays& in) {
         return outputs_of(quantile(in.u(), 0.9, axis<0>), mean(in.u(), axis<0>));
       }},
      {"median of a line", [](const arrays& in) { return outputs_of(median(in.s())); }},
      {"spectra of latitudes",
       [](const arrays& in) {
         return outputs_of(mean(abs(rfft(astype<double>(in.u()), axis<2>)), axis<0>));
       }},
      {"spectra of series",
       [](const arrays& in) { return outputs_of(in.to_store(rfft(in.t(), axis<0>), "r")); }},
      {"transformed frames",
       [](const arrays& in) {
         const auto frames = astype<float>(in.frames());
         return outputs_of(max(abs(fftn(frames, axis<1, 2>)), axis<1, 2>));
       }},
      {"transform of a line",
       [](const arrays& in) { return outputs_of(in.to_store(abs(fft(in.s())), "r")); }},
  };
}

}  // namespace tessera::test
