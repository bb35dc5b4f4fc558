// SPDX-License-Identifier: Apache-2.0
#include "tessera/tessera.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <string>
#include <vector>

namespace tessera {
namespace {

using nlohmann::json;

// Real climate data, and results that NumPy computed from it with correctly rounded sums.

const std::string data = TESSERA_SHARED_DATA;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

json expected(const std::string& group) {
  std::ifstream file(data + "/expected.json");
  return json::parse(file).at("results").at(group);
}

/// Opens a float32 array and widens it, as the expected results were computed.
template <std::size_t N>
array<double, N> widened(const std::string& path) {
  return astype<double>(open<float, N>(data + "/" + path));
}

struct statistics {
  double count = 0, sum = 0, least = nan, greatest = nan, mean = 0, deviation = 0, square = 0;
};

/// Statistics of the elements that are not NaN.
template <std::size_t N>
statistics statistics_of(const ndarray<double, N>& values) {
  statistics s;
  for (const double x : values.span()) {
    if (std::isnan(x)) continue;
    s.count += 1;
    s.sum += x;
    s.square += x * x;
    s.least = std::isnan(s.least) ? x : std::min(s.least, x);
    s.greatest = std::isnan(s.greatest) ? x : std::max(s.greatest, x);
  }
  s.mean = s.sum / s.count;
  s.square /= s.count;
  for (const double x : values.span())
    s.deviation += std::isnan(x) ? 0 : (x - s.mean) * (x - s.mean);
  s.deviation = std::sqrt(s.deviation / s.count);
  return s;
}

template <std::size_t N>
double at(const ndarray<double, N>& values, const json& index) {
  index_t position = 0;
  for (std::size_t axis = 0; axis < N; ++axis) {
    position = position * values.shape()[axis] + index.at(axis).get<index_t>();
  }
  return values.data()[position];
}

template <std::size_t N>
void check(const json& field, const ndarray<double, N>& result, const std::string& context) {
  SCOPED_TRACE(context);
  ASSERT_EQ(field.at("shape").get<std::vector<index_t>>(),
            std::vector<index_t>(result.shape().begin(), result.shape().end()));
  const json& of = field.at("statistics");
  const statistics s = statistics_of(result);
  const double scale = std::max(std::abs(s.least), std::abs(s.greatest));
  EXPECT_EQ(of.at("valid").get<double>(), s.count);
  EXPECT_NEAR(of.at("sum").get<double>(), s.sum, 1e-11 * scale * s.count);
  EXPECT_NEAR(of.at("mean").get<double>(), s.mean, 1e-11 * scale);
  EXPECT_NEAR(of.at("min").get<double>(), s.least, 1e-11 * scale);
  EXPECT_NEAR(of.at("max").get<double>(), s.greatest, 1e-11 * scale);
  EXPECT_NEAR(of.at("std_population").get<double>(), s.deviation, 1e-10 * scale);
  EXPECT_NEAR(of.at("mean_of_squares").get<double>(), s.square, 1e-11 * scale * scale);
  for (const json& point : field.at("points")) {
    const double value = at(result, point.at("index"));
    if (point.at("value").is_null()) {
      EXPECT_TRUE(std::isnan(value)) << point;
    } else {
      EXPECT_NEAR(point.at("value").get<double>(), value, 1e-11 * scale) << point;
    }
  }
}

/// Appends the numbers of nested lists, in order.
void append_numbers(const json& values, std::vector<double>& flat) {
  if (values.is_number()) {
    flat.push_back(values.get<double>());
    return;
  }
  for (const json& value : values) append_numbers(value, flat);
}

template <std::size_t N>
void check_values(const json& values, const ndarray<double, N>& result, double tolerance) {
  std::vector<double> flat;
  append_numbers(values, flat);
  ASSERT_EQ(static_cast<std::size_t>(result.size()), flat.size());
  for (std::size_t i = 0; i < flat.size(); ++i) {
    EXPECT_NEAR(flat[i], result.data()[i], tolerance) << "at " << i;
  }
}

/// The cosines of a coordinate in degrees.
array<double, 1> cosines(const std::string& path) {
  const zarr_array coordinate = zarr_array::open(data + "/" + path);
  const array<double, 1> degrees = coordinate.dtype() == dtype::float32
                                       ? widened<1>(path)
                                       : array<double, 1>(open<double, 1>(data + "/" + path));
  return cos(degrees * (std::numbers::pi / 180));
}

/// Unpacks an array of packed int16 as its attributes say.
auto unpacked(const std::string& path) {
  return decode_cf(open<std::int16_t, 4>(data + "/" + path));
}

TEST(SharedData, PackedIntegersOfEraInterim) {
  const json want = expected("eraint_uvz.zarr");
  for (const std::string name : {"u", "v", "z"}) {
    SCOPED_TRACE(name);
    const json& packed = want.at("packed_" + name);
    const auto x = open<std::int16_t, 4>(data + "/eraint_uvz.zarr/" + name);
    const auto [total, least, greatest, first, last] =
        compute(sum(x), min(x), max(x), x(0, 0, 0, slice(4)), x(-1, -1, -1, slice(-4, none)));
    EXPECT_EQ(packed.at("sum").get<std::int64_t>(), total());
    EXPECT_EQ(packed.at("min").get<int>(), least());
    EXPECT_EQ(packed.at("max").get<int>(), greatest());
    for (index_t i = 0; i < 4; ++i) {
      EXPECT_EQ(packed.at("first").at(static_cast<std::size_t>(i)).get<int>(), first(i));
      EXPECT_EQ(packed.at("last").at(static_cast<std::size_t>(i)).get<int>(), last(i));
    }
    check(want.at(name), unpacked("eraint_uvz.zarr/" + name).compute(), name);
  }
}

TEST(SharedData, MeansOfEraInterim) {
  const json want = expected("eraint_uvz.zarr");
  const auto u = unpacked("eraint_uvz.zarr/u");
  const auto v = unpacked("eraint_uvz.zarr/v");
  const auto [mu, mv, mml, zonal, uv, uu, vv] =
      compute(mean(u, axis<0>), mean(v, axis<0>), mean(u, axis<0, 1>), mean(u, axis<-1>),
              mean(u * v, axis<0>), mean(u * u, axis<0>), mean(v * v, axis<0>));
  check(want.at("mean_over_month_u"), mu, "mean_over_month_u");
  check(want.at("mean_over_month_v"), mv, "mean_over_month_v");
  check(want.at("mean_over_month_and_level_u"), mml, "mean_over_month_and_level_u");
  check(want.at("zonal_mean_u"), zonal, "zonal_mean_u");
  check(want.at("mean_uv"), uv, "mean_uv");
  check(want.at("mean_uu"), uu, "mean_uu");
  check(want.at("mean_vv"), vv, "mean_vv");
}

TEST(SharedData, FieldsOfEraInterim) {
  const json want = expected("eraint_uvz.zarr");
  const auto u = unpacked("eraint_uvz.zarr/u");
  const auto v = unpacked("eraint_uvz.zarr/v");
  const auto eddy =
      mean((u - mean(u, axis<3>, keepdims)) * (v - mean(v, axis<3>, keepdims)), axis<3>);
  const auto weights = cosines("eraint_uvz.zarr/latitude");
  const auto area = sum(mean(u, axis<3>) * weights, axis<2>) / sum(weights);
  check(want.at("eddy_momentum_flux"), eddy.compute(), "eddy_momentum_flux");
  check(want.at("wind_speed"), sqrt(u * u + v * v).compute(), "wind_speed");
  check(want.at("july_minus_january_u"), (u(1) - u(0)).compute(), "july_minus_january_u");
  check_values(want.at("area_weighted_mean_u").at("values"), area.compute(), 1e-10);
}

TEST(SharedData, FloatsOfEraInterim) {
  const json want = expected("eraint_uv_f4.zarr");
  const auto u = widened<4>("eraint_uv_f4.zarr/u");
  const auto v = widened<4>("eraint_uv_f4.zarr/v");
  const auto [uv, uu, vv, over_all, energy] =
      compute(mean(u * v, axis<0>), mean(u * u, axis<0>), mean(v * v, axis<0>), mean(u * v),
              mean(0.5 * (u * u + v * v)));
  check(want.at("u"), u.compute(), "u");
  check(want.at("v"), v.compute(), "v");
  check(want.at("mean_uv"), uv, "mean_uv");
  check(want.at("mean_uu"), uu, "mean_uu");
  check(want.at("mean_vv"), vv, "mean_vv");
  EXPECT_NEAR(want.at("mean_uv_over_everything").get<double>(), over_all(), 1e-11);
  EXPECT_NEAR(want.at("kinetic_energy_mean").get<double>(), energy(), 1e-10);
}

TEST(SharedData, AirTemperature) {
  const json want = expected("air_temperature_annual.zarr");
  const auto t = widened<3>("air_temperature_annual.zarr/air_temperature");
  const auto first = mean(t(slice(30)), axis<0>);
  check(want.at("air_temperature"), t.compute(), "air_temperature");
  check(want.at("mean_over_time"), mean(t, axis<0>).compute(), "mean_over_time");
  check(want.at("std_over_time_population"), stddev(t, axis<0>).compute(), "std_over_time");
  check(want.at("min_over_time"), min(t, axis<0>).compute(), "min_over_time");
  check(want.at("max_over_time"), max(t, axis<0>).compute(), "max_over_time");
  check(want.at("anomaly"), (t - mean(t, axis<0>)).compute(), "anomaly");
  check(want.at("mean_over_first_30_steps"), first.compute(), "mean_over_first_30_steps");
  check(want.at("anomaly_to_first_30_last_step"), (t(-1) - first).compute(), "last step");
}

TEST(SharedData, AirTemperatureOverTime) {
  const json want = expected("air_temperature_annual.zarr");
  const auto t = widened<3>("air_temperature_annual.zarr/air_temperature");
  std::vector<array<double, 2>> decades;
  for (int k = 0; k < 24; ++k) decades.push_back(mean(t(slice(10 * k, 10 * k + 10)), axis<0>));
  check(want.at("decadal_means"), stack(decades).compute(), "decadal_means");

  array<double, 3> running = t(slice(0, 230));
  for (int k = 1; k < 11; ++k) running = running + t(slice(k, k + 230));
  check(want.at("running_mean_11"), (running / 11).compute(), "running_mean_11");

  const auto weights = cosines("air_temperature_annual.zarr/latitude");
  const auto series = sum(mean(t, axis<2>) * weights, axis<1>) / sum(weights);
  check_values(want.at("area_weighted_mean_series").at("values"), series.compute(), 1e-9);
  const auto year = arange<double>(240) - 119.5;
  const auto trend = sum(series * year) / sum(year * year);
  EXPECT_NEAR(want.at("trend_of_series_K_per_360day_year").get<double>(), trend.compute()(), 1e-12);
}

TEST(SharedData, TwoScenarios) {
  const json want = expected("air_temperature_annual_a1b.zarr");
  const auto a = widened<3>("air_temperature_annual_a1b.zarr/air_temperature");
  const auto e = widened<3>("air_temperature_annual.zarr/air_temperature");
  const auto covariance = mean((a - mean(a, axis<0>)) * (e - mean(e, axis<0>)), axis<0>);
  const auto correlation = covariance / (stddev(a, axis<0>) * stddev(e, axis<0>));
  check(want.at("air_temperature"), a.compute(), "air_temperature");
  check(want.at("mean_over_time"), mean(a, axis<0>).compute(), "mean_over_time");
  check(want.at("a1b_minus_e1"), (a - e).compute(), "a1b_minus_e1");
  check(want.at("correlation_over_time"), correlation.compute(), "correlation_over_time");
  EXPECT_NEAR(want.at("a1b_minus_e1_last_step_mean").get<double>(), mean(a(-1) - e(-1)).compute()(),
              1e-11);
}

/// Surface temperature in K, NaN over land.
array<double, 3> sea_surface_temperature() {
  const auto stored = open<float, 3>(data + "/sst_monthly.zarr/surface_temperature");
  return where(stored >= 1e20F, nan, astype<double>(stored));
}

TEST(SharedData, SeaSurfaceTemperature) {
  const json want = expected("sst_monthly.zarr");
  const auto t = sea_surface_temperature();
  check(want.at("surface_temperature"), t.compute(), "surface_temperature");
  check(want.at("mean_over_time"), mean(t, axis<0>).compute(), "mean_over_time");
  check(want.at("std_over_time_population"), stddev(t, axis<0>).compute(), "std_over_time");
  EXPECT_EQ(want.at("count_over_time").at("sum").get<std::int64_t>(),
            sum(sum(!isnan(t), axis<0>)).compute()());
}

TEST(SharedData, MonthsOfSeaSurfaceTemperature) {
  const json want = expected("sst_monthly.zarr");
  const auto t = sea_surface_temperature();
  const auto months = want.at("month_of_step").get<std::vector<int>>();
  std::vector<array<double, 2>> climatology;
  for (int month = 1; month <= 12; ++month) {
    const auto first = std::find(months.begin(), months.end(), month) - months.begin();
    climatology.push_back(mean(t(slice(first, none, 12)), axis<0>));
  }
  check(want.at("monthly_climatology"), stack(climatology).compute(), "monthly_climatology");

  std::vector<array<double, 2>> anomalies;
  for (std::size_t i = 0; i < months.size(); ++i) {
    anomalies.push_back(t(i) - climatology[static_cast<std::size_t>(months[i] - 1)]);
  }
  const array<double, 3> anomaly = stack(anomalies);
  check(want.at("monthly_anomaly"), anomaly.compute(), "monthly_anomaly");

  const auto longitude = widened<1>("sst_monthly.zarr/longitude").compute();
  const auto from = std::lower_bound(longitude.begin(), longitude.end(), 190) - longitude.begin();
  const auto to = std::upper_bound(longitude.begin(), longitude.end(), 240) - longitude.begin();
  const auto east = anomaly(whole, whole, slice(from, to));
  const auto weights = cosines("sst_monthly.zarr/latitude")(whole, newaxis);
  const auto valid = !isnan(east);
  const auto series = sum(where(valid, east * weights, 0.0), axis<1, 2>) /
                      sum(where(valid, weights, 0.0), axis<1, 2>);
  check_values(want.at("anomaly_series_190_240E").at("values"), series.compute(), 1e-10);
}

TEST(SharedData, OceanBasins) {
  const json want = expected("basin_mask.zarr");
  const auto basin = open<std::int8_t, 3>(data + "/basin_mask.zarr/basin");
  const auto is_valid = basin != -100;
  const auto [valid, missing, total] =
      compute(sum(is_valid), sum(!is_valid), sum(where(is_valid, basin, 0)));
  EXPECT_EQ(want.at("valid").get<std::int64_t>(), valid());
  EXPECT_EQ(want.at("missing").get<std::int64_t>(), missing());
  EXPECT_EQ(want.at("sum_of_valid").get<std::int64_t>(), total());

  std::vector<array<std::int64_t, 0>> counts;
  std::vector<array<std::int64_t, 0>> at_surface;
  for (int code = 1; code <= 58; ++code) {
    counts.push_back(sum(basin == code));
    at_surface.push_back(sum(basin(0) == code));
  }
  const auto [all_depths, surface] = compute(stack(counts), stack(at_surface));
  EXPECT_EQ(want.at("count_per_code_1_to_58").get<std::vector<std::int64_t>>(),
            std::vector<std::int64_t>(all_depths.begin(), all_depths.end()));
  EXPECT_EQ(want.at("surface_count_per_code_1_to_58").get<std::vector<std::int64_t>>(),
            std::vector<std::int64_t>(surface.begin(), surface.end()));
  const ndarray<double, 3> values = astype<double>(basin).compute();
  for (const json& point : want.at("points")) {
    EXPECT_EQ(point.at("value").get<double>(), at(values, point.at("index"))) << point;
  }
}

}  // namespace
}  // namespace tessera
