// SPDX-License-Identifier: Apache-2.0
//
// The texts of a plan: its table, its picture, and its error.
#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "unit/core/message_of.hpp"
#include "unit/plan/lines_of.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;
using namespace ts::literals;
using ::testing::HasSubstr;
using ::testing::Not;
using ts::test::lines_of;

std::size_t longest_line(const std::string& text) {
  std::size_t longest = 0;
  for (const std::string& line : lines_of(text)) longest = std::max(longest, line.size());
  return longest;
}

template <class Plan>
std::string table_of(const Plan& plan) {
  std::ostringstream out;
  out << plan;
  return out.str();
}

template <class Plan>
std::string picture_of(const Plan& plan) {
  const std::string path = ::testing::TempDir() + "plan_text_test.dot";
  EXPECT_EQ(plan.visualize(path), path);
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

/// Returns how many vertices and edges a picture has.
std::size_t count_of(const std::string& dot, const std::string& kind) {
  const std::vector<std::string> lines = lines_of(dot);
  return static_cast<std::size_t>(
      std::count_if(lines.begin(), lines.end(), [&](const std::string& line) {
        const bool is_edge = line.find("->") != std::string::npos;
        const bool is_vertex = !is_edge && line.find("[label=") != std::string::npos;
        return kind == "edges" ? is_edge : is_vertex;
      }));
}

/// Arrays that are stored as single chunks in a store that calls itself "memory".
class PlanText : public ::testing::Test {
 protected:
  PlanText() {
    const auto x = ts::zeros<float>({100, 60}, {.chunks = {100, 60}});
    const ts::store_options raw{.compressor = ts::codec::none{}};
    (void)ts::plan(ts::stored(x, store, "u", raw), ts::stored(x, store, "v", raw)).compute();
  }

  [[nodiscard]] ts::array<float, 2> open(const char* name) const {
    return ts::open<float, 2>(store, name, spec);
  }

  /// A histogram by hand: the number of elements in each of fifty intervals.
  [[nodiscard]] auto histogram() const {
    const auto u = open("u");
    std::vector<ts::array<std::int64_t, 1>> bins;
    for (int i = 0; i < 50; ++i) {
      const float low = -5.0F + 0.2F * static_cast<float>(i);
      const ts::array<std::int64_t, 0> count =
          ts::sum(ts::astype<std::int64_t>(u >= low && u < low + 0.2F));
      bins.emplace_back(count(ts::newaxis));
    }
    return ts::plan(ts::concat(bins, ts::axis<0>));
  }

  ts::spec spec{.allowed_memory = 100_MB, .reserved_memory = 10_MB};
  std::shared_ptr<ts::memory_store> store = std::make_shared<ts::memory_store>();
};

TEST_F(PlanText, ATableHasAllThatAReaderAsks) {
  const auto u = open("u");
  const auto plan = ts::plan(ts::pass_switches{.fuse_siblings = false},
                             ts::stored(u * u, store, "squares", {.compressor = ts::codec::none{}}),
                             ts::mean(u, ts::axis<0>));
  // The chunk of u has 24 kB and its square as many; a strip of scratch comes to that, and the
  // state of the mean.
  EXPECT_THAT(
      lines_of(table_of(plan)),
      ::testing::ElementsAre(
          HasSubstr("operation                         tasks    memory     reads    writes"),
          HasSubstr("0 u * u                               1   10.1 MB   24.0 kB   24.0 kB"),
          HasSubstr("1 mean(u)                             1   10.0 MB   24.0 kB       0 B"),
          HasSubstr("all 2 operations                      2   10.1 MB   48.0 kB   24.0 kB"), "",
          "result                             size  place",
          "u * u                           24.0 kB  memory/squares",
          "mean(u)                           240 B  memory", "",
          "memory                          at most",
          "of a task                       10.1 MB  of 100 MB allowed, 10.0 MB reserved included",
          "between tasks                     240 B  results and intermediates in memory",
          ::testing::AllOf(HasSubstr(", 240 B of results, "), HasSubstr("MB of processes"))));
}

TEST_F(PlanText, ATableSaysFiftyLikeOperationsInShortRows) {
  const std::string table = table_of(histogram());
  EXPECT_LE(longest_line(table), 120U) << table;
  EXPECT_LE(lines_of(table).size(), 20U) << table;
  EXPECT_THAT(table, HasSubstr("sum(astype<int64>((u >= -5) && (u < -4.8))), ... x 50")) << table;
}

TEST_F(PlanText, ATableSaysLikeOperationsThatAreNotFusedInOneRow) {
  ts::array<float, 2> x = ts::zeros<float>({8, 8}, {.chunks = {4, 4}, .spec = spec});
  for (int i = 0; i < 20; ++i) x = ts::matmul(x, x);
  const std::string table = table_of(ts::plan(x));
  EXPECT_THAT(table, HasSubstr("matmul(matmul, matmul) x 19 ")) << table;
  EXPECT_THAT(table, HasSubstr("all 20 operations")) << table;
  // The tasks of all nineteen: four blocks each.
  EXPECT_THAT(table, ::testing::ContainsRegex("x 19 +76 ")) << table;
}

TEST_F(PlanText, ATableDoesNotPutUnlikeOperationsInOneRow) {
  const std::string table = table_of(ts::plan(ts::sum(open("u")), ts::sum(open("v"))));
  EXPECT_THAT(table, Not(HasSubstr(" x 2")));
}

TEST_F(PlanText, ResultsAreNamedInTheOrderAskedFor) {
  const auto u = open("u");
  const auto v = open("v");
  const std::string table =
      table_of(ts::plan(ts::stored(ts::mean(v * v), store, "vv"), ts::mean(u * v),
                        ts::stored(ts::mean(u * u), store, "means/uu")));
  const std::string results = table.substr(table.find("\nresult"));
  const std::size_t first = results.find("mean(v * v)");
  const std::size_t second = results.find("mean(u * v)");
  const std::size_t third = results.find("mean(u * u)");
  EXPECT_LT(first, second) << table;
  EXPECT_LT(second, third) << table;
  EXPECT_LT(third, std::string::npos) << table;
  EXPECT_THAT(results, HasSubstr("memory/vv\n"));
  EXPECT_THAT(results, HasSubstr("memory/means/uu\n"));
}

TEST_F(PlanText, APathInTheWorkingDirectoryIsSaidAsSeenFromThere) {
  const std::string path = std::filesystem::current_path() / "plan_text_test.zarr" / "squares";
  const auto u = open("u");
  EXPECT_THAT(table_of(ts::plan(ts::stored(u * u, path))),
              HasSubstr("  plan_text_test.zarr/squares\n"));
}

TEST_F(PlanText, APartOfAFoldIsNamedAfterTheWhole) {
  const auto x = ts::random::uniform<double>({1000, 1000}, {.chunks = {1, 1000}, .spec = spec});
  const auto plan = ts::plan(ts::sum(ts::sqrt(x)));
  EXPECT_EQ(plan.num_operations(), 2U);
  const std::string table = table_of(plan);
  EXPECT_THAT(table, HasSubstr("\n0 sum(sqrt(uniform)), partial "));
  EXPECT_THAT(table, HasSubstr("\n1 sum(sqrt(uniform)), combined "));
  EXPECT_THAT(table, HasSubstr("\nsum(sqrt(uniform)) "));
}

TEST_F(PlanText, APictureDrawsLikeArraysAsOne) {
  const std::string dot = picture_of(histogram());
  // u, the fold, its fifty results as one, the concatenation, its result; the fold may have parts.
  EXPECT_LE(count_of(dot, "vertices"), 7U) << dot;
  EXPECT_LE(count_of(dot, "edges"), 6U) << dot;
  EXPECT_LE(longest_line(dot), 500U) << dot;
  EXPECT_THAT(dot, HasSubstr(" x 50"));
}

TEST_F(PlanText, APictureKeepsApartWhatIsNotAlike) {
  const auto u = open("u");
  const auto v = open("v");
  const std::string dot = picture_of(ts::plan(ts::matmul(u, ts::matrix_transpose(v))));
  EXPECT_EQ(count_of(dot, "vertices"), 4U) << dot;  // u, v, the product's operation and itself
  EXPECT_EQ(count_of(dot, "edges"), 3U) << dot;
  EXPECT_THAT(dot, HasSubstr("<b>u</b>"));
  EXPECT_THAT(dot, HasSubstr("<b>v</b>"));
}

TEST_F(PlanText, APictureKeepsApartLikeStepsOfALoop) {
  ts::array<float, 2> x = ts::zeros<float>({8, 8}, {.chunks = {4, 4}, .spec = spec});
  for (int i = 0; i < 3; ++i) x = ts::matmul(x, x);
  const std::string dot = picture_of(ts::plan(x));
  EXPECT_EQ(count_of(dot, "vertices"), 7U) << dot;
}

TEST_F(PlanText, APictureWritesTextsAsHtml) {
  const auto u = open("u");
  EXPECT_THAT(picture_of(ts::plan(u < 1.0F && u > 0.0F)),
              HasSubstr("<b>(u &lt; 1) &amp;&amp; (u &gt; 0)</b>"));
}

TEST_F(PlanText, APictureCountsTheMemoryOfATaskAsTheTableDoes) {
  const auto plan = ts::plan(ts::sum(open("u")));
  const std::string memory = ts::format_short(plan.projected_memory());
  EXPECT_GT(plan.projected_memory(), spec.reserved_memory);
  EXPECT_THAT(picture_of(plan), HasSubstr("1 task, " + memory + " each"));
  EXPECT_THAT(table_of(plan), HasSubstr(" " + memory + " "));
}

TEST_F(PlanText, AMemoryErrorNamesOperandsByTheirNames) {
  const ts::spec little{.allowed_memory = 30_kB};
  const auto u = ts::open<float, 2>(store, "u", little);
  const auto v = ts::open<float, 2>(store, "v", little);
  const std::string message = ts::testing::message_of<ts::memory_error>(
      [&] { (void)ts::plan(ts::stored(u + v, store, "w")); });
  // 100 x 60 floats each; Blosc may make a chunk a little larger.
  EXPECT_THAT(message, HasSubstr("u: chunk 24.0 kB"));
  EXPECT_THAT(message, HasSubstr("v: chunk 24.0 kB"));
  EXPECT_THAT(message, HasSubstr("result u + v: chunk 24.0 kB"));
  EXPECT_THAT(message, HasSubstr("result u + v: encoded chunk 24.0 kB"));
  EXPECT_THAT(message, Not(HasSubstr("operand")));
}

}  // namespace
