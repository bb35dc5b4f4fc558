// SPDX-License-Identifier: Apache-2.0
#include "executor/grid_engine/commands.hpp"

#include "executor/array/run_command.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera::grid_engine {
namespace {

// As qstat of Grid Engine 8.1.9 has printed it, with fewer blanks in the column of queues.
constexpr auto queue =
    R"(job-ID  prior   name       user         state submit/start at     queue      slots ja-task-ID
-------------------------------------------------------------------------------------------------
      9 0.50000 tessera-gr root         Rr    11/28/2026 14:40:21 all.q@localhost 1 1
      9 0.50000 tessera-gr root         Rq    11/28/2026 14:40:11                 1 2
     10 0.00000 x          root         qw    11/28/2026 14:38:41                 1 4
      8 0.50000 s.sh       root         Eqw   11/28/2026 14:40:01                 1
)";

TEST(ParseQueue, ReadsElementsOfArraysAlone) {
  const auto tasks = parse_queue(queue);
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_EQ(tasks[0].job, "9");
  EXPECT_EQ(tasks[0].number, 1U);
  EXPECT_EQ(tasks[0].state, "Rr");
  EXPECT_EQ(tasks[1].number, 2U);
  EXPECT_EQ(tasks[1].state, "Rq");
  EXPECT_EQ(tasks[2].job, "10");
  EXPECT_EQ(tasks[2].state, "qw");
}

TEST(ParseQueue, FindsNothingInNothing) { EXPECT_TRUE(parse_queue("").empty()); }

TEST(ParseJob, FindsTheNumber) {
  EXPECT_EQ(parse_job("9.1-2:1\n"), "9");
  EXPECT_EQ(parse_job("warning: be brief\n1234567.1-1:1\n"), "1234567");
}

TEST(ParseConfig, FindsTheWholeKeyAlone) {
  constexpr auto config = "max_aj_instances             2000\nmax_aj_tasks                 75000\n";
  EXPECT_EQ(parse_config(config, "max_aj_tasks"), 75000U);
  EXPECT_EQ(parse_config(config, "max_aj"), std::nullopt);
}

// As the commands of Grid Engine 8.1.9 have printed it.
TEST(IsOutage, TellsAbsenceFromRefusal) {
  EXPECT_TRUE(is_outage("error: commlib error: got select error (Connection refused)"));
  EXPECT_TRUE(
      is_outage("Unable to run job: unable to send message to qmaster using port 6444 on host "
                "\"localhost\": got send error Exiting."));
  EXPECT_FALSE(is_outage("Unable to run job: unknown resource \"nosuch\" Exiting."));
  EXPECT_FALSE(is_outage("The job nosuchname of user(s) root does not exist"));
}

TEST(FindHindrance, KnowsWhatWaitsForEver) {
  for (const char* state : {"qw", "hqw", "r", "t", "Rr", "Rq", "dr", "s", "", ended, gone}) {
    EXPECT_FALSE(find_hindrance(state).has_value()) << state;
  }
  const auto hindrance = find_hindrance("Eqw");
  ASSERT_TRUE(hindrance.has_value());
  EXPECT_TRUE(hindrance->may_pass);
}

TEST(IsWaiting, LeavesRestartedElements) {
  EXPECT_TRUE(is_waiting("qw"));
  EXPECT_TRUE(is_waiting("hqw"));
  EXPECT_FALSE(is_waiting("r"));
  EXPECT_FALSE(is_waiting("Rq"));
}

TEST(DescribeLoss, TellsHowAProcessEnded) {
  EXPECT_EQ(describe_loss({0, 0, ended, {}, 3 << 8}), "exited with code 3");
  EXPECT_EQ(describe_loss({0, 0, ended, {}, 11}, "one\ntwo\n"),
            "crashed: signal 11 (SIGSEGV); it last printed: two");
  EXPECT_EQ(
      describe_loss({0, 0, gone, {}, 0}),
      "is no longer known to Grid Engine: deleted, killed, or past a limit of time or memory");
}

TEST(MemoryFor, DependsOnTheMeasureOfAResource) {
  const job_arrays::array_request request{
      0, "x", 1, {bytes{10}, bytes{1000}, bytes{100}}, bytes{5}, "/folder"};
  EXPECT_EQ(memory_for("h_vmem", request), bytes{1005});
  EXPECT_EQ(memory_for("h_data", request), bytes{105});
  EXPECT_EQ(memory_for("mem_free", request), bytes{15});
}

TEST(TaskRanges, AreAsQdelTakesThem) {
  EXPECT_EQ(task_ranges("7", {0, 1, 2, 5, 7, 8}),
            (std::vector<std::string>{"7.1-3", "7.6-6", "7.8-9"}));
  EXPECT_TRUE(task_ranges("7", {}).empty());
}

job_arrays::array_request request_in(const std::filesystem::path& folder) {
  job_arrays::array_request request;
  request.folder = folder;
  return request;
}

/// Runs the batch script with another program, and returns the exit status that it leaves.
std::string status_left_by(const std::string& program, bool is_well) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "it's a folder";
  std::filesystem::create_directories(folder);
  std::string script = batch_script(request_in(folder));
  const std::size_t begin = script.find('\n', script.find("export ")) + 1;
  script.replace(begin, script.find('\n', begin) - begin, program);
  std::ofstream(folder / "script") << script;
  EXPECT_EQ(
      job_arrays::run_command({"env", "SGE_TASK_ID=3", "sh", (folder / "script").string()}).is_well,
      is_well);
  const std::string text =
      job_arrays::run_command({"cat", (folder / "2.out").string(), (folder / "2.exit").string()})
          .output;
  std::filesystem::remove_all(folder);
  return text;
}

TEST(BatchScript, LeavesOutputAndExitStatus) {
  EXPECT_EQ(status_left_by("echo $TESSERA_WORKER | cut -d : -f 1,2", true),
            "array:SGE_TASK_ID-1\n0\n");
  EXPECT_EQ(status_left_by("sh -c 'exit 78'", false), "78\n");
}

TEST(BatchScript, StartsADriver) {
  job_arrays::array_request request = request_in("/runs/first");
  request.is_driver = true;
  EXPECT_NE(batch_script(request).find("TESSERA_WORKER='driver:/runs/first'\n"), std::string::npos);
}

TEST(BatchScript, NamesTheStoreOfARun) {
  job_arrays::array_request request = request_in("/tmp/tessera-run/0");
  request.location = "s3://bucket/runs/1/0?anonymous";
  EXPECT_NE(batch_script(request).find(
                "TESSERA_WORKER='array:SGE_TASK_ID-1:s3://bucket/runs/1/0?anonymous'\n"),
            std::string::npos);
  request.is_driver = true;
  request.location = "s3://bucket/runs/first";
  EXPECT_NE(batch_script(request).find("TESSERA_WORKER='driver:s3://bucket/runs/first'\n"),
            std::string::npos);
}

TEST(BatchScript, EndsWithNoOrderForGridEngine) {
  const auto code_of = [](const char* code) {
    std::string script = batch_script(request_in("/tmp"));
    script = script.substr(script.find("case "));
    return job_arrays::run_command(
               {"sh", "-c", std::string("status=") + code + "\n(" + script + ")\necho $?"})
        .output;
  };
  EXPECT_EQ(code_of("99"), "1\n");
  EXPECT_EQ(code_of("100"), "1\n");
  EXPECT_EQ(code_of("78"), "78\n");
}

}  // namespace
}  // namespace tessera::grid_engine
