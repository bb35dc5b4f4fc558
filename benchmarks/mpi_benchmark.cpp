// SPDX-License-Identifier: Apache-2.0

/// \file
/// The cost of the ranks of an MPI program: an empty task, programs that read and write, against
/// threads, and a program on an array in the memory of the ranks.
///
/// usage: mpirun -n 2 --bind-to none mpi_benchmark [--benchmark_filter=<expression>]
///
/// The first rank measures, and orders the other ranks to run programs with it; they sleep while it
/// runs programs on threads. The bound of an empty task is for four ranks on one host.

#include "empty_tasks.hpp"
#include "engine_programs.hpp"
#include "programs.hpp"
#include "rank_parts.hpp"
#include "stored_results.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <iostream>
#include <memory>
#include <mpi.h>
#include <string>
#include <tessera/executor/mpi.hpp>
#include <tessera/scheduler/executor.hpp>
#include <tessera/scheduler/scheduler.hpp>
#include <thread>
#include <unistd.h>

namespace {

namespace ts = tessera;
using hand_written::zarr_array;

constexpr ts::index_t num_empty_tasks = 100'000;

/// Orders to all ranks: the number of a program, or one of these.
constexpr int no_more = -1;
constexpr int nothing_but_tasks = -2;
constexpr int parts_by_tessera = -3;
constexpr int parts_by_hand = -4;
constexpr int known_parts_by_hand = -5;

/// Sends an order to the other ranks.
void order(int order_number) {
  int num_ranks = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks);
  for (int rank = 1; rank < num_ranks; ++rank) {
    MPI_Send(&order_number, 1, MPI_INT, rank, 0, MPI_COMM_WORLD);
  }
}

/// Waits for the next order. A blocking receive would keep a core busy.
int next_order() {
  int has_come = 0;
  while (has_come == 0) {
    std::this_thread::sleep_for(std::chrono::milliseconds{1});
    MPI_Iprobe(0, 0, MPI_COMM_WORLD, &has_come, MPI_STATUS_IGNORE);
  }
  int next = no_more;
  MPI_Recv(&next, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return next;
}

void run_empty_tasks(ts::executor& engine) {
  empty_tasks work(num_empty_tasks);
  ts::run(work, engine);
}

/// Returns the array on the ranks, which the first call makes.
const programs::rank_parts& parts() {
  static const programs::rank_parts parts;
  return parts;
}

/// Returns the result array of the contestant `by`.
zarr_array result_of(const char* by) {
  zarr_array result = parts().stored_like();
  result.path = data::path_of_result(by);
  return result;
}

/// Runs the orders of the first rank; the first rank reports failures.
void follow(const std::shared_ptr<ts::executor>& engine) {
  for (int order_number = next_order(); order_number != no_more; order_number = next_order()) {
    try {
      if (order_number == nothing_but_tasks) {
        run_empty_tasks(*engine);
      } else if (order_number == parts_by_tessera) {
        (void)parts().mean_beside_anomaly(engine, result_of("tessera").path.string());
      } else if (order_number == parts_by_hand) {
        (void)parts().mean_beside_anomaly(result_of("by-hand"));
      } else if (order_number == known_parts_by_hand) {
        (void)parts().digest();
        (void)parts().mean_beside_anomaly(result_of("by-hand"));
      } else {
        const auto number = static_cast<std::size_t>(order_number);
        programs::engine_programs.at(number).make().run({.executor = engine});
      }
    } catch (const std::exception&) {
    }
  }
}

/// `by_hand`: the order for the other ranks if the loop runs.
void compare_parts(benchmark::State& state, const std::shared_ptr<ts::executor>& engine,
                   int by_hand) {
  double mean = 0;
  double expected = 0;
  const auto ordered = [](int order_number, const char* by) {
    return [=] {
      std::filesystem::remove_all(data::path_of_result(by));
      order(order_number);
    };
  };
  const auto run_by_hand = [&] {
    if (by_hand == known_parts_by_hand) (void)parts().digest();
    expected = parts().mean_beside_anomaly(result_of("by-hand"));
  };
  const auto run_by_tessera = [&] {
    mean = parts().mean_beside_anomaly(engine, result_of("tessera").path.string());
  };
  const auto agree = [&] {
    return std::abs(mean - expected) < 1e-9 &&
           stored_results::hold_the_same<double>(result_of("tessera"), result_of("by-hand"));
  };
  order(by_hand);  // which makes the parts on all ranks
  run_by_hand();
  const auto amount = 2.0 * static_cast<double>(parts().stored_like().num_bytes());
  contest::run(
      state, {.amount = amount, .bound = 1.1},
      {.tessera = {.program = run_by_tessera, .prepare = ordered(parts_by_tessera, "tessera")},
       .by_hand = {.program = run_by_hand, .prepare = ordered(by_hand, "by-hand")},
       .agree = agree});
  data::remove_results();
}

void register_benchmarks(const std::shared_ptr<ts::executor>& engine) {
  const std::string ranks = std::to_string(engine->num_workers());
  const std::string name = "an empty task, handed out alone: mpi with " + ranks + " ranks";
  benchmark::RegisterBenchmark(name.c_str(), [engine](benchmark::State& state) {
    contest::run_within(state, 20e-6, num_empty_tasks, [&] {
      order(nothing_but_tasks);
      run_empty_tasks(*engine);
    });
  })->Apply(programs::in_rounds);
  const std::string parts_on = "mean(x), store(x - mean(x, axis<0>)), " + ranks + " parts";
  benchmark::RegisterBenchmark(parts_on.c_str(), [engine](benchmark::State& state) {
    compare_parts(state, engine, parts_by_hand);
  })->Apply(programs::in_rounds);
  // As Tessera, which resumes from the chunks of an earlier run if the elements are the same.
  benchmark::RegisterBenchmark(
      (parts_on + ", known by the loop as well").c_str(),
      [engine](benchmark::State& state) { compare_parts(state, engine, known_parts_by_hand); })
      ->Apply(programs::in_rounds);
  for (std::size_t i = 0; i < programs::engine_programs.size(); ++i) {
    const auto [title, make] = programs::engine_programs[i];
    const std::string engines_compared = ": mpi with " + ranks + " ranks against threads:" + ranks;
    benchmark::RegisterBenchmark((title + engines_compared).c_str(), [=](benchmark::State& state) {
      programs::against_threads(state, make(), engine, [&] { order(static_cast<int>(i)); });
    })->Apply(programs::in_rounds);
  }
}

int measure(const std::shared_ptr<ts::executor>& engine, int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  register_benchmarks(engine);
  contest::table table;
  benchmark::RunSpecifiedBenchmarks(&table);
  order(no_more);
  return EXIT_SUCCESS;
}

int run_on_all_ranks(int argc, char** argv) {
  const std::shared_ptr<ts::executor> engine = ts::executors::mpi();
  if (std::thread::hardware_concurrency() < std::min<long>(2, sysconf(_SC_NPROCESSORS_ONLN))) {
    std::cerr << "mpi_benchmark: a rank that is bound to a core has no room for threads; start it "
                 "with mpirun --bind-to none\n";
    return EXIT_FAILURE;
  }
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) return measure(engine, argc, argv);
  follow(engine);
  return EXIT_SUCCESS;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  const int status = run_on_all_ranks(argc, argv);
  MPI_Finalize();
  return status;
}
