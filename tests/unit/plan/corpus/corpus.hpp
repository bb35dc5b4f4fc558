// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A corpus of programs. Their plans are printed and compared.
///
/// Arrays of the corpus are metadata in a store in memory: plans read no chunk. All figures that
/// plans depend on are fixed: costs, workers, allowed memory, host memory, memory of processes.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

/// Limits and workers that the corpus is planned for.
struct corpus_setting {
  std::string_view name;
  spec limits;
  plan_workers workers;
};

/// The settings of the corpus: two of a desk, a node, and workers on many hosts with an object
/// store.
[[nodiscard]] const std::vector<corpus_setting>& corpus_settings();

/// Writes the metadata of an array without chunks: `dtype` as Zarr spells it. Chunks have no codec,
/// or Blosc's LZ4.
void describe_array(key_value_store& store, std::string_view path, const index_vector& shape,
                    const index_vector& chunks, std::string_view dtype, bool are_encoded = false);

/// The arrays of the corpus under some limits.
class corpus_arrays {
 public:
  explicit corpus_arrays(spec limits);

  /// Float32 fields (500, 361, 720) in maps of four times, 519.8 MB.
  [[nodiscard]] array<float, 3> u() const { return open<float, 3>("u"); }
  [[nodiscard]] array<float, 3> v() const { return open<float, 3>("v"); }
  /// A float32 field (1825, 93, 180) in 45 chunks, 122.2 MB.
  [[nodiscard]] array<float, 3> t() const { return open<float, 3>("t"); }
  /// Float64 matrices of 8192 x 8192, in squares and in broad chunks, 536.9 MB.
  [[nodiscard]] array<double, 2> a() const { return open<double, 2>("a"); }
  [[nodiscard]] array<double, 2> b() const { return open<double, 2>("b"); }
  /// Float64 observations (200000, 64), 102.4 MB.
  [[nodiscard]] array<double, 2> x() const { return open<double, 2>("x"); }
  /// A float32 line of 2^23 samples in eight chunks, 33.6 MB.
  [[nodiscard]] array<float, 1> s() const { return open<float, 1>("s"); }
  /// Frames (8, 2048, 2048) of uint16, 67.1 MB.
  [[nodiscard]] array<std::uint16_t, 3> frames() const { return open<std::uint16_t, 3>("frames"); }
  /// A float32 field (100000, 721, 1440) of 415 GB.
  [[nodiscard]] array<float, 3> large() const { return open<float, 3>("large"); }

  [[nodiscard]] const spec& limits() const { return limits_; }
  /// Returns the request to store `x` without a codec, in the chunks of `x`.
  template <class X>
  [[nodiscard]] auto to_store(const X& x, std::string_view path) const {
    return stored(x, store_, path, {.compressor = codec::none{}});
  }

 private:
  template <element T, std::size_t N>
  [[nodiscard]] array<T, N> open(std::string_view path) const {
    return tessera::open<T, N>(store_, path, limits_);
  }

  spec limits_;
  std::shared_ptr<memory_store> store_ = std::make_shared<memory_store>();
};

using corpus_outputs = std::vector<plan_output>;

/// Returns the outputs that a plan of `es` is asked for.
template <plannable... Es>
[[nodiscard]] corpus_outputs outputs_of(const Es&... es) {
  return {detail::request<Es>::output(es)...};
}

/// A program of the corpus: the outputs that it asks for.
struct corpus_program {
  std::string_view name;
  std::function<corpus_outputs(const corpus_arrays&)> outputs;
};

/// The families of programs.
[[nodiscard]] std::vector<corpus_program> map_programs();
[[nodiscard]] std::vector<corpus_program> fold_programs();
[[nodiscard]] std::vector<corpus_program> scan_programs();
[[nodiscard]] std::vector<corpus_program> stencil_programs();
[[nodiscard]] std::vector<corpus_program> line_programs();
[[nodiscard]] std::vector<corpus_program> product_programs();
[[nodiscard]] std::vector<corpus_program> gather_programs();
[[nodiscard]] std::vector<corpus_program> rechunk_programs();

/// Prints a plan: a line for each operation, its operands and its outputs, in bytes. Memory is that
/// of planned buffers: workspace of libraries depends on the build.
[[nodiscard]] std::string print_plan(const bounded_plan& plan);

/// Prints the plan of a program under a setting; of a refused plan, the plan and the refusal.
[[nodiscard]] std::string print_program(const corpus_program& program,
                                        const corpus_setting& setting);

}  // namespace tessera::test
