// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs of many operations on arrays of rank 2, which read each chunk once.

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

/// The length of strips that stay in the first-level cache.
constexpr std::size_t strip = 1024;

std::span<std::byte> bytes_of(buffer<double>& values) {
  return std::as_writable_bytes(std::span(values));
}

/// Writes the means of 2 x 2 elements of `rows` rows to `means`.
void halve(const double* values, std::size_t rows, std::size_t columns, double* means) {
  for (std::size_t r = 0; r < rows / 2; ++r) {
    const double* const above = values + 2 * r * columns;
    const double* const below = above + columns;
    double* const row_of_means = means + r * (columns / 2);
    for (std::size_t c = 0; c < columns / 2; ++c) {
      row_of_means[c] = (above[2 * c] + above[2 * c + 1] + below[2 * c] + below[2 * c + 1]) / 4;
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

namespace {

/// Computes the Laplacian of `height` rows of `length` elements: the first row of the operand is at
/// `above`, with `width` elements to the next row, and a row of `out` has `out_width`.
void compute_laplacian(const double* above, std::size_t width, std::size_t height,
                       std::size_t length, double* out, std::size_t out_width) {
  for (std::size_t r = 0; r < height; ++r, above += width, out += out_width) {
    const double* const here = above + width;
    const double* const below = here + width;
    for (std::size_t i = 0; i < length; ++i) {
      out[i] = above[i + 1] + below[i + 1] + here[i] + here[i + 2] - 4 * here[i + 1];
    }
  }
}

}  // namespace

void store_laplacian(const zarr_array& x, const zarr_array& out) {
  create(out);
  const std::size_t width = x.shape[1];
  const std::size_t rows = x.chunks[0];
  const std::size_t across = width / x.chunks[1];
  const std::size_t depth = x.shape[0] / rows;
  constexpr std::size_t segments = 8;
  for_each_chunk(segments, [&] {
    // Two rows of chunks.
    return [&, files = chunk_files(x.chunk_bytes()), chunk = buffer<double>(x.chunk_elements()),
            band = buffer<double>(2 * rows * width)](std::size_t segment) mutable {
      const auto read = [&](std::size_t row, double* into) {
        for (std::size_t c = 0; c < across; ++c) {
          files.read(x.file_of({row, c}), bytes_of(chunk));
          for (std::size_t r = 0; r < rows; ++r) {
            std::copy_n(chunk.data() + r * x.chunks[1], x.chunks[1],
                        into + r * width + c * x.chunks[1]);
          }
        }
      };
      const std::size_t first = segment * depth / segments;
      const std::size_t last = (segment + 1) * depth / segments;
      read(first, band.data());
      for (std::size_t row = first; row < last; ++row) {
        if (row + 1 < depth) read(row + 1, band.data() + rows * width);
        for (std::size_t c = 0; c < across; ++c) {
          std::fill(chunk.begin(), chunk.end(), 0.0);
          const std::size_t height = std::min(rows, out.shape[0] - row * rows);
          const std::size_t length = std::min(x.chunks[1], out.shape[1] - c * x.chunks[1]);
          compute_laplacian(band.data() + c * x.chunks[1], width, height, length, chunk.data(),
                            x.chunks[1]);
          files.write(out.file_of({row, c}), bytes_of(chunk), sizeof(double));
        }
        std::copy_n(band.data() + rows * width, rows * width, band.data());
      }
    };
  });
}

}  // namespace hand_written
