// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs that walk an array along its first axis, chunk after chunk of a column.

#include "hand_written.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

namespace hand_written {

namespace {

/// As many elements as stay in the first-level cache next to what is made of them.
constexpr std::size_t strip = 1024;

template <class T>
std::span<std::byte> bytes_of(buffer<T>& values) {
  return std::as_writable_bytes(std::span(values));
}

/// The columns of chunks of an array of rank 3, and the layers of a chunk along its first axis.
struct columns {
  explicit columns(const zarr_array& x)
      : count(x.shape[1] / x.chunks[1] * (x.shape[2] / x.chunks[2])),
        depth(x.shape[0] / x.chunks[0]),
        layers(x.chunks[0]),
        layer(x.chunks[1] * x.chunks[2]),
        across(x.shape[2] / x.chunks[2]) {}

  /// Returns where the chunk number `k` of a column is.
  [[nodiscard]] std::vector<std::size_t> chunk(std::size_t k, std::size_t column) const {
    return {k, column / across, column % across};
  }

  std::size_t count;
  std::size_t depth;
  std::size_t layers;
  std::size_t layer;
  std::size_t across;
};

/// Copies a box of `layer` elements, which are rows of a chunk, into rows of the whole plane.
template <class T>
void copy_layer(const T* from, T* plane, const zarr_array& x, const std::vector<std::size_t>& at) {
  for (std::size_t row = 0; row < x.chunks[1]; ++row) {
    T* const to = plane + (at[1] * x.chunks[1] + row) * x.shape[2] + at[2] * x.chunks[2];
    std::copy_n(from + row * x.chunks[2], x.chunks[2], to);
  }
}

/// Calls `take(t, values)` for each layer of each column, strip by strip within a chunk.
template <class Take, class Done>
void walk_columns(const zarr_array& x, std::size_t num_states, Take take, Done done) {
  const columns all(x);
  for_each_chunk(all.count, [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<float>(x.chunk_elements()),
            states = buffer<double>(num_states)](std::size_t column) mutable {
      std::fill(states.begin(), states.end(), 0.0);
      for (std::size_t k = 0; k < all.depth; ++k) {
        files.read(x.file_of(all.chunk(k, column)), bytes_of(values));
        for (std::size_t first = 0; first < all.layer; first += strip) {
          for (std::size_t i = 0; i < all.layers; ++i) {
            take(k * all.layers + i, values.data() + i * all.layer + first, states.data(), first);
          }
        }
      }
      done(all.chunk(0, column), states.data());
    };
  });
}

}  // namespace

namespace {

/// Copies the rows of a chunk from or to where it lies in the whole array, by `copy`.
template <class Copy>
void for_each_row(const zarr_array& x, std::size_t position, float* all, float* chunk, Copy copy) {
  const std::vector<std::size_t> at = x.chunk_at(position);
  const std::size_t length = x.chunks[2];
  for (std::size_t i = 0; i < x.chunks[0]; ++i) {
    const std::size_t plane = (at[0] * x.chunks[0] + i) * x.shape[1];
    for (std::size_t j = 0; j < x.chunks[1]; ++j) {
      float* const row = all + (plane + at[1] * x.chunks[1] + j) * x.shape[2] + at[2] * length;
      copy(row, chunk + (i * x.chunks[1] + j) * length, length);
    }
  }
}

}  // namespace

void rechunk(const zarr_array& in, const zarr_array& out) {
  create(out);
  // Large pages that nobody has touched: the threads that write them do.
  const std::unique_ptr<void, free_memory> memory(allocate_large(in.num_bytes()));
  auto* const all = static_cast<float*>(memory.get());
  for_each_chunk(in.num_chunks(), [&] {
    return [&, files = chunk_files(in.chunk_bytes()),
            chunk = buffer<float>(in.chunk_elements())](std::size_t position) mutable {
      // A chunk of whole maps is decoded where it goes.
      if (in.chunks[1] == in.shape[1] && in.chunks[2] == in.shape[2]) {
        const std::span<float> place(all + position * in.chunk_elements(), in.chunk_elements());
        files.read(in.file_of(position), std::as_writable_bytes(place));
        return;
      }
      files.read(in.file_of(position), bytes_of(chunk));
      for_each_row(in, position, all, chunk.data(),
                   [](float* row, const float* from, std::size_t n) { std::copy_n(from, n, row); });
    };
  });
  for_each_chunk(out.num_chunks(), [&] {
    return [&, files = chunk_files(out.chunk_bytes()),
            chunk = buffer<float>(out.chunk_elements())](std::size_t position) mutable {
      if (out.chunks[1] == out.shape[1] && out.chunks[2] == out.shape[2]) {
        const std::span<float> place(all + position * out.chunk_elements(), out.chunk_elements());
        files.write(out.file_of(position), std::as_bytes(place), sizeof(float));
        return;
      }
      for_each_row(out, position, all, chunk.data(),
                   [](const float* row, float* to, std::size_t n) { std::copy_n(row, n, to); });
      files.write(out.file_of(position), bytes_of(chunk), sizeof(float));
    };
  });
}

std::vector<float> group_means(const zarr_array& x, const std::vector<std::int64_t>& labels,
                               std::size_t num_groups) {
  const std::size_t layer = x.chunks[1] * x.chunks[2];
  const std::size_t plane = x.shape[1] * x.shape[2];
  std::vector<double> counts(num_groups);
  for (const std::int64_t label : labels) counts[static_cast<std::size_t>(label)] += 1;
  std::vector<float> means(num_groups * plane);
  walk_columns(
      x, num_groups * layer,
      [&](std::size_t t, const float* values, double* sums, std::size_t first) {
        double* const into = sums + static_cast<std::size_t>(labels[t]) * layer + first;
        for (std::size_t i = 0; i < strip; ++i) into[i] += values[i];
      },
      [&](const std::vector<std::size_t>& at, const double* sums) {
        std::vector<float> of_one(layer);
        for (std::size_t g = 0; g < num_groups; ++g) {
          for (std::size_t i = 0; i < layer; ++i) {
            of_one[i] = static_cast<float>(sums[g * layer + i] / counts[g]);
          }
          copy_layer(of_one.data(), means.data() + g * plane, x, at);
        }
      });
  return means;
}

std::vector<std::int64_t> positions_of_greatest(const zarr_array& x) {
  const columns all(x);
  std::vector<std::int64_t> positions(x.shape[1] * x.shape[2]);
  for_each_chunk(all.count, [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<float>(x.chunk_elements()),
            greatest = buffer<float>(all.layer),
            at = buffer<std::int32_t>(all.layer)](std::size_t column) mutable {
      for (std::size_t k = 0; k < all.depth; ++k) {
        files.read(x.file_of(all.chunk(k, column)), bytes_of(values));
        for (std::size_t first = 0; first < all.layer; first += strip) {
          for (std::size_t i = 0; i < all.layers; ++i) {
            const float* const layer = values.data() + i * all.layer;
            const auto t = static_cast<std::int32_t>(k * all.layers + i);
            for (std::size_t p = first; p < first + strip; ++p) {
              const bool is_greater = t == 0 || layer[p] > greatest[p];
              greatest[p] = is_greater ? layer[p] : greatest[p];
              at[p] = is_greater ? t : at[p];
            }
          }
        }
      }
      const std::vector<std::int64_t> wide(at.begin(), at.end());
      copy_layer(wide.data(), positions.data(), x, all.chunk(0, column));
    };
  });
  return positions;
}

void store_running_sum(const zarr_array& x, const zarr_array& out) {
  create(out);
  const columns all(x);
  for_each_chunk(all.count, [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<float>(x.chunk_elements()),
            sums = buffer<double>(all.layer)](std::size_t column) mutable {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t k = 0; k < all.depth; ++k) {
        files.read(x.file_of(all.chunk(k, column)), bytes_of(values));
        for (std::size_t first = 0; first < all.layer; first += strip) {
          for (std::size_t i = 0; i < all.layers; ++i) {
            float* const layer = values.data() + i * all.layer;
            for (std::size_t p = first; p < first + strip; ++p) {
              sums[p] += layer[p];
              layer[p] = static_cast<float>(sums[p]);
            }
          }
        }
        files.write(out.file_of(all.chunk(k, column)), bytes_of(values), sizeof(float));
      }
    };
  });
}

void store_anomaly(const zarr_array& x, const zarr_array& out) {
  create(out);
  const columns all(x);
  for_each_chunk(all.count, [&] {
    return [&, files = chunk_files(x.chunk_bytes()), sums = buffer<double>(2 * all.layer),
            column_of = buffer<float>(all.depth * x.chunk_elements())](std::size_t column) mutable {
      const auto chunk = [&](std::size_t k) {
        return std::span(column_of).subspan(k * x.chunk_elements(), x.chunk_elements());
      };
      for (std::size_t k = 0; k < all.depth; ++k) {
        files.read(x.file_of(all.chunk(k, column)), std::as_writable_bytes(chunk(k)));
      }
      const auto num_layers = all.depth * all.layers;
      for (std::size_t first = 0; first < all.layer; first += strip) {
        double* const mean = sums.data() + first;
        double* const squares = mean + all.layer;
        std::fill_n(mean, strip, 0.0);
        std::fill_n(squares, strip, 0.0);
        const auto for_each_layer = [&](auto take) {
          for (std::size_t t = 0; t < num_layers; ++t) {
            float* const layer = column_of.data() + t * all.layer + first;
            for (std::size_t i = 0; i < strip; ++i) take(layer[i], mean[i], squares[i]);
          }
        };
        for_each_layer([](float value, double& sum, double&) { sum += value; });
        for (std::size_t i = 0; i < strip; ++i) mean[i] /= static_cast<double>(num_layers);
        for_each_layer(
            [](float value, double m, double& sum) { sum += (value - m) * (value - m); });
        for (std::size_t i = 0; i < strip; ++i) {
          squares[i] = std::sqrt(squares[i] / static_cast<double>(num_layers));
        }
        for_each_layer([](float& value, double m, double deviation) {
          value = (value - static_cast<float>(m)) / static_cast<float>(deviation);
        });
      }
      for (std::size_t k = 0; k < all.depth; ++k) {
        files.write(out.file_of(all.chunk(k, column)), std::as_bytes(chunk(k)), sizeof(float));
      }
    };
  });
}

void store_rolling_mean(const zarr_array& x, std::size_t length, const zarr_array& out) {
  create(out);
  const columns all(x);
  const std::size_t before = length - 1;  // fewer than the layers of a chunk
  const double scale = 1.0 / static_cast<double>(length);
  for_each_chunk(all.count, [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<float>(x.chunk_elements()),
            last = buffer<float>(x.chunk_elements()), made = buffer<float>(x.chunk_elements()),
            sums = buffer<double>(all.layer)](std::size_t column) mutable {
      // Takes layers [from, to) of the chunk `k`, which give those of `made` from `first_made` on.
      const auto take = [&](std::size_t k, std::size_t from, std::size_t to,
                            std::size_t first_made) {
        for (std::size_t first = 0; first < all.layer; first += strip) {
          for (std::size_t i = from; i < to; ++i) {
            const float* const in = values.data() + i * all.layer;
            const bool is_full = k > 0 || i >= length;
            const float* const left = i >= length
                                          ? in - length * all.layer
                                          : last.data() + (all.layers + i - length) * all.layer;
            float* const result = made.data() + (first_made + i - from) * all.layer;
            for (std::size_t p = first; p < first + strip; ++p) {
              sums[p] += static_cast<double>(in[p]) - (is_full ? left[p] : 0.0F);
              result[p] = static_cast<float>(sums[p] * scale);
            }
          }
        }
      };
      std::fill(sums.begin(), sums.end(), 0.0);
      std::fill(last.begin(), last.end(), 0.0F);
      for (std::size_t k = 0; k < all.depth; ++k) {
        files.read(x.file_of(all.chunk(k, column)), bytes_of(values));
        take(k, 0, before, all.layers - before);
        if (k > 0) {
          files.write(out.file_of(all.chunk(k - 1, column)), bytes_of(made), sizeof(float));
        }
        take(k, before, all.layers, 0);
        std::swap(values, last);
      }
      std::fill(made.begin() + static_cast<std::ptrdiff_t>((all.layers - before) * all.layer),
                made.end(), 0.0F);
      files.write(out.file_of(all.chunk(all.depth - 1, column)), bytes_of(made), sizeof(float));
    };
  });
}

std::array<std::vector<double>, 2> sums_over_either_axis(const zarr_array& x) {
  constexpr std::size_t lanes = 16;  // so that the compiler may use whole vectors
  const std::size_t rows = x.chunks[0];
  const std::size_t width = x.chunks[1];
  std::array<std::vector<double>, 2> sums{std::vector<double>(x.shape[1]),
                                          std::vector<double>(x.shape[0])};
  std::mutex turn;
  for_each_chunk(x.num_chunks(), [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<double>(x.chunk_elements()),
            of_columns = buffer<double>(width),
            of_rows = buffer<double>(rows)](std::size_t position) mutable {
      files.read(x.file_of(position), bytes_of(values));
      std::fill(of_columns.begin(), of_columns.end(), 0.0);
      for (std::size_t r = 0; r < rows; ++r) {
        const double* const row = values.data() + r * width;
        std::array<double, lanes> all{};
        for (std::size_t i = 0; i < width; i += lanes) {
          for (std::size_t lane = 0; lane < lanes; ++lane) {
            of_columns[i + lane] += row[i + lane];
            all[lane] += row[i + lane];
          }
        }
        of_rows[r] = 0;
        for (const double each : all) of_rows[r] += each;
      }
      const std::vector<std::size_t> at = x.chunk_at(position);
      const std::scoped_lock lock(turn);
      for (std::size_t i = 0; i < width; ++i) sums[0][at[1] * width + i] += of_columns[i];
      for (std::size_t r = 0; r < rows; ++r) sums[1][at[0] * rows + r] += of_rows[r];
    };
  });
  return sums;
}

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
          for (std::size_t r = 0; r < height; ++r) {
            const double* const above = band.data() + r * width + c * x.chunks[1];
            const double* const here = above + width;
            const double* const below = here + width;
            double* const made = chunk.data() + r * x.chunks[1];
            for (std::size_t i = 0; i < length; ++i) {
              made[i] = above[i + 1] + below[i + 1] + here[i] + here[i + 2] - 4 * here[i + 1];
            }
          }
          files.write(out.file_of({row, c}), bytes_of(chunk), sizeof(double));
        }
        std::copy_n(band.data() + rows * width, rows * width, band.data());
      }
    };
  });
}

}  // namespace hand_written
