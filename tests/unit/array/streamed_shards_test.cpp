// SPDX-License-Identifier: Apache-2.0
/// \file
/// Shards that are larger than the memory of a task, against the same shards with more memory.

#include "tessera/tessera.hpp"

#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <sstream>
#include <string>

namespace tessera {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::temporary_directory;

constexpr std::size_t no_limit = std::numeric_limits<std::size_t>::max();

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

/// The first element at which `halving` fails.
std::atomic<double> fails_from{std::numeric_limits<double>::infinity()};

/// A function object without state, so that plans with it are portable.
struct halving {
  double operator()(double x) const {
    if (x >= fails_from) throw value_error("the element is refused");
    return x / 2;
  }
};

class StreamedShards : public ::testing::Test {
 protected:
  /// Shards of 2 MiB, in chunks of 64 KiB; neither ends where the array ends.
  static constexpr index_t rows = 700;
  static constexpr index_t columns = 600;
  const store_options sharded_{.chunks = {64, 128}, .shards = {512, 512}, .format = 3};

  [[nodiscard]] spec limits(bytes allowed) const {
    return {.work_dir = directory_ / "work", .allowed_memory = allowed};
  }
  [[nodiscard]] spec little() const { return limits(bytes{2'400'000}); }
  [[nodiscard]] spec enough() const { return limits(bytes{100'000'000}); }

  /// Returns an array of which the first chunks are nothing but zeros.
  [[nodiscard]] array<double, 2> numbers(const spec& allowed) const {
    const auto x = reshape(arange(double{rows * columns}, {.spec = allowed}), {rows, columns});
    return where(x < 64.0 * columns, 0.0, x * 0.25);
  }

  /// Returns the bytes of each value of a stored array.
  [[nodiscard]] std::map<std::string, std::string> values(const std::string& name) const {
    std::map<std::string, std::string> contents;
    const fs::path root = directory_ / name;
    if (!fs::exists(root)) return contents;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      contents[fs::relative(entry.path(), root).string()] =
          std::string(std::istreambuf_iterator<char>(file), {});
    }
    return contents;
  }

  template <class E>
  static std::string explained(const E& program) {
    std::ostringstream text;
    text << program.explain();
    return text.str();
  }

  /// Stores `x_of(spec)` with little memory and with enough. The elements are the same, and the
  /// bytes of a shard inside of the array.
  template <class F>
  void expect_same_values(F x_of, store_options options) {
    const auto streamed = plan(stored(x_of(little()), directory_ / "streamed", options));
    EXPECT_LE(streamed.projected_memory(), little().allowed_memory);
    EXPECT_THAT(explained(streamed), HasSubstr("step by step"));
    static_cast<void>(streamed.compute());
    const auto whole = plan(stored(x_of(enough()), directory_ / "whole", options));
    EXPECT_THAT(explained(whole), ::testing::Not(HasSubstr("step by step")));
    static_cast<void>(whole.compute());
    EXPECT_TRUE(values("streamed").at("c/0/0") == values("whole").at("c/0/0"));
    EXPECT_EQ((open<double, 2>(directory_ / "streamed").compute()), x_of(enough()).compute());
  }

  /// Creates an array of another writer, with an index at the start or at the end of shards, and
  /// with `codecs` in front of the shards, each with a comma.
  void create_foreign(const std::string& name, const std::string& index_location,
                      const std::string& codecs = "") const {
    fs::create_directories(directory_ / name);
    std::ofstream(fs::path(directory_ / name) / "zarr.json")
        << R"({"zarr_format": 3, "node_type": "array", "shape": [700, 600],
          "data_type": "float64", "fill_value": 0,
          "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [512, 512]}},
          "chunk_key_encoding": {"name": "default"},
          "codecs": [)"
        << codecs << R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [128, 64],
              "codecs": [{"name": "bytes", "configuration": {"endian": "big"}},
                {"name": "zstd", "configuration": {"level": 1, "checksum": false}}],
              "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}},
                {"name": "crc32c"}],
              "index_location": ")"
        << index_location << R"("}}]})";
  }
  static constexpr const char* transpose_ =
      R"({"name": "transpose", "configuration": {"order": [1, 0]}},)";

  temporary_directory directory_;
};

TEST_F(StreamedShards, HaveTheBytesOfShardsAtOnce) {
  expect_same_values([&](const spec& allowed) { return numbers(allowed); }, sharded_);
}

TEST_F(StreamedShards, LeaveOutChunksOfFill) {
  store_options options = sharded_;
  options.empty = empty_chunks::omit;
  expect_same_values([&](const spec& allowed) { return numbers(allowed); }, options);
}

TEST_F(StreamedShards, HoldUncompressedChunks) {
  store_options options = sharded_;
  options.compressor = codec::none{};
  expect_same_values([&](const spec& allowed) { return numbers(allowed); }, options);
}

TEST_F(StreamedShards, OfColumnMajorChunks) {
  store_options options = sharded_;
  options.order = 'F';
  expect_same_values([&](const spec& allowed) { return numbers(allowed); }, options);
}

// The documents of another writer: the axes of shards are exchanged, and elements are big-endian.
TEST_F(StreamedShards, OfTransposedAxes) {
  for (const std::string at : {"start", "end"}) {
    const auto write = [&](const std::string& name, const spec& allowed) {
      create_foreign(name, at, transpose_);
      const auto program =
          plan(stored(numbers(allowed), directory_ / name, {.region = {whole, whole}}));
      EXPECT_LE(program.projected_memory(), allowed.allowed_memory);
      static_cast<void>(program.compute());
      EXPECT_EQ((open<double, 2>(directory_ / name).compute()), numbers(enough()).compute());
      return explained(program);
    };
    EXPECT_THAT(write("streamed-" + at, little()), HasSubstr("step by step"));
    EXPECT_THAT(write("whole-" + at, enough()), ::testing::Not(HasSubstr("step by step")));
    // The same encoded chunks, in another order.
    EXPECT_EQ(values("streamed-" + at).at("c/0/0").size(),
              values("whole-" + at).at("c/0/0").size());
  }
}

// Both writers give chunks and index their places row by row.
TEST_F(StreamedShards, HaveTheirIndexInRoomInFront) {
  const auto memory = std::make_shared<memory_store>();
  const auto write = [&](const std::string& name, const spec& allowed) {
    create_foreign(name, "start");
    memory->write(name + "/zarr.json", bytes_of(values(name).at("zarr.json")));
    store(numbers(allowed), directory_ / name, {.region = {whole, whole}});
    store(numbers(allowed), memory, name, {.region = {whole, whole}});
    const auto found = memory->read_all(name + "/c/0/0", no_limit);
    const std::string shard = values(name).at("c/0/0");
    EXPECT_TRUE(std::ranges::equal(*found, bytes_of(shard)));
    return shard;
  };
  EXPECT_TRUE(write("streamed", little()) == write("whole", enough()));
  EXPECT_EQ((open<double, 2>(memory, "streamed").compute()), numbers(enough()).compute());
}

TEST_F(StreamedShards, GrowInAStoreInMemory) {
  const auto memory = std::make_shared<memory_store>();
  const auto streamed = plan(stored(numbers(little()), memory, "streamed", sharded_));
  EXPECT_LE(streamed.projected_memory(), little().allowed_memory);
  EXPECT_THAT(explained(streamed), HasSubstr("step by step"));
  static_cast<void>(streamed.compute());
  store(numbers(enough()), memory, "whole", sharded_);
  EXPECT_TRUE(memory->read_all("streamed/c/0/0", no_limit) ==
              memory->read_all("whole/c/0/0", no_limit));
  EXPECT_EQ((open<double, 2>(memory, "streamed").compute()), numbers(enough()).compute());
}

// Both results are computed from the same reads; their shards have chunks of different extents.
TEST_F(StreamedShards, OfSeveralResultsOfATask) {
  store(numbers(enough()), directory_ / "x", {.chunks = {64, 600}});
  store_options wide = sharded_;
  wide.chunks = {32, 256};
  wide.compressor = codec::none{};
  const auto write = [&](const std::string& name, const spec& allowed) {
    const auto x = open<double, 2>(directory_ / "x", {.spec = allowed});
    const auto program = plan(stored(x * 2.0, directory_ / (name + "-a"), sharded_),
                              stored(x + 1.0, directory_ / (name + "-b"), wide));
    EXPECT_EQ(program.num_operations(), 1U);
    EXPECT_LE(program.projected_memory(), allowed.allowed_memory);
    static_cast<void>(program.compute());
    return explained(program);
  };
  const std::string text = write("streamed", limits(bytes{5'000'000}));
  const std::size_t first = text.find("step by step");
  EXPECT_NE(text.find("step by step", first + 1), std::string::npos) << text;
  EXPECT_THAT(write("whole", enough()), ::testing::Not(HasSubstr("step by step")));
  for (const std::string name : {"-a", "-b"}) {
    EXPECT_TRUE(values("streamed" + name).at("c/0/0") == values("whole" + name).at("c/0/0"));
  }
  EXPECT_EQ((open<double, 2>(directory_ / "streamed-a").compute()),
            (numbers(enough()) * 2.0).compute());
  EXPECT_EQ((open<double, 2>(directory_ / "streamed-b").compute()),
            (numbers(enough()) + 1.0).compute());
}

TEST_F(StreamedShards, AreReadFromStoredChunks) {
  store(numbers(enough()), directory_ / "x", {.chunks = {64, 600}});
  const auto open_x = [&](const spec& allowed) {
    return open<double, 2>(directory_ / "x", {.spec = allowed});
  };
  expect_same_values([&](const spec& allowed) { return open_x(allowed) * 2.0; }, sharded_);
  expect_same_values(open_x, sharded_);
}

// A row of chunks has no room either: legs are cut along the second axis, too.
TEST_F(StreamedShards, OfFewWideRows) {
  const auto x_of = [](const spec& allowed) {
    return reshape(arange(2.0 * 200'000, {.spec = allowed}), {2, 200'000});
  };
  expect_same_values(x_of, {.chunks = {1, 10'000}, .shards = {2, 150'000}, .format = 3});
}

TEST_F(StreamedShards, AppendToAnArray) {
  const auto x = numbers(little());
  const auto halves = [&](const spec& allowed, const std::string& name) {
    store(numbers(allowed)(slice(0, 512)), directory_ / name, sharded_);
    append(numbers(allowed)(slice(512, rows)), directory_ / name, axis<0>);
  };
  halves(little(), "streamed");
  halves(enough(), "whole");
  EXPECT_EQ((open<double, 2>(directory_ / "streamed").compute()), x.compute());
  EXPECT_EQ((open<double, 2>(directory_ / "whole").compute()), x.compute());
}

TEST_F(StreamedShards, HaveThePlanThatIsSavedAndLoaded) {
  const auto saved = plan(stored(numbers(little()), directory_ / "streamed", sharded_));
  saved.save(directory_ / "plan");
  EXPECT_EQ(bounded_plan::load(directory_ / "plan").projected_memory(), saved.projected_memory());
}

TEST_F(StreamedShards, AreWrittenByProcesses) {
  const run_with processes{.executor = executors::processes(2)};
  store(numbers(little()), directory_ / "streamed", sharded_, processes);
  store(numbers(enough()), directory_ / "whole", sharded_, processes);
  EXPECT_TRUE(values("streamed").at("c/0/0") == values("whole").at("c/0/0"));
  EXPECT_EQ((open<double, 2>(directory_ / "streamed").compute()), numbers(enough()).compute());
}

TEST_F(StreamedShards, AreDiscardedIfATaskFails) {
  store(numbers(enough()), directory_ / "x", {.chunks = {64, 600}});
  fs::resize_file(directory_ / "x/6.0", 10);
  const auto x = open<double, 2>(directory_ / "x", {.spec = little()});
  EXPECT_THROW(store(x * 2.0, directory_ / "streamed", sharded_, {.max_attempts = 1}), error);
  const auto files = values("streamed");
  EXPECT_EQ(files.count("c/0/0"), 0U);
  for (const auto& [key, value] : files) EXPECT_THAT(key, ::testing::Not(HasSubstr("partial")));
}

// The first row of shards is complete; the second one fails in its second leg, or behind it.
TEST_F(StreamedShards, AreContinued) {
  store(numbers(enough()), directory_ / "x", {.chunks = {64, 600}});
  const auto run = [&] {
    const auto x = open<double, 2>(directory_ / "x", {.spec = little()});
    store(map(halving{}, x), directory_ / "streamed", sharded_,
          {.executor = executors::serial(), .max_attempts = 1});
  };
  fails_from = 0.25 * 640 * columns;
  EXPECT_THROW(run(), error);
  auto files = values("streamed");
  EXPECT_EQ(files.count("c/0/0") + files.count("c/0/1"), 2U);
  EXPECT_EQ(files.count("c/1/0") + files.count("c/1/1"), 0U);
  const auto written = fs::last_write_time(directory_ / "streamed/c/0/1");
  fails_from = std::numeric_limits<double>::infinity();
  run();
  EXPECT_EQ(fs::last_write_time(directory_ / "streamed/c/0/1"), written);
  EXPECT_EQ((open<double, 2>(directory_ / "streamed").compute()),
            (numbers(enough()) / 2.0).compute());
}

}  // namespace
}  // namespace tessera
