// SPDX-License-Identifier: Apache-2.0
#include "rank_parts.hpp"

#include "core/api/fingerprint.hpp"
#include "programs.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <mpi.h>
#include <numeric>
#include <span>
#include <stdexcept>
#include <tessera/array/from_local.hpp>

namespace programs {

namespace ts = tessera;

namespace {

constexpr std::size_t rows = 16384;
constexpr std::size_t columns = 8192;
constexpr std::size_t edge = 1024;

}  // namespace

rank_parts::rank_parts() {
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &num_ranks_);
  num_rows_ = rows / static_cast<std::size_t>(num_ranks_);
  if (num_rows_ * static_cast<std::size_t>(num_ranks_) != rows || num_rows_ % edge != 0) {
    throw std::invalid_argument("parts of whole chunks need 1, 2, 4, 8 or 16 ranks");
  }
  part_ = data::noise(num_rows_ * columns, 100 + static_cast<std::size_t>(rank_));
  // Of 16 binary places, as the other data of benchmarks.
  for (double& value : part_) value = 5 + std::nearbyint(value * 0x1p16) * 0x1p-16;
}

hand_written::zarr_array rank_parts::stored_like() const {
  return {{}, {rows, columns}, {edge, edge}};
}

double rank_parts::mean_beside_anomaly(const std::shared_ptr<ts::executor>& engine,
                                       const std::string& path) const {
  const auto extent = [](std::size_t n) { return static_cast<ts::index_t>(n); };
  const auto x = ts::from_local<double, 2>(
      MPI_COMM_WORLD, std::span<const double>(part_), {extent(rows), extent(columns)},
      {extent(static_cast<std::size_t>(rank_) * num_rows_), 0}, {.spec = spec()});
  const auto anomaly = x - ts::mean(x, ts::axis<0>);
  const ts::index_t chunk = extent(edge);
  const auto [mean, stored] =
      ts::plan(ts::mean(x), ts::stored(anomaly, path, {.chunks = {chunk, chunk}}),
               ts::run_with{.executor = engine})
          .compute();
  return mean;
}

std::array<std::uint64_t, 2> rank_parts::digest() const {
  ts::fingerprint hash;
  hash.add(std::as_bytes(std::span(part_)));
  std::array<std::uint64_t, 2> words = hash.words();
  MPI_Allreduce(MPI_IN_PLACE, words.data(), 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
  return words;
}

double rank_parts::mean_beside_anomaly(const hand_written::zarr_array& out) const {
  std::vector<double> means(columns);
  for (std::size_t row = 0; row < num_rows_; ++row) {
    const double* const from = part_.data() + row * columns;
    for (std::size_t i = 0; i < columns; ++i) means[i] += from[i];
  }
  if (rank_ == 0) create(out);
  MPI_Allreduce(MPI_IN_PLACE, means.data(), static_cast<int>(columns), MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
  for (double& mean : means) mean /= static_cast<double>(rows);
  hand_written::chunk_files files(out.chunk_bytes());
  hand_written::buffer<double> values(out.chunk_elements());
  const std::size_t first = static_cast<std::size_t>(rank_) * num_rows_ / edge;
  for (std::size_t k = 0; k < num_rows_ / edge; ++k) {
    for (std::size_t column = 0; column < columns / edge; ++column) {
      for (std::size_t row = 0; row < edge; ++row) {
        const double* const from = part_.data() + (k * edge + row) * columns + column * edge;
        for (std::size_t i = 0; i < edge; ++i) {
          values[row * edge + i] = from[i] - means[column * edge + i];
        }
      }
      files.write(out.file_of({first + k, column}), std::as_bytes(std::span(values)),
                  sizeof(double));
    }
  }
  MPI_Barrier(MPI_COMM_WORLD);
  return std::accumulate(means.begin(), means.end(), 0.0) / static_cast<double>(columns);
}

}  // namespace programs
