// SPDX-License-Identifier: Apache-2.0
/// \file
/// Servers that fail for a while, or answer with something else than was asked for.

#include "tessera/store/http.hpp"
#include "tessera/store/open_store.hpp"

#include "unit/store/http/http_values.hpp"
#include "unit/store/http/test_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

/// Returns the value "k" of a server that gives it after `num_failures` failures.
std::string value_after(std::size_t num_failures, const reply& failure) {
  test_server server([&](const received_request& request) {
    return request.number < num_failures ? failure : answer_with(request, "value");
  });
  const std::string value = read_value(*open_store(server.url()), "k");
  EXPECT_EQ(server.num_requests(), num_failures + 1);
  return value;
}

TEST(FailingServer, IsAskedAgain) {
  for (const int status : {408, 429, 500, 502, 503, 504}) {
    EXPECT_EQ(value_after(2, {.status = status, .body = "later"}), "value") << status;
  }
  EXPECT_EQ(value_after(2, {.body = "value", .cut = 0}), "value");
}

TEST(FailingServer, IsGivenTheTimeThatItAsksFor) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(value_after(1, {.status = 503, .headers = {"Retry-After: 1"}}), "value");
  EXPECT_GE(std::chrono::steady_clock::now() - begin, 1s);
}

TEST(FailingServer, IsNotWaitedForBeyondThePatience) {
  test_server server([&](const received_request& request) -> reply {
    if (request.target == "/late") return {.status = 503, .headers = {"Retry-After: 3600"}};
    return {.status = request.target == "/busy" ? 429 : 500};
  });
  const auto store = open_http_store(server.url(), impatient(1s));
  EXPECT_EQ(failure_of([&] { return store->size("late"); }).kind(), store_failure::throttled);
  EXPECT_EQ(server.num_requests(), 1U);
  const store_error busy = failure_of([&] { return store->size("busy"); });
  EXPECT_EQ(busy.kind(), store_failure::throttled);
  EXPECT_TRUE(busy.may_pass());
  const store_error broken = failure_of([&] { return store->size("broken"); });
  EXPECT_EQ(broken.kind(), store_failure::passing);
  EXPECT_THAT(broken.what(), HasSubstr("key \"broken\" (" + server.url() + ")"));
  EXPECT_THAT(broken.what(), HasSubstr("status 500, in "));
}

TEST(FailingServer, IsGivenUpIfItIsSilent) {
  test_server server([](const received_request& request) {
    reply given = answer_with(request, "value");
    given.delay = 1s;
    return given;
  });
  const auto store = open_http_store(server.url(), impatient(200ms));
  EXPECT_EQ(failure_of([&] { return store->size("k"); }).kind(), store_failure::passing);
}

// The server tells of a body of 1 GB, and closes the connection after 128 KiB.
TEST(FailingServer, IsNotReadToTheEndOfItsBody) {
  const std::string some(128 << 10, 'a');
  test_server server([&](const received_request&) {
    return reply{.status = 404,
                 .headers = {"Content-Length: 1000000000"},
                 .body = some,
                 .tells_length = false};
  });
  EXPECT_EQ(read_value(*open_http_store(server.url(), impatient()), "k"), "(missing)");
  EXPECT_EQ(server.num_requests(), 1U);
}

// The patience is 400 ms: the body takes three times as long, but no piece does.
TEST(SlowServer, IsWaitedForWhileItsBodyFlows) {
  test_server server([](const received_request& request) {
    reply given = answer_with(request, letters(1200));
    given.piece = 100;
    given.pause = 100ms;
    return given;
  });
  const auto store = open_http_store(server.url(), impatient(400ms));
  EXPECT_EQ(read_value(*store, "k"), letters(1200));
  EXPECT_EQ(server.num_requests(), 1U);
}

TEST(SlowServer, IsGivenUpIfItsBodyStalls) {
  test_server server([](const received_request& request) {
    reply given = answer_with(request, letters(200), "\"v1\"");
    given.piece = 100;
    given.pause = request.number == 0 ? 20ms : 0ms;
    if (request.header("range").empty() && request.target == "/stalls") given.pause = 1500ms;
    return given;
  });
  const auto store = open_http_store(server.url(), impatient(300ms));
  EXPECT_EQ(read_value(*store, "k"), letters(200));
  // A client that waited would get the whole body.
  const store_error failure = failure_of([&] { return store->read_all("stalls", 1000); });
  EXPECT_EQ(failure.kind(), store_failure::passing);
}

// A body without a version is read anew each time. Bytes that came before are no progress.
TEST(SlowServer, IsNotAskedForeverIfItCutsEachBody) {
  test_server server([](const received_request& request) {
    reply given = answer_with(request, letters(1000));
    given.cut = 500;
    return given;
  });
  const auto store = open_http_store(server.url(), impatient(400ms));
  EXPECT_EQ(failure_of([&] { return store->read_all("k", 1000); }).kind(), store_failure::passing);
}

TEST(FailingServer, IsGivenUpIfItCannotBeReached) {
  std::string url;
  {
    const test_server server([](const received_request&) { return reply{}; });
    url = server.url();
  }
  const auto store = open_store(url);
  const store_error refused = failure_of([&] { return store->size("k"); });
  EXPECT_EQ(refused.kind(), store_failure::passing);
  EXPECT_THAT(refused.what(), HasSubstr("cannot be reached"));
  const auto unnamed = open_store("http://no-such-host.invalid/a");
  EXPECT_EQ(failure_of([&] { return unnamed->size("k"); }).kind(), store_failure::passing);
}

/// A server that cuts the bodies of the first requests, and the requests' headers.
struct cutting_server {
  explicit cutting_server(std::size_t num_cuts, std::string tag)
      : server([this, num_cuts, tag = std::move(tag)](const received_request& request) {
          ranges.push_back(request.header("range") + ";" + request.header("if-match"));
          reply given = answer_with(request, letters(100'000), tag);
          if (request.number < num_cuts) given.cut = 30'000;
          return given;
        }) {}
  std::vector<std::string> ranges;
  test_server server;
};

TEST(BrokenBody, IsContinuedFromItsEnd) {
  cutting_server cutting(3, "\"v1\"");
  const auto store = open_store(cutting.server.url());
  EXPECT_EQ(read_value(*store, "k"), letters(100'000));
  EXPECT_THAT(cutting.ranges, ::testing::ElementsAre(";", "bytes=30000-;\"v1\"",
                                                     "bytes=60000-;\"v1\"", "bytes=90000-;\"v1\""));
}

TEST(BrokenBody, OfARangeIsContinued) {
  for (const bool from_end : {false, true}) {
    cutting_server cutting(2, "\"v1\"");
    const auto store = open_store(cutting.server.url());
    std::vector<std::byte> buffer(80'000);
    const byte_range range{from_end ? 0U : 10'000U, 80'000, from_end};
    const auto part = store->read_part("k", range, buffer);
    ASSERT_TRUE(part);
    const std::size_t first = from_end ? 20'000 : 10'000;
    EXPECT_EQ(*part, (value_part{first, 80'000, 100'000, value_version("\"v1\"")}));
    EXPECT_EQ(text_of(buffer), letters(100'000).substr(first, 80'000));
    EXPECT_EQ(cutting.ranges.size(), 3U);
  }
}

TEST(BrokenBody, WithoutAVersionIsReadAnew) {
  for (const char* tag : {"", "W/\"v1\""}) {
    cutting_server cutting(2, tag);
    EXPECT_EQ(read_value(*open_store(cutting.server.url()), "k"), letters(100'000));
    EXPECT_THAT(cutting.ranges, ::testing::ElementsAre(";", ";", ";"));
  }
}

TEST(BrokenBody, OfAReplacedValueIsReadAnew) {
  const std::string later(50'000, 'x');
  for (const bool has_conditions : {true, false}) {
    test_server server([&](const received_request& request) {
      received_request copy = request;
      if (!has_conditions) copy.headers.erase("if-match");
      if (request.number > 0) return answer_with(copy, later, "\"v2\"");
      reply given = answer_with(copy, letters(100'000), "\"v1\"");
      given.cut = 30'000;
      return given;
    });
    EXPECT_EQ(read_value(*open_store(server.url()), "k"), later) << has_conditions;
    EXPECT_EQ(server.num_requests(), 3U);
  }
}

TEST(ServerWithoutRanges, GivesPartsOfWholeValues) {
  test_server server([](const received_request& request) {
    received_request copy = request;
    copy.headers.erase("range");
    return answer_with(copy, letters(100'000));
  });
  const auto store = open_store(server.url());
  EXPECT_EQ(store->size("k"), 100'000U);
  for (const byte_range& range :
       {byte_range{0, 10}, byte_range{50'000, 10}, byte_range{99'995, 10}, byte_range{100'000, 5},
        byte_range{.count = 10, .from_end = true}}) {
    std::vector<std::byte> buffer(10);
    const auto part = store->read_part("k", range, buffer);
    const byte_range clipped = clip_range(range, 100'000);
    ASSERT_TRUE(part);
    EXPECT_EQ(*part, (value_part{clipped.first, static_cast<std::size_t>(clipped.count), 100'000}));
    EXPECT_EQ(text_of(buffer).substr(0, part->size),
              letters(100'000).substr(clipped.first, clipped.count));
  }
}

TEST(ServerWithoutSizes, GivesParts) {
  // RFC 9112, 7.1: chunks of a body.
  test_server server([](const received_request&) {
    return reply{.headers = {"Transfer-Encoding: chunked"},
                 .body = "4\r\nabcd\r\n6\r\nefghij\r\n0\r\n\r\n",
                 .tells_length = false};
  });
  const auto store = open_store(server.url());
  EXPECT_EQ(read_value(*store, "k"), "abcdefghij");
  EXPECT_EQ(store->size("k"), 10U);
  std::vector<std::byte> buffer(3);
  const auto part = store->read_part("k", {4, 3}, buffer);
  ASSERT_TRUE(part);
  EXPECT_EQ(*part, (value_part{4, 3, 10}));
  EXPECT_EQ(text_of(buffer), "efg");
  EXPECT_EQ(failure_of([&] {
              return store->read_part("k", {.count = 3, .from_end = true}, buffer);
            }).kind(),
            store_failure::unsupported);
  const store_error large = failure_of([&] { return store->read("k", buffer); });
  EXPECT_EQ(large.kind(), store_failure::too_large);
}

TEST(RangeBehindTheEnd, IsEmptyAlsoIfTheServerTellsNoSize) {
  test_server server([](const received_request& request) -> reply {
    if (!request.header("range").empty()) return {.status = 416};
    return answer_with(request, letters(10));
  });
  const auto store = open_store(server.url());
  std::vector<std::byte> buffer(5);
  const auto part = store->read_part("k", {20, 5}, buffer);
  ASSERT_TRUE(part);
  EXPECT_EQ(*part, (value_part{10, 0, 10}));
  EXPECT_EQ(store->size("k"), 10U);
}

/// Returns the message of a read of ten bytes from byte 5 on, of a server with one answer.
std::string refusal_of(const reply& given) {
  test_server server([&](const received_request&) { return given; });
  const auto store = open_http_store(server.url(), impatient());
  std::vector<std::byte> buffer(10);
  const store_error failure = failure_of([&] { return store->read_part("k", {5, 10}, buffer); });
  EXPECT_EQ(failure.kind(), store_failure::permanent);
  EXPECT_EQ(server.num_requests(), 1U);
  return failure.what();
}

TEST(LyingServer, IsNotBelieved) {
  const std::string ten = letters(10);
  EXPECT_THAT(refusal_of({206, {"Content-Range: bytes 4-13/100"}, ten}),
              HasSubstr("Content-Range is bytes 4-13/100, but 10 B from byte 5 on"));
  EXPECT_THAT(refusal_of({206, {"Content-Range: bytes 5-9/100"}, letters(5)}),
              HasSubstr("Content-Range is bytes 5-9/100"));
  EXPECT_THAT(refusal_of({206, {}, ten}), HasSubstr("no Content-Range"));
  EXPECT_THAT(refusal_of({206, {"Content-Range: bytes 5-14/100"}, letters(9)}),
              HasSubstr("Content-Length is 9"));
  EXPECT_THAT(refusal_of({206, {"Content-Range: bytes 5-14/100", "Content-Encoding: gzip"}, ten}),
              HasSubstr("Content-Encoding \"gzip\""));
  EXPECT_THAT(refusal_of({416, {"Content-Range: bytes */100"}}), HasSubstr("of 100 B"));
  EXPECT_THAT(refusal_of({200, {"A: " + std::string(70'000, 'a')}, ten}),
              HasSubstr("more than 64 KiB"));
  EXPECT_THAT(refusal_of({204}), HasSubstr("status 204"));
}

TEST(VersionOfAValue, IsComparedAlsoIfTheServerHasNoConditions) {
  test_server server([](const received_request& request) {
    received_request copy = request;
    copy.headers.erase("if-match");
    return answer_with(copy, "value", "\"v2\"");
  });
  const auto store = open_store(server.url());
  const auto queue = store->reads();
  std::vector<std::byte> buffer(5);
  const std::size_t ticket = queue->submit({"k", {}, buffer, value_version("\"v1\"")});
  EXPECT_EQ(failure_of([&] { return queue->wait(ticket); }).kind(), store_failure::changed);
  EXPECT_TRUE(queue->wait(queue->submit({"k", {}, buffer, value_version("\"v2\"")})));
}

// A busy server gets fewer requests at once.
TEST(ThrottlingServer, ServesAllReadsInTheEnd) {
  std::atomic<int> num_served = 0;
  test_server server([&](const received_request& request) {
    const int now = ++num_served;
    reply given = answer_with(request, "value");
    if (now > 8) given = {.status = 503};
    given.delay = 5ms;
    --num_served;
    return given;
  });
  const auto store = open_store(server.url());
  const auto queue = store->reads();
  std::vector<std::byte> buffer(5);
  std::vector<std::size_t> tickets;
  for (int i = 0; i < 100; ++i) tickets.push_back(queue->submit({"k", {}, buffer}));
  for (const std::size_t ticket : tickets) EXPECT_TRUE(queue->wait(ticket));
}

}  // namespace
}  // namespace tessera::testing
