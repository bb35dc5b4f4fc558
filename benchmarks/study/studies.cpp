// SPDX-License-Identifier: Apache-2.0

/// \file
/// Scaling studies of five programs: real points on this machine, simulated ones to 100,000 workers
/// with the figures of an object store.
///
/// usage: scaling_studies [--engine=threads] [--workers=1,2] [--size=1] [flags of studies]
///        scaling_studies --published=FOLDER
///
/// A size of 1 is about 100 MB of input for each program. The second form simulates two
/// published cases of Cubed, on the metadata of arrays in FOLDER, and prints a table over
/// bandwidth and latency.

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iostream>
#include <sstream>
#include <string>
#include <string_view>
#include <tessera/benchmark/scaling_study.hpp>
#include <tessera/tessera.hpp>
#include <vector>

namespace ts = tessera;

namespace {

/// Latitudes and longitudes of a field.
constexpr ts::index_t rows = 181;
constexpr ts::index_t columns = 360;

ts::array<float, 3> field(const ts::study_point& p, const std::string& name) {
  return p.input<float, 3>(name, {p.scaled(200), rows, columns}, {.chunks = {10, rows, columns}});
}

ts::study_plan quadratic_means(const ts::study_point& p) {
  const auto u = field(p, "u");
  const auto v = field(p, "v");
  return p.plan(ts::mean(u * u, ts::axis<0>), ts::mean(v * v, ts::axis<0>),
                ts::mean(u * v, ts::axis<0>));
}

ts::study_plan anomaly(const ts::study_point& p) {
  const auto u = field(p, "u");
  const auto anomaly =
      (u - ts::mean(u, ts::axis<0>, ts::keepdims)) / ts::stddev(u, ts::axis<0>, ts::keepdims);
  return p.plan(ts::stored(anomaly, p.output("anomaly")));
}

/// Rechunks from chunks of whole maps to chunks of time series, of at most 32 MB.
ts::study_plan rechunk(const ts::study_point& p) {
  const auto u = field(p, "u");
  const ts::index_t times = std::min<ts::index_t>(p.scaled(200), 10'000);
  return p.plan(ts::stored(ts::rechunk(u, {times, 20, 40}), p.output("rechunked")));
}

ts::study_plan matmul(const ts::study_point& p) {
  const ts::index_t n = p.scaled(2000);
  const auto a = p.input<float, 2>("a", {n, n}, {.chunks = {500, 500}});
  const auto b = p.input<float, 2>("b", {n, n}, {.chunks = {500, 500}});
  return p.plan(ts::stored(ts::matmul(a, b), p.output("product")));
}

/// Means of the twelve months of years of 120 steps.
ts::study_plan group_by(const ts::study_point& p) {
  const auto u = field(p, "u");
  std::vector<std::int64_t> months;
  for (ts::index_t t = 0; t < p.scaled(200); ++t) months.push_back(t / 10 % 12);
  const auto means = ts::groupby_reduce(u, ts::asarray(months), ts::op::mean{}, 12, ts::axis<0>);
  return p.plan(ts::stored(means, p.output("months")));
}

/// A case with the time that Cubed has published: https://cubed-dev.github.io/cubed.
struct published_case {
  std::string name;
  std::string parameters;
  double seconds;
  ts::bounded_plan (*plan)(const std::string& folder, const ts::run_with& settings);
};

constexpr std::size_t published_workers = 1'000;

ts::array<float, 3> metadata_alone(const std::string& path, const std::array<ts::index_t, 3>& shape,
                                   const std::array<ts::index_t, 3>& chunks) {
  ts::zarr_metadata metadata;
  metadata.shape = ts::index_vector(shape);
  metadata.chunks = ts::index_vector(chunks);
  metadata.dtype = ts::dtype_of<float>;
  (void)ts::zarr_array::create(path, metadata, {}, ts::existing::replace);
  return ts::open<float, 3>(path);
}

const std::vector<published_case>& published_cases() {
  static const std::vector<published_case> cases{
      {"quadratic means, 1.5 TB",
       "u and v (98960, 987, 1920) float32 in chunks of (10, 987, 1920), three means over time",
       100,
       [](const std::string& folder, const ts::run_with& settings) {
         const auto u = metadata_alone(folder + "/u", {98'960, 987, 1920}, {10, 987, 1920});
         const auto v = metadata_alone(folder + "/v", {98'960, 987, 1920}, {10, 987, 1920});
         return ts::plan(ts::mean(u * u, ts::axis<0>), ts::mean(v * v, ts::axis<0>),
                         ts::mean(u * v, ts::axis<0>), settings)
             .bounded();
       }},
      {"rechunk, 1.5 TB",
       "(350640, 721, 1440) float32 from chunks of (31, 721, 1440) to (350640, 10, 10)", 528,
       [](const std::string& folder, const ts::run_with& settings) {
         const auto x = metadata_alone(folder + "/x", {350'640, 721, 1440}, {31, 721, 1440});
         return ts::plan(ts::stored(ts::rechunk(x, {350'640, 10, 10}), folder + "/y"), settings)
             .bounded();
       }}};
  return cases;
}

double simulated_seconds(const published_case& entry, const std::string& folder,
                         const ts::costs& figures) {
  const auto options = ts::simulated_options::of(figures, published_workers);
  const ts::bounded_plan plan =
      entry.plan(folder, ts::run_with{.executor = ts::executors::simulated(options)});
  return std::chrono::duration<double>(ts::simulate(plan, options, ts::as_planned).elapsed).count();
}

void print_published_cases(const std::string& folder) {
  for (const published_case& entry : published_cases()) {
    std::cout
        << "### " << entry.name << ", " << published_workers << " workers\n\n"
        << entry.parameters << ". Cubed's published time: " << entry.seconds
        << " s. Simulated, in seconds, over the bandwidth of a worker (reads, and as much for "
           "writes) and the latency of a request; task 2 us, element step 0.25 ns, memory 8 "
           "GB/s, no limit of all workers together, no failures, no start-up:\n\n"
        << "| | 10 ms | 30 ms | 100 ms |\n| --- | ---: | ---: | ---: |\n";
    for (const std::uint64_t bandwidth : {50, 100, 200, 400}) {
      std::cout << "| " << bandwidth << " MB/s |";
      for (const double latency : {0.01, 0.03, 0.1}) {
        ts::costs figures = ts::costs::object_store();
        figures.read_bandwidth = figures.write_bandwidth = ts::bytes{bandwidth * 1'000'000};
        figures.latency = ts::costs::seconds{latency};
        std::cout << ' ' << std::round(10 * simulated_seconds(entry, folder, figures)) / 10 << " |";
      }
      std::cout << '\n';
    }
    std::cout << '\n';
  }
}

/// Removes an option and returns its value.
std::string take_option(int& argc, char** argv, std::string_view option, std::string value) {
  int num_kept = 0;
  for (int i = 0; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word.starts_with(option)) {
      value = word.substr(option.size());
    } else {
      argv[num_kept++] = argv[i];
    }
  }
  argc = num_kept;
  return value;
}

std::vector<std::size_t> counts_in(const std::string& text) {
  std::istringstream words(text);
  std::vector<std::size_t> counts;
  for (std::string word; std::getline(words, word, ',');) counts.push_back(std::stoul(word));
  return counts;
}

}  // namespace

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  if (const std::string folder = take_option(argc, argv, "--published=", ""); !folder.empty()) {
    print_published_cases(folder);
    return 0;
  }
  const std::string engine = take_option(argc, argv, "--engine=", "threads");
  const std::vector<std::size_t> workers = counts_in(take_option(argc, argv, "--workers=", "1,2"));
  const double size = std::stod(take_option(argc, argv, "--size=", "1"));
  const std::vector<std::size_t> simulated{10, 100, 1'000, 10'000, 100'000};

  const auto linear = [size](double n) { return size * n; };
  // The work of a product grows with the third power of its size.
  const auto cubic = [size](double n) { return size * std::cbrt(n); };
  const auto add = [&](ts::scaling_study& study, const std::function<double(double)>& scale) {
    study.on(engine).strong(workers, {.scale = 2 * size}).weak(workers, scale).simulated(simulated);
  };
  ts::scaling_study means("quadratic means", quadratic_means);
  ts::scaling_study anomalies("anomaly", anomaly);
  ts::scaling_study chunks("rechunk", rechunk);
  ts::scaling_study products("matmul", matmul);
  ts::scaling_study months("group-by", group_by);
  add(means, linear);
  add(anomalies, linear);
  add(chunks, linear);
  add(products, cubic);
  add(months, linear);
  return ts::run_studies(argc, argv);
}
