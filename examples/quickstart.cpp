// SPDX-License-Identifier: Apache-2.0

/// \file
/// Quadratic means and the standardised anomaly of a wind field, in 200 MB of memory.
/// `quickstart --help` prints the usage.

#include "help.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <exception>
#include <filesystem>
#include <iostream>
#include <numeric>
#include <string>
#include <tessera/tessera.hpp>
#include <utility>

namespace ts = tessera;
using namespace ts::literals;

namespace {

constexpr const char* usage = R"(usage: quickstart [GROUP]

Computes quadratic means and the standardised anomaly of a wind field, in 200 MB of memory.

  GROUP  a Zarr group with arrays u and v of rank 3 or 4, whose first axis is time; without it, a
         data set of about 1 GiB is made in ./quickstart-data, or reused

The results are in ./quickstart-results.

)";

const std::string data_folder = "quickstart-data";
const std::string result_folder = "quickstart-results";
const std::string result_group = result_folder + "/wind.zarr";

/// A wave that travels east around the globe, over a jet stream, with noise.
ts::array<float, 3> wind(float phase, std::uint64_t seed, const ts::spec& spec) {
  constexpr ts::index_t times = 256;
  constexpr ts::index_t latitudes = 721;
  constexpr ts::index_t longitudes = 720;
  constexpr float degree = 0.017453293F;

  const auto time = ts::arange<float>(times)(ts::whole, ts::newaxis, ts::newaxis);
  const auto latitude = ts::linspace<float>(90, -90, latitudes)(ts::whole, ts::newaxis) * degree;
  const auto longitude = ts::linspace<float>(0, 360, longitudes, {.endpoint = false}) * degree;
  const auto noise = ts::random::normal<float>(
      {times, latitudes, longitudes},
      {.chunks = {64, 181, 180}, .spec = spec, .seed = seed, .stddev = 2.5});

  const auto jet = 25 * ts::square(ts::sin(2 * latitude));
  const auto wave = 12 * ts::cos(latitude) * ts::sin(5 * longitude - 0.2 * time + phase);
  return jet + wave + noise;
}

/// Makes the data set, unless it is there and complete.
void make_data(const ts::spec& spec) {
  if (std::filesystem::exists(data_folder) &&
      ts::zarr_group::open(data_folder).attributes().contains("complete")) {
    return;
  }
  std::cout << "Writing a wind field to " << data_folder << " ...\n";
  std::filesystem::remove_all(data_folder);
  static_cast<void>(ts::zarr_group::create(data_folder));
  const auto options = [](const std::string& name) {
    return ts::store_options{.compressor = ts::codec::blosc{.cname = "lz4"},
                             .attributes = {{"long_name", name}, {"units", std::string("m s-1")}},
                             .dimension_names = {"time", "latitude", "longitude"}};
  };
  ts::store(ts::stored(wind(0.0F, 1, spec), data_folder + "/u", options("eastward wind")),
            ts::stored(wind(1.5F, 2, spec), data_folder + "/v", options("northward wind")));
  // Comes last: a data set that was interrupted is made anew.
  static_cast<void>(ts::zarr_group::create(data_folder, {{"complete", true}}));
}

template <std::size_t N>
double root_mean(const ts::ndarray<float, N>& values) {
  const auto elements = values.span();
  const double sum = std::accumulate(elements.begin(), elements.end(), 0.0);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

void print_memory(const ts::bounded_plan& plan, ts::bytes peak) {
  const ts::bytes reserved = plan.spec().reserved_memory;
  const std::size_t workers = ts::default_executor()->num_workers();
  const ts::bytes bound =
      reserved + (plan.projected_memory() - reserved) * workers + plan.resident_memory();
  std::cout << "memory   a task: projected " << plan.projected_memory() << ", reserved " << reserved
            << " included, of " << plan.spec().allowed_memory << " allowed\n"
            << "         this process: measured peak " << peak << ", projected " << bound
            << " with " << workers << " workers and all results: "
            << static_cast<double>(peak.count()) / static_cast<double>(bound.count()) << " of it\n";
}

template <std::size_t N>
void run(const std::string& group, const ts::spec& spec) {
  const auto u = ts::open<float, N>(group + "/u", spec);
  const auto v = ts::open<float, N>(group + "/v", spec);

  const auto mean = ts::mean(u, ts::axis<0>, ts::keepdims);
  const auto anomaly = (u - mean) / ts::stddev(u, ts::axis<0>, ts::keepdims);

  const auto plan =
      ts::plan(ts::mean(u * u, ts::axis<0>), ts::mean(v * v, ts::axis<0>),
               ts::mean(u * v, ts::axis<0>), ts::stored(anomaly, result_group + "/anomaly"));
  std::cout << plan << '\n';
  std::cout << "plan drawn in " << plan.visualize(result_folder + "/plan.svg") << '\n';

  ts::reset_peak_memory();
  const auto start = std::chrono::steady_clock::now();
  const auto [uu, vv, uv, stored] = plan.compute();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  const ts::bytes peak = ts::peak_memory();

  const double moved = static_cast<double>((plan.bytes_read() + plan.bytes_written()).count());
  std::cout << "speed    " << elapsed.count() << " s, read " << plan.bytes_read() << ", wrote "
            << plan.bytes_written() << ": " << moved / 1e6 / elapsed.count() << " MB/s\n";
  print_memory(plan.bounded(), peak);
  std::cout << "wind     root mean square of u " << root_mean(uu) << " m/s, of v " << root_mean(vv)
            << " m/s; mean of u v "
            << std::accumulate(uv.span().begin(), uv.span().end(), 0.0) /
                   static_cast<double>(uv.size())
            << " m2/s2\n"
            << "anomaly  stored in " << result_group << "/anomaly, shape "
            << ts::format_shape(stored.shape()) << '\n';
}

}  // namespace

int main(int argc, char** argv) try {
  const ts::runtime runtime{argc, argv};
  if (asks_for_help(argc, argv) || argc > 2) {
    (argc > 2 ? std::cerr : std::cout) << usage << ts::runtime::help();
    return argc > 2 ? 2 : 0;
  }
  const ts::spec spec{.work_dir = result_folder + "/work",
                      .allowed_memory = 200_MB,
                      .reserved_memory = ts::measure_reserved_memory()};
  std::filesystem::create_directories(result_folder);
  if (argc == 1) make_data(spec);
  const std::string group = argc == 1 ? data_folder : argv[1];

  const std::size_t rank = ts::zarr_array::open(group + "/u").rank();
  if (rank == 3) {
    run<3>(group, spec);
  } else if (rank == 4) {
    run<4>(group, spec);
  } else {
    std::cerr << "quickstart: " << group << "/u has rank " << rank << "; 3 or 4 is required\n";
    return 2;
  }
} catch (const std::exception& e) {
  std::cerr << "quickstart: " << e.what() << '\n';
  return 1;
}
