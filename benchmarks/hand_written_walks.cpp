// SPDX-License-Identifier: Apache-2.0

/// \file
/// Programs that read an array along its first axis, chunk after chunk of a column.

#include "hand_written.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <mutex>
#include <utility>

namespace hand_written {

namespace {

/// The length of strips that stay in the first-level cache with their results.
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

  /// Returns the position of chunk `k` of a column.
  [[nodiscard]] std::vector<std::size_t> chunk(std::size_t k, std::size_t column) const {
    return {k, column / across, column % across};
  }

  std::size_t count;
  std::size_t depth;
  std::size_t layers;
  std::size_t layer;
  std::size_t across;
};

/// Copies a box of `layer` elements, rows of a chunk, into rows of the whole plane.
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
  const columns grid(x);
  for_each_chunk(grid.count, [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<float>(x.chunk_elements()),
            states = buffer<double>(num_states)](std::size_t column) mutable {
      std::fill(states.begin(), states.end(), 0.0);
      for (std::size_t k = 0; k < grid.depth; ++k) {
        files.read(x.file_of(grid.chunk(k, column)), bytes_of(values));
        for (std::size_t first = 0; first < grid.layer; first += strip) {
          for (std::size_t i = 0; i < grid.layers; ++i) {
            take(k * grid.layers + i, values.data() + i * grid.layer + first, states.data(), first);
          }
        }
      }
      done(grid.chunk(0, column), states.data());
    };
  });
}

}  // namespace

namespace {

/// Copies the rows of a chunk from or to its region of the whole array, by `copy`.
template <class Copy>
void for_each_row(const zarr_array& x, std::size_t position, float* elements, float* chunk,
                  Copy copy) {
  const std::vector<std::size_t> at = x.chunk_at(position);
  const std::size_t length = x.chunks[2];
  for (std::size_t i = 0; i < x.chunks[0]; ++i) {
    const std::size_t plane = (at[0] * x.chunks[0] + i) * x.shape[1];
    for (std::size_t j = 0; j < x.chunks[1]; ++j) {
      float* const row = elements + (plane + at[1] * x.chunks[1] + j) * x.shape[2] + at[2] * length;
      copy(row, chunk + (i * x.chunks[1] + j) * length, length);
    }
  }
}

}  // namespace

void rechunk(const zarr_array& in, const zarr_array& out) {
  create(out);
  // Untouched large pages: the threads that write them allocate them.
  const std::unique_ptr<void, free_memory> memory(allocate_large(in.num_bytes()));
  auto* const elements = static_cast<float*>(memory.get());
  for_each_chunk(in.num_chunks(), [&] {
    return [&, files = chunk_files(in.chunk_bytes()),
            chunk = buffer<float>(in.chunk_elements())](std::size_t position) mutable {
      // A chunk of whole maps is decoded into its destination.
      if (in.chunks[1] == in.shape[1] && in.chunks[2] == in.shape[2]) {
        const std::span<float> room(elements + position * in.chunk_elements(), in.chunk_elements());
        files.read(in.file_of(position), std::as_writable_bytes(room));
        return;
      }
      files.read(in.file_of(position), bytes_of(chunk));
      for_each_row(in, position, elements, chunk.data(),
                   [](float* row, const float* from, std::size_t n) { std::copy_n(from, n, row); });
    };
  });
  for_each_chunk(out.num_chunks(), [&] {
    return [&, files = chunk_files(out.chunk_bytes()),
            chunk = buffer<float>(out.chunk_elements())](std::size_t position) mutable {
      if (out.chunks[1] == out.shape[1] && out.chunks[2] == out.shape[2]) {
        const std::span<float> room(elements + position * out.chunk_elements(),
                                    out.chunk_elements());
        files.write(out.file_of(position), std::as_bytes(room), sizeof(float));
        return;
      }
      for_each_row(out, position, elements, chunk.data(),
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
  const columns grid(x);
  std::vector<std::int64_t> positions(x.shape[1] * x.shape[2]);
  for_each_chunk(grid.count, [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<float>(x.chunk_elements()),
            greatest = buffer<float>(grid.layer),
            at = buffer<std::int32_t>(grid.layer)](std::size_t column) mutable {
      for (std::size_t k = 0; k < grid.depth; ++k) {
        files.read(x.file_of(grid.chunk(k, column)), bytes_of(values));
        for (std::size_t first = 0; first < grid.layer; first += strip) {
          for (std::size_t i = 0; i < grid.layers; ++i) {
            const float* const layer = values.data() + i * grid.layer;
            const auto t = static_cast<std::int32_t>(k * grid.layers + i);
            for (std::size_t p = first; p < first + strip; ++p) {
              const bool is_greater = t == 0 || layer[p] > greatest[p];
              greatest[p] = is_greater ? layer[p] : greatest[p];
              at[p] = is_greater ? t : at[p];
            }
          }
        }
      }
      const std::vector<std::int64_t> wide(at.begin(), at.end());
      copy_layer(wide.data(), positions.data(), x, grid.chunk(0, column));
    };
  });
  return positions;
}

void store_running_sum(const zarr_array& x, const zarr_array& out) {
  create(out);
  const columns grid(x);
  for_each_chunk(grid.count, [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<float>(x.chunk_elements()),
            sums = buffer<double>(grid.layer)](std::size_t column) mutable {
      std::fill(sums.begin(), sums.end(), 0.0);
      for (std::size_t k = 0; k < grid.depth; ++k) {
        files.read(x.file_of(grid.chunk(k, column)), bytes_of(values));
        for (std::size_t first = 0; first < grid.layer; first += strip) {
          for (std::size_t i = 0; i < grid.layers; ++i) {
            float* const layer = values.data() + i * grid.layer;
            for (std::size_t p = first; p < first + strip; ++p) {
              sums[p] += layer[p];
              layer[p] = static_cast<float>(sums[p]);
            }
          }
        }
        files.write(out.file_of(grid.chunk(k, column)), bytes_of(values), sizeof(float));
      }
    };
  });
}

namespace {

/// Standardises `num_layers` layers of a column in place: (x - mean) / deviation along the layers.
void standardise(std::span<float> column, std::size_t num_layers, std::size_t layer_size,
                 buffer<double>& sums) {
  for (std::size_t first = 0; first < layer_size; first += strip) {
    double* const mean = sums.data() + first;
    double* const squares = mean + layer_size;
    std::fill_n(mean, strip, 0.0);
    std::fill_n(squares, strip, 0.0);
    const auto for_each_layer = [&](auto take) {
      for (std::size_t t = 0; t < num_layers; ++t) {
        float* const layer = column.data() + t * layer_size + first;
        for (std::size_t i = 0; i < strip; ++i) take(layer[i], mean[i], squares[i]);
      }
    };
    for_each_layer([](float value, double& sum, double&) { sum += value; });
    for (std::size_t i = 0; i < strip; ++i) mean[i] /= static_cast<double>(num_layers);
    for_each_layer([](float value, double m, double& sum) { sum += (value - m) * (value - m); });
    for (std::size_t i = 0; i < strip; ++i) {
      squares[i] = std::sqrt(squares[i] / static_cast<double>(num_layers));
    }
    for_each_layer([](float& value, double m, double deviation) {
      value = (value - static_cast<float>(m)) / static_cast<float>(deviation);
    });
  }
}

}  // namespace

void store_anomaly(const zarr_array& x, const zarr_array& out) {
  create(out);
  const columns grid(x);
  for_each_chunk(grid.count, [&] {
    return
        [&, files = chunk_files(x.chunk_bytes()), sums = buffer<double>(2 * grid.layer),
         column_of = buffer<float>(grid.depth * x.chunk_elements())](std::size_t column) mutable {
          const auto chunk = [&](std::size_t k) {
            return std::span(column_of).subspan(k * x.chunk_elements(), x.chunk_elements());
          };
          for (std::size_t k = 0; k < grid.depth; ++k) {
            files.read(x.file_of(grid.chunk(k, column)), std::as_writable_bytes(chunk(k)));
          }
          standardise(column_of, grid.depth * grid.layers, grid.layer, sums);
          for (std::size_t k = 0; k < grid.depth; ++k) {
            files.write(out.file_of(grid.chunk(k, column)), std::as_bytes(chunk(k)), sizeof(float));
          }
        };
  });
}

namespace {

/// The buffers of a rolling mean along the layers of a column: this chunk, the chunk before it, a
/// chunk of means, and the sum of the window at each element of a layer.
struct rolling_buffers {
  rolling_buffers(std::size_t chunk_size, std::size_t layer_size)
      : values(chunk_size), last(chunk_size), means(chunk_size), sums(layer_size) {}

  buffer<float> values;
  buffer<float> last;
  buffer<float> means;
  buffer<double> sums;
};

/// Adds layers [from, to) of chunk `k` to the sums, and writes means from layer `first_mean` on.
void add_layers(rolling_buffers& of, const columns& grid, std::size_t length, std::size_t k,
                std::size_t from, std::size_t to, std::size_t first_mean) {
  const double scale = 1.0 / static_cast<double>(length);
  for (std::size_t first = 0; first < grid.layer; first += strip) {
    for (std::size_t i = from; i < to; ++i) {
      const float* const in = of.values.data() + i * grid.layer;
      const bool is_full = k > 0 || i >= length;
      const float* const leaving = i >= length
                                       ? in - length * grid.layer
                                       : of.last.data() + (grid.layers + i - length) * grid.layer;
      float* const result = of.means.data() + (first_mean + i - from) * grid.layer;
      for (std::size_t p = first; p < first + strip; ++p) {
        of.sums[p] += static_cast<double>(in[p]) - (is_full ? leaving[p] : 0.0F);
        result[p] = static_cast<float>(of.sums[p] * scale);
      }
    }
  }
}

}  // namespace

void store_rolling_mean(const zarr_array& x, std::size_t length, const zarr_array& out) {
  create(out);
  const columns grid(x);
  const std::size_t before = length - 1;  // fewer than the layers of a chunk
  for_each_chunk(grid.count, [&] {
    return [&, files = chunk_files(x.chunk_bytes()),
            of = rolling_buffers(x.chunk_elements(), grid.layer)](std::size_t column) mutable {
      std::fill(of.sums.begin(), of.sums.end(), 0.0);
      std::fill(of.last.begin(), of.last.end(), 0.0F);
      for (std::size_t k = 0; k < grid.depth; ++k) {
        files.read(x.file_of(grid.chunk(k, column)), bytes_of(of.values));
        add_layers(of, grid, length, k, 0, before, grid.layers - before);
        if (k > 0) {
          files.write(out.file_of(grid.chunk(k - 1, column)), bytes_of(of.means), sizeof(float));
        }
        add_layers(of, grid, length, k, before, grid.layers, 0);
        std::swap(of.values, of.last);
      }
      std::fill(of.means.begin() + static_cast<std::ptrdiff_t>((grid.layers - before) * grid.layer),
                of.means.end(), 0.0F);
      files.write(out.file_of(grid.chunk(grid.depth - 1, column)), bytes_of(of.means),
                  sizeof(float));
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
        std::array<double, lanes> lane_sums{};
        for (std::size_t i = 0; i < width; i += lanes) {
          for (std::size_t lane = 0; lane < lanes; ++lane) {
            of_columns[i + lane] += row[i + lane];
            lane_sums[lane] += row[i + lane];
          }
        }
        of_rows[r] = 0;
        for (const double lane_sum : lane_sums) of_rows[r] += lane_sum;
      }
      const std::vector<std::size_t> at = x.chunk_at(position);
      const std::scoped_lock lock(turn);
      for (std::size_t i = 0; i < width; ++i) sums[0][at[1] * width + i] += of_columns[i];
      for (std::size_t r = 0; r < rows; ++r) sums[1][at[0] * rows + r] += of_rows[r];
    };
  });
  return sums;
}

}  // namespace hand_written
