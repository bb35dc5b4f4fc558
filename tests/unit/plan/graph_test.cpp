// SPDX-License-Identifier: Apache-2.0
#include "plan/graph.hpp"

#include "tessera/lower/lower.hpp"
#include "tessera/tessera.hpp"

#include "plan/passes/passes.hpp"
#include "plan/passes/verify.hpp"
#include "unit/core/message_of.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace ts = tessera;

ts::array<double, 1> source() { return ts::ones<double>({8}, {.chunks = {4}}); }

template <class E>
ts::plan_output asked(const E& e) {
  return {ts::computed(ts::lower(e, e.layout().chunks))};
}

/// The names of operations in their order.
std::vector<std::string> names_in_order(ts::plan_graph& plan) {
  std::vector<std::string> labels;
  for (const auto v : ts::operations_in_order(plan.graph)) {
    labels.push_back(ts::operation_at(plan.graph, v).name);
  }
  return labels;
}

std::vector<std::string> names(ts::plan_graph& plan) {
  std::vector<std::string> labels = names_in_order(plan);
  std::sort(labels.begin(), labels.end());
  return labels;
}

/// Expects that `verify` finds the damage that `break_it` does to the graph of a sum, given its
/// first operation.
template <class Break>
void expect_found(const std::string& rule, const Break& break_it) {
  const auto collected = ts::collect({asked(ts::sum(ts::array<double, 1>(source() + 1.0)))});
  ts::plan_graph& plan = *collected;
  EXPECT_NO_THROW(ts::verify(plan, "collect"));
  break_it(plan, ts::operations_in_order(plan.graph).front());
  EXPECT_EQ(ts::testing::message_of<std::logic_error>([&] { ts::verify(plan, "a pass"); }),
            "the pass 'a pass' breaks the rule that " + rule);
}

TEST(Verify, FindsWhatAPassHasBroken) {
  expect_found("each operand is an array",
               [](ts::plan_graph& plan, ts::vertex v) { ts::set_inputs(plan.graph, v, {}); });
  expect_found("a map leads from the domain to the array", [](ts::plan_graph& plan, ts::vertex v) {
    ts::operation_at(plan.graph, v).operands = {ts::index_map::identity(2)};
  });
  expect_found("outputs are those of the primitive", [](ts::plan_graph& plan, ts::vertex v) {
    ts::operation_at(plan.graph, v).outputs.clear();
  });
  expect_found("outputs have the types and shapes of their arrays",
               [](ts::plan_graph& plan, ts::vertex v) {
                 ts::array_at(plan.graph, ts::outputs_of(plan.graph, v).front()).shape = {9};
               });
  expect_found("an array has a source or is the output of one operation",
               [](ts::plan_graph& plan, ts::vertex v) {
                 const ts::vertex output = ts::outputs_of(plan.graph, v).front();
                 ts::array_at(plan.graph, output).placement =
                     ts::array_at(plan.graph, ts::inputs_of(plan.graph, v).front()).placement;
               });
}

TEST(Graph, ArraysAndOperationsAlternate) {
  const auto collected = ts::collect({asked(ts::sum(ts::array<double, 1>(source() + 1.0)))});
  const ts::plan_graph& plan = *collected;
  ASSERT_EQ(boost::num_vertices(plan.graph), 5U);  // ones, +, add, sum, sum
  for (auto [edge, last] = boost::edges(plan.graph); edge != last; ++edge) {
    EXPECT_NE(ts::is_operation(plan.graph, boost::source(*edge, plan.graph)),
              ts::is_operation(plan.graph, boost::target(*edge, plan.graph)));
  }
}

TEST(Graph, ParallelEdgesAreKept) {
  const ts::array<double, 1> x = source() + 1.0;
  const auto collected = ts::collect({asked(x(ts::slice(1, 8)) - x(ts::slice(0, 7)))});
  ts::plan_graph& plan = *collected;
  const auto operations = ts::operations_in_order(plan.graph);
  const ts::small_vector<ts::vertex> inputs = ts::inputs_of(plan.graph, operations.back());
  ASSERT_EQ(inputs.size(), 2U);
  EXPECT_EQ(inputs[0], inputs[1]);
}

TEST(Graph, LongChainsNeedNoStack) {
  ts::array<double, 1> x = source();
  for (int i = 0; i < 30'000; ++i) x = x + 1.0;
  const auto collected = ts::collect({asked(x)});
  ts::plan_graph& plan = *collected;
  EXPECT_EQ(ts::operations_in_order(plan.graph).size(), 30'000U);
}

TEST(Graph, WhateverChangesAGraphChangesItsOrder) {
  const auto collected = ts::collect({asked(ts::sum(ts::array<double, 1>(source() + 1.0)))});
  ts::plan_graph& plan = *collected;
  ts::array_graph& graph = plan.graph;
  ASSERT_EQ(names_in_order(plan), (std::vector<std::string>{"ones + 1", "sum"}));
  const ts::vertex add = ts::operations_in_order(graph).front();
  const ts::vertex sum = ts::operations_in_order(graph).back();
  const ts::vertex ones = ts::inputs_of(graph, add).front();
  const ts::vertex added = ts::outputs_of(graph, add).front();

  const ts::vertex copied = ts::add_copy(graph, added, {4});
  EXPECT_EQ(ts::operations_in_order(graph).size(), 3U);
  const ts::vertex copy = ts::producer_of(graph, copied);
  ts::set_inputs(graph, sum, {copied});
  EXPECT_EQ(names_in_order(plan), (std::vector<std::string>{"ones + 1", "copy", "sum"}));

  ts::remove_output(graph, add, added);
  ts::remove_outputs(graph, copy);
  ts::set_inputs(graph, sum, {added});
  ts::add_output(graph, copy, added, 0);
  ts::set_inputs(graph, copy, {ones});
  ts::add_output(graph, add, copied, 0);
  ts::set_inputs(graph, add, {added});
  EXPECT_EQ(names_in_order(plan).front(), "copy");

  ts::remove(graph, copied);
  ts::remove(graph, add);
  EXPECT_EQ(names_in_order(plan), (std::vector<std::string>{"copy", "sum"}));
}

TEST(Graph, InputsThatAreSetAgainAreTheNewestReaders) {
  const auto x = source();
  const auto collected = ts::collect({asked(ts::sum(x)), asked(ts::max(x))});
  ts::array_graph& graph = collected->graph;
  const ts::vertex sum = ts::producer_of(graph, collected->outputs.front());
  const ts::vertex max = ts::producer_of(graph, collected->outputs.back());
  const ts::small_vector<ts::vertex> inputs = ts::inputs_of(graph, sum);
  ASSERT_EQ(ts::uses_of(graph, inputs.front()).front().reader, sum);
  ts::set_inputs(graph, sum, inputs);
  EXPECT_EQ(ts::uses_of(graph, inputs.front()).front().reader, max);
  EXPECT_EQ(ts::inputs_of(graph, sum), inputs);
}

TEST(Graph, CullDropsOperationsThatNothingAsksFor) {
  const auto x = source();
  const auto collected = ts::collect({asked(ts::sum(x)), asked(ts::max(x))});
  ts::plan_graph& plan = *collected;
  EXPECT_EQ(names(plan), (std::vector<std::string>{"max", "sum"}));
  ts::array_at(plan.graph, plan.outputs[1]).is_requested = false;
  plan.outputs.pop_back();
  ts::cull(plan, {ts::spec{}});
  EXPECT_EQ(names(plan), (std::vector<std::string>{"sum"}));
}

}  // namespace
