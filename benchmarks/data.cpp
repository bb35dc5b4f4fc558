// SPDX-License-Identifier: Apache-2.0
#include "data.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>

namespace data {

namespace {

using hand_written::zarr_array;

/// Returns a value in [-1, 1) that depends on `counter` alone (SplitMix64; Steele et al. 2014).
double noise_at(std::uint64_t counter) {
  std::uint64_t z = (counter + 1) * 0x9E3779B97F4A7C15U;
  z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
  z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
  return static_cast<double>(z >> 11U) * 0x1p-52 - 1;
}

/// Fills a chunk with a wave that is longer than it, and noise. Values have 16 binary places, as
/// measured values have few: real data compress, random bits do not.
template <class T>
void fill(std::span<T> values, std::size_t row_length, std::uint64_t first) {
  const double phase = static_cast<double>(first % 1009) / 160.0;
  for (std::size_t row = 0; row < values.size() / row_length; ++row) {
    const double slow = 8 * std::sin(phase + static_cast<double>(row) / 300.0);
    for (std::size_t i = 0; i < row_length; ++i) {
      const std::size_t position = row * row_length + i;
      const double wave = slow + static_cast<double>(i) / static_cast<double>(row_length);
      const double value = wave + noise_at(first + position) / 2;
      values[position] = static_cast<T>(std::nearbyint(value * 0x1p16) * 0x1p-16);
    }
  }
}

template <class T>
void write_chunks(const zarr_array& array, std::uint64_t seed) {
  hand_written::for_each_chunk(array.num_chunks(), [&] {
    return [&, files = hand_written::chunk_files(array.chunk_bytes()),
            values = std::vector<T>(array.chunk_elements())](std::size_t position) mutable {
      const std::uint64_t first = (seed << 40U) + position * values.size();
      fill(std::span(values), array.chunks.back(), first);
      files.write(array.file_of(position), std::as_bytes(std::span(values)), sizeof(T));
    };
  });
}

/// Makes `array` by `write()` unless an earlier run did. The file `.complete` marks a complete
/// array.
template <class Write>
zarr_array made_by(const zarr_array& array, Write write) {
  const auto marker = array.path / ".complete";
  if (std::filesystem::exists(marker)) return array;
  std::cerr << "making " << array.path.string() << '\n';
  std::filesystem::remove_all(array.path);
  create(array);
  write();
  std::ofstream(marker).flush();
  return array;
}

zarr_array stored_waves(const zarr_array& array, std::uint64_t seed) {
  return made_by(array, [&] {
    if (array.item_size == sizeof(float)) {
      write_chunks<float>(array, seed);
    } else {
      write_chunks<double>(array, seed);
    }
  });
}

/// Writes a chunk for every `most_names`; the chunks between are further names of its file.
void link_chunks(const zarr_array& array) {
  constexpr std::size_t most_names = 50'000;  // ext4 gives a file 65,000
  hand_written::chunk_files files(array.chunk_bytes());
  std::vector<double> values(array.chunk_elements());
  for (std::size_t i = 0; i < array.num_chunks(); ++i) {
    const std::string file = array.file_of(array.chunk_at(i));
    const std::size_t first = i / most_names * most_names;
    if (i > first) {
      std::filesystem::create_hard_link(array.file_of(array.chunk_at(first)), file);
      continue;
    }
    std::fill(values.begin(), values.end(), static_cast<double>(first));
    files.write(file, std::as_bytes(std::span(values)), sizeof(double));
  }
}

}  // namespace

std::filesystem::path directory() {
  const char* chosen = std::getenv("TESSERA_BENCHMARK_DIR");
  return chosen != nullptr && *chosen != '\0' ? chosen : TESSERA_BENCHMARK_DEFAULT_DIR;
}

zarr_array field(int index) {
  const auto path = directory() / ("field-" + std::to_string(index) + ".zarr");
  return stored_waves({path, {16384, 8192}, {1024, 1024}}, static_cast<std::uint64_t>(index));
}

zarr_array coarse_field(int index) {
  const auto path = directory() / ("coarse-field-" + std::to_string(index) + ".zarr");
  return stored_waves({path, {16384, 8192}, {4096, 2048}}, 20 + static_cast<std::uint64_t>(index));
}

zarr_array broad_field() {
  return stored_waves({directory() / "broad-field.zarr", {16384, 8192}, {2048, 2048}}, 23);
}

zarr_array large_field() {
  return stored_waves({directory() / "large-field.zarr", {32768, 8192}, {1024, 1024}}, 10);
}

zarr_array uneven_field(const std::string& name) {
  const std::size_t rows = name == "u" ? 8704 : 7680;
  return stored_waves(
      {directory() / ("uneven-field-" + name + ".zarr"), {rows, 8192}, {1024, 1024}},
      name == "u" ? 21 : 22);
}

zarr_array wind(const std::string& name) {
  return stored_waves(
      {directory() / ("wind-" + name + ".zarr"), {512, 1024, 1024}, {64, 128, 256}, sizeof(float)},
      name == "u" ? 11 : 12);
}

zarr_array maps() {
  return stored_waves(
      {directory() / "maps.zarr", {512, 1024, 1024}, {4, 1024, 1024}, sizeof(float)}, 13);
}

zarr_array series() {
  return stored_waves(
      {directory() / "series.zarr", {512, 1024, 1024}, {512, 32, 32}, sizeof(float)}, 14);
}

zarr_array large_maps(const std::string& name) {
  return stored_waves(
      {directory() / ("large-maps-" + name + ".zarr"), {128, 1024, 1024}, {8, 1024, 1024}},
      name == "u" ? 15 : 16);
}

zarr_array tall_matrix() {
  return stored_waves({directory() / "tall-matrix.zarr", {1'048'576, 128}, {16384, 128}}, 18);
}

zarr_array small_files() {
  return stored_waves({directory() / "small-files.zarr", {100'000, 512}, {1, 512}}, 17);
}

zarr_array very_many_files() {
  const zarr_array array{directory() / "very-many-files.zarr", {1'000'000, 16}, {1, 16}};
  return made_by(array, [&] { link_chunks(array); });
}

std::filesystem::path path_of_result(const std::string& name) {
  return directory() / "results" / (name + ".zarr");
}

zarr_array result(const zarr_array& like, const std::string& name) {
  zarr_array array = like;
  array.path = path_of_result(name);
  std::filesystem::remove_all(array.path);
  return array;
}

void remove_results() { std::filesystem::remove_all(directory() / "results"); }

std::vector<double> noise(std::size_t count, std::size_t seed) {
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = noise_at((seed << 40U) + i);
  return values;
}

}  // namespace data
