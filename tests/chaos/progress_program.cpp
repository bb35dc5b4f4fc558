// SPDX-License-Identifier: Apache-2.0
//
// A computation of several operations that shows its progress by the default observers.
//
// usage: progress_program DIRECTORY OUTPUT ROUNDS
//                                            computes DIRECTORY/OUTPUT with intermediate arrays in
//                                            DIRECTORY/work; an element takes ROUNDS cosines
//
// With the environment variable PROGRESS_GATE, a named pipe, the first task of each process waits
// until another program opens the pipe to write.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <tessera/array/creation.hpp>
#include <tessera/array/in_out.hpp>
#include <tessera/array/linear_algebra.hpp>
#include <tessera/array/manipulation.hpp>
#include <tessera/array/named.hpp>
#include <tessera/array/random.hpp>
#include <tessera/function/elementwise.hpp>
#include <tessera/function/map.hpp>
#include <tessera/function/statistical.hpp>
#include <tessera/runtime/runtime.hpp>

namespace ts = tessera;
using namespace ts::literals;

namespace {

bool pass_gate() {
  const char* gate = std::getenv("PROGRESS_GATE");
  return gate == nullptr || std::ifstream(gate).is_open();
}

struct wave {
  static constexpr std::string_view name = "wave";
  int rounds;

  double operator()(double x) const {
    static const bool has_passed = pass_gate();
    double y = has_passed ? x : 0;
    for (int i = 0; i < rounds; ++i) y = std::cos(y);
    return x + y;
  }
};

void run(const std::string& directory, const std::string& output, int rounds) {
  // A task has memory for few chunks, so that there are many tasks.
  const ts::spec spec{.work_dir = directory + "/work", .allowed_memory = 2_MB};
  const auto field =
      ts::random::uniform<double>({512, 512}, {.chunks = {64, 64}, .spec = spec, .seed = 7});
  const auto turned = ts::rechunk(ts::named(ts::map(wave{rounds}, field), "waves"), {32, 128});
  const auto product = ts::named(ts::matmul(turned, ts::matrix_transpose(turned)), "product");
  const auto anomaly = ts::map(wave{rounds}, product - ts::mean(product, ts::axis<0>));
  const ts::pass_switches passes{.size_blocks = false, .memory_tier = false};
  ts::plan(passes, ts::stored(anomaly, directory + "/" + output)).execute();
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime(argc, argv);
  if (argc != 4) {
    std::cerr << "usage: progress_program DIRECTORY OUTPUT ROUNDS\n";
    return 2;
  }
  run(argv[1], argv[2], std::stoi(argv[3]));
}
