// SPDX-License-Identifier: Apache-2.0
#include "executor/slurm/commands.hpp"

#include <gtest/gtest.h>
#include <string>

namespace tessera::slurm {
namespace {

// As squeue of Slurm 22.05 has printed it, the comments being "<array> <operation>".
constexpr auto queue = R"(3 11 FAILED JobLaunchFailure|0 x + y
1 768 FAILED NonZeroExitCode|0 x + y
5 0 PENDING Nodes required for job are DOWN|12 a|b
N/A 0 COMPLETED None|0 no array
2 0 RUNNING None|of another program
2 0 RUNNING None|
)";

TEST(ParseQueue, ReadsElementsOfArraysAlone) {
  const auto elements = parse_queue(queue);
  ASSERT_EQ(elements.size(), 3U);
  EXPECT_EQ(elements[0].array, 0U);
  EXPECT_EQ(elements[0].element, 3U);
  EXPECT_EQ(elements[0].state, "FAILED");
  EXPECT_EQ(elements[0].reason, "JobLaunchFailure");
  EXPECT_EQ(elements[0].exit_status, 11);
  EXPECT_EQ(elements[1].exit_status, 768);
  EXPECT_EQ(elements[2].array, 12U);
  EXPECT_EQ(elements[2].element, 5U);
  EXPECT_EQ(elements[2].state, "PENDING");
  EXPECT_EQ(elements[2].reason, "Nodes required for job are DOWN");
}

TEST(ParseQueue, FindsNothingInNothing) {
  EXPECT_TRUE(parse_queue("").empty());
  EXPECT_TRUE(parse_queue("|\n\n1 2 3\nsqueue: error|\n").empty());
}

TEST(ParseConfig, FindsTheWholeKeyAlone) {
  constexpr auto config =
      "MaxArraySizeOfOthers    = 7\nMaxArraySize            = 10001\nSelectType = "
      "select/cons_tres\n";
  EXPECT_EQ(parse_config(config, "MaxArraySize"), 10001U);
  EXPECT_EQ(parse_config(config, "MaxArray"), std::nullopt);
  EXPECT_EQ(parse_config(config, "SelectType"), std::nullopt);
}

TEST(DescribeLoss, TellsHowAProcessEnded) {
  EXPECT_EQ(describe_loss({0, 0, "FAILED", "NonZeroExitCode", 3 << 8}), "exited with code 3");
  EXPECT_EQ(describe_loss({0, 0, "FAILED", "JobLaunchFailure", 11}),
            "crashed: signal 11 (SIGSEGV)");
  EXPECT_EQ(describe_loss({0, 0, "FAILED", "JobLaunchFailure", 9}),
            "killed by signal 9 (SIGKILL), by hand or as its node ran out of memory");
}

// Exit code 78 is EX_CONFIG of sysexits.h.
TEST(DescribeLoss, TellsThatAProgramCannotRun) {
  const queued_element unfit{0, 0, "FAILED", "NonZeroExitCode", 78 << 8};
  EXPECT_TRUE(is_unfit(unfit));
  EXPECT_EQ(describe_loss(unfit, "no avx512f\n"),
            "cannot run on its node; it last printed: no avx512f");
  EXPECT_FALSE(is_unfit({0, 0, "FAILED", "NonZeroExitCode", 1 << 8}));
  EXPECT_FALSE(is_unfit({}));
}

TEST(DescribeLoss, EndsWithTheLastLineThatWasPrinted) {
  EXPECT_EQ(describe_loss({0, 0, "FAILED", "NonZeroExitCode", 3 << 8}, "one\ntwo\n\n"),
            "exited with code 3; it last printed: two");
}

TEST(DescribeLoss, TellsThatSlurmKilledForMemory) {
  EXPECT_EQ(describe_loss({0, 0, "OUT_OF_MEMORY", "OutOfMemory", 9}),
            "was killed for using more memory than it asked for");
  // As slurmstepd of Slurm 22.05 has printed it.
  EXPECT_EQ(describe_loss({0, 0, "FAILED", "JobLaunchFailure", 9},
                          "slurmstepd-node1: error: Exceeded job memory limit\n"
                          "slurmstepd-node1: error: *** JOB 3 ON node1 CANCELLED ***\n"),
            "was killed for using more memory than it asked for; it last printed: "
            "slurmstepd-node1: error: *** JOB 3 ON node1 CANCELLED ***");
}

TEST(DescribeLoss, TellsWhatSlurmDid) {
  EXPECT_EQ(describe_loss({0, 0, "CANCELLED", "None", 15}), "was cancelled");
  EXPECT_EQ(describe_loss({0, 0, "TIMEOUT", "TimeLimit", 15}), "ran into its time limit");
  EXPECT_EQ(describe_loss({0, 0, "NODE_FAIL", "None", 0}), "was lost with its node");
  EXPECT_EQ(describe_loss({}), "is no longer known to Slurm");
}

TEST(FindHindrance, KnowsWhatWaitsForEver) {
  EXPECT_FALSE(find_hindrance({0, 0, "PENDING", "Resources", 0}).has_value());
  EXPECT_FALSE(find_hindrance({0, 0, "RUNNING", "JobHeldUser", 0}).has_value());
  const auto hindrance = find_hindrance({0, 0, "PENDING", "JobHeldAdmin", 0});
  ASSERT_TRUE(hindrance.has_value());
  EXPECT_EQ(hindrance->why, "was held (JobHeldAdmin)");
  EXPECT_TRUE(hindrance->may_pass);
  const auto late = find_hindrance({0, 0, "PENDING", "PartitionTimeLimit", 0});
  ASSERT_TRUE(late.has_value());
  EXPECT_FALSE(late->may_pass);
}

TEST(IsOutage, TellsAbsenceFromRefusal) {
  EXPECT_TRUE(is_outage("Unable to contact slurm controller (connect failure)"));
  EXPECT_TRUE(is_outage("Socket timed out on send/recv operation"));
  EXPECT_TRUE(is_outage("Slurm temporarily unable to accept job, sleeping and retrying"));
  EXPECT_FALSE(is_outage("invalid partition specified: nope"));
}

}  // namespace
}  // namespace tessera::slurm
