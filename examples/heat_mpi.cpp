// SPDX-License-Identifier: Apache-2.0

/// \file
/// Heat spreads over a square plate whose edge is kept at zero: a simulation on many ranks that
/// stores its field, and looks at it with Tessera while it runs.
///
/// Solves u_t = u_xx + u_yy on the unit square with explicit steps. Each rank has a block of the
/// plate, with a halo that it exchanges with its neighbours before every step. Every few steps the
/// ranks append the field to the Zarr store, each its own chunk, and compute its mean, maximum and
/// variance in memory. `time` is written last: a slice that it counts is complete.
///
/// The plate begins as sin(pi x) sin(pi y), which decays as exp(-2 pi^2 t); the last line prints
/// the error of the field. `heat_mpi --help` prints the usage.

#include "help.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <mpi.h>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tessera/array/from_local.hpp>
#include <tessera/executor/mpi.hpp>
#include <tessera/storage/chunk_buffers.hpp>
#include <tessera/tessera.hpp>
#include <utility>
#include <vector>

namespace ts = tessera;
using ts::index_t;

namespace {

constexpr const char* usage = R"(usage: mpirun -n 4 heat_mpi STORE [CELLS [STEPS [EVERY]]]

Solves the heat equation on a square plate; stores the field, its mean, maximum and variance.
Started again with as many ranks, it goes on from the last complete slice; what is complete stays.

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

/// Returns the time of the last of `slices` complete slices.
double last_time(const std::string& store, index_t slices) {
  const ts::zarr_array times = ts::zarr_array::open(store + "/time");
  ts::chunk_buffers buffers(times);
  double time = 0;
  times.read_region({{slices - 1}, {slices}}, std::as_writable_bytes(std::span(&time, 1)),
                    buffers.decoded(), buffers.encoded());
  return time;
}

/// Returns the number of slices of a store if it has all slices of `chosen`, else zero.
int slices_if_complete(const settings& chosen) {
  for (const char* name : {"/u/.zarray", "/time/.zarray"}) {
    if (!std::filesystem::exists(chosen.store + name)) return 0;
  }
  const index_t slices = ts::zarr_array::open(chosen.store + "/time").shape()[0];
  if (slices == 0 || ts::zarr_array::open(chosen.store + "/u").shape()[1] != chosen.cells) return 0;
  const double last = last_time(chosen.store, slices);
  const bool is_complete = last > time_of(chosen, chosen.steps) - time_of(chosen, 1) / 2;
  return is_complete ? static_cast<int>(slices) : 0;
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

/// The store. All ranks write chunks of the field; the first rank alone writes the rest.
class output {
 public:
  output(const settings& chosen, block& plate)
      : path_(chosen.store), cells_(chosen.cells), plate_(plate) {
    settings_.executor = ts::executors::mpi(plate.comm());
    if (plate_.rank() == 0) prepare();
    MPI_Barrier(plate_.comm());
    num_slices_ = open("time").shape()[0];
    if (open("u").chunks() != field_metadata().chunks || open("u").shape()[1] != cells_) {
      throw std::runtime_error(
          "heat_mpi: the store is of another plate, or of as many other ranks");
    }
  }

  /// Returns the number of complete slices.
  [[nodiscard]] index_t num_slices() const { return num_slices_; }

  /// Reads the last complete slice.
  void read_last() { transfer(num_slices_ - 1, false); }

  /// Appends the field as it is at `time`, with its mean, maximum and variance.
  void append(double time) {
    if (plate_.rank() == 0)
      (void)open("u").resize(ts::index_vector{num_slices_ + 1, cells_, cells_});
    MPI_Barrier(plate_.comm());
    transfer(num_slices_, true);
    const auto field = ts::from_local<double, 2>(
        plate_.comm(), plate_.elements(), {cells_, cells_}, plate_.offset(),
        {.part = plate_.extent(), .strides = std::array{plate_.width(), index_t{1}}});
    const auto [mean, max, variance] =
        ts::compute(ts::mean(field), ts::max(field), ts::var(field), settings_);
    MPI_Barrier(plate_.comm());
    if (plate_.rank() == 0) {
      append_to("mean", mean());
      append_to("max", max());
      append_to("variance", variance());
      append_to("time", time);
      std::printf("t = %.6f: mean %.6e, maximum %.6e, variance %.6e\n", time, mean(), max(),
                  variance());
    }
    ++num_slices_;
  }

 private:
  [[nodiscard]] ts::zarr_array open(const std::string& name) const {
    return ts::zarr_array::open(path_ + "/" + name);
  }

  [[nodiscard]] ts::zarr_metadata field_metadata() const {
    return {.shape = {0, cells_, cells_}, .chunks = {1, plate_.chunk()[0], plate_.chunk()[1]}};
  }

  /// Creates missing arrays, and removes slices after the last complete one.
  void prepare() const {
    (void)ts::zarr_group::create(path_);
    create("u", field_metadata(), {"time", "y", "x"});
    for (const char* name : {"mean", "max", "variance", "time"}) {
      create(name, {.shape = {0}, .chunks = {1024}}, {"time"});
    }
    const index_t complete = open("time").shape()[0];
    for (const char* name : {"u", "mean", "max", "variance"}) {
      const ts::zarr_array array = open(name);
      ts::index_vector shape = array.shape();
      shape[0] = complete;
      if (shape != array.shape()) (void)array.resize(shape);
    }
  }

  void create(const std::string& name, const ts::zarr_metadata& metadata,
              const std::vector<std::string>& dimensions) const {
    if (std::filesystem::exists(path_ + "/" + name + "/.zarray")) return;
    (void)ts::zarr_array::create(path_ + "/" + name, metadata, {{"_ARRAY_DIMENSIONS", dimensions}});
  }

  void append_to(const std::string& name, double value) const {
    const ts::zarr_array array = open(name);
    ts::chunk_buffers buffers(array);
    (void)array.append(0, std::as_bytes(std::span(&value, 1)), buffers.decoded(),
                       buffers.encoded());
  }

  /// Writes this rank's block to a slice, or reads it from there.
  void transfer(index_t slice, bool is_written) {
    const ts::zarr_array field = open("u");
    ts::chunk_buffers buffers(field);
    const auto [rows, columns] = plate_.extent();
    const auto [top, first_column] = plate_.offset();
    const ts::region box{{slice, top, first_column},
                         {slice + 1, top + rows, first_column + columns}};
    std::vector<double> dense(static_cast<std::size_t>(rows * columns));
    const auto move_cells = [&](auto&& move) {
      for (index_t i = 0; i < rows; ++i) {
        for (index_t j = 0; j < columns; ++j) {
          move(plate_.at(i, j), dense[static_cast<std::size_t>(i * columns + j)]);
        }
      }
    };
    if (is_written) {
      move_cells([](double& cell, double& copy) { copy = cell; });
      field.write_region(box, std::as_bytes(std::span(dense)), buffers.decoded(),
                         buffers.encoded());
    } else {
      field.read_region(box, std::as_writable_bytes(std::span(dense)), buffers.decoded(),
                        buffers.encoded());
      move_cells([](double& cell, double& copy) { cell = copy; });
    }
  }

  std::string path_;
  index_t cells_;
  block& plate_;
  ts::run_with settings_;
  index_t num_slices_ = 0;
};

/// Solves the equation from the last stored slice on, and returns the greatest error of the field.
double simulate(const settings& chosen, block& plate) {
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
  output store(chosen, plate);
  const index_t first = std::max<index_t>(store.num_slices() - 1, 0) * chosen.every;
  if (store.num_slices() == 0) {
    each_cell([&](index_t i, index_t j) { plate.at(i, j) = mode(i, j); });
    store.append(0);
  } else {
    const double last = last_time(chosen.store, store.num_slices());
    if (std::abs(last - time_of(chosen, first)) > time_of(chosen, 1) / 2) {
      throw std::runtime_error("heat_mpi: the store's slices are not EVERY steps apart");
    }
    store.read_last();
    if (plate.rank() == 0) {
      std::printf("continuing: %d of %d slices were there\n", static_cast<int>(store.num_slices()),
                  static_cast<int>(chosen.steps / chosen.every + 1));
    }
  }
  for (index_t step = first + 1; step <= chosen.steps; ++step) {
    plate.step(ratio);
    if (step % chosen.every == 0) store.append(time_of(chosen, step));
  }
  const double decay = std::exp(-2 * pi * pi * time_of(chosen, chosen.steps));
  double error = 0;
  each_cell([&](index_t i, index_t j) {
    error = std::max(error, std::abs(plate.at(i, j) - decay * mode(i, j)));
  });
  MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, plate.comm());
  return error;
}

/// Tells whether there is anything to compute; if not, one rank prints the reason.
bool has_work(int argc, char** argv) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (asks_for_help(argc, argv)) {
    if (rank == 0) std::printf("%s\n%s", usage, ts::runtime::help().c_str());
    return false;
  }
  const settings chosen = read_arguments(argc, argv);
  int slices = rank == 0 ? slices_if_complete(chosen) : 0;
  MPI_Bcast(&slices, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (slices > 0 && rank == 0) {
    std::printf("%s is complete: %d slices; nothing to do\n", chosen.store.c_str(), slices);
  }
  return slices == 0;
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  try {
    const ts::runtime runtime(argc, argv);
    if (!has_work(argc, argv)) {
      MPI_Finalize();
      return 0;
    }
    const settings chosen = read_arguments(argc, argv);
    block plate(MPI_COMM_WORLD, chosen.cells);
    const double error = simulate(chosen, plate);
    if (plate.rank() == 0) std::printf("largest error: %.3e\n", error);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
