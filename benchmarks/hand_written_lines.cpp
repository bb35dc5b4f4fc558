// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs that take lines along the first axis whole, and one that takes rows.

#include "hand_written.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <span>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace hand_written {

namespace {

/// The lines of a batch: their elements of one position fill a cache line.
constexpr std::size_t lines_at_once = 16;

/// Calls `take(first, lines)` for batches of lines along the first axis of a chunk; the lines of a
/// batch are contiguous.
template <class Take>
void for_each_line(std::span<const float> chunk, std::size_t length, Take take) {
  const std::size_t count = chunk.size() / length;
  std::vector<float> lines(lines_at_once * length);
  for (std::size_t first = 0; first < count; first += lines_at_once) {
    for (std::size_t i = 0; i < length; ++i) {
      for (std::size_t k = 0; k < lines_at_once; ++k) {
        lines[k * length + i] = chunk[i * count + first + k];
      }
    }
    take(first, lines);
  }
}

}  // namespace

void store_sorted_lines(const zarr_array& x, const zarr_array& out) {
  create(out);
  const std::size_t length = x.chunks[0];
  const std::size_t count = x.chunk_elements() / length;
  for_each_chunk(x.num_chunks(), [&] {
    return [&, files = chunk_files(x.chunk_bytes()),
            values = buffer<float>(x.chunk_elements())](std::size_t position) mutable {
      files.read(x.file_of(position), std::as_writable_bytes(std::span(values)));
      for_each_line(values, length, [&](std::size_t first, std::vector<float>& lines) {
        for (std::size_t k = 0; k < lines_at_once; ++k) {
          const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(k * length);
          std::sort(begin, begin + static_cast<std::ptrdiff_t>(length));
        }
        for (std::size_t i = 0; i < length; ++i) {
          for (std::size_t k = 0; k < lines_at_once; ++k) {
            values[i * count + first + k] = lines[k * length + i];
          }
        }
      });
      files.write(out.file_of(position), std::as_bytes(std::span(values)), sizeof(float));
    };
  });
}

std::vector<float> quantiles_of_lines(const zarr_array& x, double q) {
  const std::size_t length = x.chunks[0];
  const double rank = q * static_cast<double>(length - 1);
  const auto below = static_cast<std::ptrdiff_t>(rank);
  const auto part = static_cast<float>(rank - static_cast<double>(below));
  std::vector<float> quantiles(x.shape[1] * x.shape[2]);
  for_each_chunk(x.num_chunks(), [&] {
    return [&, files = chunk_files(x.chunk_bytes()),
            values = buffer<float>(x.chunk_elements())](std::size_t position) mutable {
      files.read(x.file_of(position), std::as_writable_bytes(std::span(values)));
      const std::vector<std::size_t> at = x.chunk_at(position);
      for_each_line(values, length, [&](std::size_t first, std::vector<float>& lines) {
        for (std::size_t k = 0; k < lines_at_once; ++k) {
          const auto begin = lines.begin() + static_cast<std::ptrdiff_t>(k * length);
          const auto end = begin + static_cast<std::ptrdiff_t>(length);
          std::nth_element(begin, begin + below, end);
          const float low = begin[below];
          const float high =
              below + 1 < end - begin ? *std::min_element(begin + below + 1, end) : low;
          const std::size_t row = at[1] * x.chunks[1] + (first + k) / x.chunks[2];
          const std::size_t column = at[2] * x.chunks[2] + (first + k) % x.chunks[2];
          quantiles[row * x.shape[2] + column] = low + part * (high - low);
        }
      });
    };
  });
  return quantiles;
}

void store_spectra(const zarr_array& x, const zarr_array& out) {
  create(out);
  const std::size_t length = x.chunks[0];
  const std::size_t count = x.chunk_elements() / length;
  const std::size_t num_waves = length / 2 + 1;
  const float scale = 1 / static_cast<float>(length);
  for_each_chunk(x.num_chunks(), [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<float>(x.chunk_elements()),
            block = buffer<float>(num_waves * count), fft = Eigen::FFT<float>(),
            waves = std::vector<std::complex<float>>(num_waves)](std::size_t position) mutable {
      files.read(x.file_of(position), std::as_writable_bytes(std::span(values)));
      fft.SetFlag(Eigen::FFT<float>::HalfSpectrum);
      for_each_line(values, length, [&](std::size_t first, std::vector<float>& lines) {
        for (std::size_t k = 0; k < lines_at_once; ++k) {
          fft.fwd(waves.data(), lines.data() + k * length, static_cast<Eigen::Index>(length));
          for (std::size_t i = 0; i < num_waves; ++i) {
            block[i * count + first + k] = std::norm(waves[i] * scale);
          }
        }
      });
      files.write(out.file_of(position), std::as_bytes(std::span(block)), sizeof(float));
    };
  });
}

void store_rows(const zarr_array& x, std::span<const std::size_t> rows, const zarr_array& out) {
  create(out);
  const std::size_t width = x.chunks[1];
  for_each_chunk(x.chunks_along(1), [&] {
    // A column of chunks.
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<double>(x.chunk_elements()),
            block = buffer<double>(out.chunks_along(0) * out.chunk_elements())](
               std::size_t column) mutable {
      std::fill(block.begin(), block.end(), 0.0);
      for (std::size_t k = 0; k < x.chunks_along(0); ++k) {
        files.read(x.file_of({k, column}), std::as_writable_bytes(std::span(values)));
        for (std::size_t i = 0; i < rows.size(); ++i) {
          if (rows[i] / x.chunks[0] != k) continue;
          std::copy_n(values.data() + rows[i] % x.chunks[0] * width, width,
                      block.data() + i * width);
        }
      }
      const std::span block_span(block);
      for (std::size_t k = 0; k < out.chunks_along(0); ++k) {
        files.write(
            out.file_of({k, column}),
            std::as_bytes(block_span.subspan(k * out.chunk_elements(), out.chunk_elements())),
            sizeof(double));
      }
    };
  });
}

}  // namespace hand_written
