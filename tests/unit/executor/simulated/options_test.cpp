// SPDX-License-Identifier: Apache-2.0
#include "executor/simulated/options.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace tessera {
namespace {

using namespace literals;
using namespace std::chrono_literals;
using ::testing::HasSubstr;

std::string message_of(const char* text) {
  try {
    (void)make_executor(text);
  } catch (const value_error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SimulatedOptions, AreReadFromAName) {
  const simulated_options expected{.workers = 1000,
                                   .start_up = 2s,
                                   .batch_overhead = 10us,
                                   .task_time = random_time::lognormal(100ms, 0.3),
                                   .element_step = 1ns,
                                   .request_time = 20us,
                                   .stragglers = {0.01, 5},
                                   .latency = 20ms,
                                   .bandwidth = 100_MB,
                                   .read_bandwidth = 80_MB,
                                   .write_bandwidth = 50_MB,
                                   .memory_bandwidth = 8_GB,
                                   .total_bandwidth = 10_GB,
                                   .max_requests = 500,
                                   .failures = 0.001,
                                   .lost_workers = 0.0001,
                                   .in_process = true,
                                   .seed = 1};
  const std::string name =
      "simulated:workers=1000,start_up=2s,batch_overhead=10us,task_time=lognormal(100ms,0.3),"
      "element_step=1ns,request_time=20us,stragglers=0.01x5,latency=20ms,bandwidth=100MB/s,"
      "read_bandwidth=80MB/s,write_bandwidth=50MB/s,memory_bandwidth=8GB/s,"
      "total_bandwidth=10GB/s,max_requests=500,failures=0.001,lost_workers=0.0001,in_process=yes,"
      "seed=1";
  EXPECT_EQ(parse_simulated_options(name), expected);
  EXPECT_EQ(format_simulated_options(expected), name);
  EXPECT_EQ(make_executor(name)->name(), name);
  EXPECT_EQ(make_executor(name)->num_workers(), 1000U);
}

TEST(SimulatedOptions, AreAtTheirDefaultWhereTheNameSaysNothing) {
  EXPECT_EQ(parse_simulated_options("simulated"), simulated_options{});
  EXPECT_EQ(make_executor("simulated")->name(), "simulated:workers=1");
}

TEST(SimulatedOptions, KeepEveryDistributionInTheName) {
  for (const random_time& time :
       {random_time(1500us), random_time(0.7ns), random_time(2min), random_time(1234567890ns),
        random_time::uniform(1ms, 1h), random_time::normal(0.1ns, 3us),
        random_time::lognormal(7ms, 1e-3), random_time::exponential(1s)}) {
    const simulated_options options{.task_time = time};
    EXPECT_EQ(parse_simulated_options(format_simulated_options(options)), options);
  }
}

TEST(SimulatedOptions, RefuseAKeyThatIsNotThereAndTellWhichAre) {
  EXPECT_EQ(
      message_of("simulated:workers=2,weather=3"),
      "executor \"simulated:workers=2,weather=3\": there is no option \"weather\"; the options "
      "are workers, start_up, batch_overhead, task_time, element_step, request_time, stragglers, "
      "latency, bandwidth, read_bandwidth, write_bandwidth, memory_bandwidth, "
      "total_bandwidth, max_requests, failures, lost_workers, "
      "in_process, seed");
  EXPECT_THAT(message_of("simulated:"), HasSubstr("there is no option \"\""));
}

TEST(SimulatedOptions, RefuseAValueOfAnotherFormAndTellWhichItMustHave) {
  EXPECT_EQ(message_of("simulated:bandwidth=100MB"),
            "executor \"simulated:bandwidth=100MB\": bandwidth is \"100MB\", which must be a size "
            "for each second, as \"100MB/s\"");
  for (const char* text :
       {"workers=-1", "workers=", "workers", "latency=20", "latency=-1ms", "latency=ms",
        "task_time=lognormal(100ms)", "task_time=gamma(1s,2s)", "task_time=exponential(1s,2s)",
        "task_time=uniform(2s,1s)", "task_time=normal(1s,2s", "task_time=lognormal(1s,2s)",
        "bandwidth=fast/s", "stragglers=0.01", "failures=often", "in_process=1", "seed=1.5"}) {
    EXPECT_THAT(message_of(("simulated:" + std::string(text)).c_str()), HasSubstr("which must be"))
        << text;
  }
}

TEST(SimulatedOptions, RefuseWhatCannotBe) {
  EXPECT_EQ(message_of("simulated:workers=0"), "simulated: workers is 0, which must be at least 1");
  EXPECT_EQ(message_of("simulated:failures=1.5"),
            "simulated: failures is 1.5, which must be a probability, from 0 to 1");
  EXPECT_THAT(message_of("simulated:lost_workers=-0.1"), HasSubstr("lost_workers is -0.1"));
  EXPECT_THAT(message_of("simulated:stragglers=nanx5"), HasSubstr("stragglers.probability is nan"));
  EXPECT_THAT(message_of("simulated:stragglers=0.5x0.5"), HasSubstr("stragglers.slowness is 0.5"));
  EXPECT_THROW((void)executors::simulated({.latency = -1ns}), value_error);
}

}  // namespace
}  // namespace tessera
