// SPDX-License-Identifier: Apache-2.0
/// \file
/// No secret is in a message, a name or a recipe.

#include "tessera/store/http.hpp"
#include "tessera/store/open_store.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "unit/store/http/http_values.hpp"
#include "unit/store/http/test_server.hpp"

#include <cstdlib>
#include <exception>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A server that fails in the way that the first name of the target tells, and repeats all that it
/// received in its answers.
reply echo_failure(const received_request& request, const std::string& refused_url) {
  std::string echo = request.target;
  for (const auto& [name, value] : request.headers) echo += "\n" + name + ": " + value;
  const std::string kind = request.target.substr(1, request.target.find('/', 1) - 1);
  reply given{.headers = {"X-Echo: " + request.target}, .body = echo};
  if (kind == "encoded") given.headers.push_back("Content-Encoding: gzip");
  if (kind == "cut") given.cut = 3;
  if (kind == "redirect") {
    given.status = 302;
    given.headers.push_back("Location: " + refused_url);
  }
  if (kind.size() == 3) given.status = kind == "cut" ? 200 : std::stoi(kind);
  // Messages about a document quote it.
  if (kind == "200") given.body = "value";
  return given;
}

/// Returns the messages of the calls that fail, and all names and recipes of a store.
std::string output_of(const std::shared_ptr<key_value_store>& store) {
  std::string output = store->name() + "\n";
  if (const auto recipe = store->recipe()) {
    output += recipe->scheme + recipe->place + recipe->options + "\n";
  }
  std::vector<std::byte> buffer(3);
  const std::vector<std::function<void()>> calls{
      [&] { (void)store->read("k", buffer); },
      [&] {
        (void)store->read_part("k", {5, 3}, buffer);
      },
      [&] { (void)store->read_all("k", 2); },
      [&] { (void)store->size("k"); },
      [&] { (void)store->list(""); },
      [&] { store->write("k", buffer); },
      [&] { (void)zarr_array::open(store, ""); },
      [&] { (void)zarr_group::open(store, ""); },
  };
  for (const auto& call : calls) {
    try {
      call();
    } catch (const std::exception& failure) {
      output += std::string(failure.what()) + "\n";
    }
  }
  return output;
}

TEST(Secrets, AreInNoOutputOfFailingReads) {
  std::string host;
  test_server server([&](const received_request& request) {
    return echo_failure(request, "http://s3cret-user:s3cret-pass@" + host + "/a?s3cret-query");
  });
  host = server.host();
  ASSERT_EQ(setenv("TESSERA_TEST_TOKEN", "s3cret-token", 1), 0);
  http_options with_token = impatient(std::chrono::milliseconds(50));
  with_token.token_variable = "TESSERA_TEST_TOKEN";
  const http_options plain = impatient(std::chrono::milliseconds(50));
  for (const std::string kind : {"200", "204", "206", "302", "400", "401", "403", "404", "412",
                                 "416", "429", "500", "503", "encoded", "cut", "redirect"}) {
    SCOPED_TRACE(kind);
    const std::string query = host + "/" + kind + "/a?sig=s3cret-query";
    EXPECT_THAT(output_of(open_http_store(server.url() + "/" + kind + "/a", with_token)),
                Not(HasSubstr("s3cret")));
    EXPECT_THAT(output_of(open_http_store("http://s3cret-user:s3cret-pass@" + query, plain)),
                Not(HasSubstr("s3cret")));
  }
}

TEST(Secrets, AreInNoOutputOfLocations) {
  test_server server([](const received_request&) { return reply{.status = 404}; });
  const std::string authority = "s3cret-user:s3cret-pass@" + server.host();
  for (const std::string& url :
       {"http://" + authority + "/a.zarr/u?sig=s3cret-query",
        "http://" + authority + "/a/u?x=s3cret/b", "http://" + authority + "/a#s3cret",
        std::string("http://s3cret@/a")}) {
    for (const bool is_array : {false, true}) {
      try {
        if (is_array) {
          (void)zarr_array::open(url);
        } else {
          (void)zarr_group::open(url);
        }
        ADD_FAILURE() << "nothing was thrown";
      } catch (const std::exception& failure) {
        EXPECT_THAT(failure.what(), Not(HasSubstr("s3cret")));
      }
    }
  }
}

}  // namespace
}  // namespace tessera::testing
