// SPDX-License-Identifier: Apache-2.0
/// \file
/// Ranks read an array from a server by its URL.

#include "tessera/executor/mpi.hpp"
#include "tessera/store/http.hpp"
#include "tessera/tessera.hpp"

#include "unit/mpi/shared_directory.hpp"
#include "unit/store/http/served_memory.hpp"

#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <mpi.h>
#include <optional>
#include <string>

namespace tessera::testing {
namespace {

constexpr const char* token = "s3cret-token";

/// Returns the text of the first rank, on all ranks.
std::string text_of_first_rank(const std::string& text) {
  std::array<char, 256> buffer{};
  text.copy(buffer.data(), buffer.size() - 1);
  MPI_Bcast(buffer.data(), static_cast<int>(buffer.size()), MPI_CHAR, 0, MPI_COMM_WORLD);
  return buffer.data();
}

/// Returns the text of all files in a folder.
std::string text_below(const std::filesystem::path& folder) {
  std::string text;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    std::ifstream file(entry.path(), std::ios::binary);
    text.append(std::istreambuf_iterator<char>(file), {});
  }
  return text;
}

TEST(ArrayOnAServer, IsReadByRanksThatWriteNoToken) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const shared_directory directory;
  std::optional<served_memory> served;
  if (rank == 0) {
    served.emplace();
    served->token = token;
    store(arange<double>(100), served->values, "x", {.chunks = {10}});
  }
  const std::string url = text_of_first_rank(served ? served->server.url() + "/data" : "");
  ASSERT_EQ(setenv("TESSERA_TEST_TOKEN", token, 1), 0);
  spec limits;
  limits.work_dir = (directory.path() / "work").string();
  const auto source = open_http_store(url, {.token_variable = "TESSERA_TEST_TOKEN"});
  const auto x = open<double, 1>(source, "x", limits);
  static_cast<void>(
      store(x * 3.0, (directory.path() / "y").string(), run_with{.executor = executors::mpi()}));
  EXPECT_EQ(sum(open<double, 1>((directory.path() / "y").string())).compute()(), 3 * 4950);
  if (rank == 0) {
    EXPECT_EQ(text_below(directory.path()).find(token), std::string::npos);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace
}  // namespace tessera::testing
