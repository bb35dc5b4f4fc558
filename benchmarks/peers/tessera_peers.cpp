// SPDX-License-Identifier: Apache-2.0

/// \file
/// The programs of cmake/peers.sh with Tessera, on two threads; prints the seconds of each run.
///
/// usage: tessera_peers PROGRAM DATA RESULTS REPEAT

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <map>
#include <string>
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

namespace {

/// The folders of a program.
struct folders {
  std::string data;
  std::string results;

  template <class T, std::size_t N>
  [[nodiscard]] ts::array<T, N> input(const std::string& name) const {
    return ts::open<T, N>(data + "/" + name);
  }
  [[nodiscard]] std::string result(const std::string& name) const { return results + "/" + name; }
};

ts::array<float, 3> u_of(const folders& in) { return in.input<float, 3>("u"); }
ts::array<float, 3> v_of(const folders& in) { return in.input<float, 3>("v"); }

void chain(const folders& in) {
  const auto u = u_of(in);
  const auto v = v_of(in);
  ts::store(ts::sqrt(u * u + v * v) - 0.5F * u, in.result("chain"));
}

void moments(const folders& in) {
  const auto u = u_of(in);
  ts::store(ts::stored(ts::mean(u), in.result("mean")),
            ts::stored(ts::stddev(u), in.result("std")));
}

void sums(const folders& in) {
  const auto u = u_of(in);
  ts::store(ts::stored(ts::sum(u, ts::axis<0>), in.result("over_times")),
            ts::stored(ts::sum(u, ts::axis<2>), in.result("over_columns")));
}

void quadratic_means(const folders& in) {
  const auto u = u_of(in);
  const auto v = v_of(in);
  ts::store(ts::stored(ts::mean(u * u, ts::axis<0>), in.result("uu")),
            ts::stored(ts::mean(v * v, ts::axis<0>), in.result("vv")),
            ts::stored(ts::mean(u * v, ts::axis<0>), in.result("uv")));
}

void rechunk(const folders& in) {
  const auto u = u_of(in);
  const auto places = ts::store(ts::rechunk(u, {u.shape()[0], 20, 40}), in.result("places"));
  ts::store(ts::rechunk(places, u.chunks()), in.result("times"));
}

void matmul(const folders& in) {
  ts::store(ts::matmul(in.input<float, 2>("a"), in.input<float, 2>("b")), in.result("product"));
}

void anomaly(const folders& in) {
  const auto u = u_of(in);
  const auto mean = ts::mean(u, ts::axis<0>, ts::keepdims);
  ts::store((u - mean) / ts::stddev(u, ts::axis<0>, ts::keepdims), in.result("anomaly"));
}

void copy(const folders& in) { ts::store(u_of(in), in.result("copy")); }

void small_chunks(const folders& in) {
  ts::store(ts::sum(in.input<float, 1>("small")), in.result("sum"));
}

/// The plan of quadratic means of 20,000 chunks; nothing runs.
void planning(const folders& in) {
  const auto x = in.input<float, 3>("large_u");
  const auto y = in.input<float, 3>("large_v");
  (void)ts::plan(ts::mean(x * x, ts::axis<0>), ts::mean(y * y, ts::axis<0>),
                 ts::mean(x * y, ts::axis<0>));
}

/// Means of the twelve months of years of 120 steps.
void group_by(const folders& in) {
  const auto u = u_of(in);
  std::vector<std::int64_t> months;
  for (ts::index_t t = 0; t < u.shape()[0]; ++t) months.push_back(t / 10 % 12);
  ts::store(ts::groupby_reduce(u, ts::asarray(months), ts::op::mean{}, 12, ts::axis<0>),
            in.result("months"));
}

/// The number of the nearest of all points, for each query.
void neighbours(const folders& in) {
  const auto queries = in.input<float, 2>("queries");
  const auto points = in.input<float, 2>("points");
  const auto products = ts::matmul(queries, ts::matrix_transpose(points));
  const auto distances = ts::sum(points * points, ts::axis<1>) - 2.0F * products;
  ts::store(ts::argmin(distances, ts::axis<1>), in.result("nearest"));
}

using program = void (*)(const folders&);

const std::map<std::string, program>& programs() {
  static const std::map<std::string, program> by_name{{"chain", chain},
                                                      {"moments", moments},
                                                      {"sums", sums},
                                                      {"quadratic_means", quadratic_means},
                                                      {"rechunk", rechunk},
                                                      {"matmul", matmul},
                                                      {"anomaly", anomaly},
                                                      {"copy", copy},
                                                      {"small_chunks", small_chunks},
                                                      {"planning", planning},
                                                      {"group_by", group_by},
                                                      {"neighbours", neighbours}};
  return by_name;
}

double seconds_of(program run, const folders& in) {
  std::filesystem::remove_all(in.results);
  std::filesystem::create_directories(in.results);
  const auto begin = std::chrono::steady_clock::now();
  run(in);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  if (argc != 5) {
    std::cerr << "usage: tessera_peers PROGRAM DATA RESULTS REPEAT\n";
    return 2;
  }
  const program run = programs().at(argv[1]);
  const folders in{.data = argv[2], .results = argv[3]};
  for (int i = 0; i < std::stoi(argv[4]); ++i) std::cout << seconds_of(run, in) << '\n';
  return 0;
}
