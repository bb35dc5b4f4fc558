// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/http.hpp"
#include "tessera/store/open_store.hpp"

#include "store/http/address.hpp"
#include "store/http/client.hpp"
#include "store/http/transfer.hpp"
#include "unit/store/http/http_values.hpp"
#include "unit/store/http/test_server.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;

reply redirect_to(const std::string& location, int status = 302) {
  return {.status = status, .headers = {"Location: " + location}, .body = "moved"};
}

TEST(Redirect, IsFollowedThreeTimes) {
  test_server server([](const received_request& request) {
    const int count = std::stoi(request.target.substr(1));
    if (count == 0) return answer_with(request, letters(100));
    return redirect_to("/" + std::to_string(count - 1), count == 2 ? 308 : 301);
  });
  const auto store = open_store(server.url());
  std::vector<std::byte> buffer(5);
  for (const char* key : {"0", "1", "2", "3"}) {
    EXPECT_EQ(read_value(*store, key), letters(100)) << key;
    const auto part = store->read_part(key, {50, 5}, buffer);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->first, 50U);
    EXPECT_EQ(text_of(buffer), letters(100).substr(50, 5));
  }
  EXPECT_THAT(failure_of([&] { return store->size("4"); }).what(),
              HasSubstr("is the fourth of one request"));
}

TEST(Redirect, GivesNoTokenToAnotherOrigin) {
  std::vector<std::string> received;
  test_server target([&](const received_request& request) {
    received.push_back(request.header("authorization"));
    return answer_with(request, "value");
  });
  test_server server([&](const received_request& request) {
    received.push_back(request.header("authorization"));
    return request.target == "/near"
               ? answer_with(request, "near")
               : redirect_to(request.target == "/k" ? target.url() + "/x" : "/near");
  });
  ASSERT_EQ(setenv("TESSERA_TEST_TOKEN", "t0ken-secret", 1), 0);
  const auto store = open_http_store(server.url(), {.token_variable = "TESSERA_TEST_TOKEN"});
  EXPECT_EQ(read_value(*store, "k"), "value");
  EXPECT_EQ(read_value(*store, "l"), "near");
  EXPECT_THAT(received, ::testing::ElementsAre("Bearer t0ken-secret", "", "Bearer t0ken-secret",
                                               "Bearer t0ken-secret"));
}

TEST(Redirect, GivesNoUserToAnotherOrigin) {
  std::vector<std::string> received;
  test_server target([&](const received_request& request) {
    received.push_back(request.header("authorization"));
    return answer_with(request, "value");
  });
  test_server server([&](const received_request& request) {
    received.push_back(request.header("authorization"));
    return redirect_to(target.url() + "/x");
  });
  EXPECT_EQ(read_value(*open_store("http://me:pass@" + server.host() + "/"), "k"), "value");
  // "me:pass" in base 64.
  EXPECT_THAT(received, ::testing::ElementsAre("Basic bWU6cGFzcw==", ""));
}

TEST(Redirect, IsRefusedToOtherProtocolsAndUsers) {
  test_server server([](const received_request& request) -> reply {
    if (request.target == "/none") return {.status = 302};
    return redirect_to(request.target == "/user" ? "http://me:pass@127.0.0.1/a"
                                                 : "file:///etc/passwd");
  });
  const auto store = open_store(server.url());
  EXPECT_THAT(failure_of([&] { return store->size("none"); }).what(), HasSubstr("no location"));
  EXPECT_THAT(failure_of([&] { return store->size("user"); }).what(), HasSubstr("names a user"));
  const store_error file = failure_of([&] { return store->size("file"); });
  EXPECT_EQ(file.kind(), store_failure::permanent);
}

TEST(Redirect, IsRefusedFromASafeProtocolToAnUnsafeOne) {
  EXPECT_EQ(http::refusal_of_redirect("https://a.org/x", "http://a.org/x"),
            "leads from https to http");
  EXPECT_EQ(http::refusal_of_redirect("https://a.org/x", "https://b.org/x"), "");
  EXPECT_EQ(http::refusal_of_redirect("http://a.org/x", "https://b.org/x"), "");
  EXPECT_EQ(http::refusal_of_redirect("http://a.org/x", "http://b.org/@x"), "");
  EXPECT_EQ(http::refusal_of_redirect("http://a.org/x", "ftp://b.org/x"),
            "leads to another protocol");
  EXPECT_EQ(http::refusal_of_redirect("http://a.org/x", "http://me@b.org/x"), "names a user");
}

/// Returns the message of a read of a server at 127.0.0.1 that leads to 127.0.0.2, "" if it works.
std::string message_of_crossing(bool (*is_private)(const std::string&), int num_reads) {
  test_server target([](const received_request& request) { return answer_with(request, "value"); },
                     "127.0.0.2");
  test_server server([&](const received_request&) { return redirect_to(target.url() + "/x"); });
  std::string message;
  for (int i = 0; i < num_reads; ++i) {
    http::server_access access;
    // The first reads leave a connection that a later one may use again.
    if (i + 1 == num_reads) access.is_private_address = is_private;
    const auto asked = std::make_shared<http::request>();
    asked->url = server.url() + "/k";
    asked->access = std::make_shared<const http::server_access>(access);
    std::vector<std::byte> buffer(10);
    asked->into = buffer;
    http::begin(asked);
    http::wait_for(*asked);
    message = asked->message;
    EXPECT_EQ(asked->result == http::request_result::success, message.empty());
  }
  EXPECT_EQ(target.num_requests(),
            static_cast<std::size_t>(message.empty() ? num_reads : num_reads - 1));
  return message;
}

TEST(Redirect, IsRefusedFromAPublicAddressToAPrivateOne) {
  const auto second_is_private = [](const std::string& address) { return address == "127.0.0.2"; };
  const auto first_is_private = [](const std::string& address) { return address == "127.0.0.1"; };
  for (const int num_reads : {1, 3}) {
    EXPECT_THAT(message_of_crossing(second_is_private, num_reads),
                HasSubstr("from a public address to a private one"));
    EXPECT_EQ(message_of_crossing(first_is_private, num_reads), "");
  }
  EXPECT_EQ(message_of_crossing(&http::is_private, 1), "");
}

}  // namespace
}  // namespace tessera::testing
