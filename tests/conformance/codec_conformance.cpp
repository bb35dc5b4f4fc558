// SPDX-License-Identifier: Apache-2.0
#include "conformance/codec_conformance.hpp"

#include "tessera/codec/registry.hpp"
#include "tessera/core/error.hpp"
#include "tessera/testing/detail/register_case.hpp"

#include "unit/core/message_of.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

namespace tessera::testing {

namespace {

using ::testing::HasSubstr;

using buffer = std::vector<std::byte>;
constexpr std::size_t itemsize = 4;
constexpr codec_elements elements{itemsize, 'f'};

buffer zeros(std::size_t size) { return buffer(size); }

buffer noise(std::size_t size) {
  std::mt19937 generator(42);
  buffer data(size);
  for (std::byte& value : data) value = static_cast<std::byte>(generator() & 0xFF);
  return data;
}

buffer wave(std::size_t size) {
  buffer data(size);
  for (std::size_t i = 0; i + itemsize <= size; i += itemsize) {
    const float value = std::sin(static_cast<float>(i) * 0.001F);
    std::memcpy(data.data() + i, &value, sizeof value);
  }
  return data;
}

buffer encoded(const byte_codec& codec, const buffer& data) {
  buffer result(codec.max_encoded_size(data.size()));
  result.resize(codec.encode(data, result));
  return result;
}

/// Encodes values and decodes them: checks the sizes, and the bytes if `is_same`.
void takes_there_and_back(const byte_codec& codec, bool is_same) {
  // A compressor takes any size, a filter of numbers whole numbers only.
  std::size_t unit = itemsize;
  try {
    (void)encoded(codec, zeros(1));
    unit = 1;
  } catch (const codec_error&) {
  }
  for (const std::size_t count :
       {0UL, 1UL, 2UL, 3UL, 7UL, 16UL, 127UL, 128UL, 1000UL, 65535UL, 65536UL, (1UL << 20) + 3}) {
    const std::size_t size = unit * count;
    for (const auto make : {&zeros, &noise, &wave}) {
      const buffer data = make(size);
      const buffer stored = encoded(codec, data);
      EXPECT_LE(stored.size(), codec.max_encoded_size(size));
      buffer decoded(size, std::byte{0xEE});
      codec.decode(stored, decoded);
      EXPECT_TRUE(!is_same || decoded == data) << size;
    }
  }
}

void gives_back_what_was_encoded(const byte_codec& codec) { takes_there_and_back(codec, true); }
void gives_back_as_much_as_was_encoded(const byte_codec& codec) {
  takes_there_and_back(codec, false);
}

void refuses_another_decoded_size(const byte_codec& codec) {
  for (const auto make : {&noise, &wave}) {
    const buffer stored = encoded(codec, make(1000));
    for (const std::size_t size : {0UL, 1UL, 500UL, 996UL, 999UL, 1001UL, 1004UL, 5000UL}) {
      buffer decoded(size);
      const std::string message = message_of<codec_error>([&] { codec.decode(stored, decoded); });
      EXPECT_THAT(message, HasSubstr(std::to_string(size) + " B"));
    }
  }
}

void refuses_what_is_cut_short(const byte_codec& codec) {
  for (const auto make : {&zeros, &noise, &wave}) {
    const buffer stored = encoded(codec, make(1000));
    buffer decoded(1000);
    for (std::size_t size = 0; size < stored.size(); ++size) {
      // A copy of its own, so that reading behind its end is found.
      const buffer cut(stored.begin(), stored.begin() + static_cast<std::ptrdiff_t>(size));
      EXPECT_THROW(codec.decode(cut, decoded), codec_error) << size;
    }
  }
}

void refuses_what_is_longer(const byte_codec& codec) {
  buffer stored = encoded(codec, wave(1000));
  stored.push_back(std::byte{0});
  buffer decoded(1000);
  EXPECT_THROW(codec.decode(stored, decoded), codec_error);
}

// Wrong bytes may decode to something, but never outside of the buffers: a sanitizer watches.
void survives_any_bytes(const byte_codec& codec) {
  std::mt19937 generator(7);
  const buffer stored = encoded(codec, wave(3000));
  for (int round = 0; round < 3000; ++round) {
    buffer damaged = stored;
    for (int i = 0; i < 1 + round % 4; ++i) {
      const std::size_t limit = round % 2 == 0 ? damaged.size() : std::size_t{20};
      damaged[generator() % limit] = static_cast<std::byte>(generator() & 0xFF);
    }
    buffer decoded(3000);
    try {
      codec.decode(damaged, decoded);
    } catch (const codec_error&) {
      continue;
    }
  }
  buffer decoded(3000);
  EXPECT_THROW(codec.decode(zeros(500), decoded), codec_error);
  EXPECT_THROW(codec.decode({}, decoded), codec_error);
}

void refuses_a_small_buffer(const byte_codec& codec) {
  const buffer data = noise(1000);
  buffer small(codec.max_encoded_size(data.size()) - 1);
  EXPECT_THAT(message_of<codec_error>([&] { (void)codec.encode(data, small); }),
              HasSubstr(std::to_string(small.size()) + " B"));
}

void configuration_gives_the_codec_back(const byte_codec& codec) {
  const auto again = make_codec(codec.to_json(), elements);
  EXPECT_EQ(again->id(), codec.id());
  EXPECT_EQ(again->to_json(), codec.to_json());
  EXPECT_EQ(encoded(*again, wave(70000)), encoded(codec, wave(70000)));
}

void decodes_ranges_as_the_whole(const byte_codec& codec) {
  const buffer data = wave(std::size_t{4} << 20);
  const buffer stored = encoded(codec, data);
  buffer whole(data.size());
  codec.decode(stored, whole);
  std::mt19937 generator(11);
  for (int round = 0; round < 50; ++round) {
    const std::size_t first = generator() % data.size();
    const std::size_t most = std::min(data.size() - first, std::size_t{300000});
    buffer part(generator() % (most + 1), std::byte{0xEE});
    if (!codec.decode_range(stored, data.size(), first, part)) continue;
    EXPECT_TRUE(std::equal(part.begin(), part.end(), whole.data() + first)) << first;
  }
}

void serves_many_threads(const byte_codec& codec) {
  const buffer data = wave(100000);
  const buffer expected = encoded(codec, data);
  buffer values(data.size());
  codec.decode(expected, values);
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 5; ++round) {
        buffer decoded(data.size());
        codec.decode(encoded(codec, data), decoded);
        if (decoded != values || encoded(codec, data) != expected) ADD_FAILURE();
      }
    });
  }
}

}  // namespace

bool register_codec_conformance(const std::string& name, const codec::configuration& choice,
                                promise kept) {
  const auto add = [&](const char* test, void (*body)(const byte_codec&)) {
    register_case("Codec/" + name, test, [choice, body] { body(*choice.make(elements)); });
  };
  if (kept == promise::gives_back) {
    add("GivesBackWhatWasEncoded", gives_back_what_was_encoded);
  } else {
    add("GivesBackAsMuchAsWasEncoded", gives_back_as_much_as_was_encoded);
  }
  add("RefusesAnotherDecodedSize", refuses_another_decoded_size);
  add("RefusesWhatIsCutShort", refuses_what_is_cut_short);
  add("RefusesWhatIsLonger", refuses_what_is_longer);
  add("SurvivesAnyBytes", survives_any_bytes);
  add("RefusesASmallBuffer", refuses_a_small_buffer);
  add("ConfigurationGivesTheCodecBack", configuration_gives_the_codec_back);
  add("DecodesRangesAsTheWhole", decodes_ranges_as_the_whole);
  add("ServesManyThreads", serves_many_threads);
  return true;
}

}  // namespace tessera::testing
