// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/testing/fault_injecting_store.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "fuzz/read_everything.hpp"
#include "unit/store/temporary_directory.hpp"
#include "unit/zarr/support.hpp"

#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>
#include <rapidcheck.h>
#include <span>
#include <sys/resource.h>
#include <sys/stat.h>
#include <vector>

namespace ts = tessera;
namespace fs = std::filesystem;

namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using namespace ts::testing::zarr;

/// The most memory that this process has ever had, in bytes.
std::size_t peak_memory() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

/// Stores elements in a chunk, or in a shard of an array with shards.
void write_value(const ts::zarr_array& array, const ts::index_vector& position) {
  std::vector<std::int32_t> values(array.shard_bytes() / sizeof(std::int32_t));
  std::iota(values.begin(), values.end(), 1);
  std::vector<std::byte> encoded(array.shard_bound());
  std::vector<std::byte> scratch(array.write_scratch_bytes());
  array.write_chunk(position, std::as_bytes(std::span(values)).data(), encoded, scratch);
}

/// A store of `format` with a group and an array in it, with all chunks.
std::shared_ptr<ts::memory_store> random_store(int format) {
  const auto store = in_memory();
  ts::zarr_metadata metadata = plain_int32({}, {});
  metadata.format = format;
  const auto rank = *rc::gen::inRange<std::size_t>(0, 4);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    metadata.shape.push_back(*rc::gen::inRange<ts::index_t>(1, 9));
    metadata.chunks.push_back(*rc::gen::inRange<ts::index_t>(1, 9));
  }
  metadata.order = *rc::gen::element('C', 'F');
  metadata.dimension_separator = *rc::gen::element('.', '/');
  metadata.compressor = *rc::gen::element<ts::codec::configuration>(
      ts::codec::none{}, ts::codec::zlib{}, ts::codec::gzip{}, ts::codec::zstd{},
      ts::codec::blosc{}, ts::codec::blosc{.cname = "zstd", .blocksize = 64});
  if (format == 3 && rank > 0 && *rc::gen::inRange(0, 4) > 0) {
    for (const ts::index_t extent : metadata.chunks) {
      metadata.shards.push_back(extent * *rc::gen::inRange<ts::index_t>(1, 4));
    }
  }
  const auto array =
      ts::zarr_array::create(store, "g/x", metadata, {{"units", "K"}, {"scale", 2.0}});
  for (ts::index_t i = 0; i < array.shard_grid().size(); ++i) {
    write_value(array, array.shard_grid().chunk_at(i));
  }
  return store;
}

/// Damages one value of a store: a byte, its length, all of it.
void mutate(ts::key_value_store& store) {
  const auto keys = store.list("");
  const std::string key = *rc::gen::elementOf(keys);
  auto value = store.read_all(key, 1 << 20).value();
  const int kind = *rc::gen::inRange(0, 10);
  if (kind < 6 && !value.empty()) {
    // Headers and sizes are at the beginning.
    const auto at = *rc::gen::weightedOneOf<std::size_t>(
        {{1, rc::gen::inRange<std::size_t>(0, std::min<std::size_t>(value.size(), 20))},
         {1, rc::gen::inRange<std::size_t>(0, value.size())}});
    value[at] = static_cast<std::byte>(*rc::gen::inRange(0, 256));
  } else if (kind < 8) {
    value.resize(*rc::gen::inRange<std::size_t>(0, value.size() + 1));
  } else if (kind == 8) {
    value.resize(value.size() + *rc::gen::inRange<std::size_t>(1, 3000));
  } else {
    value = store.read_all(*rc::gen::elementOf(keys), 1 << 20).value();
  }
  store.write(key, value);
}

/// The version of the format.
class HostileStoreOf : public ::testing::TestWithParam<int> {};

TEST_P(HostileStoreOf, IsReadOrRefusedWithinTheBoundWhateverIsDamaged) {
  constexpr std::size_t allowed = std::size_t{1} << 20;
  const std::size_t before = peak_memory();
  const auto holds = [] {
    const auto store = random_store(GetParam());
    // Damage adds up: each store is read again after each blow.
    for (int i = 0; i < 10; ++i) {
      mutate(*store);
      // An error that is not Tessera's leaves this function and fails the test.
      (void)ts::testing::read_everything(store, "", allowed);
    }
  };
  EXPECT_TRUE(rc::check(holds));
  // A decompression bomb or a size that is believed would take gigabytes.
  EXPECT_LT(peak_memory(), before + 64 * allowed);
}

INSTANTIATE_TEST_SUITE_P(Versions, HostileStoreOf, ::testing::Values(2, 3));

TEST(HostileStore, AShortReadIsAnErrorOfItsChunk) {
  const auto store = std::make_shared<ts::testing::fault_injecting_store>(in_memory());
  ts::zarr_metadata metadata = plain_int32({64}, {64});
  for (const ts::codec::configuration& codec :
       {ts::codec::configuration(ts::codec::none{}), ts::codec::configuration(ts::codec::zlib{}),
        ts::codec::configuration(ts::codec::zstd{}), ts::codec::configuration()}) {
    metadata.compressor = codec;
    const auto array = ts::zarr_array::create(store, "x", metadata, {}, ts::existing::replace);
    write_iota(array, {0}, 0);
    store->inject({.effect = ts::testing::fault_effect::cut_short, .key_part = "x/0"});
    try {
      read_all(array);
      ADD_FAILURE() << codec.to_json();
    } catch (const ts::error& failure) {
      EXPECT_THAT(failure.what(), HasSubstr("x/0")) << codec.to_json();
    }
    store->clear();
  }
}

/// An array of two chunks in a directory; the test damages the second.
struct HostileFile : ::testing::Test {
  ts::testing::temporary_directory directory;
  ts::zarr_array array = ts::zarr_array::create(directory / "a.zarr", plain_int32({4}, {2}));

  void SetUp() override { write_iota(array, {0}, 1); }
  std::string refusal() const {
    try {
      read_all(array);
    } catch (const ts::error& failure) {
      return failure.what();
    }
    return "accepted";
  }
  std::string path(const std::string& name) const { return directory / ("a.zarr/" + name); }
};

TEST_F(HostileFile, OfTenGigabytesIsRefusedUnread) {
  write_iota(array, {1}, 1);
  fs::resize_file(path("1"), 10'000'000'000);
  const std::size_t before = peak_memory();
  EXPECT_THAT(refusal(), AllOf(HasSubstr("\"1\""), HasSubstr("at most 8 B"),
                               HasSubstr("found 10000000000 B")));
  fs::resize_file(path(".zarray"), 10'000'000'000);
  EXPECT_THROW((void)ts::zarr_array::open(directory / "a.zarr"), ts::error);
  EXPECT_LT(peak_memory(), before + (std::size_t{64} << 20));
}

TEST_F(HostileFile, ThatIsNoFileIsRefusedAtOnce) {
  ASSERT_EQ(::mkfifo(path("1").c_str(), 0600), 0);
  EXPECT_THAT(refusal(), AllOf(HasSubstr("\"1\""), HasSubstr("regular file")));
  for (const char* target : {"/dev/zero", "/dev/tty", "/proc/self/mem", "1", "/"}) {
    fs::remove(path("1"));
    fs::create_symlink(target, path("1"));
    EXPECT_THAT(refusal(), HasSubstr("\"1\"")) << target;
  }
  fs::remove(path("1"));
  fs::create_directory(path("1"));
  EXPECT_THAT(refusal(), AllOf(HasSubstr("\"1\""), HasSubstr("folder")));
  fs::remove(path(".zarray"));
  ASSERT_EQ(::mkfifo(path(".zarray").c_str(), 0600), 0);
  EXPECT_THROW((void)ts::zarr_array::open(directory / "a.zarr"), ts::error);
}

// blosc: the sizes of the header, of the decoded chunk, of a block, and of the file, each a lie.
TEST(HostileChunk, WithALyingBloscHeaderIsRefused) {
  const auto store = in_memory();
  ts::zarr_metadata metadata = plain_int32({1000}, {1000});
  metadata.compressor = ts::codec::blosc{};
  const auto array = ts::zarr_array::create(store, "x", metadata);
  write_iota(array, {0}, 0);
  const auto honest = store->read_all("x/0", 1 << 20).value();
  for (const std::size_t field : {4UL, 8UL, 12UL}) {
    for (const std::uint32_t lie : {0U, 1U, 3999U, 4001U, 0x7FFFFFFFU, 0xFFFFFFFFU}) {
      auto chunk = honest;
      std::memcpy(chunk.data() + field, &lie, sizeof lie);
      store->write("x/0", chunk);
      if (field == 8 && lie != 0 && lie <= 4000) {
        // Blocks of another size than was written may or may not be noticed.
        EXPECT_LE(ts::testing::read_everything(store, "x", 1 << 20), 2);
        continue;
      }
      EXPECT_THAT(refusal_of<ts::codec_error>([&] { read_all(array); }), HasSubstr("x/0"))
          << field << ": " << lie;
    }
  }
}

}  // namespace
