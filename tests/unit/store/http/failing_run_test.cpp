// SPDX-License-Identifier: Apache-2.0
/// \file
/// No secret is in anything that a failing run writes: messages, plans, logs, the work directory.

#include "tessera/store/http.hpp"
#include "tessera/tessera.hpp"

#include "unit/store/contents_of.hpp"
#include "unit/store/http/http_values.hpp"
#include "unit/store/http/test_server.hpp"
#include "unit/store/temporary_directory.hpp"

#include <cstdlib>
#include <exception>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// A server that fails to give chunks. Its answers repeat all that it received.
class failing_chunks {
 public:
  explicit failing_chunks(int status)
      : values_(std::make_shared<memory_store>()),
        server_(
            [this, status](const received_request& request) { return answer(request, status); }) {
    store(arange<double>(100), values_, "a.zarr/x", {.chunks = {10}});
  }
  [[nodiscard]] std::string host() const { return server_.host(); }

 private:
  [[nodiscard]] reply answer(const received_request& request, int status) const {
    std::string echo = request.target;
    for (const auto& [name, value] : request.headers) echo += "\n" + name + ": " + value;
    const std::string path = request.target.substr(1, request.target.find('?') - 1);
    const auto value = values_->read_all(path, std::size_t{1} << 20);
    if (!value || path.find("/.z") != std::string::npos) {
      return answer_with(request, value ? std::optional(text_of(*value)) : std::nullopt);
    }
    return {.status = status, .headers = {"X-Echo: " + request.target}, .body = echo};
  }

  std::shared_ptr<memory_store> values_;
  test_server server_;
};

/// Returns everything that a run of triples of an array writes, and the messages of its failure.
std::string output_of_run(const std::shared_ptr<key_value_store>& store,
                          const std::shared_ptr<executor>& by) {
  const temporary_directory directory;
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  std::ostringstream text;
  const auto record = std::make_shared<history>();
  try {
    spec limits;
    limits.work_dir = directory / "work";
    const auto x = open<double, 1>(store, "x", limits);
    const run_with run{.executor = by, .max_attempts = 2, .observers = {record}};
    const auto p = plan(stored(x * 3.0, directory / "y"), run);
    text << p.explain();
    if (store->recipe()) {
      text << p.bounded().identity();
      p.save(directory / "plan");
    }
    p.compute(run);
    ADD_FAILURE() << "the run has not failed";
  } catch (const std::exception& failure) {
    text << failure.what();
  }
  text << *record << contents_of(directory.path());
  text << ::testing::internal::GetCapturedStdout() << ::testing::internal::GetCapturedStderr();
  return text.str();
}

TEST(FailingRun, WritesNoSecret) {
  ASSERT_EQ(setenv("TESSERA_TEST_TOKEN", "s3cret-token", 1), 0);
  for (const int status : {403, 500}) {
    const failing_chunks server(status);
    http_options with_token = impatient();
    with_token.token_variable = "TESSERA_TEST_TOKEN";
    const auto by_token = open_http_store("http://" + server.host() + "/a.zarr", with_token);
    for (const auto& by : {executors::serial(), executors::processes(2)}) {
      const std::string output = output_of_run(by_token, by);
      EXPECT_THAT(output, HasSubstr("status " + std::to_string(status)));
      EXPECT_THAT(output, HasSubstr("TESSERA_TEST_TOKEN"));
      EXPECT_THAT(output, Not(HasSubstr("s3cret")));
    }
    const auto by_query = open_http_store(
        "http://s3cret-user:s3cret-pass@" + server.host() + "/a.zarr?sig=s3cret-query",
        impatient());
    const std::string output = output_of_run(by_query, executors::serial());
    EXPECT_THAT(output, HasSubstr("status " + std::to_string(status)));
    EXPECT_THAT(output, Not(HasSubstr("s3cret")));
  }
}

// The name of the variable is in the plan. Workers read the token of their environment.
TEST(FailingRun, TellsOtherEnginesThatAUrlWithAQueryHasNoRecipe) {
  const failing_chunks server(403);
  const auto store = open_http_store("http://" + server.host() + "/a.zarr?sig=s3cret-query");
  const std::string output = output_of_run(store, executors::processes(2));
  EXPECT_THAT(output, HasSubstr(server.host()));
  EXPECT_THAT(output, Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace tessera::testing
