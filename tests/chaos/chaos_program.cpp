// SPDX-License-Identifier: Apache-2.0
//
// A plan of four operations that can be killed and started again at any time.
//
// usage: chaos_program prepare DIRECTORY [ROWS]
//                                            writes the input, DIRECTORY/input, of 512 rows
//        chaos_program run DIRECTORY OUTPUT [backups]
//                                            computes DIRECTORY/OUTPUT with intermediate arrays in
//                                            DIRECTORY/work; backups of tasks if the word is given
//
// With CHAOS_ENDLESS in the environment, tasks of the last operation never end.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <tessera/array/creation.hpp>
#include <tessera/array/in_out.hpp>
#include <tessera/array/linear_algebra.hpp>
#include <tessera/array/manipulation.hpp>
#include <tessera/array/random.hpp>
#include <tessera/core/error.hpp>
#include <tessera/function/elementwise.hpp>
#include <tessera/function/statistical.hpp>
#include <tessera/runtime/runtime.hpp>
#include <tessera/scheduler/observer.hpp>
#include <thread>

namespace ts = tessera;
using namespace ts::literals;

namespace {

/// A slow function of an element: up to a microsecond of arithmetic.
struct slowly {
  double operator()(double x) const {
    double y = x;
    for (int i = 0; i < 25; ++i) y = std::cos(y);
    return x + y * 0x1p-20;
  }
};

/// The same function. It never returns if the environment asks for that.
struct slowly_or_never {
  double operator()(double x) const {
    static const bool is_endless = std::getenv("CHAOS_ENDLESS") != nullptr;
    while (is_endless) std::this_thread::sleep_for(std::chrono::seconds(1));
    return slowly{}(x);
  }
};

int prepare(const std::string& directory, ts::index_t num_rows) {
  const ts::spec spec{.work_dir = directory + "/work"};
  const auto values =
      ts::random::uniform<double>({num_rows, 512}, {.chunks = {64, 64}, .spec = spec, .seed = 7});
  ts::store(values, directory + "/input");
  return 0;
}

/// Prints a line for each backup of a task.
struct backup_teller final : ts::observer {
  void on_backup(std::size_t, ts::index_t, ts::session_time) override {
    std::cerr << "a backup was started" << std::endl;
  }
};

int run(const std::string& directory, const std::string& output, bool has_backups) {
  // A task has memory for few chunks, so that there are many tasks. The client of a remote store
  // takes 12 MB more.
  const bool is_remote = directory.find("://") != std::string::npos;
  const ts::spec spec{.work_dir = directory + "/work", .allowed_memory = is_remote ? 15_MB : 2_MB};
  const auto input = ts::open<double, 2>(directory + "/input", spec);
  const auto turned = ts::rechunk(ts::map(slowly{}, input), {32, 128});
  const auto product = ts::matmul(turned, ts::matrix_transpose(turned));
  const auto means = ts::mean(product, ts::axis<0>, ts::keepdims);
  const auto anomaly = ts::map(slowly_or_never{}, product - means);
  // Operations of few tasks have no backups.
  const ts::pass_switches passes{.size_blocks = false, .memory_tier = false};
  // Axes without names would be named after the arrays, which are called differently.
  const std::string path = directory + "/" + output;
  const ts::plan plan(
      passes, ts::stored(anomaly, path, {.dimension_names = {"row", "column"}}),
      ts::stored(ts::max(anomaly, ts::axis<1>), path + "-max", {.dimension_names = {"row"}}));
  std::cerr << plan;
  if (plan.num_operations() != 4) {
    std::cerr << "the plan was to have four operations\n";
    return 2;
  }
  // A second copy of a task writes its chunk again.
  plan.execute({.backups = has_backups, .observers = {std::make_shared<backup_teller>()}});
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime(argc, argv);
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "prepare" && argc == 3) return prepare(argv[2], 512);
  if (mode == "prepare" && argc == 4) return prepare(argv[2], std::stoll(argv[3]));
  const bool has_backups = argc == 5 && argv[4] == std::string("backups");
  if (mode == "run" && (argc == 4 || has_backups)) return run(argv[2], argv[3], has_backups);
  std::cerr << "usage: chaos_program prepare DIRECTORY [ROWS] | run DIRECTORY OUTPUT [backups]\n";
  return 2;
}
