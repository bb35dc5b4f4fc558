// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Scaling studies: a program measured on growing numbers of workers, real and simulated.
///
/// Component: tessera::benchmark, which needs Google Benchmark.

#include "tessera/array/in_out.hpp"
#include "tessera/array/open.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/array/random.hpp"
#include "tessera/core/costs.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/executor/simulated.hpp"
#include "tessera/observe/statistics.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/task/run_with.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// The plan of a study's program at one point, without the types of its results.
class study_plan {
 public:
  template <plannable... Es>
  study_plan(const tessera::plan<Es...>& planned)
      : bounded_(planned.bounded()),
        run_([planned](const run_with& settings) { planned.execute(settings); }) {}

  [[nodiscard]] const bounded_plan& bounded() const { return bounded_; }
  void execute(const run_with& settings) const { run_(settings); }

 private:
  bounded_plan bounded_;
  std::function<void(const run_with&)> run_;
};

/// Options of a study's input.
struct study_input {
  /// One length for each axis.
  std::vector<index_t> chunks = {};
};

/// A point of a study: the engine, its workers, and the size of the problem.
class study_point {
 public:
  /// Returns the number of workers.
  [[nodiscard]] std::size_t workers() const { return workers_; }
  /// Returns the size of the problem in units of its base, rounded: that of `strong`, or the
  /// workers of `weak`.
  [[nodiscard]] index_t scale() const;
  /// Returns `extent` times the exact scale, rounded.
  [[nodiscard]] index_t scaled(double extent) const;
  [[nodiscard]] bool is_simulated() const { return is_simulated_; }

  /// Returns an array of random numbers of [0, 1) that is stored once for all points and opened. Of
  /// a simulated point it has metadata alone.
  ///
  /// Throws: store_error <- the folder of the study cannot be written.
  template <element T, std::size_t N>
  [[nodiscard]] array<T, N> input(const std::string& name, const std::array<index_t, N>& shape,
                                  const study_input& options = {}) const {
    static_assert(std::floating_point<T>, "study_point::input<T>: T must be float or double");
    const std::string path = path_of(name, dtype_of<T>, {shape.begin(), shape.end()}, options);
    if (!is_there(path)) {
      if (is_simulated_) {
        create(path, dtype_of<T>, {shape.begin(), shape.end()}, options);
      } else {
        store(random::uniform<T>(shape, {.chunks = options.chunks}), path, settings_of_inputs());
      }
      mark(path);
    }
    return open<T, N>(path, limits());
  }

  /// Returns the plan of `es` for the engine and the workers of this point.
  template <plannable... Es>
  [[nodiscard]] study_plan plan(const Es&... es) const {
    return study_plan(tessera::plan(es..., settings()));
  }

  /// Returns a folder in which a point may store its results; it is emptied before each run.
  [[nodiscard]] std::string output(const std::string& name) const;

  /// The options of a run of this point.
  [[nodiscard]] run_with settings() const;
  /// The spec of arrays: the default, with the costs of simulated points.
  [[nodiscard]] spec limits() const;

 private:
  friend class study_runner;

  /// Processes that compute together make inputs together, on the workers of the point.
  [[nodiscard]] run_with settings_of_inputs() const;
  [[nodiscard]] std::string path_of(const std::string& name, dtype type,
                                    const std::vector<index_t>& shape,
                                    const study_input& options) const;
  [[nodiscard]] static bool is_there(const std::string& path);
  /// Creates an array without chunks.
  static void create(const std::string& path, dtype type, const std::vector<index_t>& shape,
                     const study_input& options);
  /// Marks an input as whole.
  static void mark(const std::string& path);

  std::size_t workers_ = 1;
  double scale_ = 1;
  bool is_simulated_ = false;
  std::string folder_;
  std::shared_ptr<executor> engine_;
  std::optional<costs> figures_;
};

/// The program of a study: makes the plan of a point.
using study_program = std::function<study_plan(const study_point&)>;

/// Options of strong scaling.
struct strong_options {
  /// The size of the problem, in units of its base.
  double scale = 1;
};

/// A study of one program.
///
/// Each point is planned anew, for its engine and its workers. Planning and the making of inputs
/// are not part of the time; the start of workers is: of processes in the first repetition, of
/// Slurm, with its queue, in each. Repetitions of all points are run in random order. A point is
/// measured six times, and again up to 30 times until the interval of its median is within 5 %.
///
/// On MPI, `on("mpi")`, all ranks call `run_studies`. The points of n workers run on the first n
/// ranks while the others sleep. The first rank prints and writes.
class scaling_study {
 public:
  /// A study exists from here on for `run_studies`, as long as the object lives.
  scaling_study(std::string name, study_program program);
  scaling_study(const scaling_study&) = delete;
  scaling_study& operator=(const scaling_study&) = delete;
  ~scaling_study();

  /// Sets the engine of real points; "threads" by default. "{workers}" in the name stands for their
  /// number: "slurm:workers={workers},partition=short". Without it, ":<number>" is appended.
  scaling_study& on(std::string engine);
  /// A problem of one size on each number of workers.
  scaling_study& strong(std::vector<std::size_t> workers, strong_options options = {});
  /// A problem that grows with the workers, or as `scale` says: `std::cbrt` of the workers if the
  /// work grows with the third power of the size.
  scaling_study& weak(std::vector<std::size_t> workers, std::function<double(double)> scale = {});
  /// Numbers of workers that are simulated, for the kind that was named last, strong or weak. Costs
  /// are the figures of an object store by default.
  scaling_study& simulated(std::vector<std::size_t> workers,
                           const costs& figures = costs::object_store());

  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  friend class study_runner;

  /// Points of one kind.
  struct series {
    bool is_weak = false;
    bool is_simulated = false;
    std::string engine;
    std::vector<std::size_t> workers;
    std::function<double(double)> scale_of;
    std::optional<costs> figures;
  };

  std::string name_;
  study_program program_;
  std::string engine_ = "threads";
  std::vector<series> series_;
};

/// Runs all studies that exist: benchmarks of Google Benchmark, with its flags, as
/// `--benchmark_filter` and `--benchmark_out`, which has the first round of repetitions.
/// `--benchmark_repetitions=<n>` makes them n for each real point. Prints a table of each study and
/// writes its files to the folder `--study_out=<folder>`, by default "study":
/// study.csv (a line for each repetition), study.json, study.jsonl (for Extra-P), study.md, and the
/// plots time.svg, speed-up.svg, efficiency.svg, memory.svg.
///
/// If a program or run throws an `error`, its point is left out, and the tables have the error's
/// text.
///
/// Returns the exit code of the program: 1 if a point could not be measured, else 0.
/// Throws: value_error <- a flag is not known.
int run_studies(int argc, char** argv);

}  // namespace tessera
