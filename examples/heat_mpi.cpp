// SPDX-License-Identifier: Apache-2.0

/// \file
/// Heat spreads over a square plate whose edge is kept at zero: a simulation on many ranks that
/// stores its field, and looks at it with Tessera while it runs.
///
/// Solves u_t = u_xx + u_yy on the unit square with explicit steps. Each rank has a block of the
/// plate, with a halo that it exchanges with its neighbours before every step. Every few steps the
/// ranks append the field to a time series, each its own chunk, with the mean, maximum and variance
/// of the field, which are computed in memory.
///
/// The plate begins as sin(pi x) sin(pi y), which decays as exp(-2 pi^2 t); the last line prints
/// the error of the field. `heat_mpi --help` prints the usage.

#include "help.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <mpi.h>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/array/from_local.hpp>
#include <tessera/array/time_series.hpp>
#include <tessera/executor/mpi.hpp>
#include <tessera/tessera.hpp>
#include <utility>
#include <vector>

namespace ts = tessera;
using ts::index_t;

namespace {

constexpr const char* usage = R"(usage: mpirun -n 4 heat_mpi STORE [CELLS [STEPS [EVERY]]]

Solves the heat equation on a square plate; stores the field, its mean, maximum and variance.
Started again it goes on from the last complete slice; what is complete stays.

  STORE  the Zarr store: u, time, mean, max, variance
  CELLS  cells along an edge, 256
  STEPS  time steps from the beginning, 1000
  EVERY  steps between two slices, 100; it divides STEPS

In Python: xarray.open_zarr("heat.zarr").u.isel(time=-1).plot()
)";

struct settings {
  std::string store;
  index_t cells = 256;
  index_t steps = 1000;
  index_t every = 100;
};

settings read_arguments(int argc, char** argv) {
  if (argc < 2 || argc > 5) throw std::runtime_error(usage);
  settings chosen{argv[1]};
  const std::array<index_t*, 3> numbers{&chosen.cells, &chosen.steps, &chosen.every};
  for (int i = 2; i < argc; ++i) {
    const std::string_view text = argv[i];
    index_t& number = *numbers[static_cast<std::size_t>(i - 2)];
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc{} || end != text.data() + text.size() || number < 1) {
      throw std::runtime_error("heat_mpi: \"" + std::string(text) + "\" is not a positive number");
    }
  }
  if (chosen.steps % chosen.every != 0)
    throw std::runtime_error("heat_mpi: EVERY must divide STEPS");
  return chosen;
}

/// The time after some steps: each takes a fifth of a cell's width squared, stable below a fourth.
constexpr double ratio = 0.2;
double time_of(const settings& chosen, index_t step) {
  const double width = 1.0 / static_cast<double>(chosen.cells + 1);
  return static_cast<double>(step) * ratio * width * width;
}

/// A rank's block of the plate, in a grid of ranks.
class block {
 public:
  block(MPI_Comm world, index_t cells) {
    int num_ranks = 1;
    MPI_Comm_size(world, &num_ranks);
    MPI_Dims_create(num_ranks, 2, ranks_.data());
    const std::array<int, 2> is_periodic{0, 0};
    MPI_Cart_create(world, 2, ranks_.data(), is_periodic.data(), 0, &comm_);
    MPI_Comm_rank(comm_, &rank_);
    std::array<int, 2> coordinates{};
    MPI_Cart_coords(comm_, rank_, 2, coordinates.data());
    for (std::size_t axis = 0; axis < 2; ++axis) {
      chunk_[axis] = (cells + ranks_[axis] - 1) / ranks_[axis];
      offset_[axis] = chunk_[axis] * coordinates[axis];
      extent_[axis] = std::min(chunk_[axis], cells - offset_[axis]);
      if (chunk_[axis] * (ranks_[axis] - 1) >= cells) {
        throw std::runtime_error("heat_mpi: there are too few cells for so many ranks");
      }
    }
    MPI_Type_vector(static_cast<int>(extent_[0]), 1, static_cast<int>(width()), MPI_DOUBLE,
                    &column_);
    MPI_Type_commit(&column_);
    now_.assign(static_cast<std::size_t>((extent_[0] + 2) * width()), 0.0);
    next_ = now_;
  }
  block(const block&) = delete;
  block& operator=(const block&) = delete;
  ~block() {
    MPI_Type_free(&column_);
    MPI_Comm_free(&comm_);
  }

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] const std::array<index_t, 2>& chunk() const { return chunk_; }
  [[nodiscard]] const std::array<index_t, 2>& offset() const { return offset_; }
  [[nodiscard]] const std::array<index_t, 2>& extent() const { return extent_; }
  /// Returns the stride between rows of the block, in elements.
  [[nodiscard]] index_t width() const { return extent_[1] + 2; }
  /// Returns the element at row i and column j of the block; -1 and the extents are the halo's.
  [[nodiscard]] double& at(index_t i, index_t j) {
    return now_[static_cast<std::size_t>((i + 1) * width() + j + 1)];
  }
  /// Returns the first element of the block and all that follow it in memory.
  [[nodiscard]] std::span<const double> elements() const {
    return std::span(now_).subspan(static_cast<std::size_t>(width() + 1));
  }

  /// Takes one step: u += ratio (the sum of the four neighbours - 4 u).
  void step(double ratio) {
    exchange_halo();
    for (index_t i = 1; i <= extent_[0]; ++i) {
      const double* const row = now_.data() + i * width();
      double* const out = next_.data() + i * width();
      for (index_t j = 1; j <= extent_[1]; ++j) {
        out[j] = row[j] + ratio * (row[j - 1] + row[j + 1] + row[j - width()] + row[j + width()] -
                                   4 * row[j]);
      }
    }
    std::swap(now_, next_);
  }

 private:
  void exchange_halo() {
    const auto columns = static_cast<int>(extent_[1]);
    shift(0, columns, MPI_DOUBLE, &at(0, 0), &at(extent_[0], 0), &at(extent_[0] - 1, 0),
          &at(-1, 0));
    shift(1, 1, column_, &at(0, 0), &at(0, extent_[1]), &at(0, extent_[1] - 1), &at(0, -1));
  }

  /// Sends both edges across `axis`; at the plate's edge the halo stays zero.
  void shift(int axis, int count, MPI_Datatype type, const double* low, double* above,
             const double* high, double* below) const {
    int before = MPI_PROC_NULL;
    int after = MPI_PROC_NULL;
    MPI_Cart_shift(comm_, axis, 1, &before, &after);
    MPI_Sendrecv(low, count, type, before, 0, above, count, type, after, 0, comm_,
                 MPI_STATUS_IGNORE);
    MPI_Sendrecv(high, count, type, after, 1, below, count, type, before, 1, comm_,
                 MPI_STATUS_IGNORE);
  }

  std::array<int, 2> ranks_{0, 0};
  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  std::array<index_t, 2> chunk_{};
  std::array<index_t, 2> offset_{};
  std::array<index_t, 2> extent_{};
  MPI_Datatype column_ = MPI_DATATYPE_NULL;
  std::vector<double> now_;
  std::vector<double> next_;
};

/// Returns the plate, of which each rank has its block.
ts::array<double, 2> field_of(const block& plate, index_t cells) {
  return ts::from_local<double, 2>(
      plate.comm(), plate.elements(), {cells, cells}, plate.offset(),
      {.part = plate.extent(), .strides = std::array{plate.width(), index_t{1}}});
}

/// Appends the field as it is at `time`, with its mean, maximum and variance.
void append(ts::time_series& out, double time, const block& plate, index_t cells) {
  const auto u = field_of(plate, cells);
  out.append(time, ts::variable("u", u, {"y", "x"}), ts::variable("mean", ts::mean(u)),
             ts::variable("max", ts::max(u)), ts::variable("variance", ts::var(u)));
  if (plate.rank() == 0) std::printf("t = %.6f: slice %zu is stored\n", time, out.size());
}

/// Reads this rank's block of the last slice.
void read_last(const std::string& store, block& plate, index_t cells) {
  const auto slices = ts::open<double, 3>(store + "/u");
  if (slices.shape()[1] != cells) {
    throw std::runtime_error("heat_mpi: the store is of another plate");
  }
  const auto [top, start] = plate.offset();
  const auto [rows, columns] = plate.extent();
  const auto last = slices(-1, ts::slice(top, top + rows), ts::slice(start, start + columns))
                        .compute({.executor = ts::executors::serial()});
  for (index_t i = 0; i < rows; ++i) {
    for (index_t j = 0; j < columns; ++j) plate.at(i, j) = last(i, j);
  }
}

/// Solves the equation from the last stored slice on, and returns the greatest error of the field.
double simulate(const settings& chosen, block& plate, ts::time_series& out) {
  using std::numbers::pi;
  const double width = 1.0 / static_cast<double>(chosen.cells + 1);
  const auto mode = [&](index_t i, index_t j) {
    return std::sin(pi * width * static_cast<double>(plate.offset()[0] + i + 1)) *
           std::sin(pi * width * static_cast<double>(plate.offset()[1] + j + 1));
  };
  const auto each_cell = [&](auto&& visit) {
    for (index_t i = 0; i < plate.extent()[0]; ++i) {
      for (index_t j = 0; j < plate.extent()[1]; ++j) visit(i, j);
    }
  };
  const index_t first = std::max<index_t>(static_cast<index_t>(out.size()) - 1, 0) * chosen.every;
  if (out.size() == 0) {
    each_cell([&](index_t i, index_t j) { plate.at(i, j) = mode(i, j); });
    append(out, 0, plate, chosen.cells);
  } else {
    if (std::abs(out.times().back() - time_of(chosen, first)) > time_of(chosen, 1) / 2) {
      throw std::runtime_error("heat_mpi: the store's slices are not EVERY steps apart");
    }
    read_last(chosen.store, plate, chosen.cells);
    if (plate.rank() == 0) {
      std::printf("continuing: %zu of %d slices were there\n", out.size(),
                  static_cast<int>(chosen.steps / chosen.every + 1));
    }
  }
  for (index_t step = first + 1; step <= chosen.steps; ++step) {
    plate.step(ratio);
    if (step % chosen.every == 0) append(out, time_of(chosen, step), plate, chosen.cells);
  }
  const double decay = std::exp(-2 * pi * pi * time_of(chosen, chosen.steps));
  double error = 0;
  each_cell([&](index_t i, index_t j) {
    error = std::max(error, std::abs(plate.at(i, j) - decay * mode(i, j)));
  });
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, plate.comm());
  return error;
}

/// Runs the program on all ranks.
void run(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (asks_for_help(argc, argv)) {
    if (rank == 0) std::printf("%s\n%s", usage, ts::runtime::help().c_str());
    return;
  }
  const settings chosen = read_arguments(argc, argv);
  ts::time_series out(chosen.store, {.executor = ts::executors::mpi(MPI_COMM_WORLD)});
  const double end = time_of(chosen, chosen.steps) - time_of(chosen, 1) / 2;
  if (out.size() > 0 && out.times().back() > end) {
    if (rank == 0) {
      std::printf("%s is complete: %zu slices; nothing to do\n", chosen.store.c_str(), out.size());
    }
    return;
  }
  block plate(MPI_COMM_WORLD, chosen.cells);
  const double error = simulate(chosen, plate, out);
  if (rank == 0) std::printf("largest error: %.3e\n", error);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    const ts::runtime runtime(argc, argv);
    run(argc, argv);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
