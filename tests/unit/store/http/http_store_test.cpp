// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/http.hpp"
#include "tessera/store/open_store.hpp"

#include "unit/store/http/http_values.hpp"
#include "unit/store/http/test_server.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

TEST(HttpStore, ReadsWhatTheServerHas) {
  test_server server([](const received_request& request) {
    return request.target == "/data/u/0.0" ? answer_with(request, letters(1000))
                                           : answer_with(request, std::nullopt);
  });
  const auto store = open_store(server.url() + "/data/");
  EXPECT_EQ(store->name(), server.url() + "/data");
  EXPECT_EQ(read_value(*store, "u/0.0"), letters(1000));
  EXPECT_EQ(store->size("u/0.0"), 1000U);
  EXPECT_EQ(store->size("u/0.1"), std::nullopt);
  std::vector<std::byte> buffer(10);
  const auto part = store->read_part("u/0.0", {.count = 10, .from_end = true}, buffer);
  ASSERT_TRUE(part);
  EXPECT_EQ(*part, (value_part{990, 10, 1000}));
  EXPECT_EQ(text_of(buffer), letters(1000).substr(990));
  EXPECT_EQ(server.num_requests(), 4U);
}

TEST(HttpStore, IsReadOnlyAndHasNoLists) {
  const auto store = open_store("https://127.0.0.1:1/a");
  const store_traits traits = store->traits();
  EXPECT_TRUE(traits.has_ranges);
  EXPECT_FALSE(traits.has_lists);
  EXPECT_FALSE(traits.is_writable);
  EXPECT_GT(traits.num_requests, 1U);
  const std::vector<std::string> keys{"k"};
  const auto kind = [](auto call) {
    return failure_of([&] {
             call();
             return 0;
           })
        .kind();
  };
  EXPECT_EQ(kind([&] { store->write("k", {}); }), store_failure::unsupported);
  EXPECT_EQ(kind([&] { (void)store->write_if("k", {}, {}); }), store_failure::unsupported);
  EXPECT_EQ(kind([&] { (void)store->writer("k"); }), store_failure::unsupported);
  EXPECT_EQ(kind([&] { store->erase("k"); }), store_failure::unsupported);
  EXPECT_EQ(kind([&] { store->erase_many(keys); }), store_failure::unsupported);
  EXPECT_EQ(kind([&] { store->erase_all(""); }), store_failure::unsupported);
  EXPECT_EQ(kind([&] { (void)store->list(""); }), store_failure::unsupported);
  EXPECT_EQ(kind([&] { (void)store->list_folder(""); }), store_failure::unsupported);
  EXPECT_EQ(store->writes(), nullptr);
}

TEST(HttpStore, IsFoundAgainByItsRecipe) {
  const store_recipe plain{"https", "host.org/a/b"};
  EXPECT_EQ(open_store("https://host.org/a/b/")->recipe(), plain);
  ASSERT_EQ(setenv("TESSERA_TEST_TOKEN", "t0ken-secret", 1), 0);
  const http_options options{.token_variable = "TESSERA_TEST_TOKEN",
                             .ca_file = "/a&b/ca.pem",
                             .denied_is_missing = true,
                             .patience = 5000ms};
  const auto recipe = open_http_store("https://host.org/a", options)->recipe();
  ASSERT_TRUE(recipe);
  EXPECT_EQ(recipe->options,
            "token_variable=TESSERA_TEST_TOKEN&ca_file=/a%26b/ca.pem&denied_is_missing&"
            "patience=5000");
  EXPECT_EQ(open_store(*recipe)->recipe(), recipe);
  EXPECT_THROW((void)open_store(store_recipe{"https", "host.org/a", "tokn=a"}), value_error);
  EXPECT_THROW((void)open_store(store_recipe{"https", "host.org/a", "patience=soon"}), value_error);
  EXPECT_THROW((void)open_store(store_recipe{"https", "host.org/a", "patience=0"}), value_error);
  // A user and a query may be secrets.
  EXPECT_EQ(open_store("https://me:pass@host.org/a")->recipe(), std::nullopt);
  EXPECT_EQ(open_store("https://host.org/a?sig=1")->recipe(), std::nullopt);
  EXPECT_EQ(root_names_of("https"), 1U);
  EXPECT_EQ(root_names_of("http"), 1U);
}

TEST(HttpStore, SendsATokenOfTheEnvironment) {
  std::string received;
  test_server server([&](const received_request& request) {
    received = request.header("authorization");
    return answer_with(request, "value");
  });
  ASSERT_EQ(setenv("TESSERA_TEST_TOKEN", "t0ken-secret", 1), 0);
  const auto store = open_http_store(server.url(), {.token_variable = "TESSERA_TEST_TOKEN"});
  EXPECT_EQ(read_value(*store, "k"), "value");
  EXPECT_EQ(received, "Bearer t0ken-secret");
  EXPECT_EQ(failure_of([&] {
              return open_http_store(server.url(), {.token_variable = "TESSERA_NO_TOKEN"});
            }).kind(),
            store_failure::denied);
  ASSERT_EQ(setenv("TESSERA_TEST_TOKEN", "a\r\nb: c", 1), 0);
  EXPECT_THROW((void)open_http_store(server.url(), {.token_variable = "TESSERA_TEST_TOKEN"}),
               value_error);
}

// RFC 6750, 5.3: tokens are sent by TLS alone.
TEST(HttpStore, SendsNoTokenWithoutEncryptionToAnotherHost) {
  ASSERT_EQ(setenv("TESSERA_TEST_TOKEN", "t0ken-secret", 1), 0);
  const http_options options{.token_variable = "TESSERA_TEST_TOKEN"};
  for (const char* host : {"host.org", "host.org:8080", "10.0.0.1", "localhost.org", "127.evil.org",
                           "[2001:db8::1]", "1.127.0.0"}) {
    EXPECT_THROW((void)open_http_store(std::string("http://") + host + "/a", options), value_error)
        << host;
    EXPECT_NO_THROW((void)open_http_store(std::string("https://") + host + "/a", options));
  }
  for (const char* host : {"localhost", "LOCALHOST:80", "127.1.2.3:8080", "[::1]", "[::1]:8080"}) {
    EXPECT_NO_THROW((void)open_http_store(std::string("http://") + host + "/a", options)) << host;
  }
}

TEST(HttpStore, SendsTheQueryBehindTheKey) {
  test_server server(
      [&](const received_request& request) { return answer_with(request, request.target); });
  EXPECT_EQ(read_value(*open_store(server.url() + "/a/b?sig=x/y"), "u/0"), "/a/b/u/0?sig=x/y");
}

TEST(HttpStore, KnowsMissingAndDeniedKeys) {
  test_server server([](const received_request& request) -> reply {
    return {.status = std::stoi(request.target.substr(1, 3))};
  });
  const auto store = open_store(server.url());
  EXPECT_EQ(read_value(*store, "404"), "(missing)");
  EXPECT_EQ(read_value(*store, "410"), "(missing)");
  for (const char* key : {"401", "403", "403/0.0", "403/.zarray", "403/zarr.json"}) {
    EXPECT_EQ(failure_of([&] { return store->size(key); }).kind(), store_failure::denied) << key;
  }
  const auto lax = open_http_store(server.url(), {.denied_is_missing = true});
  EXPECT_EQ(read_value(*lax, "403/0.0"), "(missing)");
  EXPECT_EQ(lax->size("403/c/0/0"), std::nullopt);
  EXPECT_EQ(failure_of([&] { return lax->size("401/0.0"); }).kind(), store_failure::denied);
  for (const char* key : {"403/.zarray", "403/.zmetadata", "403/.zattrs", "403/zarr.json"}) {
    EXPECT_EQ(failure_of([&] { return lax->size(key); }).kind(), store_failure::denied) << key;
  }
  EXPECT_EQ(failure_of([&] { return store->size("400"); }).kind(), store_failure::permanent);
}

TEST(HttpStore, ReadsSeveralValuesAtOnce) {
  test_server server([](const received_request& request) {
    reply given = answer_with(request, request.target + letters(1000));
    given.delay = 100ms;
    return given;
  });
  const auto store = open_store(server.url());
  const auto queue = store->reads();
  std::vector<std::vector<std::byte>> buffers(64, std::vector<std::byte>(4));
  std::vector<std::size_t> tickets;
  for (std::size_t i = 0; i < 64; ++i) {
    tickets.push_back(queue->submit({std::to_string(10 + i), {0, 3}, buffers[i]}));
  }
  for (std::size_t i = 0; i < 64; ++i) {
    const auto part = queue->wait(tickets[i]);
    ASSERT_TRUE(part);
    EXPECT_EQ(part->size, 3U);
    EXPECT_EQ(text_of(buffers[i]).substr(0, 3), "/" + std::to_string(10 + i));
  }
  EXPECT_GT(server.max_in_flight(), 8U);
  EXPECT_LE(server.max_in_flight(), 64U);
}

TEST(HttpStore, HasAtMost64RequestsInFlightAtAHost) {
  test_server server([](const received_request& request) {
    reply given = answer_with(request, "value");
    given.delay = 20ms;
    return given;
  });
  const auto store = open_store(server.url());
  const auto queue = store->reads();
  std::vector<std::byte> buffer(5);
  std::vector<std::size_t> tickets;
  for (int i = 0; i < 300; ++i) tickets.push_back(queue->submit({"k", {}, buffer}));
  for (const std::size_t ticket : tickets) EXPECT_TRUE(queue->wait(ticket));
  EXPECT_LE(server.max_in_flight(), 64U);
}

TEST(HttpStore, GivesReadsUp) {
  test_server server([](const received_request& request) {
    reply given = answer_with(request, letters(100'000));
    given.delay = 300ms;
    return given;
  });
  const auto store = open_store(server.url());
  std::vector<std::byte> buffer(100'000);
  {
    const auto queue = store->reads();
    for (int i = 0; i < 100; ++i) EXPECT_EQ(queue->submit({"k", {}, buffer}), std::size_t(i));
  }
  std::ranges::fill(buffer, std::byte{0xEE});
  std::this_thread::sleep_for(500ms);
  EXPECT_EQ(std::ranges::count(buffer, std::byte{0xEE}), 100'000);
  EXPECT_EQ(store->size("k"), 100'000U);
}

/// Returns the number of open descriptors of this process.
std::ptrdiff_t count_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

// The memory of the reads is freed with their queue: a later write to it is an error that
// sanitizers find.
TEST(HttpStore, GivesReadsUpTenThousandTimes) {
  constexpr std::size_t size = 20'000;
  const std::string value = letters(size);
  test_server server([&](const received_request& request) {
    reply given = answer_with(request, value);
    given.delay = std::chrono::milliseconds(request.number % 3);
    given.piece = request.number % 5 == 0 ? 4000 : 0;
    given.pause = 1ms;
    return given;
  });
  const auto store = open_store(server.url());
  std::mt19937 random(42);
  std::size_t num_given_up = 0;
  for (int round = 0; num_given_up < 10'000; ++round) {
    std::vector<std::vector<std::byte>> buffers(16, std::vector<std::byte>(size));
    const auto queue = store->reads();
    for (std::vector<std::byte>& buffer : buffers) (void)queue->submit({"k", {}, buffer});
    const std::size_t num_waits = round % 4 == 0 ? random() % 8 : 0;
    for (std::size_t ticket = 0; ticket < num_waits; ++ticket) {
      ASSERT_TRUE(queue->wait(ticket));
      ASSERT_EQ(text_of(buffers[ticket]), value);
    }
    num_given_up += buffers.size() - num_waits;
  }
  EXPECT_EQ(read_value(*store, "k"), value);
  // A connection has a descriptor at each end.
  EXPECT_LT(count_descriptors(), 300);
}

TEST(HttpStore, ReadsAgainInAChildProcess) {
  test_server server(
      [](const received_request& request) { return answer_with(request, letters(1000)); });
  const auto store = open_store(server.url());
  EXPECT_EQ(read_value(*store, "k"), letters(1000));
  std::vector<std::byte> buffer(1000);
  const auto queue = store->reads();
  const std::size_t ticket = queue->submit({"k", {}, buffer});
  const pid_t child = fork();
  if (child == 0) {
    // The read in flight is the parent's.
    int code = 0;
    try {
      (void)queue->wait(ticket);
      code = 1;
    } catch (const store_error& failure) {
      if (!failure.may_pass()) code = 2;
    }
    for (int i = 0; i < 3; ++i) {
      if (read_value(*store, "k") != letters(1000)) code = 3;
    }
    _exit(code);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status));
  // The read may have ended before the fork.
  EXPECT_LE(WEXITSTATUS(status), 1);
  EXPECT_TRUE(queue->wait(ticket));
  EXPECT_EQ(text_of(buffer), letters(1000));
}

// Each run ends by `exit` while threads and a queue read.
TEST(HttpStore, ProgramsEndAmidReads) {
  test_server server([](const received_request& request) {
    reply given = answer_with(request, letters(1'000'000));
    given.delay = std::chrono::milliseconds(request.number % 10);
    return given;
  });
  for (int i = 0; i < 50; ++i) {
    const std::string command =
        std::string(TESSERA_HTTP_EXIT_PROGRAM) + " " + server.url() + " " + std::to_string(i);
    ASSERT_EQ(std::system(command.c_str()), 0) << i;
  }
  EXPECT_GT(server.num_requests(), 50U);
}

}  // namespace
}  // namespace tessera::testing
