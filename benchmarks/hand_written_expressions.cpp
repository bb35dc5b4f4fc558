// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs of many operations on arrays of rank 2, each chunk taken once.

#include "hand_written.hpp"

#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <cstddef>
#include <mutex>
#include <span>
#include <vector>

namespace hand_written {

namespace {

/// As many elements as stay in the first-level cache.
constexpr std::size_t strip = 1024;

std::span<std::byte> bytes_of(buffer<double>& values) {
  return std::as_writable_bytes(std::span(values));
}

/// Writes the means of 2 x 2 elements of `rows` rows to `means`.
void halve(const double* values, std::size_t rows, std::size_t columns, double* means) {
  for (std::size_t r = 0; r < rows / 2; ++r) {
    const double* const above = values + 2 * r * columns;
    const double* const below = above + columns;
    double* const made = means + r * (columns / 2);
    for (std::size_t c = 0; c < columns / 2; ++c) {
      made[c] = (above[2 * c] + above[2 * c + 1] + below[2 * c] + below[2 * c + 1]) / 4;
    }
  }
}

}  // namespace

void store_chain(const zarr_array& x, std::size_t num_roots, const zarr_array& out) {
  create(out);
  for_each_chunk(x.num_chunks(), [&] {
    return [&, num_roots, files = chunk_files(x.chunk_bytes()),
            values = buffer<double>(x.chunk_elements())](std::size_t position) mutable {
      files.read(x.file_of(position), bytes_of(values));
      for (std::size_t first = 0; first < values.size(); first += strip) {
        double* const some = values.data() + first;
        for (std::size_t i = 0; i < strip; ++i) some[i] = std::abs(some[i]);
        for (std::size_t k = 0; k < num_roots; ++k) {
          for (std::size_t i = 0; i < strip; ++i) some[i] = std::sqrt(some[i] + 1);
        }
      }
      files.write(out.file_of(position), bytes_of(values), sizeof(double));
    };
  });
}

void store_sum_of_bands(const zarr_array& x, std::size_t num_bands, const zarr_array& out) {
  create(out);
  const std::size_t depth = out.chunks_along(0);
  for_each_chunk(out.num_chunks(), [&] {
    return [&, num_bands, depth, files = chunk_files(x.chunk_bytes()),
            values = buffer<double>(x.chunk_elements()),
            sums = buffer<double>(x.chunk_elements())](std::size_t position) mutable {
      const std::vector<std::size_t> at = out.chunk_at(position);
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t band = 0; band < num_bands; ++band) {
        files.read(x.file_of({band * depth + at[0], at[1]}), bytes_of(values));
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += values[i];
      }
      files.write(out.file_of(position), bytes_of(sums), sizeof(double));
    };
  });
}

void store_flipped(const zarr_array& x, const zarr_array& out) {
  create(out);
  for_each_chunk(x.num_chunks(), [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<double>(x.chunk_elements()),
            flipped = buffer<double>(x.chunk_elements())](std::size_t position) mutable {
      const std::vector<std::size_t> at = x.chunk_at(position);
      files.read(x.file_of(at), bytes_of(values));
      std::reverse_copy(values.begin(), values.end(), flipped.begin());
      files.write(out.file_of({x.chunks_along(0) - 1 - at[0], x.chunks_along(1) - 1 - at[1]}),
                  bytes_of(flipped), sizeof(double));
    };
  });
}

void store_pyramid(const zarr_array& x, const std::vector<zarr_array>& levels) {
  for (const zarr_array& level : levels) create(level);
  for_each_chunk(x.num_chunks(), [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<double>(x.chunk_elements()),
            means = buffer<double>()](std::size_t position) mutable {
      values.resize(x.chunk_elements());
      files.read(x.file_of(position), bytes_of(values));
      std::size_t rows = x.chunks[0];
      std::size_t columns = x.chunks[1];
      for (const zarr_array& level : levels) {
        means.resize(values.size() / 4);
        halve(values.data(), rows, columns, means.data());
        files.write(level.file_of(position), bytes_of(means), sizeof(double));
        std::swap(values, means);
        rows /= 2;
        columns /= 2;
      }
    };
  });
}

std::vector<double> gram_matrix(const zarr_array& x) {
  const std::size_t width = x.shape[1];
  const auto n = static_cast<int>(width);
  const auto rows = static_cast<int>(x.chunks[0]);
  std::vector<double> gram(width * width);
  std::mutex turn;
  for_each_chunk(x.num_chunks(), [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<double>(x.chunk_elements()),
            product = std::vector<double>(width * width)](std::size_t position) mutable {
      files.read(x.file_of(position), bytes_of(values));
      cblas_dgemm(CblasRowMajor, CblasTrans, CblasNoTrans, n, n, rows, 1.0, values.data(), n,
                  values.data(), n, 0.0, product.data(), n);
      const std::scoped_lock lock(turn);
      for (std::size_t i = 0; i < gram.size(); ++i) gram[i] += product[i];
    };
  });
  return gram;
}

}  // namespace hand_written
