// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs that join arrays, take every second layer of one, and multiply many matrices.

#include "tessera/kernel/detail/eigen_core.hpp"

#include "hand_written.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>
#include <vector>

namespace hand_written {

namespace {

void twice(const double* from, double* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) to[i] = 2 * from[i];
}

}  // namespace

void store_joined(const zarr_array& u, const zarr_array& v, const zarr_array& out) {
  create(out);
  const std::size_t half = u.shape[0] % u.chunks[0] * u.chunks[1];
  // A column of chunks.
  for_each_chunk(out.chunks_along(1), [&] {
    return [&, half, files = chunk_files(out.chunk_bytes()),
            read = buffer<double>(out.chunk_elements()),
            block = buffer<double>(out.chunk_elements())](std::size_t column) mutable {
      std::size_t row = 0;
      const auto write = [&] {
        files.write(out.file_of({row++, column}), std::as_bytes(std::span(block)), sizeof(double));
      };
      for (std::size_t k = 0; k < u.chunks_along(0); ++k) {
        files.read(u.file_of({k, column}), std::as_writable_bytes(std::span(read)));
        const bool is_last = k + 1 == u.chunks_along(0);
        twice(read.data(), block.data(), is_last ? half : block.size());
        if (!is_last) write();
      }
      for (std::size_t k = 0; k < v.chunks_along(0); ++k) {
        files.read(v.file_of({k, column}), std::as_writable_bytes(std::span(read)));
        const std::size_t rest = block.size() - half;
        twice(read.data(), block.data() + half, rest);
        write();
        if (k + 1 < v.chunks_along(0)) twice(read.data() + rest, block.data(), half);
      }
    };
  });
}

void store_every_second(const zarr_array& x, const zarr_array& out) {
  create(out);
  const std::size_t layer = x.chunks[1] * x.chunks[2];
  for_each_chunk(x.num_chunks(), [&] {
    return
        [&, layer, files = chunk_files(x.chunk_bytes()), read = buffer<float>(x.chunk_elements()),
         block = buffer<float>(out.chunk_elements())](std::size_t position) mutable {
          files.read(x.file_of(position), std::as_writable_bytes(std::span(read)));
          for (std::size_t t = 0; t < out.chunks[0]; ++t) {
            std::copy_n(read.data() + 2 * t * layer, layer, block.data() + t * layer);
          }
          files.write(out.file_of(position), std::as_bytes(std::span(block)), sizeof(float));
        };
  });
}

std::vector<float> mean_of_every_second(const zarr_array& x) {
  constexpr std::size_t strip = 1024;
  const std::size_t layer = x.chunks[1] * x.chunks[2];
  const std::size_t columns = x.chunks_along(2);
  std::vector<float> mean(x.shape[1] * x.shape[2]);
  for_each_chunk(x.chunks_along(1) * columns, [&] {
    return [&, layer, columns, files = chunk_files(x.chunk_bytes()),
            read = buffer<float>(x.chunk_elements()),
            sums = std::vector<double>(layer)](std::size_t column) mutable {
      const std::size_t at[] = {column / columns, column % columns};
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t k = 0; k < x.chunks_along(0); ++k) {
        files.read(x.file_of({k, at[0], at[1]}), std::as_writable_bytes(std::span(read)));
        for (std::size_t start = 0; start < layer; start += strip) {
          for (std::size_t t = 0; t < x.chunks[0]; t += 2) {
            const float* const from = read.data() + t * layer + start;
            double* const to = sums.data() + start;
            for (std::size_t i = 0; i < strip; ++i) to[i] += from[i];
          }
        }
      }
      float* const first = mean.data() + at[0] * x.chunks[1] * x.shape[2] + at[1] * x.chunks[2];
      const auto count = static_cast<double>(x.shape[0] / 2);
      for (std::size_t i = 0; i < layer; ++i) {
        first[i / x.chunks[2] * x.shape[2] + i % x.chunks[2]] = static_cast<float>(sums[i] / count);
      }
    };
  });
  return mean;
}

result product_of(const std::vector<std::vector<double>>& factors, std::size_t order) {
  using matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  auto product = make_result(order * order);
  const std::size_t part = order / num_threads;
  const auto rows = static_cast<Eigen::Index>(part);
  const auto columns = static_cast<Eigen::Index>(order);
  for_each_chunk(num_threads, [&] {
    return [&](std::size_t i) {
      const std::size_t first = i * part * order;
      matrix block = Eigen::Map<const matrix>(factors[0].data() + first, rows, columns);
      matrix next(rows, columns);
      for (std::size_t k = 1; k < factors.size(); ++k) {
        next.noalias() = block * Eigen::Map<const matrix>(factors[k].data(), columns, columns);
        std::swap(block, next);
      }
      Eigen::Map<matrix>(product.get() + first, rows, columns) = block;
    };
  });
  return product;
}

}  // namespace hand_written
