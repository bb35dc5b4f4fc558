// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/zarr/zarr_array.hpp"

#include "unit/store/struck_system_call.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <span>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace ts = tessera;
namespace fs = std::filesystem;

namespace {

constexpr ts::index_t chunk_length = 20000;

/// The contents of an array of uniform chunks: the value of each chunk.
using state = std::vector<std::int32_t>;

/// The operation number `i` of a writer: it changes a chunk, appends one, or cuts the array.
state after_operation(state before, std::int32_t i) {
  if (before.size() > 8) {
    before.resize(3);
  } else if (i % 3 == 2) {
    before.push_back(i);
  } else {
    before[static_cast<std::size_t>(i) % before.size()] = i;
  }
  return before;
}

/// Brings the array from one state to the next.
ts::zarr_array advance(const ts::zarr_array& array, const state& from, const state& to) {
  if (to.size() < from.size()) {
    return array.resize(ts::index_vector{static_cast<ts::index_t>(to.size()) * chunk_length});
  }
  const auto changed = static_cast<std::size_t>(
      std::mismatch(from.begin(), from.end(), to.begin()).first - from.begin());
  if (changed == to.size()) return array;
  const std::vector<std::int32_t> values(chunk_length, to[changed]);
  const auto bytes = std::as_bytes(std::span(values));
  // Buffers of shards hold chunks as well; the elements are not touched.
  const auto memory =
      std::make_unique_for_overwrite<std::byte[]>(array.shard_bytes() + array.shard_bound());
  const std::span<std::byte> decoded(memory.get(), array.shard_bytes());
  const std::span<std::byte> encoded(memory.get() + array.shard_bytes(), array.shard_bound());
  if (changed == from.size()) return array.append(0, bytes, decoded, encoded);
  if (array.shards() == array.chunks()) {
    array.write_chunk(ts::index_vector{static_cast<ts::index_t>(changed)}, bytes.data(), encoded);
    return array;
  }
  const auto first = static_cast<ts::index_t>(changed) * chunk_length;
  array.write_region({{first}, {first + chunk_length}}, bytes, decoded, encoded);
  return array;
}

/// Reads the state of an array; throws if a chunk is torn.
state state_of(const ts::zarr_array& array) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(array.shape()[0]));
  ts::chunk_buffers buffers(array);
  array.read_region(ts::region::whole(array.shape()), std::as_writable_bytes(std::span(values)),
                    buffers.decoded(), buffers.encoded());
  state result;
  for (std::size_t i = 0; i < values.size(); i += chunk_length) {
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(i);
    if (std::count(first, first + chunk_length, *first) != chunk_length) {
      throw std::runtime_error("a chunk is torn");
    }
    result.push_back(*first);
  }
  return result;
}

bool has_leftovers(const fs::path& directory) {
  return std::any_of(fs::recursive_directory_iterator(directory),
                     fs::recursive_directory_iterator{},
                     [](const auto& entry) { return entry.path().extension() == ".partial"; });
}

/// Writes without end; a byte on `progress` for each operation that is done.
[[noreturn]] void write_on(const std::string& path, state current, std::int32_t first,
                           int progress) {
  auto array = ts::zarr_array::open(path);
  for (std::int32_t i = first;; ++i) {
    const state next = after_operation(current, i);
    array = advance(array, current, next);
    current = next;
    if (::write(progress, "", 1) != 1) ::_exit(1);
  }
}

/// Lets a writer do `count` operations and `spins` turns of an empty loop more, and kills it;
/// returns how many it has told of.
std::int32_t operations_until_killed(const std::function<void(int)>& write, int count, int spins) {
  int ends[2];
  if (::pipe(ends) != 0) throw std::runtime_error("pipe failed");
  const pid_t writer = ts::testing::in_child([&] {
    write(ends[1]);
    return 0;
  });
  ::close(ends[1]);
  std::int32_t done = 0;
  char byte = 0;
  while (done < count && ::read(ends[0], &byte, 1) == 1) ++done;
  for (std::atomic<int> turn = 0; turn < spins;) ++turn;
  ::kill(writer, SIGKILL);
  (void)ts::testing::status_of(writer);
  while (::read(ends[0], &byte, 1) == 1) ++done;
  ::close(ends[0]);
  return done;
}

/// Kills writers, each after `prepare()`; returns how many left a file. After each kill the array
/// is as after the last operation that the writer told of, or as after the next one. With `shards`,
/// the array has shards of two chunks.
int leftovers_of_killed_writers(const std::function<void()>& prepare, bool shards = false) {
  const ts::testing::temporary_directory directory;
  const std::string path = directory / "a.zarr";
  state current(3, 0);
  ts::zarr_metadata metadata{.shape = {3 * chunk_length},
                             .chunks = {chunk_length},
                             .dtype = ts::dtype::int32,
                             .compressor = ts::codec::none{}};
  if (shards) {
    metadata.format = 3;
    metadata.shards = {2 * chunk_length};
  }
  (void)ts::zarr_array::create(path, metadata);
  std::mt19937 random(20261120);
  std::int32_t operation = 1;
  int num_leftovers = 0;
  for (int round = 0; round < (shards ? 80 : 200); ++round) {
    const auto count = static_cast<int>(random() % 12);
    const auto spins = static_cast<int>(random() % 40000);
    const std::int32_t done = operations_until_killed(
        [&](int progress) {
          prepare();
          write_on(path, current, operation, progress);
        },
        count, spins);
    for (std::int32_t i = 0; i < done; ++i) current = after_operation(current, operation++);
    const state next = after_operation(current, operation);
    const auto array = ts::zarr_array::open(path);
    const state stored = state_of(array);
    EXPECT_TRUE(stored == current || stored == next) << "round " << round;
    if (stored == next) {
      current = next;
      ++operation;
    }
    if (::testing::Test::HasFailure()) break;
    if (!has_leftovers(path)) continue;
    ++num_leftovers;
    (void)advance(array, current, after_operation(current, operation));
    current = after_operation(current, operation++);
    if (array.shape()[0] <= static_cast<ts::index_t>(current.size()) * chunk_length) {
      EXPECT_FALSE(has_leftovers(path)) << "round " << round;
    }
  }
  return num_leftovers;
}

TEST(KilledWriter, LeavesEachChunkAndTheMetadataOldOrNew) {
  (void)leftovers_of_killed_writers([] {});
}

TEST(KilledWriter, LeavesEachShardOldOrNew) {
  (void)leftovers_of_killed_writers([] {}, true);
}

TEST(KilledWriter, LeavesThemSoWhereFilesHaveToHaveNames) {
  EXPECT_GT(leftovers_of_killed_writers(ts::testing::refuse_unnamed_files), 0)
      << "no writer was killed within a write";
}

}  // namespace
