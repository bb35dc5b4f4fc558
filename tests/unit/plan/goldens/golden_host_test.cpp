// SPDX-License-Identifier: Apache-2.0
/// \file
/// Golden programs with figures of a host or of a cluster: the host memory of a Gram matrix,
/// and the time of a plan for two workers on ten thousand.

#include "tessera/core/error.hpp"
#include "tessera/executor/memory.hpp"
#include "tessera/observe/simulation.hpp"

#include "task/api/target.hpp"
#include "unit/core/message_of.hpp"
#include "unit/plan/goldens/golden.hpp"

#include <cctype>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <iostream>
#include <malloc.h>
#include <memory>
#include <string>
#include <string_view>

namespace tessera::test {
namespace {

/// Returns the number in the parentheses behind `words`: "... 76.9 MB (76,900,000 B)".
bytes bytes_behind(const std::string& message, std::string_view words) {
  std::size_t at = message.find(words);
  EXPECT_NE(at, std::string::npos) << message;
  if (at == std::string::npos) return {};
  at = message.find('(', at);
  std::string digits;
  for (; at < message.size() && message[at] != ')'; ++at) {
    if (std::isdigit(static_cast<unsigned char>(message[at])) != 0) digits += message[at];
  }
  return bytes{std::stoull(digits)};
}

/// Returns the plan of the Gram matrix of 100,000 observations of 64 variables, 51.2 MB.
auto gram_plan(const std::shared_ptr<memory_store>& store, const spec& limits) {
  const auto x = open<double, 2>(store, "x", limits);
  return plan(matmul(matrix_transpose(x), x), run_with{.executor = executors::serial()});
}

// The plan asks for the memory with which the run goes, the process included. Printed bounds that
// left out the process were less than the run asked for.
TEST(GoldenHost, GramMatrixRunsInTheMemoryThatPlanningAsksFor) {
  const auto store = std::make_shared<memory_store>();
  tessera::store(random::uniform<double>({100'000, 64}, {.chunks = {10'000, 64}, .seed = 1}), store,
                 "x", {.compressor = codec::none{}});
  spec limits{.allowed_memory = bytes{1'000'000'000}};
  const auto expected = gram_plan(store, limits).compute();

  limits.host_memory = bytes{1'000'000};
  const std::string message =
      tessera::testing::message_of<memory_error>([&] { (void)gram_plan(store, limits); });
  const bytes asked = bytes_behind(message, "host memory of at least");
  EXPECT_GT(asked, memory_before_run());

  limits.host_memory = asked - bytes{5'000'000};
  EXPECT_THROW((void)gram_plan(store, limits), memory_error);

  // The process may grow a little between the two plans.
  limits.host_memory = asked + bytes{1'000'000};
  const auto gram = gram_plan(store, limits);
  EXPECT_LE(gram.projected_host_memory(), *limits.host_memory);
  malloc_trim(0);
  ASSERT_TRUE(reset_peak_memory());
  const auto values = gram.compute();
  const bytes measured = peak_memory();
  std::cout << "asked " << asked << ", measured " << measured << "\n";
  EXPECT_LE(measured, *limits.host_memory);
  for (index_t i = 0; i < 64; ++i) {
    for (index_t j = 0; j < 64; ++j) EXPECT_EQ(values(i, j), expected(i, j)) << i << ", " << j;
  }
}

TEST(GoldenHost, APlanForTwoWorkersIsSimulatedOnManyAsTheirOwnPlan) {
  const simulated_options many{
      .workers = 10'000, .latency = std::chrono::milliseconds(30), .bandwidth = bytes{200'000'000}};
  const spec limits{.allowed_memory = bytes{2'000'000'000}};
  const golden_arrays arrays(golden_arrays::extent::full, limits, std::make_shared<memory_store>());
  const auto plan_on = [&](const std::shared_ptr<executor>& engine) {
    return plan_for(quadratic_means(arrays), limits, {}, *engine);
  };
  const bounded_plan of_two = plan_on(executors::threads(2));
  const bounded_plan of_many = plan_on(executors::simulated(many));
  const auto least = simulate(of_many, many, as_planned).elapsed;
  const auto anew = simulate(of_two, many).elapsed;
  const auto as_it_is = simulate(of_two, many, as_planned).elapsed;
  std::cout << "their plan " << least.count() << ", anew " << anew.count()
            << ", as planned for two " << as_it_is.count() << "\n";
  EXPECT_LE(anew, 1.05 * least);
  EXPECT_GT(as_it_is, 2 * least);
}

}  // namespace
}  // namespace tessera::test
