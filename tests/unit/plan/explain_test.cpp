// SPDX-License-Identifier: Apache-2.0
/// \file
/// Explanations of plans: texts that a person wrote, and numbers equal to the counts of a run.

#include "tessera/scheduler/observer.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/counting_store.hpp"
#include "unit/plan/lines_of.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

namespace ts = tessera;
using namespace std::chrono_literals;
using namespace ts::literals;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ts::test::lines_of;

/// Returns the lines between the heading `section` and the next empty line.
std::vector<std::string> section_of(const std::string& text, const std::string& section) {
  const std::vector<std::string> lines = lines_of(text);
  const auto first = std::find(lines.begin(), lines.end(), section);
  return first == lines.end()
             ? std::vector<std::string>()
             : std::vector<std::string>(first + 1, std::find(first, lines.end(), ""));
}

class task_counter final : public ts::observer {
 public:
  void on_tasks_end(const ts::tasks_event& event) override { num_tasks += event.count; }
  ts::index_t num_tasks = 0;
};

/// An array of 600 x 400 float32 (960 kB) in uncompressed chunks of 100 x 200 (80 kB), of which the
/// store counts reads and writes.
class Explain : public ::testing::Test {
 protected:
  Explain() { ts::store(ts::ones<float>({600, 400}, {.chunks = {100, 200}}), store_, "u", raw_); }

  [[nodiscard]] ts::array<float, 2> u() const { return ts::open<float, 2>(store_, "u", spec_); }

  /// Runs a plan, and compares its explanation with the counts.
  template <class Plan>
  void expect_counted(const Plan& plan) {
    const ts::plan_explanation told = plan.explain();
    const long reads = store_->num_reads();
    const long writes = store_->num_writes();
    const auto counter = std::make_shared<task_counter>();
    plan.execute({.observers = {counter}});
    const long read = store_->num_reads() - reads;
    const long written = store_->num_writes() - writes;
    EXPECT_EQ(told.cost.num_requests, read + written);
    EXPECT_EQ(told.cost.num_tasks, counter->num_tasks);
    ts::index_t by_operations = 0;
    ts::index_t written_by_operations = 0;
    ts::index_t tasks = 0;
    for (const auto& operation : told.operations) {
      for (const auto& access : operation.reads) by_operations += access.num_requests;
      for (const auto& access : operation.writes) written_by_operations += access.num_requests;
      tasks += operation.cost.num_tasks;
    }
    EXPECT_EQ(by_operations, read);
    EXPECT_EQ(written_by_operations, written);
    EXPECT_EQ(tasks, counter->num_tasks);
    ts::bytes from_sources;
    for (const auto& source : told.sources) from_sources += source.bytes_read;
    // Chunks have 80 kB each.
    EXPECT_EQ(from_sources, 80_kB * static_cast<std::uint64_t>(read));
  }

  ts::spec spec_{.allowed_memory = 100_MB};
  std::shared_ptr<ts::test::counting_store> store_ = std::make_shared<ts::test::counting_store>();
  ts::store_options raw_{.compressor = ts::codec::none{}};
};

TEST_F(Explain, SaysWhatAnOperationReadsAndMakes) {
  const auto twice = ts::plan(ts::stored(u() * 2.0F, store_, "y", raw_),
                              ts::run_with{.executor = ts::executors::threads(5)});
  const std::string text = twice.explain().to_string();
  const std::vector<std::string> said = section_of(text, "operations");
  ASSERT_EQ(said.size(), 7U) << text;
  EXPECT_EQ(said[0], "  0 u * 2");
  EXPECT_THAT(said[1], HasSubstr("    tasks   12 of "));
  EXPECT_THAT(said[1], HasSubstr(", in 3 rounds; "));
  EXPECT_THAT(said[1], HasSubstr(" of work, 100 % of all"));
  EXPECT_EQ(said[2], "    blocks  (100, 200) of (600, 400); 240,000 element steps");
  EXPECT_EQ(said[3], "    reads   u: 960 kB from counting/u, 12 requests, 1.00 x what is needed");
  EXPECT_EQ(said[4], "    writes  u * 2: 960 kB to counting/y, 12 requests");
  EXPECT_EQ(said[5], "    left    size_blocks: 'u * 2' reads few chunks twice: 960 kB read");
  EXPECT_EQ(
      said[6],
      "    left    stage_rechunks: 'u * 2' reads few chunks twice: 960 kB for inputs of 960 kB");
  EXPECT_EQ(section_of(text, "read from outside"),
            (std::vector<std::string>{
                "  u",
                "    read    counting/u, 960 kB; 960 kB read, 1.00 times as much, by 1 "
                "operation"}));
  EXPECT_EQ(section_of(text, "computed"),
            (std::vector<std::string>{"  u * 2",
                                      "    place   counting/y, 960 kB: it is asked for, in chunks "
                                      "(100, 200) of 80.0 kB; to ask for one",
                                      "            takes as long as 100 kB do"}));
}

// 960 kB are read by 12 requests in 13 s, moved in 1 s, and computed in 6 s by 12 tasks of 1 s:
// on five workers in three rounds, a quarter of 32 s.
TEST_F(Explain, SaysWhatMovesInMemoryAndHowLongAnOperationTakes) {
  spec_.costs = {.read_bandwidth = 960_kB,
                 .latency = 1s,
                 .memory_bandwidth = 960_kB,
                 .element_step = 25us,
                 .task = 1s};
  const auto twice = ts::plan(ts::array<float, 2>(u() * 2.0F),
                              ts::run_with{.executor = ts::executors::threads(5)});
  const std::vector<std::string> said = section_of(twice.explain().to_string(), "operations");
  ASSERT_GE(said.size(), 5U);
  EXPECT_THAT(said[1],
              ::testing::EndsWith(", in 3 rounds; 32 s of work, 100 % of all, 8 s on 5 workers"));
  EXPECT_EQ(said[4], "    writes  u * 2: 960 kB to memory");
}

TEST_F(Explain, SaysWhatIsReadFromMemory) {
  // The mean, its parts and 960 kB of the program are in memory.
  const auto ours = ts::asarray(ts::ndarray<float, 2>({600, 400}));
  const auto anomaly = ts::plan(ts::stored(u() - ts::mean(u()) + ours, store_, "a", raw_));
  const ts::plan_explanation told = anomaly.explain();
  for (const auto& operation : told.operations) {
    ts::bytes of_operation{};
    for (const auto* accesses : {&operation.reads, &operation.writes}) {
      for (const auto& access : *accesses) {
        if (access.num_requests == 0) of_operation += access.moved;
      }
    }
    EXPECT_EQ(of_operation, operation.cost.memory_moved) << operation.label;
  }
  EXPECT_THAT(told.to_string(), HasSubstr(": 960 kB from memory of the program\n"));
  EXPECT_THAT(told.to_string(), HasSubstr(" B from memory\n"));
}

TEST_F(Explain, MarksWhatIsReadAgainAndAgain) {
  // Each of ten columns of chunks of 40 meets two of 200, in six rows: 600 x 40 needs 12 chunks
  // with 40 of 200 columns each, so 400 x 600 is read five times.
  const auto columns = ts::plan(ts::pass_switches{.size_blocks = false, .stage_rechunks = false},
                                ts::stored(ts::rechunk(u(), {600, 40}), store_, "y", raw_));
  const ts::plan_explanation told = columns.explain();
  EXPECT_DOUBLE_EQ(told.sources.at(0).times_read, 5);
  EXPECT_DOUBLE_EQ(told.operations.at(0).reads.at(0).amplification, 5);
  EXPECT_THAT(told.to_string(), HasSubstr("    reads ! u: 4.8 MB from counting/u, 60 requests, "
                                          "5.00 x what is needed\n"));
  expect_counted(columns);
}

TEST_F(Explain, CountsWhatARunDoes) {
  expect_counted(ts::plan(ts::stored(u() * 2.0F, store_, "y", raw_)));
  expect_counted(ts::plan(ts::stored(u() - ts::mean(u(), ts::axis<0>), store_, "a", raw_),
                          ts::stored(ts::stddev(u(), ts::axis<1>), store_, "s", raw_)));
  expect_counted(ts::plan(ts::stored(ts::diff(u(), ts::axis<0>), store_, "d", raw_),
                          ts::stored(ts::flip(u(), ts::axis<1>), store_, "f", raw_)));
}

TEST_F(Explain, SaysWhereArraysAreAndWhy) {
  // Its mean is needed as a whole before the first difference.
  const auto anomaly = ts::stored(u() - ts::mean(u()), store_, "a", raw_);
  const ts::plan_explanation explanation = ts::plan(anomaly).explain();
  const auto between = std::find_if(explanation.arrays.begin(), explanation.arrays.end(),
                                    [](const auto& array) { return !array.is_result; });
  ASSERT_NE(between, explanation.arrays.end());
  EXPECT_EQ(between->place, "memory");
  EXPECT_THAT(between->reason, HasSubstr("saves "));
  EXPECT_LT(between->first_operation, between->last_operation);
  const ts::plan_explanation stored =
      ts::plan(ts::pass_switches{.memory_tier = false}, anomaly).explain();
  for (const auto& array : stored.arrays) {
    EXPECT_EQ(array.place, array.is_result ? "counting/a" : "work directory");
    EXPECT_THAT(array.reason, HasSubstr(array.is_result ? "it is asked for, in chunks"
                                                        : "the memory tier is off"));
  }
}

TEST_F(Explain, SaysWhatMemoryWouldBeNeeded) {
  // The product of 5.12 MB is read twice, and the host has room for a task and little else.
  // More is reserved than this process holds, so that the bound does not depend on it.
  ts::spec little{
      .allowed_memory = 2_GB + 2500_kB, .reserved_memory = 2_GB, .host_memory = 2_GB + 3500_kB};
  const auto x = ts::ones<double>({800, 800}, {.chunks = {100, 100}, .spec = little});
  const ts::array<double, 2> product = ts::matmul(x, x);
  const auto plan = ts::plan(ts::stored(ts::matmul(product, product), store_, "p", raw_),
                             ts::run_with{.executor = ts::executors::threads(2)});
  const ts::plan_explanation told = plan.explain();
  const auto between = std::find_if(told.arrays.begin(), told.arrays.end(),
                                    [](const auto& array) { return !array.is_result; });
  ASSERT_NE(between, told.arrays.end());
  EXPECT_EQ(between->size, 5120_kB);
  EXPECT_EQ(between->place, "work directory");
  EXPECT_THAT(between->reason,
              ::testing::MatchesRegex("in memory, .* would be held at once where 2.0 GB "
                                      "may be; a host memory of .*"));
}

TEST_F(Explain, SaysWhatPassesDidAndWhatTheyLeft) {
  const ts::array<float, 2> root = ts::sqrt(u());
  const std::string text =
      ts::plan(ts::stored(root + 1.0F, store_, "y", raw_), ts::stored(root, store_, "r", raw_))
          .explain()
          .to_string();
  EXPECT_THAT(text,
              HasSubstr("  fuse_producers\n"
                        "    left    'sqrt(u) + 1' reads a requested result of 'sqrt(u)'; only "
                        "intermediates are fused away\n"));
  const ts::array<float, 2> sum = u() + 1.0F;
  const auto fused = ts::plan(ts::stored(ts::sqrt(sum), store_, "z", raw_));
  EXPECT_THAT(fused.explain().to_string(),
              HasSubstr("    done    fuse_producers: computes the elements of its producer "
                        "'u + 1' itself\n"));
  // 12 tasks read u; 12 read u + 1, from memory.
  EXPECT_THAT(section_of(fused.explain().to_string(), "passes"),
              Contains(HasSubstr("2 to 1 operations, 24 to 12 tasks")));
}

// Held as a whole, x is read once by the one task of such a plan; if x is read twice, nine workers
// share the longer part by far.
TEST_F(Explain, SaysWhichPassIsLeftOutForAllOfThePlan) {
  constexpr unsigned slower = 1000;
  ts::spec slow{.allowed_memory = 141_MB, .costs = {.workers = 9}};
  ts::costs& costs = slow.costs;
  for (ts::bytes* bandwidth :
       {&costs.read_bandwidth, &costs.write_bandwidth, &costs.memory_bandwidth}) {
    *bandwidth = ts::bytes{bandwidth->count() / slower};
  }
  costs.latency *= slower;
  costs.element_step *= slower;
  costs.task *= slower;
  ts::store(ts::ones<double>({400, 400}, {.chunks = {80, 400}}), store_, "x", raw_);
  const auto x = ts::open<double, 2>(store_, "x", slow);
  const ts::plan_explanation told = ts::plan(x - ts::mean(x, ts::axis<0>, ts::keepdims)).explain();
  EXPECT_GT(told.operations.size(), 1U);
  const std::vector<std::string> passes = section_of(told.to_string(), "passes");
  const auto entry = std::find(passes.begin(), passes.end(), "  fuse_map_after_fold");
  ASSERT_LT(entry + 1, passes.end());
  EXPECT_THAT(*(entry + 1),
              ::testing::MatchesRegex("    left    the plan is better without this pass: .* on 9 "
                                      "workers.*"));
  ASSERT_GT(told.attempts.size(), 1U);
  EXPECT_EQ(told.attempts.front().passes, "all passes that are on");
  EXPECT_FALSE(told.attempts.front().is_chosen);
  EXPECT_THAT(told.attempts.front().why_lost,
              ::testing::MatchesRegex(".* of work, .* on 9 workers, in place of .*"));
  std::vector<std::string> chosen;
  for (const auto& attempt : told.attempts) {
    EXPECT_EQ(attempt.is_chosen, attempt.why_lost.empty()) << attempt.passes;
    if (attempt.is_chosen) chosen.push_back(attempt.passes);
  }
  EXPECT_EQ(chosen, std::vector<std::string>{"all passes that are on, but fuse_epilogues"});
  std::vector<std::string> reasons;
  for (const auto& array : told.arrays) reasons.push_back(array.reason);
  EXPECT_THAT(reasons, Contains(HasSubstr("not merged into its reader by fuse_map_after_fold: the "
                                          "plan is better without this pass: ")));
  EXPECT_THAT(section_of(told.to_string(), "attempts"),
              Contains(::testing::StartsWith("    chosen  all passes that are on, but "
                                             "fuse_epilogues: ")));
  ts::pass_switches without;
  without.fuse_epilogues = false;  // the switch of fuse_map_after_fold
  const auto cost = [&](const ts::pass_switches& passes_on) {
    return ts::plan(passes_on, x - ts::mean(x, ts::axis<0>, ts::keepdims)).explain().cost;
  };
  EXPECT_EQ(told.cost.wall, cost(without).wall);
}

TEST_F(Explain, SaysWhyMemoryForbidsARewrite) {
  // Together the two folds keep states of both; a task of either alone keeps to 1.2 MB.
  const auto long_rows = ts::ones<double>({4, 100'000}, {.chunks = {1, 100'000}});
  ts::store(long_rows, store_, "x", raw_);
  const auto explain_within = [&](ts::bytes allowed) {
    const auto x = ts::open<double, 2>(store_, "x", {.allowed_memory = allowed});
    return ts::plan(ts::mean(x, ts::axis<0>), ts::stddev(x, ts::axis<0>)).explain();
  };
  const ts::plan_explanation roomy = explain_within(100_MB);
  EXPECT_EQ(roomy.operations.size(), 1U);
  const ts::bytes needed = roomy.task_memory;
  const ts::plan_explanation tight = explain_within(needed - 1_B);
  const std::string text = tight.to_string();
  EXPECT_THAT(text, HasSubstr("would need too much memory: " + ts::format_short(needed))) << text;
}

TEST_F(Explain, NamesTheOnlyAttempt) {
  const ts::plan_explanation told = ts::plan(ts::stored(u() * 2.0F, store_, "y", raw_)).explain();
  ASSERT_EQ(told.attempts.size(), 1U);
  EXPECT_TRUE(told.attempts.front().is_chosen);
  EXPECT_EQ(told.attempts.front().passes, "all passes that are on");
  const std::vector<std::string> said = section_of(told.to_string(), "attempts");
  ASSERT_EQ(said.size(), 1U);
  EXPECT_THAT(said[0], ::testing::StartsWith("    chosen  all passes that are on: "));
}

TEST_F(Explain, TellsALoopInAsManyLinesHoweverManyRoundsItHas) {
  const auto told = [&](int num_rounds) {
    ts::array<double, 1> x = ts::ones<double>({1000}, {.chunks = {100}, .spec = spec_});
    for (int i = 0; i < num_rounds; ++i) x = x - ts::mean(x);
    return ts::plan(x).explain();
  };
  const ts::plan_explanation some = told(100);
  const ts::plan_explanation many = told(1000);
  const std::vector<std::string> lines = lines_of(many.to_string());
  // A number with one digit more may break a line.
  EXPECT_LE(lines.size(), lines_of(some.to_string()).size() + 2);
  EXPECT_LE(lines.size(), 300U) << many;
  for (const std::string& line : lines) EXPECT_LE(line.size(), 100U) << line;
  std::size_t num_operations = 0;
  for (const auto& operation : many.operations) num_operations += operation.count;
  EXPECT_EQ(num_operations, many.cost.num_operations);
}

TEST_F(Explain, IsTheSameAsJson) {
  const auto plan = ts::plan(ts::stored(u() - ts::mean(u()), store_, "a", raw_));
  const ts::plan_explanation told = plan.explain();
  const nlohmann::json json = nlohmann::json::parse(told.to_json());
  EXPECT_EQ(json.at("cost").at("bytes_read"), plan.bytes_read().count());
  EXPECT_EQ(json.at("cost").at("tasks"), plan.num_tasks());
  EXPECT_EQ(json.at("cost").at("work"), plan.cost().work.count());
  EXPECT_EQ(json.at("task_memory"), plan.projected_memory().count());
  ASSERT_EQ(json.at("sources").size(), 1U);
  EXPECT_EQ(json.at("sources")[0].at("name"), "u");
  EXPECT_EQ(json.at("sources")[0].at("bytes"), 960'000);
  // The mean reads u, and so does the difference.
  EXPECT_EQ(json.at("sources")[0].at("times_read"), 2.0);
  ASSERT_EQ(json.at("operations").size(), told.operations.size());
  double share = 0;
  for (const auto& operation : json.at("operations")) share += operation.at("share").get<double>();
  EXPECT_NEAR(share, 1, 1e-9);
  ASSERT_EQ(json.at("attempts").size(), told.attempts.size());
  EXPECT_EQ(json.at("attempts")[0].at("passes"), told.attempts.front().passes);
  std::map<std::string, int> passes;
  for (const auto& pass : json.at("passes")) ++passes[pass.at("name")];
  EXPECT_EQ(passes["fuse_producers"], 2);
  EXPECT_EQ(passes["split_folds"], 1);
}

TEST_F(Explain, OfAPlanFromAFileSaysThatPassesAreUnknown) {
  const std::string path = ::testing::TempDir() + "explain-" + std::to_string(::getpid()) + ".plan";
  const auto plan = ts::plan(ts::sum(ts::ones<double>({100}, {.chunks = {10}})));
  plan.bounded().save(path);
  const ts::plan_explanation told = ts::bounded_plan::load(path).explain();
  std::filesystem::remove(path);
  EXPECT_FALSE(told.passes.has_value());
  EXPECT_TRUE(told.attempts.empty());
  EXPECT_EQ(told.cost.num_tasks, plan.num_tasks());
  EXPECT_THAT(told.to_string(), HasSubstr("    unknown the plan comes from a file"));
}

// Each of 10 arrays of 800 B is read once: 8 kB, and as much is made.
TEST_F(Explain, CountsOfPiecesInMemoryWhatIsReadOfThem) {
  std::vector<ts::array<double, 1>> parts;
  for (int i = 0; i < 10; ++i) {
    parts.emplace_back(ts::asarray(ts::ndarray<double, 1>({100}), {.chunks = {100}}));
  }
  const ts::plan plan(ts::concat(parts, ts::axis<0>) + 1.0);
  const ts::plan_explanation explanation = plan.explain();
  EXPECT_EQ(explanation.cost.memory_moved, ts::bytes{16'000});
  ts::bytes read{0};
  for (const auto& access : explanation.operations.at(0).reads) read += access.moved;
  EXPECT_EQ(read, ts::bytes{8000});
}

}  // namespace
