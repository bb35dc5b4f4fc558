// SPDX-License-Identifier: Apache-2.0
/// \file
/// The anomalies of a field, computed by jobs of Slurm. On a login node:
///
///     ./slurm results.zarr/anomaly --tessera-executor=slurm:workers=8,time=00:10:00
///
/// The folders it runs in and writes to are seen by every node. Without the option it runs on the
/// cores of this machine; nothing in it knows of Slurm.
#include "help.hpp"

#include <iostream>
#include <tessera/tessera.hpp>

namespace ts = tessera;
using namespace ts::literals;

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};  // in a job, the program goes no further than this
  const bool is_help = asks_for_help(argc, argv);
  if (is_help || argc != 2) {
    (is_help ? std::cout : std::cerr)
        << "usage: slurm RESULT [--tessera-executor=slurm:workers=8,partition=debug]\n\n"
           "Computes the anomalies of a field, by jobs of Slurm where the option says so.\n\n"
           "  RESULT  the Zarr array to store, as results.zarr/anomaly\n\n"
        << ts::runtime::help();
    return is_help ? 0 : 2;
  }
  const ts::spec spec{.work_dir = "tessera-work", .allowed_memory = 100_MB};

  auto field =
      ts::random::normal<double>({4000, 2000}, {.chunks = {500, 500}, .spec = spec, .seed = 1});
  auto anomalies = field - ts::mean(field, ts::axis<0>, ts::keepdims);

  try {
    ts::store(anomalies, argv[1]);
  } catch (const ts::error& failure) {
    std::cerr << failure.what() << '\n';  // says also how to continue
    return 1;
  }
}
