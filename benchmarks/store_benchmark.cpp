// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs that read arrays and store one of the same size.

#include "programs.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace {

namespace ts = tessera;
using hand_written::zarr_array;

/// Tells whether the first and the last chunk of two arrays agree but for rounding.
bool hold_the_same(const zarr_array& x, const zarr_array& y) {
  hand_written::chunk_files files(x.chunk_bytes());
  std::vector<double> from_x(x.chunk_elements());
  std::vector<double> from_y(x.chunk_elements());
  for (const std::size_t position : {std::size_t{0}, x.num_chunks() - 1}) {
    files.read(x.file_of(position), std::as_writable_bytes(std::span(from_x)));
    files.read(y.file_of(position), std::as_writable_bytes(std::span(from_y)));
    const auto is_near = [](double a, double b) { return std::abs(a - b) < 1e-12; };
    if (!std::equal(from_x.begin(), from_x.end(), from_y.begin(), is_near)) return false;
  }
  return true;
}

/// Compares two programs that store an array like `like`.
void compare(benchmark::State& state, const zarr_array& like, double amount,
             const std::function<void(const std::string&)>& tessera,
             const std::function<void(const zarr_array&)>& by_hand) {
  zarr_array from_tessera;
  zarr_array from_loop;
  contest::run(state, {.amount = amount, .bound = 1.15},
               {.tessera = {.program = [&] { tessera(from_tessera.path.string()); },
                            .prepare = [&] { from_tessera = data::result(like, "tessera"); }},
                .by_hand = {.program = [&] { by_hand(from_loop); },
                            .prepare = [&] { from_loop = data::result(like, "by-hand"); }},
                .agree = [&] { return hold_the_same(from_tessera, from_loop); }});
  data::remove_results();
}

void store_expression(benchmark::State& state) {
  const zarr_array files[] = {data::field(0), data::field(1), data::field(2)};
  const ts::spec& spec = programs::spec();
  compare(
      state, files[0], 4.0 * static_cast<double>(files[0].num_bytes()),
      [&](const std::string& path) {
        const auto a = ts::open<double, 2>(files[0].path.string(), spec);
        const auto b = ts::open<double, 2>(files[1].path.string(), spec);
        const auto c = ts::open<double, 2>(files[2].path.string(), spec);
        ts::store(ts::sqrt(a * a + b * b) - 0.5 * c, path, programs::how());
      },
      [&](const zarr_array& out) {
        hand_written::store_expression(files[0], files[1], files[2], out);
      });
}
BENCHMARK(store_expression)->Name("store(sqrt(a*a + b*b) - 0.5*c)")->Apply(programs::in_rounds);

void copy(benchmark::State& state) {
  const zarr_array in = data::large_field();
  const ts::spec& spec = programs::spec();
  compare(
      state, in, 2.0 * static_cast<double>(in.num_bytes()),
      [&](const std::string& path) {
        ts::store(ts::open<double, 2>(in.path.string(), spec), path, programs::how());
      },
      [&](const zarr_array& out) { hand_written::copy(in, out); });
}
BENCHMARK(copy)->Name("store(x)")->Apply(programs::in_rounds);

}  // namespace
