// SPDX-License-Identifier: Apache-2.0

/// \file
/// The power spectrum of a wind along circles of latitude: `spectrum --help`.

#include "help.hpp"

#include <iostream>
#include <string>
#include <tessera/tessera.hpp>

namespace ts = tessera;

constexpr const char* usage = R"(usage: spectrum GROUP RESULT

Of the wind u, v (month, level, latitude, longitude) of the Zarr group GROUP, all around the globe,
stores in RESULT/energy the kinetic energy of the waves of each wave number, from 0 on, along
circles of latitude: their mean over all latitudes, weighted by area. All of them together have
the energy of the wind.

)";

int main(int argc, char** argv) {
  const ts::runtime runtime{argc, argv};
  if (asks_for_help(argc, argv) || argc != 3) {
    std::cout << usage << ts::runtime::help();
    return asks_for_help(argc, argv) ? 0 : 2;
  }
  const std::string group = argv[1];
  using dims = ts::dims<"month", "level", "latitude", "longitude">;
  const auto u = ts::open<float, dims>(group + "/u");
  const auto v = ts::open<float, dims>(group + "/v");
  const auto latitudes = ts::open<float, ts::dims<"latitude">>(group + "/latitude");

  const auto power = [](const auto& x) {
    const auto waves = ts::rfft(ts::astype<double>(x), ts::dim<"longitude">, ts::fft_norm::forward);
    return ts::square(ts::real(waves)) + ts::square(ts::imag(waves));
  };
  const auto area = ts::cos(ts::deg2rad(ts::astype<double>(latitudes)));
  // Of a real field, waves to the east and to the west are equally strong: one half is stored.
  const ts::index_t length = u.shape()[3];
  const auto number = ts::label<"longitude">(ts::arange<ts::index_t>(length / 2 + 1));
  const auto directions = ts::where(number > 0 && 2 * number < length, 2.0, 1.0);
  const auto energy = ts::average((power(u) + power(v)) / 2.0, area, ts::dim<"latitude">);
  ts::store(ts::rename<"longitude", "wavenumber">(energy * directions),
            argv[2] + std::string("/energy"));
}
