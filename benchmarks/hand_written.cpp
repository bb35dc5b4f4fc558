// SPDX-License-Identifier: Apache-2.0
#include "hand_written.hpp"

#include <algorithm>
#include <cblas.h>
#include <cmath>
#include <fstream>
#include <functional>
#include <mutex>
#include <numeric>
#include <sys/stat.h>

namespace hand_written {

namespace {

/// The length of strips that stay in the first-level cache with their results.
constexpr std::size_t strip = 1024;

/// Sums are kept in this many lanes, so that the compiler may use whole vectors.
constexpr std::size_t lanes = 16;

void evaluate(const double* a, const double* b, const double* c, double* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = std::sqrt(a[i] * a[i] + b[i] * b[i]) - 0.5 * c[i];
  }
}

std::span<std::byte> bytes_of(buffer<double>& values) {
  return std::as_writable_bytes(std::span(values));
}

double total(const std::array<double, lanes>& sums) {
  double result = 0;
  for (const double sum : sums) result += sum;
  return result;
}

/// Requires: `count` is a multiple of `lanes`; so do the functions below.
double sum_of(const double* x, std::size_t count) {
  std::array<double, lanes> sums{};
  for (std::size_t i = 0; i < count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) sums[lane] += x[i + lane];
  }
  return total(sums);
}

double squares_around(double mean, const double* x, std::size_t count) {
  std::array<double, lanes> sums{};
  for (std::size_t i = 0; i < count; i += lanes) {
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const double difference = x[i + lane] - mean;
      sums[lane] += difference * difference;
    }
  }
  return total(sums);
}

/// The first two moments of a set of values; merged as Chan, Golub and LeVeque (1979) do.
struct moments {
  double count = 0;
  double mean = 0;
  double squares = 0;

  void merge(const moments& rhs) {
    const double sum = count + rhs.count;
    if (sum == 0) return;
    const double difference = rhs.mean - mean;
    mean += difference * rhs.count / sum;
    squares += rhs.squares + difference * difference * count * rhs.count / sum;
    count = sum;
  }
};

moments moments_of(const double* x, std::size_t count) {
  const double mean = sum_of(x, count) / static_cast<double>(count);
  return {static_cast<double>(count), mean, squares_around(mean, x, count)};
}

/// The sums of u * v, u * u and v * v over axis 0, of one column of chunks.
struct quadratic_sums {
  std::vector<double> uv, uu, vv;

  explicit quadratic_sums(std::size_t size) : uv(size), uu(size), vv(size) {}

  void clear() {
    for (auto* sums : {&uv, &uu, &vv}) std::fill(sums->begin(), sums->end(), 0.0);
  }

  /// Adds a chunk of `depth` layers.
  template <class T>
  void add(const T* u, const T* v, std::size_t depth) {
    const std::size_t layer = uv.size();
    for (std::size_t start = 0; start < layer; start += strip) {
      for (std::size_t t = 0; t < depth; ++t) {
        add_strip(u + t * layer + start, v + t * layer + start, start);
      }
    }
  }

  template <class T>
  void add_strip(const T* u, const T* v, std::size_t start) {
    double* const uv_sums = uv.data() + start;
    double* const uu_sums = uu.data() + start;
    double* const vv_sums = vv.data() + start;
    for (std::size_t i = 0; i < strip; ++i) {
      const double x = u[i];
      const double y = v[i];
      uv_sums[i] += x * y;
      uu_sums[i] += x * x;
      vv_sums[i] += y * y;
    }
  }
};

/// Writes `sums / depth` to the box of `mean` (rows of `width`) that begins at `first`.
void write_means(const std::vector<double>& sums, double depth, float* first, std::size_t columns,
                 std::size_t width) {
  for (std::size_t i = 0; i < sums.size(); ++i) {
    first[i / columns * width + i % columns] = static_cast<float>(sums[i] / depth);
  }
}

}  // namespace

void store_expression(const zarr_array& a, const zarr_array& b, const zarr_array& c,
                      const zarr_array& out) {
  create(out);
  for_each_chunk(out.num_chunks(), [&] {
    const std::size_t count = out.chunk_elements();
    return [&, count, files = chunk_files(out.chunk_bytes()), x = buffer<double>(count),
            y = buffer<double>(count), z = buffer<double>(count),
            w = buffer<double>(count)](std::size_t position) mutable {
      files.read(a.file_of(position), bytes_of(x));
      files.read(b.file_of(position), bytes_of(y));
      files.read(c.file_of(position), bytes_of(z));
      evaluate(x.data(), y.data(), z.data(), w.data(), count);
      files.write(out.file_of(position), bytes_of(w), sizeof(double));
    };
  });
}

void copy(const zarr_array& in, const zarr_array& out) {
  create(out);
  for_each_chunk(out.num_chunks(), [&] {
    return [&, files = chunk_files(out.chunk_bytes()),
            x = buffer<double>(out.chunk_elements())](std::size_t position) mutable {
      files.read(in.file_of(position), bytes_of(x));
      files.write(out.file_of(position), bytes_of(x), sizeof(double));
    };
  });
}

void copy_resumably(const zarr_array& in, const zarr_array& out) {
  std::uint64_t known = state_of(in);
  create(out);
  for_each_chunk(out.num_chunks(), [&] {
    return [&, files = chunk_files(out.chunk_bytes()),
            x = buffer<double>(out.chunk_elements())](std::size_t position) mutable {
      files.read(in.file_of(position), bytes_of(x));
      files.replace(out.file_of(position), bytes_of(x), sizeof(double));
    };
  });
  known ^= state_of(out);
  std::ofstream(out.path / ".finished") << known << '\n';
}

std::uint64_t state_of(const zarr_array& x) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(x.path)) {
    names.push_back(entry.path().string());
  }
  std::atomic<std::uint64_t> sum{0};
  for_each_chunk(names.size(), [&] {
    return [&](std::size_t i) {
      struct stat status {};
      if (::stat(names[i].c_str(), &status) != 0) return;
      const auto size = static_cast<std::uint64_t>(status.st_size);
      const auto time = static_cast<std::uint64_t>(status.st_mtim.tv_nsec);
      sum += std::hash<std::string>{}(names[i]) ^ (size * 31 + time);
    };
  });
  return sum;
}

mean_and_deviation mean_and_stddev(const zarr_array& x) {
  std::vector<moments> of_chunks(x.num_chunks());
  for_each_chunk(x.num_chunks(), [&] {
    return [&, files = chunk_files(x.chunk_bytes()),
            values = buffer<double>(x.chunk_elements())](std::size_t position) mutable {
      files.read(x.file_of(position), bytes_of(values));
      moments whole;
      for (std::size_t i = 0; i < values.size(); i += strip) {
        whole.merge(moments_of(values.data() + i, strip));
      }
      of_chunks[position] = whole;
    };
  });
  moments whole;
  for (const moments& part : of_chunks) whole.merge(part);
  return {whole.mean, std::sqrt(whole.squares / whole.count)};
}

std::array<std::vector<float>, 3> quadratic_means(const zarr_array& u, const zarr_array& v) {
  const std::size_t depth = u.shape[0] / u.chunks[0];
  const std::size_t columns = u.shape[2] / u.chunks[2];
  const std::size_t num_columns = u.num_chunks() / depth;
  std::array<std::vector<float>, 3> means;
  for (auto& mean : means) mean.resize(u.shape[1] * u.shape[2]);

  for_each_chunk(num_columns, [&] {
    const std::size_t count = u.chunk_elements();
    return [&, files = chunk_files(u.chunk_bytes()), x = buffer<float>(count),
            y = buffer<float>(count),
            sums = quadratic_sums(u.chunks[1] * u.chunks[2])](std::size_t column) mutable {
      const std::size_t row = column / columns;
      sums.clear();
      for (std::size_t t = 0; t < depth; ++t) {
        files.read(u.file_of({t, row, column % columns}), std::as_writable_bytes(std::span(x)));
        files.read(v.file_of({t, row, column % columns}), std::as_writable_bytes(std::span(y)));
        sums.add(x.data(), y.data(), u.chunks[0]);
      }
      const std::size_t first = row * u.chunks[1] * u.shape[2] + column % columns * u.chunks[2];
      const auto length = static_cast<double>(u.shape[0]);
      write_means(sums.uv, length, means[0].data() + first, u.chunks[2], u.shape[2]);
      write_means(sums.uu, length, means[1].data() + first, u.chunks[2], u.shape[2]);
      write_means(sums.vv, length, means[2].data() + first, u.chunks[2], u.shape[2]);
    };
  });
  return means;
}

std::array<std::vector<double>, 3> means_of_layers(const zarr_array& u, const zarr_array& v) {
  std::vector<quadratic_sums> of_threads(num_threads, quadratic_sums(u.shape[1] * u.shape[2]));
  std::atomic<std::size_t> next{0};
  for_each_chunk(u.num_chunks(), [&] {
    return [&, &sums = of_threads[next++], files = chunk_files(u.chunk_bytes()),
            x = buffer<double>(u.chunk_elements()),
            y = buffer<double>(u.chunk_elements())](std::size_t position) mutable {
      files.read(u.file_of(position), bytes_of(x));
      files.read(v.file_of(position), bytes_of(y));
      sums.add(x.data(), y.data(), u.chunks[0]);
    };
  });
  const auto mean = [&](std::vector<double> quadratic_sums::*product) {
    std::vector<double> means = std::move(of_threads.front().*product);
    for (std::size_t i = 0; i < means.size(); ++i) {
      for (int thread = 1; thread < num_threads; ++thread) {
        means[i] += (of_threads[static_cast<std::size_t>(thread)].*product)[i];
      }
      means[i] /= static_cast<double>(u.shape[0]);
    }
    return means;
  };
  return {mean(&quadratic_sums::uv), mean(&quadratic_sums::uu), mean(&quadratic_sums::vv)};
}

double sum(const zarr_array& x) {
  std::vector<double> of_chunks(x.num_chunks());
  for_each_chunk(x.num_chunks(), [&] {
    return [&, files = chunk_files(x.chunk_bytes()),
            values = buffer<double>(x.chunk_elements())](std::size_t position) mutable {
      files.read(x.file_of(position), bytes_of(values));
      of_chunks[position] = sum_of(values.data(), values.size());
    };
  });
  return std::accumulate(of_chunks.begin(), of_chunks.end(), 0.0);
}

std::vector<std::int64_t> histogram(const zarr_array& x, double low, double high,
                                    std::size_t num_bins) {
  constexpr std::size_t tables = 4;  // so that equal neighbours do not wait for each other
  std::vector<std::int64_t> counts(num_bins);
  std::mutex turn;
  for_each_chunk(x.num_chunks(), [&] {
    return [&, files = chunk_files(x.chunk_bytes()), values = buffer<double>(x.chunk_elements()),
            table_counts =
                std::vector<std::int64_t>(tables * (num_bins + 2))](std::size_t position) mutable {
      files.read(x.file_of(position), bytes_of(values));
      const double scale = static_cast<double>(num_bins) / (high - low);
      const auto bins = static_cast<double>(num_bins);
      std::fill(table_counts.begin(), table_counts.end(), 0);
      for (std::size_t i = 0; i < values.size(); i += tables) {
        for (std::size_t k = 0; k < tables; ++k) {
          const double at = std::clamp((values[i + k] - low) * scale, -1.0, bins);
          const double bin = values[i + k] == high ? bins - 1 : std::floor(at);
          ++table_counts[k * (num_bins + 2) + static_cast<std::size_t>(static_cast<int>(bin) + 1)];
        }
      }
      const std::scoped_lock lock(turn);
      for (std::size_t k = 0; k < tables; ++k) {
        for (std::size_t b = 0; b < num_bins; ++b)
          counts[b] += table_counts[k * (num_bins + 2) + b + 1];
      }
    };
  });
  return counts;
}

result expression(std::span<const double> a, std::span<const double> b, std::span<const double> c) {
  auto out = make_result(a.size());
  const std::size_t piece = a.size() / num_threads;
  for_each_chunk(num_threads, [&] {
    return [&](std::size_t i) {
      const std::size_t start = i * piece;
      evaluate(a.data() + start, b.data() + start, c.data() + start, out.get() + start, piece);
    };
  });
  return out;
}

double sum_of_chunks(const std::vector<std::vector<std::byte>>& chunks) {
  std::vector<double> sums(chunks.size());
  for_each_chunk(chunks.size(), [&] {
    return [&](std::size_t i) {
      const auto* values = reinterpret_cast<const double*>(chunks[i].data());
      sums[i] = sum_of(values, chunks[i].size() / sizeof(double));
    };
  });
  return sum_of(sums.data(), sums.size());
}

result matmul(std::span<const double> a, std::span<const double> b, std::size_t order) {
  auto product = make_result(order * order);
  const auto n = static_cast<int>(order);
  openblas_set_num_threads(num_threads);
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a.data(), n, b.data(), n,
              0.0, product.get(), n);
  openblas_set_num_threads(1);
  return product;
}

result_of<float> matmul(std::span<const float> a, std::span<const float> b, std::size_t count,
                        std::size_t order) {
  const std::size_t size = order * order;
  auto product = make_result<float>(count * size);
  const auto n = static_cast<int>(order);
  const auto multiply = [&](std::size_t i) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0F, a.data() + i * size, n,
                b.data() + i * size, n, 0.0F, product.get() + i * size, n);
  };
  if (count == 1) {
    openblas_set_num_threads(num_threads);
    multiply(0);
    openblas_set_num_threads(1);
  } else {
    for_each_chunk(count, [&] { return multiply; });
  }
  return product;
}

}  // namespace hand_written
