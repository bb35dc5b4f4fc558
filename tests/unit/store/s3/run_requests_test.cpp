// SPDX-License-Identifier: Apache-2.0

/// \file
/// The control requests of a run that stores to a bucket: of claims, checks, metadata and marks.

#include "tessera/store/s3.hpp"
#include "tessera/tessera.hpp"

#include "unit/store/s3/delaying_server.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace {

namespace ts = tessera;

/// A request as the server has logged it.
struct logged_request {
  double begin = 0;
  double end = 0;
  std::string method;
  std::string target;

  /// Tells whether it is for a chunk, as "/bucket/x/3".
  [[nodiscard]] bool is_of_chunk() const {
    const std::string name = target.substr(target.rfind('/') + 1);
    return !name.empty() && std::all_of(name.begin(), name.end(),
                                        [](unsigned char c) { return std::isdigit(c) != 0; });
  }
};

std::vector<logged_request> requests_in(const std::string& log) {
  std::vector<logged_request> requests;
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);) {
    logged_request request;
    std::istringstream(line) >> request.begin >> request.end >> request.method >> request.target;
    if (!request.is_of_chunk()) requests.push_back(request);
  }
  return requests;
}

/// Returns the most requests of which each began when the one before had ended.
int count_round_trips(std::vector<logged_request> requests) {
  std::ranges::sort(requests, {}, &logged_request::end);
  int count = 0;
  double end = 0;
  for (const logged_request& request : requests) {
    if (request.begin < end) continue;
    end = request.end;
    ++count;
  }
  return count;
}

/// A server that answers after 100 ms: a thread that waits for a processor for less does not seem
/// to wait for an answer.
class RunRequests : public ::testing::Test {
 protected:
  RunRequests() {
    for (const auto& [name, value] :
         {std::pair{"AWS_ACCESS_KEY_ID", "A"}, {"AWS_SECRET_ACCESS_KEY", "S"}}) {
      ::setenv(name, value, 1);
    }
    std::filesystem::create_directories(folder_ + "/served/bucket");
    server_ = std::make_unique<ts::testing::delaying_server>(folder_ + "/served", "100", "100",
                                                             folder_ + "/log");
    ts::store(ts::arange(0.0, 64.0, 1.0), folder_ + "/served/bucket/x", {.chunks = {16}}, on_one_);
  }
  ~RunRequests() override {
    server_.reset();
    std::filesystem::remove_all(folder_);
  }

  /// Runs the plan of the roots of "x" and returns its control requests.
  std::vector<logged_request> store_roots(const std::string& name) {
    ts::spec limits;
    limits.work_dir = folder_ + "/work";
    const auto x = ts::open<double, 1>(server_->url() + "x", limits);
    const ts::plan plan(ts::stored(ts::sqrt(x), server_->url() + name), on_one_);
    std::filesystem::resize_file(folder_ + "/log", 0);
    plan.execute();
    return requests_in(folder_ + "/log");
  }

  std::string folder_ = ::testing::TempDir() + "tessera-requests-" + std::to_string(::getpid());
  ts::run_with on_one_{.executor = ts::executors::serial()};
  std::unique_ptr<ts::testing::delaying_server> server_;
};

std::string text_of(const std::vector<logged_request>& requests) {
  std::ostringstream text;
  for (const logged_request& request : requests) {
    text << request.begin - requests.front().begin << ' ' << request.method << ' ' << request.target
         << '\n';
  }
  return text.str();
}

// They were forty one behind the other; they are 15, 14 and 24. A busy machine begins some requests
// too late to be in flight with their neighbours.
TEST_F(RunRequests, OfARunThatStoresTakeFewRoundTrips) {
  constexpr int most_late = 3;
  const auto first = store_roots("first");
  EXPECT_LE(count_round_trips(first), 15 + most_late) << text_of(first);
  // The process knows the conditions of the server by now.
  const auto second = store_roots("second");
  EXPECT_LE(count_round_trips(second), 14 + most_late) << text_of(second);
  // Another result in the place of the first one: its chunks are listed and erased, too.
  const auto again = store_roots("first");
  EXPECT_LE(count_round_trips(again), 24 + most_late) << text_of(again);
}

TEST_F(RunRequests, AreInTheSimulationOfARun) {
  const auto x = ts::open<double, 1>(server_->url() + "x");
  const ts::plan plan(ts::stored(ts::sqrt(x), server_->url() + "simulated"), on_one_);
  const auto time_of = [&](std::chrono::milliseconds latency) {
    return ts::simulate(plan, {.latency = latency}, ts::as_planned).elapsed;
  };
  // The tasks read a chunk and write one, at least: a round trip each.
  const auto for_trips = time_of(std::chrono::milliseconds(1000)) - time_of({});
  EXPECT_GE(for_trips, std::chrono::seconds(15 + 2));
  EXPECT_LE(for_trips, std::chrono::seconds(15 + 8));
  const auto near = ts::plan(ts::sum(x), on_one_);
  EXPECT_LE(ts::simulate(near, {.latency = std::chrono::seconds(1)}, ts::as_planned).elapsed,
            std::chrono::seconds(5));
}

// A list of claims, or the end of a turn, that is left out would be seen here.
TEST_F(RunRequests, OfARunThatStoresAreOfEachKind) {
  static_cast<void>(store_roots("first"));
  const auto requests = store_roots("second");
  const auto count = [&](const std::string& method, const std::string& part) {
    return std::ranges::count_if(requests, [&](const logged_request& request) {
      return request.method == method && request.target.find(part) != std::string::npos;
    });
  };
  // The turn and the claim.
  EXPECT_EQ(count("PUT", "tessera-claims"), 2) << text_of(requests);
  EXPECT_EQ(count("DELETE", "tessera-claims"), 2) << text_of(requests);
  // The turn is looked at once, and the claim before the run and behind it.
  EXPECT_EQ(count("GET", "/second/.tessera-claims"), 3) << text_of(requests);
  // The chunks of "x", the results twice, the tests of conditions, claims; and at the end.
  EXPECT_EQ(count("GET", "list-type"), 6) << text_of(requests);
  EXPECT_EQ(count("PUT", "/second/.z"), 2) << text_of(requests);
  EXPECT_EQ(count("PUT", "/second/.tessera-run"), 1) << text_of(requests);
  EXPECT_EQ(count("DELETE", "/second/.tessera-run"), 1) << text_of(requests);
  EXPECT_LE(requests.size(), 36U) << text_of(requests);
}

}  // namespace
