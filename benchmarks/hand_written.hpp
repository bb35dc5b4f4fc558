// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The rivals of Tessera's programs, as an experienced programmer would write them by hand for one
/// task: with two threads, POSIX files, c-blosc and plain loops.

#include "large_pages.hpp"

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace hand_written {

/// Threads of every program here, and of the Tessera programs that they are compared with.
inline constexpr int num_threads = 2;

/// A Zarr v2 array; blosc-lz4 at level 5 with byte shuffle.
struct zarr_array {
  std::filesystem::path path;
  std::vector<std::size_t> shape;
  std::vector<std::size_t> chunks;
  std::size_t item_size = sizeof(double);

  [[nodiscard]] std::size_t num_chunks() const;
  [[nodiscard]] std::size_t chunks_along(std::size_t axis) const;
  [[nodiscard]] std::size_t chunk_elements() const;
  [[nodiscard]] std::size_t chunk_bytes() const { return chunk_elements() * item_size; }
  [[nodiscard]] std::size_t num_bytes() const { return num_chunks() * chunk_bytes(); }
  /// Returns the position along each axis of the chunk that is `position`-th in row-major order.
  [[nodiscard]] std::vector<std::size_t> chunk_at(std::size_t position) const;
  /// Returns the file of a chunk.
  [[nodiscard]] std::string file_of(const std::vector<std::size_t>& chunk) const;
  [[nodiscard]] std::string file_of(std::size_t position) const {
    return file_of(chunk_at(position));
  }
};

/// Makes the directory of an array and its `.zarray`.
void create(const zarr_array& array);

/// Reads and writes the chunks of arrays through one buffer that is used again and again.
class chunk_files {
 public:
  /// Takes chunks of at most `chunk_bytes` bytes.
  explicit chunk_files(std::size_t chunk_bytes);

  void read(const std::string& file, std::span<std::byte> elements);
  void write(const std::string& file, std::span<const std::byte> elements, std::size_t item_size);
  /// Writes a chunk atomically: the file is there as a whole or not at all.
  void replace(const std::string& file, std::span<const std::byte> elements, std::size_t item_size);

 private:
  buffer<std::byte> encoded_;
};

/// Calls `make_worker()` on each thread, and the workers with 0, ..., `count` - 1, in turn.
template <class MakeWorker>
void for_each_chunk(std::size_t count, MakeWorker make_worker) {
  std::atomic<std::size_t> next{0};
  const auto run = [&] {
    auto worker = make_worker();
    for (std::size_t i = next++; i < count; i = next++) worker(i);
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < num_threads; ++i) others.emplace_back(run);
  run();
}

/// Writes sqrt(a * a + b * b) - 0.5 * c to the array `out`.
void store_expression(const zarr_array& a, const zarr_array& b, const zarr_array& c,
                      const zarr_array& out);

/// Writes `in` to the array `out`.
void copy(const zarr_array& in, const zarr_array& out);

/// Copies so that a killed run can be resumed: files are written atomically, and the state of the
/// files of input and output is recorded.
void copy_resumably(const zarr_array& in, const zarr_array& out);

/// Returns a checksum of the sizes and times of all files of an array.
[[nodiscard]] std::uint64_t state_of(const zarr_array& x);

struct mean_and_deviation {
  double mean = 0;
  double deviation = 0;
};

/// Returns the mean and the standard deviation (of the population) of a float64 array.
[[nodiscard]] mean_and_deviation mean_and_stddev(const zarr_array& x);

/// Returns the means over axis 0 of u * v, u * u and v * v, of float32 of rank 3.
[[nodiscard]] std::array<std::vector<float>, 3> quadratic_means(const zarr_array& u,
                                                                const zarr_array& v);

/// Returns the means over axis 0 of u * v, u * u and v * v, of float64 in chunks of whole layers.
/// Each thread sums its layers.
[[nodiscard]] std::array<std::vector<double>, 3> means_of_layers(const zarr_array& u,
                                                                 const zarr_array& v);

/// Returns the sum of a float64 array.
[[nodiscard]] double sum(const zarr_array& x);

/// Returns the means of float32 layers of one label each: `num_groups` planes.
[[nodiscard]] std::vector<float> group_means(const zarr_array& x,
                                             const std::vector<std::int64_t>& labels,
                                             std::size_t num_groups);

/// Returns the position of the greatest element of each line along axis 0 of float32.
[[nodiscard]] std::vector<std::int64_t> positions_of_greatest(const zarr_array& x);

/// Writes the running sums of float32 along axis 0 to the array `out`.
void store_running_sum(const zarr_array& x, const zarr_array& out);

/// Writes the rolling means of `length` float32 along axis 0 to the array `out`.
void store_rolling_mean(const zarr_array& x, std::size_t length, const zarr_array& out);

/// Writes (x - mean) / deviation along axis 0 of float32 to the array `out`. Holds the chunks of a
/// column.
void store_anomaly(const zarr_array& x, const zarr_array& out);

/// Returns the counts of elements of a float64 array in each of the bins from `low` to `high`.
[[nodiscard]] std::vector<std::int64_t> histogram(const zarr_array& x, double low, double high,
                                                  std::size_t num_bins);

/// Returns the sums of a float64 array of rank 2 over axis 0, and over axis 1.
[[nodiscard]] std::array<std::vector<double>, 2> sums_over_either_axis(const zarr_array& x);

/// Writes the five-point Laplacian of a float64 array, without its borders, to the array `out`.
void store_laplacian(const zarr_array& x, const zarr_array& out);

/// Writes float32 of rank 3 with sorted lines along axis 0 to `out`. A chunk has whole lines.
void store_sorted_lines(const zarr_array& x, const zarr_array& out);

/// Returns the `q`-th quantile of each of these lines.
[[nodiscard]] std::vector<float> quantiles_of_lines(const zarr_array& x, double q);

/// Writes the squares of the absolute values of the real discrete Fourier transforms of these
/// lines, divided by the lines' length, to the array `out`.
void store_spectra(const zarr_array& x, const zarr_array& out);

/// Writes some rows of a float64 array of rank 2 to the array `out`, in as wide chunks.
void store_rows(const zarr_array& x, std::span<const std::size_t> rows, const zarr_array& out);

/// Writes 2 * u, and behind its last row 2 * v, of float64 arrays of rank 2 to the array `out`; v
/// begins within a chunk there. Reads each chunk once.
void store_joined(const zarr_array& u, const zarr_array& v, const zarr_array& out);

/// Writes every second layer of float32 of rank 3 to the array `out`, in chunks that are half as
/// deep.
void store_every_second(const zarr_array& x, const zarr_array& out);

/// Returns the mean of every second layer of float32 of rank 3.
[[nodiscard]] std::vector<float> mean_of_every_second(const zarr_array& x);

/// Writes float32 of rank 3 to the array `out`, in other chunks. Holds all of it.
void rechunk(const zarr_array& in, const zarr_array& out);

/// Writes sqrt(... sqrt(abs(x) + 1) ... + 1), of so many roots, of a float64 array to the array
/// `out`.
void store_chain(const zarr_array& x, std::size_t num_roots, const zarr_array& out);

/// Writes the sum of bands of rows, which a float64 array of rank 2 is cut into, to the array
/// `out`.
void store_sum_of_bands(const zarr_array& x, std::size_t num_bands, const zarr_array& out);

/// Writes a float64 array of rank 2 with its rows and its columns in reverse to the array `out`.
void store_flipped(const zarr_array& x, const zarr_array& out);

/// Writes the means of 2 x 2 elements of a float64 array of rank 2 to the first of the arrays
/// `levels`, the means of the first level to the next, and so on.
void store_pyramid(const zarr_array& x, const std::vector<zarr_array>& levels);

/// Returns X^T X of a float64 matrix X in chunks of rows.
[[nodiscard]] std::vector<double> gram_matrix(const zarr_array& x);

/// Returns sqrt(a * a + b * b) - 0.5 * c of arrays in memory.
[[nodiscard]] result expression(std::span<const double> a, std::span<const double> b,
                                std::span<const double> c);

/// Returns the sum of chunks that lie in memory, one after the other.
[[nodiscard]] double sum_of_chunks(const std::vector<std::vector<std::byte>>& chunks);

/// Returns the product of square matrices by OpenBLAS.
[[nodiscard]] result matmul(std::span<const double> a, std::span<const double> b,
                            std::size_t order);
/// As this, of `count` pairs: one on both threads, several one after the other on each.
[[nodiscard]] result_of<float> matmul(std::span<const float> a, std::span<const float> b,
                                      std::size_t count, std::size_t order);

/// Returns the product of square matrices, one after the other, by Eigen: each thread takes half of
/// the rows through all of them.
[[nodiscard]] result product_of(const std::vector<std::vector<double>>& factors, std::size_t order);

}  // namespace hand_written
