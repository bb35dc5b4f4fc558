// SPDX-License-Identifier: Apache-2.0
/// \file
/// Stand-ins of S3, with answers that real servers give seldom.

#include "tessera/core/error.hpp"
#include "tessera/store/s3.hpp"

#include "store/s3/signature.hpp"
#include "unit/store/http/test_server.hpp"
#include "unit/store/s3/stand_ins.hpp"
#include "unit/store/temporary_directory.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using namespace std::chrono_literals;

/// A bucket in memory, with ETags, conditions and the mark of a write.
class stand_in {
 public:
  reply answer(const received_request& request) {
    const std::lock_guard lock(mutex_);
    const auto value = values_.find(request.decoded_target);
    const bool is_there = value != values_.end();
    if (request.method == "PUT") {
      const std::string expected = request.header("if-match");
      const bool is_other =
          honours_conditions && !expected.empty() && (!is_there || value->second.etag != expected);
      const bool is_taken =
          honours_conditions && request.header("if-none-match") == "*" && is_there;
      if (is_other || is_taken) return {.status = 412, .body = error_body("PreconditionFailed")};
      const std::string etag = "\"" + std::to_string(++num_writes_) + "\"";
      values_[request.decoded_target] = {request.body, etag,
                                         request.header("x-amz-meta-tessera-write")};
      return {.headers = {"ETag: " + etag}};
    }
    if (request.method == "DELETE") {
      values_.erase(request.decoded_target);
      return {.status = 204};
    }
    if (!is_there) return {.status = 404, .body = error_body("NoSuchKey")};
    if (request.method == "HEAD") {
      return {.headers = {"ETag: " + value->second.etag,
                          "x-amz-meta-tessera-write: " + value->second.mark},
              .body = value->second.text,
              .is_head = true};
    }
    return answer_with(request, value->second.text, value->second.etag);
  }

  bool honours_conditions = true;

 private:
  struct stored {
    std::string text;
    std::string etag;
    std::string mark;
  };
  std::mutex mutex_;
  std::map<std::string, stored> values_;
  int num_writes_ = 0;
};

TEST(S3Server, WriteKnowsItsValueAgainAfterALostAnswer) {
  stand_in values;
  bool has_lost = false;
  const test_server server([&](const received_request& request) {
    reply given = values.answer(request);
    if (request.target == "/bucket/f/x" && request.method == "PUT" &&
        !std::exchange(has_lost, true)) {
      // The value is written, and the connection closed before the answer's end.
      given.body = "lost";
      given.cut = 0;
    }
    return given;
  });
  const auto store = store_at(server, with_keys);
  EXPECT_TRUE(store->write_if("x", bytes_of("one"), {}));
  EXPECT_TRUE(has_lost);
  EXPECT_EQ(read_value(*store, "x"), "one");
  EXPECT_FALSE(store->write_if("x", bytes_of("two"), {}));
}

TEST(S3Server, WriteKnowsItsValueAgainAfterAGatewayGaveUp) {
  stand_in values;
  bool has_failed = false;
  const test_server server([&](const received_request& request) {
    reply given = values.answer(request);
    if (request.target == "/bucket/f/x" && request.method == "PUT" &&
        !std::exchange(has_failed, true)) {
      return reply{.status = 503, .body = error_body("ServiceUnavailable")};
    }
    return given;
  });
  EXPECT_TRUE(store_at(server, with_keys)->write_if("x", bytes_of("one"), {}));
  EXPECT_TRUE(has_failed);
}

TEST(S3Server, TellsTheSizeByARangeIfTheHeadHasNone) {
  const test_server server([](const received_request& request) {
    if (request.method != "HEAD") return answer_with(request, "value", "\"1\"");
    return reply{.headers = {"ETag: \"1\""}, .tells_length = false, .is_head = true};
  });
  EXPECT_EQ(store_at(server, with_keys)->size("x"), 5U);
}

TEST(S3Server, ThatRepeatsAPageOfAListIsAskedNoMore) {
  const test_server server([](const received_request&) {
    return reply{.body =
                     "<ListBucketResult><IsTruncated>true</IsTruncated>"
                     "<NextContinuationToken>same</NextContinuationToken></ListBucketResult>"};
  });
  try {
    static_cast<void>(store_at(server, with_keys)->list(""));
    ADD_FAILURE() << "no store_error was thrown";
  } catch (const store_error& failure) {
    EXPECT_THAT(failure.what(), HasSubstr("repeats a page"));
  }
  EXPECT_EQ(server.num_requests(), 2U);
}

TEST(S3Server, ThatIgnoresConditionsIsFoundOut) {
  stand_in values;
  values.honours_conditions = false;
  const test_server server([&](const received_request& request) { return values.answer(request); });
  const auto store = store_at(server, with_keys);
  for (int i = 0; i < 2; ++i) {
    try {
      static_cast<void>(store->write_if("x", bytes_of("one"), {}));
      ADD_FAILURE() << "no store_error was thrown";
    } catch (const store_error& failure) {
      EXPECT_EQ(failure.kind(), store_failure::unsupported);
      EXPECT_THAT(failure.what(), HasSubstr("ignores If-None-Match"));
    }
  }
  EXPECT_EQ(read_value(*store, "x"), "(missing)");
}

TEST(S3Server, CorrectsTheClockOnce) {
  stand_in values;
  std::vector<std::string> times;
  const test_server server([&](const received_request& request) {
    times.push_back(request.header("x-amz-date"));
    if (!times.back().starts_with("2013")) {
      return reply{.status = 403,
                   .headers = {"Date: Fri, 24 May 2013 00:00:00 GMT"},
                   .body = error_body("RequestTimeTooSkewed")};
    }
    return values.answer(request);
  });
  const auto store = store_at(server, with_keys);
  store->write("x", bytes_of("one"));
  EXPECT_EQ(times.size(), 2U);
  EXPECT_EQ(read_value(*store, "x"), "one");
  EXPECT_EQ(times.size(), 3U);
}

TEST(S3Server, IsAskedAgainWhileItIsBusy) {
  stand_in values;
  const test_server server([&](const received_request& request) {
    if (request.number == 0) return reply{.status = 503, .body = error_body("SlowDown")};
    if (request.number == 1) return reply{.status = 400, .body = error_body("RequestTimeout")};
    if (request.number == 2) return reply{.status = 500, .body = error_body("InternalError")};
    return values.answer(request);
  });
  const auto store = store_at(server, with_keys);
  store->write("x", bytes_of("one"));
  EXPECT_EQ(server.num_requests(), 4U);
}

TEST(S3Server, TellsNoSecretInFailures) {
  const test_server server([](const received_request& request) {
    // Servers repeat the request that they refuse.
    return reply{.status = 403,
                 .body = "<Error><Code>SignatureDoesNotMatch</Code><Message>" +
                         request.header("authorization") + "</Message></Error>"};
  });
  s3_options options = with_keys;
  options.keys.session_token = "TOKENTEST";
  const auto store = store_at(server, options);
  EXPECT_EQ(store->recipe(), std::nullopt);
  try {
    static_cast<void>(store->read_all("x", 10));
    ADD_FAILURE() << "no store_error was thrown";
  } catch (const store_error& failure) {
    EXPECT_THAT(failure.what(), AllOf(HasSubstr("SignatureDoesNotMatch"),
                                      Not(HasSubstr("SECRETTEST")), Not(HasSubstr("TOKENTEST")),
                                      Not(HasSubstr("AKIDTEST")), Not(HasSubstr("AWS4-HMAC"))));
  }
}

/// Returns status 403 with a code.
reply forbidden(const received_request& request, const std::string& code) {
  return {.status = 403, .body = error_body(code), .is_head = request.method == "HEAD"};
}

// Amazon S3 API Reference, GetObject: without the permission to list, a missing key is denied.
TEST(S3Server, DeniesChunksThatAreMissing) {
  const test_server server(
      [](const received_request& request) { return forbidden(request, "AccessDenied"); });
  s3_options options = with_keys;
  EXPECT_THROW(static_cast<void>(store_at(server, options)->read_all("c/0", 10)), store_error);
  options.denied_is_missing = true;
  const auto store = store_at(server, options);
  std::vector<std::byte> buffer(10);
  EXPECT_EQ(store->read_all("c/0", 10), std::nullopt);
  EXPECT_EQ(store->read("c/0", buffer), std::nullopt);
  EXPECT_EQ(store->size("c/0"), std::nullopt);
  EXPECT_THROW(static_cast<void>(store->read_all("zarr.json", 10)), store_error);
  EXPECT_THROW(static_cast<void>(store->size("a/.zarray")), store_error);
}

// A store waits for the conditions that another store of the bucket asks for, and its keys of
// access are refused.
TEST(S3Server, IsAskedForConditionsAgainIfAnotherStoreIsRefused) {
  stand_in values;
  std::atomic<bool> has_first_asked = false;
  std::atomic<bool> has_second_come = false;
  const auto tell = [](std::atomic<bool>& news) {
    news = true;
    news.notify_all();
  };
  const test_server server([&](const received_request& request) {
    if (request.header("authorization").find("AKIDTEST/") != std::string::npos) {
      // The second store lists old tests of conditions before it waits.
      tell(has_second_come);
      return values.answer(request);
    }
    if (request.method == "PUT") {
      tell(has_first_asked);
      has_second_come.wait(false);
    }
    return forbidden(request, "InvalidAccessKeyId");
  });
  s3_options refused = with_keys;
  refused.keys.access_key_id = "AKIDREFUSED";
  const auto first = store_at(server, refused);
  const auto second = open_s3_store("s3+http://" + server.host() + "/bucket/g", with_keys);
  const std::jthread asking([&] {
    EXPECT_THROW(static_cast<void>(first->write_if("x", bytes_of("one"), {})), store_error);
  });
  has_first_asked.wait(false);
  EXPECT_TRUE(second->write_if("x", bytes_of("two"), {}));
  EXPECT_EQ(read_value(*second, "x"), "two");
}

TEST(S3Server, ThatRefusesKeysOfAccessHasNoMissingChunks) {
  s3_options options = with_keys;
  options.denied_is_missing = true;
  for (const char* code : {"SignatureDoesNotMatch", "InvalidAccessKeyId", "ExpiredToken"}) {
    const test_server server(
        [&](const received_request& request) { return forbidden(request, code); });
    EXPECT_THROW(static_cast<void>(store_at(server, options)->read_all("c/0", 10)), store_error)
        << code;
  }
  const environment_of_test variables(settings{});
  const test_server server([](const received_request&) { return reply{}; });
  const auto without_keys = store_at(server, {.denied_is_missing = true});
  EXPECT_THROW(static_cast<void>(without_keys->read_all("c/0", 10)), store_error);
}

}  // namespace
}  // namespace tessera::testing
