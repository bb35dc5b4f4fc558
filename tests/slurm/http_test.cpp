// SPDX-License-Identifier: Apache-2.0
/// \file
/// Workers of Slurm that open a store by its URL.

#include "tessera/store/http.hpp"

#include "tessera/executor/slurm.hpp"
#include "tessera/tessera.hpp"

#include "slurm/cluster.hpp"
#include "unit/store/contents_of.hpp"
#include "unit/store/http/http_values.hpp"
#include "unit/store/http/test_server.hpp"
#include "unit/store/temporary_directory.hpp"

#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace tessera::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr auto variable = "TESSERA_TEST_TOKEN";

/// A server of an array that wants a token. It gives chunks, or fails with all that it received.
class guarded_array {
 public:
  explicit guarded_array(bool has_chunks)
      : has_chunks_(has_chunks),
        values_(std::make_shared<memory_store>()),
        server_([this](const received_request& request) { return answer(request); }) {
    store(arange<double>(100), values_, "a.zarr/x", {.chunks = {10}});
    EXPECT_EQ(setenv(variable, "s3cret-token", 1), 0);
  }

  /// Stores triples of the array at `path`, by workers of Slurm.
  void store_triples(const temporary_directory& directory, const std::string& path) const {
    http_options options = impatient(std::chrono::milliseconds(200));
    options.token_variable = variable;
    const auto from = open_http_store(server_.url() + "/a.zarr", options);
    spec limits;
    limits.work_dir = directory / "work";
    const auto x = open<double, 1>(from, "x", limits);
    store(x * 3.0, path,
          run_with{.executor = executors::slurm(quick_options(2)), .max_attempts = 1});
  }

 private:
  [[nodiscard]] reply answer(const received_request& request) const {
    const std::string token = request.header("authorization");
    if (token != "Bearer s3cret-token") return {.status = 401};
    const auto value = values_->read_all(request.target.substr(1), std::size_t{1} << 20);
    if (!value) return {.status = 404};
    const bool is_document = request.target.find("/.z") != std::string::npos;
    if (!has_chunks_ && !is_document) return {.status = 403, .headers = {}, .body = token};
    return answer_with(request, text_of(*value));
  }

  bool has_chunks_;
  std::shared_ptr<memory_store> values_;
  test_server server_;
};

TEST(SlurmWorkers, OpenStoresByUrl) {
  const guarded_array served(true);
  const temporary_directory directory;
  served.store_triples(directory, directory / "y");
  EXPECT_EQ(sum(open<double, 1>(directory / "y")).compute()(), 3 * 4950);
}

TEST(SlurmWorkers, WriteNoSecretWhereTheyFail) {
  const guarded_array served(false);
  const temporary_directory directory;
  std::string output;
  try {
    served.store_triples(directory, directory / "y");
    ADD_FAILURE() << "the run has not failed";
  } catch (const error& failure) {
    output = failure.what();
  }
  EXPECT_THAT(output, HasSubstr("status 403"));
  output += contents_of(directory.path());
  EXPECT_THAT(output, HasSubstr(variable));
  EXPECT_THAT(output, Not(HasSubstr("s3cret")));
}

}  // namespace
}  // namespace tessera::testing
