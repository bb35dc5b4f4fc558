// SPDX-License-Identifier: Apache-2.0

/// \file
/// The workspace of codecs, counted, against their bound: the heap by functions that stand in for
/// the allocator's, the stack by the overwritten bytes of a stack that was filled.

#include "tessera/codec/options.hpp"

#include "codec/api/codec_chain.hpp"
#include "codec/api/shard_codec.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <malloc.h>
#include <memory>
#include <new>
#include <pthread.h>
#include <random>
#include <span>
#include <string>
#include <sys/resource.h>
#include <utility>
#include <vector>

namespace {

thread_local bool is_counting = false;
thread_local std::size_t live_bytes = 0;
thread_local std::size_t peak_bytes = 0;

void* counted(void* memory) {
  if (is_counting && memory != nullptr) {
    live_bytes += malloc_usable_size(memory);
    peak_bytes = std::max(peak_bytes, live_bytes);
  }
  return memory;
}

void uncount(void* memory) {
  if (is_counting && memory != nullptr) {
    live_bytes -= std::min(live_bytes, malloc_usable_size(memory));
  }
}

}  // namespace

extern "C" {

// Other names of glibc's functions.
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
void __libc_free(void*);

void* malloc(std::size_t size) { return counted(__libc_malloc(size)); }
void* calloc(std::size_t count, std::size_t size) { return counted(__libc_calloc(count, size)); }
void* realloc(void* memory, std::size_t size) {
  uncount(memory);
  return counted(__libc_realloc(memory, size));
}
void* memalign(std::size_t alignment, std::size_t size) {
  return counted(__libc_memalign(alignment, size));
}
void* aligned_alloc(std::size_t alignment, std::size_t size) { return memalign(alignment, size); }
int posix_memalign(void** memory, std::size_t alignment, std::size_t size) {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  uncount(memory);
  __libc_free(memory);
}

}  // extern "C"

namespace {

namespace ts = tessera;
using buffer = std::vector<std::byte>;

constexpr std::byte untouched{0xA5};

/// Returns the most bytes of heap and stack that `work` takes in a thread of its own.
std::size_t bytes_taken(const std::function<void()>& work) {
  struct job {
    const std::function<void()>& work;
    std::size_t heap = 0;
  } run{work};
  constexpr std::size_t page = 4096;
  constexpr std::size_t stack_size = std::size_t{4} << 20;
  auto* const stack = static_cast<std::byte*>(std::aligned_alloc(page, stack_size));
  std::fill_n(stack, stack_size, untouched);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstack(&attributes, stack, stack_size);
  pthread_t thread{};
  const auto body = [](void* argument) -> void* {
    auto* const job_of_thread = static_cast<job*>(argument);
    live_bytes = peak_bytes = 0;
    is_counting = true;
    job_of_thread->work();
    is_counting = false;
    job_of_thread->heap = peak_bytes;
    return nullptr;
  };
  EXPECT_EQ(pthread_create(&thread, &attributes, body, &run), 0);
  pthread_join(thread, nullptr);
  const auto* const deepest =
      std::find_if(stack, stack + stack_size, [](std::byte b) { return b != untouched; });
  const auto depth = static_cast<std::size_t>(stack + stack_size - deepest);
  std::free(stack);
  return run.heap + depth;
}

buffer noise(std::size_t size) {
  std::mt19937_64 generator(42);
  buffer data(size);
  for (std::byte& value : data) value = static_cast<std::byte>(generator() >> 32 & 0xFF);
  return data;
}

buffer wave(std::size_t size) {
  buffer data(size);
  for (std::size_t i = 0; i + 4 <= size; i += 4) {
    const float value = std::sin(static_cast<float>(i) * 0.001F);
    std::memcpy(data.data() + i, &value, sizeof value);
  }
  return data;
}

/// Returns the bytes of a thread that does nothing.
std::size_t idle_bytes() {
  static const std::size_t idle = bytes_taken([] {});
  return idle;
}

/// Checks one way of a codec; returns the part of the workspace that was used.
void check(const ts::byte_codec& codec, const char* way, std::size_t size, std::size_t workspace,
           const std::function<void()>& work) {
  constexpr std::size_t frames = 4096;  // of std::function and of the codec's function
  const std::size_t peak = bytes_taken(work) - std::min(idle_bytes(), std::size_t{1} << 14);
  EXPECT_LE(peak, workspace + frames) << codec.to_json() << " " << way << " " << size << " B";
}

void check_size(const ts::byte_codec& writer, const ts::byte_codec& reader, std::size_t size) {
  for (const auto make : {&noise, &wave}) {
    const buffer data = make(size);
    buffer stored(writer.max_encoded_size(size));
    std::size_t stored_size = 0;
    check(writer, "encodes", size, writer.workspace_size(size),
          [&] { stored_size = writer.encode(data, stored); });
    stored.resize(stored_size);
    buffer decoded(size);
    check(reader, "decodes", size, reader.workspace_size(size),
          [&] { reader.decode(stored, decoded); });
  }
}

void check_both_ways(const ts::byte_codec& writer, const ts::byte_codec& reader) {
  for (const std::size_t size : {1000UL, 65536UL, 300000UL, (2UL << 20) + 12}) {
    check_size(writer, reader, size);
  }
}

std::shared_ptr<const ts::byte_codec> codec_of(const std::string& json) {
  return ts::codec::configuration::from_json(json).make({4, 'f'});
}

class Workspace : public ::testing::TestWithParam<const char*> {};

TEST_P(Workspace, IsAnUpperBound) {
  const auto codec = codec_of(GetParam());
  check_both_ways(*codec, *codec);
}

INSTANTIATE_TEST_SUITE_P(
    OfEachCodec, Workspace,
    ::testing::Values(
        R"({"id": "blosc"})", R"({"id": "blosc", "cname": "blosclz", "clevel": 9})",
        R"({"id": "blosc", "cname": "lz4hc", "clevel": 9})",
        R"({"id": "blosc", "cname": "snappy"})", R"({"id": "blosc", "cname": "zlib"})",
        R"({"id": "blosc", "cname": "zstd"})",
        R"({"id": "blosc", "cname": "zstd", "clevel": 9, "shuffle": 2})",
        R"({"id": "blosc", "blocksize": 4000000})", R"({"id": "zlib", "level": 9})",
        R"({"id": "gzip"})", R"({"id": "bz2"})", R"({"id": "bz2", "level": 9})",
        R"({"id": "zstd"})", R"({"id": "zstd", "level": 9})", R"({"id": "zstd", "level": 19})",
        R"({"id": "lz4"})", R"({"id": "lzma"})", R"({"id": "lzma", "preset": 0})",
        R"({"id": "lzma", "format": 2, "preset": 3})",
        R"({"id": "lzma", "format": 3, "filters": [{"id": 3, "dist": 4}, {"id": 33}]})",
        R"({"id": "delta", "dtype": "<i4", "astype": ">i8"})",
        R"({"id": "fixedscaleoffset", "offset": 0, "scale": 10, "dtype": "<f4"})",
        R"({"id": "quantize", "digits": 3, "dtype": "<f4"})",
        R"({"id": "bitround", "keepbits": 5})",
        R"({"id": "astype", "encode_dtype": "<f8", "decode_dtype": "<f4"})", R"({"id": "shuffle"})",
        R"({"id": "cast_value", "data_type": "float32"})", R"({"id": "scale_offset"})",
        R"({"id": "packbits"})", R"({"id": "crc32"})", R"({"id": "crc32c"})",
        R"({"id": "adler32"})", R"({"id": "fletcher32"})", R"({"id": "base64"})"));

// Chunks of other writers may have other options than the metadata states.
TEST(WorkspaceOf, BoundsTheDecodingOfWhatOthersWrote) {
  check_both_ways(*codec_of(R"({"id": "bz2", "level": 9})"), *codec_of(R"({"id": "bz2"})"));
  check_both_ways(*codec_of(R"({"id": "lzma", "preset": 5})"),
                  *codec_of(R"({"id": "lzma", "preset": 0})"));
  check_both_ways(*codec_of(R"({"id": "blosc", "cname": "zstd", "clevel": 9})"),
                  *codec_of(R"({"id": "blosc", "cname": "lz4", "clevel": 1})"));
  check_both_ways(*codec_of(R"({"id": "zstd", "level": 19})"), *codec_of(R"({"id": "zstd"})"));
}

TEST(WorkspaceOf, AChainIsAnUpperBound) {
  const std::vector<ts::codec::configuration> filters{ts::codec::shuffle{}, ts::codec::zlib{},
                                                      ts::codec::crc32{}};
  const auto chain = ts::make_codec_chain(filters, ts::codec::configuration{}, 4);
  check_both_ways(*chain, *chain);
}

TEST(WorkspaceOf, AShardIsAnUpperBound) {
  const ts::detail::shard_layout layout{
      .shape = {64, 4, 256}, .part_shape = {16, 2, 128}, .order = {2, 0, 1}, .itemsize = 4};
  for (const auto& choice :
       {ts::codec::configuration{ts::codec::none{}}, ts::codec::configuration{ts::codec::zstd{}},
        ts::codec::configuration{}}) {
    const auto codec = ts::detail::make_shard_codec(layout, choice.make(4));
    check_size(*codec, *codec, std::size_t{64} * 4 * 256 * 4);
  }
}

// The bound of the heap in a plan: twice the workspace, whatever else the program takes from it.
TEST(WorkspaceOf, BloscIsTakenFromTheSamePiecesOfTheHeapByEachCall) {
  constexpr std::size_t size = 840'000;  // one block
  const auto codec = ts::codec::configuration{ts::codec::blosc{}}.make({8, 'f'});
  const buffer data = wave(size);
  buffer stored(codec->max_encoded_size(size));
  buffer decoded(size);
  std::vector<std::unique_ptr<char[]>> kept_by_the_program;
  const std::size_t heap_before = mallinfo2().arena;
  for (int i = 0; i < 32; ++i) {
    const std::size_t stored_size = codec->encode(data, stored);
    codec->decode(std::span(stored).first(stored_size), decoded);
    for (const std::size_t small : {40, 56, 72}) {
      kept_by_the_program.push_back(std::make_unique<char[]>(small));
    }
  }
  EXPECT_EQ(decoded, data);
  EXPECT_LE(mallinfo2().arena - heap_before, 2 * codec->workspace_size(size));
}

/// A program that keeps up to 300 small pieces of the heap, some for long.
class small_pieces {
 public:
  void change(std::mt19937& random) {
    for (std::size_t i = random() % 30; i > 0; --i) {
      kept_.push_back(std::make_unique<char[]>(16 + random() % 64));
    }
    const std::size_t most = 100 + random() % 200;
    while (kept_.size() > most) {
      std::swap(kept_[random() % kept_.size()], kept_.back());
      kept_.pop_back();
    }
  }

 private:
  std::vector<std::unique_ptr<char[]>> kept_;
};

TEST(WorkspaceOf, BloscIsTakenFromTheSamePiecesWhateverElseComesAndGoes) {
  constexpr std::size_t size = 480'000;
  const auto codec = ts::codec::configuration{ts::codec::blosc{}}.make({8, 'f'});
  const buffer data = wave(size);
  buffer stored(codec->max_encoded_size(size));
  buffer decoded(size);
  for (std::uint32_t seed = 1; seed <= 10; ++seed) {
    std::mt19937 random(seed);
    small_pieces others;
    const std::size_t heap_before = mallinfo2().arena;
    for (int i = 0; i < 150; ++i) {
      others.change(random);
      const std::size_t stored_size = codec->encode(data, stored);
      others.change(random);
      codec->decode(std::span(stored).first(stored_size), decoded);
    }
    EXPECT_EQ(decoded, data);
    EXPECT_LE(mallinfo2().arena, heap_before + 2 * codec->workspace_size(size)) << "seed " << seed;
    malloc_trim(0);
  }
}

class WorkspaceDeathTest : public ::testing::Test {};

// Blosc would write to address 0.
TEST_F(WorkspaceDeathTest, BloscIsRefusedWhereTheSystemGivesNoMore) {
  constexpr std::size_t size = std::size_t{64} << 20U;
  const auto codec = codec_of(R"({"id": "blosc", "blocksize": 16777216})");
  const buffer data = wave(size);
  buffer stored(codec->max_encoded_size(size));
  stored.resize(codec->encode(data, stored));
  buffer decoded(size);
  buffer part(1000);
  buffer room(codec->max_encoded_size(size));
  const auto is_refused = [](const auto& work) {
    try {
      work();
    } catch (const std::bad_alloc&) {
      return true;
    }
    return false;
  };
  const auto body = [&] {
    const rlimit nothing_more{1, 1};
    setrlimit(RLIMIT_DATA, &nothing_more);
    const bool are_refused = is_refused([&] { codec->encode(data, room); }) &&
                             is_refused([&] { codec->decode(stored, decoded); }) &&
                             is_refused([&] { codec->decode_range(stored, size, 0, part); });
    std::_Exit(are_refused ? 0 : 1);
  };
  EXPECT_EXIT(body(), ::testing::ExitedWithCode(0), "");
}

// A count that counts nothing would let everything pass.
TEST(WorkspaceOf, TestsIsCountedOnHeapAndStack) {
  EXPECT_GE(bytes_taken([] {
              std::vector<char> memory(100000);
              ASSERT_EQ(memory.back(), 0);
            }),
            100000U);
  EXPECT_GE(bytes_taken([] {
              volatile char memory[200000] = {};
              ASSERT_EQ(memory[0], 0);
            }),
            200000U);
}

}  // namespace
