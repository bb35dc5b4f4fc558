// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs over arrays in a store that is far away: 1,024 chunks of 1 MiB.
///
/// `remote_benchmark --write <folder>` writes the arrays "x", "packed" (compressed) and "shards"
/// (64 chunks each) for the server `delaying_server.py <parent of folder> <port>`. The benchmarks
/// open them in the store at TESSERA_BENCHMARK_STORE: "s3+http://127.0.0.1:<port>/<folder>".
///
/// A connection transfers a chunk in 30 ms + 1 MiB / 60 MB/s: 22 MB/s. TESSERA_BENCHMARK_NETWORK is
/// the bandwidth in MB/s that plans assume: it determines how many requests are in flight.
/// TESSERA_BENCHMARK_FILES is the folder of the arrays.
/// `connections` measures the bytes that as many connections carry without tasks. `exchanges`
/// measures reads and writes at once.

#include "tessera/array/creation.hpp"
#include "tessera/array/in_out.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/open.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/random.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/observe/history.hpp"
#include "tessera/observe/simulation.hpp"
#include "tessera/store/open_store.hpp"

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <deque>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace ts = tessera;

constexpr ts::index_t chunk = 131'072;
constexpr ts::index_t num_chunks = 1024;
constexpr std::int64_t num_bytes = chunk * num_chunks * static_cast<std::int64_t>(sizeof(double));

std::string of_environment(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) throw std::runtime_error(std::string(name) + " is not set");
  return value;
}

void write(const std::string& folder) {
  const auto x = ts::random::uniform<double>({chunk * num_chunks}, {.chunks = {chunk}});
  const ts::array<double, 1> stored =
      ts::store(x, folder + "/x", {.compressor = ts::codec::none{}});
  ts::store(stored, folder + "/packed", {.chunks = {chunk}});
  ts::store(
      stored, folder + "/shards",
      {.chunks = {chunk}, .shards = {64 * chunk}, .format = 3, .compressor = ts::codec::none{}});
}

ts::array<double, 1> open(const std::string& name) {
  ts::spec limits;
  limits.costs.total_bandwidth =
      ts::bytes{std::stoul(of_environment("TESSERA_BENCHMARK_NETWORK")) * 1'000'000};
  return ts::open<double, 1>(of_environment("TESSERA_BENCHMARK_STORE") + "/" + name, limits);
}

using seconds = std::chrono::duration<double>;

/// Returns the time from the begin of the first operation to the end of the last one.
seconds time_of_tasks(const ts::history& past) {
  ts::session_time begin = past.elapsed();
  ts::session_time end{};
  for (const ts::operation_history& operation : past.operations()) {
    begin = std::min(begin, operation.begin);
    end = std::max(end, operation.end);
  }
  return end - begin;
}

/// Reads the first `count` chunks with `in_flight` reads in flight.
void read_chunks(const ts::key_value_store& store, std::size_t in_flight, std::size_t count) {
  std::vector<std::vector<std::byte>> buffers(in_flight,
                                              std::vector<std::byte>(num_bytes / num_chunks));
  const std::unique_ptr<ts::read_queue> queue = store.reads();
  std::deque<std::size_t> tickets;
  for (std::size_t i = 0; i < count; ++i) {
    if (tickets.size() == in_flight) {
      static_cast<void>(queue->wait(tickets.front()));
      tickets.pop_front();
    }
    tickets.push_back(queue->submit(
        {.key = "x/" + std::to_string(i), .range = {}, .into = buffers[i % in_flight]}));
  }
  for (const std::size_t ticket : tickets) static_cast<void>(queue->wait(ticket));
}

/// Reads the first `count` chunks and writes them back, with `in_flight` reads and as many writes
/// in flight.
void exchange_chunks(ts::key_value_store& store, std::size_t in_flight, std::size_t count) {
  std::vector<std::vector<std::byte>> buffers(3 * in_flight,
                                              std::vector<std::byte>(num_bytes / num_chunks));
  const std::unique_ptr<ts::read_queue> reads = store.reads();
  const std::unique_ptr<ts::write_queue> writes = store.writes();
  std::deque<std::size_t> read_tickets;
  std::deque<std::size_t> write_tickets;
  for (std::size_t i = 0; i < count + in_flight; ++i) {
    if (i >= in_flight) {
      const std::size_t chunk_number = i - in_flight;
      static_cast<void>(reads->wait(read_tickets.front()));
      read_tickets.pop_front();
      if (write_tickets.size() == in_flight) {
        writes->wait(write_tickets.front());
        write_tickets.pop_front();
      }
      write_tickets.push_back(writes->submit("copies/" + std::to_string(chunk_number),
                                             buffers[chunk_number % buffers.size()]));
    }
    if (i >= count) continue;
    read_tickets.push_back(reads->submit(
        {.key = "x/" + std::to_string(i), .range = {}, .into = buffers[i % buffers.size()]}));
  }
  for (const std::size_t ticket : write_tickets) writes->wait(ticket);
}

/// Returns the network of simulations: the latency of the server, and the bandwidth of a connection
/// if 16 are in use, or 32 of which half write. A server and a client that share two cores carry
/// less than the server allows.
ts::simulated_options measured_network(bool has_writes) {
  constexpr std::size_t in_flight = 16;
  constexpr std::size_t num_rounds = 8;
  constexpr seconds latency{0.03};
  const auto store = ts::open_store(of_environment("TESSERA_BENCHMARK_STORE"));
  const auto transfer = [&](std::size_t count) {
    const auto begin = std::chrono::steady_clock::now();
    if (has_writes) {
      exchange_chunks(*store, in_flight, count);
    } else {
      read_chunks(*store, in_flight, count);
    }
    return seconds(std::chrono::steady_clock::now() - begin);
  };
  // The first round opens the connections.
  static_cast<void>(transfer(in_flight));
  const std::size_t num_requests = num_rounds + (has_writes ? 1 : 0);
  const seconds request = transfer(num_rounds * in_flight) / static_cast<double>(num_requests);
  const double bandwidth =
      static_cast<double>(num_bytes / num_chunks) / (request - latency).count();
  return {.latency = std::chrono::duration_cast<ts::session_time>(latency),
          .bandwidth = ts::bytes{static_cast<std::uint64_t>(bandwidth)},
          .in_process = true};
}

/// Runs the plan of an expression on two threads, and compares its time with the simulated one on a
/// network as `measured_network`. The tasks alone are compared, too: a run that stores also makes
/// some fifteen requests one behind the other, for its claim, its metadata and its marks.
template <class E>
void run(benchmark::State& state, const E& expression, bool has_writes) {
  const auto past = std::make_shared<ts::history>();
  const ts::run_with two_threads{.executor = ts::executors::threads(2), .observers = {past}};
  const auto plan = ts::plan(expression, two_threads);
  ts::simulated_options network = measured_network(has_writes);
  network.workers = two_threads.executor->num_workers();
  const auto simulated = ts::simulate(plan, network, ts::as_planned);
  const auto begin = std::chrono::steady_clock::now();
  for (auto iteration : state) {
    static_cast<void>(iteration);
    plan.execute();
  }
  const seconds elapsed = std::chrono::steady_clock::now() - begin;
  state.SetBytesProcessed(state.iterations() * num_bytes);
  state.counters["tasks s"] = time_of_tasks(*past).count();
  state.counters["connection MB/s"] = static_cast<double>(network.bandwidth.count()) / 1e6;
  state.counters["simulated/real"] = seconds(simulated.elapsed) / elapsed;
  state.counters["simulated/tasks"] = seconds(simulated.elapsed) / time_of_tasks(*past);
  state.counters["projected MB"] = static_cast<double>(plan.projected_memory().count()) / 1e6;
  state.counters["peak MB"] = static_cast<double>(ts::peak_memory().count()) / 1e6;
}

void mean(benchmark::State& state, const std::string& name) {
  run(state, ts::mean(open(name)), false);
}

void roots(benchmark::State& state, const std::string& name) {
  const std::string to = of_environment("TESSERA_BENCHMARK_STORE") + "/roots";
  const ts::store_options plain{.compressor = ts::codec::none{}};
  run(state, ts::stored(ts::sqrt(open(name)), to, plain), true);
}

/// Reads all chunks with `state.range(0)` reads in flight.
void connections(benchmark::State& state) {
  const auto store = ts::open_store(of_environment("TESSERA_BENCHMARK_STORE"));
  for (auto iteration : state) {
    static_cast<void>(iteration);
    read_chunks(*store, static_cast<std::size_t>(state.range(0)), num_chunks);
  }
  state.SetBytesProcessed(state.iterations() * num_bytes);
}

/// Reads all chunks and writes them back, with `state.range(0)` reads and as many writes in flight.
void exchanges(benchmark::State& state) {
  const auto store = ts::open_store(of_environment("TESSERA_BENCHMARK_STORE"));
  for (auto iteration : state) {
    static_cast<void>(iteration);
    exchange_chunks(*store, static_cast<std::size_t>(state.range(0)), num_chunks);
  }
  state.SetBytesProcessed(state.iterations() * num_bytes);
}

/// Plans ten means of each chunk, of an array far away or of its files at TESSERA_BENCHMARK_FILES.
void planning(benchmark::State& state, bool is_far) {
  const ts::array<double, 1> x =
      is_far ? open("x") : ts::open<double, 1>(of_environment("TESSERA_BENCHMARK_FILES") + "/x");
  std::vector<ts::array<double, 0>> means;
  for (ts::index_t i = 0; i < num_chunks; ++i) {
    const auto part = x(ts::slice(i * chunk, (i + 1) * chunk));
    for (int power = 0; power < 10; ++power)
      means.emplace_back(ts::mean(ts::sqrt(part) + static_cast<double>(power)));
  }
  const ts::run_with two_threads{.executor = ts::executors::threads(2)};
  for (auto iteration : state) {
    static_cast<void>(iteration);
    benchmark::DoNotOptimize(ts::plan(means, two_threads));
  }
}

BENCHMARK_CAPTURE(planning, files, false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(planning, far, true)->Unit(benchmark::kMillisecond);
BENCHMARK(connections)->ArgName("in_flight")->Arg(16)->Iterations(1)->UseRealTime();
BENCHMARK(exchanges)->ArgName("in_flight")->Arg(16)->Iterations(1)->UseRealTime();
BENCHMARK_CAPTURE(mean, plain, "x")->Iterations(1)->UseRealTime();
BENCHMARK_CAPTURE(mean, packed, "packed")->Iterations(1)->UseRealTime();
BENCHMARK_CAPTURE(mean, shards, "shards")->Iterations(1)->UseRealTime();
BENCHMARK_CAPTURE(roots, plain, "x")->Iterations(1)->UseRealTime();

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
