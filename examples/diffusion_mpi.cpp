// SPDX-License-Identifier: Apache-2.0

/// \file
/// Diffusion in a periodic cube: a simulation with a decomposition in three dimensions, on a
/// communicator of its own, that restarts from any stored step.
///
/// Takes explicit steps of u_t = u_xx + u_yy + u_zz. Each rank has a block of the cube with a halo
/// of one cell. Every second step the ranks append the field and its mean to a time series, from
/// which a later run reads its blocks. `diffusion_mpi --help` prints the usage.

#include "help.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mpi.h>
#include <string>
#include <tessera/array/from_local.hpp>
#include <tessera/array/time_series.hpp>
#include <tessera/executor/mpi.hpp>
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;
using ts::index_t;

namespace {

constexpr const char* usage = R"(usage: mpirun -n 4 diffusion_mpi STORE STEPS [FROM]

Takes STEPS steps of diffusion in a cube of 12 x 10 x 8 cells; every second one is stored.

  STORE  the Zarr store: u, mean, time
  FROM   the step to restart from; later ones are dropped. Omitted: the last one
)";

constexpr std::array<index_t, 3> cells{12, 10, 8};
constexpr int steps_between_outputs = 2;

/// A rank's block of the cube, in a grid of ranks.
class block {
 public:
  explicit block(MPI_Comm program) {
    int num_ranks = 1;
    MPI_Comm_size(program, &num_ranks);
    std::array<int, 3> ranks{0, 0, 0};
    MPI_Dims_create(num_ranks, 3, ranks.data());
    const std::array<int, 3> is_periodic{1, 1, 1};
    MPI_Cart_create(program, 3, ranks.data(), is_periodic.data(), 0, &comm_);
    int rank = 0;
    MPI_Comm_rank(comm_, &rank);
    std::array<int, 3> at{};
    MPI_Cart_coords(comm_, rank, 3, at.data());
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const index_t chunk = (cells[axis] + ranks[axis] - 1) / ranks[axis];
      offset_[axis] = chunk * at[axis];
      extent_[axis] = std::min(chunk, cells[axis] - offset_[axis]);
    }
    strides_ = {(extent_[1] + 2) * (extent_[2] + 2), extent_[2] + 2, 1};
    now_.resize(static_cast<std::size_t>((extent_[0] + 2) * strides_[0]));
    next_ = now_;
  }
  block(const block&) = delete;
  block& operator=(const block&) = delete;
  ~block() { MPI_Comm_free(&comm_); }

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] const std::array<index_t, 3>& offset() const { return offset_; }
  [[nodiscard]] const std::array<index_t, 3>& extent() const { return extent_; }

  /// Returns the cell (i, j, k) of the block; -1 and the extents are the halo's.
  [[nodiscard]] double& at(index_t i, index_t j, index_t k) {
    return now_[static_cast<std::size_t>((i + 1) * strides_[0] + (j + 1) * strides_[1] + k + 1)];
  }

  /// Returns the cube, of which each rank has its block.
  [[nodiscard]] ts::array<double, 3> field() const {
    const auto first = static_cast<std::size_t>(strides_[0] + strides_[1] + 1);
    return ts::from_local<double, 3>(comm_, std::span(now_).subspan(first), cells, offset_,
                                     {.part = extent_, .strides = strides_});
  }

  /// Calls `visit` with the indices of each cell.
  template <class F>
  void each_cell(F&& visit) const {
    for (index_t i = 0; i < extent_[0]; ++i) {
      for (index_t j = 0; j < extent_[1]; ++j) {
        for (index_t k = 0; k < extent_[2]; ++k) visit(i, j, k);
      }
    }
  }

  /// Takes one step: u += (sum of the six neighbours - 6 u) / 8.
  void step() {
    for (int axis = 0; axis < 3; ++axis) exchange_halo(axis);
    each_cell([this](index_t i, index_t j, index_t k) {
      const double* const u = &at(i, j, k);
      const auto [x, y, z] = strides_;
      const double sum = ((u[-x] + u[x]) + (u[-y] + u[y])) + (u[-z] + u[z]);
      next_[static_cast<std::size_t>(u - now_.data())] = *u + 0.125 * (sum - 6 * *u);
    });
    std::swap(now_, next_);
  }

 private:
  /// Sends the outermost cells across both faces of an axis into the neighbours' halos.
  void exchange_halo(int axis) {
    const auto a = static_cast<std::size_t>(axis);
    std::array<int, 3> whole{};
    std::array<int, 3> face{};
    for (std::size_t k = 0; k < 3; ++k) {
      whole[k] = static_cast<int>(extent_[k]) + 2;
      face[k] = k == a ? 1 : static_cast<int>(extent_[k]);
    }
    const auto last = static_cast<int>(extent_[a]);
    int before = 0;
    int after = 0;
    MPI_Cart_shift(comm_, axis, 1, &before, &after);
    send(whole, face, a, last, after, 0, before);
    send(whole, face, a, 1, before, last + 1, after);
  }

  /// Sends the layer `from` along `axis` to the rank `to`, and receives the layer `into` from
  /// `source`.
  void send(const std::array<int, 3>& whole, const std::array<int, 3>& face, std::size_t axis,
            int from, int to, int into, int source) {
    const auto layer = [&](int position) {
      std::array<int, 3> start{1, 1, 1};
      start[axis] = position;
      MPI_Datatype type = MPI_DATATYPE_NULL;
      MPI_Type_create_subarray(3, whole.data(), face.data(), start.data(), MPI_ORDER_C, MPI_DOUBLE,
                               &type);
      MPI_Type_commit(&type);
      return type;
    };
    MPI_Datatype sent = layer(from);
    MPI_Datatype received = layer(into);
    MPI_Sendrecv(now_.data(), 1, sent, to, 0, now_.data(), 1, received, source, 0, comm_,
                 MPI_STATUS_IGNORE);
    MPI_Type_free(&sent);
    MPI_Type_free(&received);
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::array<index_t, 3> offset_{};
  std::array<index_t, 3> extent_{};
  std::array<index_t, 3> strides_{};
  std::vector<double> now_;
  std::vector<double> next_;
};

void append(ts::time_series& out, int step, const block& cube) {
  const auto u = cube.field();
  out.append(step, ts::variable("u", u, {"z", "y", "x"}), ts::variable("mean", ts::mean(u)));
}

/// Sets the block to the last stored step, or to the first one of a new simulation. Returns the
/// step.
int restore(ts::time_series& out, const std::string& store, block& cube) {
  const auto [z, y, x] = cube.offset();
  if (out.size() == 0) {
    cube.each_cell([&, z = z, y = y, x = x](index_t i, index_t j, index_t k) {
      const index_t number = ((z + i) * cells[1] + y + j) * cells[2] + x + k;
      cube.at(i, j, k) = static_cast<double>(number * number % 101);
    });
    append(out, 0, cube);
    return 0;
  }
  const auto [depth, rows, columns] = cube.extent();
  const auto last =
      ts::open<double, 4>(store + "/u")(-1, ts::slice(z, z + depth), ts::slice(y, y + rows),
                                        ts::slice(x, x + columns))
          .compute({.executor = ts::executors::serial()});
  cube.each_cell([&](index_t i, index_t j, index_t k) { cube.at(i, j, k) = last(i, j, k); });
  return static_cast<int>(out.times().back());
}

void simulate(int argc, char** argv) {
  const std::string store = argv[1];
  block cube(MPI_COMM_WORLD);
  ts::time_series out(store, {.executor = ts::executors::mpi(cube.comm())});
  if (argc > 3) out.restart_from(std::atof(argv[3]));
  for (int step = restore(out, store, cube) + 1; step <= std::atoi(argv[2]); ++step) {
    cube.step();
    if (step % steps_between_outputs == 0) append(out, step, cube);
  }
}

}  // namespace

int main(int argc, char** argv) {
  int provided = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  try {
    const ts::runtime runtime(argc, argv);
    if (asks_for_help(argc, argv) || argc < 3) {
      if (rank == 0) std::printf("%s\n%s", usage, ts::runtime::help().c_str());
    } else {
      simulate(argc, argv);
    }
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
}
