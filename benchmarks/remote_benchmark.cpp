// SPDX-License-Identifier: Apache-2.0

/// \file
/// The mean of an array in a store that is far away: 1,024 chunks of 1 MiB.
///
/// `remote_benchmark --write <folder>` writes the array. `delaying_server.py <folder> 8080` serves
/// it. The benchmark reads it from the URL in TESSERA_BENCHMARK_STORE: "http://127.0.0.1:8080".
/// A connection that transfers a chunk in 30 ms + 1 MiB / 60 MB/s carries 22 MB/s.

#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/open.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/store/http.hpp"

#include <benchmark/benchmark.h>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>

namespace {

namespace ts = tessera;

constexpr ts::index_t chunk = 131'072;
constexpr ts::index_t num_chunks = 1024;

std::string url_of_environment() {
  const char* const url = std::getenv("TESSERA_BENCHMARK_STORE");
  if (url == nullptr) throw std::runtime_error("TESSERA_BENCHMARK_STORE is not set");
  return url;
}

void write(const std::string& folder) {
  ts::store(ts::arange(0.0, static_cast<double>(chunk * num_chunks), 1.0), folder + "/x",
            {.chunks = {chunk}, .compressor = ts::codec::none{}});
}

/// The mean on `state.range(0)` threads.
void mean(benchmark::State& state) {
  const auto x = ts::open<double, 1>(ts::open_http_store(url_of_environment()), "x");
  const ts::run_with workers{.executor =
                                 ts::executors::threads(static_cast<std::size_t>(state.range(0)))};
  const auto planned = ts::plan(ts::mean(x), workers);
  for (auto iteration : state) {
    static_cast<void>(iteration);
    benchmark::DoNotOptimize(planned.compute(workers));
  }
  state.SetBytesProcessed(state.iterations() * chunk * num_chunks *
                          static_cast<std::int64_t>(sizeof(double)));
  state.counters["projected MB"] = static_cast<double>(planned.projected_memory().count()) / 1e6;
  state.counters["peak MB"] = static_cast<double>(ts::peak_memory().count()) / 1e6;
}

BENCHMARK(mean)->ArgName("threads")->Arg(1)->Arg(2)->Iterations(1)->UseRealTime();

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--write") {
    write(argv[2]);
    return 0;
  }
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
