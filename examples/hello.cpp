// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};  // reads options, such as --tessera-memory=1MB
  if (argc > 1) {
    std::cout << "usage: hello\n\nMultiplies two small random matrices.\n\n" << ts::runtime::help();
    return 0;
  }
  auto a = ts::random::uniform<double>({4, 4}, {.chunks = {2, 2}, .seed = 1});
  auto b = ts::random::uniform<double>({4, 4}, {.chunks = {2, 2}, .seed = 2});
  auto c = ts::matmul(a, b) + 1.0;  // typed and lazy: nothing has been computed yet

  std::cout << ts::plan(c) << '\n';  // operations, tasks, memory of a task, bytes
  std::cout << c.compute() << '\n';  // runs on every core, prints as NumPy prints
  ts::store(ts::mean(c, ts::axis<0>), "results.zarr/mean");  // xarray.open_zarr("results.zarr")
}
