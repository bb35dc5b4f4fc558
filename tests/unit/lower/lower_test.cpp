// SPDX-License-Identifier: Apache-2.0
#include "tessera/lower/lower.hpp"

#include "tessera/array/creation.hpp"
#include "tessera/array/linear_algebra.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/plan/node.hpp"

#include "primitive/api/strips.hpp"

#include <cstddef>
#include <gtest/gtest.h>
#include <tuple>
#include <variant>

namespace tessera {
namespace {

operation_node maker(const array_handle& array) {
  return *std::get<computed_source>(array->source).operation;
}

template <array_expression E>
array_handle lowered(const E& e) {
  return lower(e, e.layout().chunks);
}

array<double, 2> matrix() { return zeros<double>({6, 8}, {.chunks = {4, 3}}); }

TEST(Lower, AnElementwiseSubtreeIsOneKernel) {
  const auto x = matrix();
  const auto y = ones<float>({8});
  const operation_node node = maker(lowered(sqrt(x * x + y) - 0.5 * x));
  ASSERT_EQ(node.inputs.size(), 2U) << "x occurs three times and is one operand";
  EXPECT_EQ(node.inputs[0], x.view().array);
  EXPECT_EQ(node.op.operands[1], index_map(2, {{1, 0, 1}}));
  const auto& pieces = dynamic_cast<const strips&>(*node.op.primitive).pieces().items();
  ASSERT_EQ(pieces.size(), 1U);
  ASSERT_EQ(pieces[0].program->steps.size(), 1U);
  EXPECT_EQ(pieces[0].program->steps[0].inputs, (std::vector<std::size_t>{0, 0, 1, 0}));
  EXPECT_EQ(node.op.schedule.block, (index_vector{4, 3}));
}

TEST(Lower, ViewsBecomeMapsOfTheReader) {
  const auto x = matrix();
  const auto view = permute_dims(x(slice(none, none, -2), slice(1, 5)), axis<1, 0>);
  const operation_node node = maker(lowered(view + 1));
  ASSERT_EQ(node.inputs.size(), 1U);
  EXPECT_EQ(node.op.operands[0], index_map(2, {{1, 5, -2}, {0, 1, 1}}));
  EXPECT_EQ(node.op.schedule.domain, (index_vector{4, 3}));
}

TEST(Lower, AViewOfAFunctionIsPushedIntoIt) {
  const auto x = matrix();
  const operation_node node = maker(lowered((x + 1)(2)));
  EXPECT_EQ(node.inputs[0], x.view().array);
  EXPECT_EQ(node.op.schedule.domain, (index_vector{8}));
}

TEST(Lower, AFoldTakesTheTreeBeneathIt) {
  const auto x = matrix();
  const operation_node node = maker(lowered(mean(x * x, axis<0>)));
  EXPECT_EQ(node.op.name, "mean");
  EXPECT_EQ(node.op.schedule.domain, (index_vector{6, 8}));
  EXPECT_EQ(node.op.schedule.block, (index_vector{6, 3})) << "whole on the reduced axis";
  EXPECT_EQ(node.op.schedule.step, (index_vector{4, 3}));
  const auto& body = dynamic_cast<const strips&>(*node.op.primitive);
  EXPECT_EQ(body.pieces().front().program->steps.size(), 1U);
  ASSERT_EQ(body.sinks().size(), 1U);
  EXPECT_EQ(std::get<fold_sink>(body.sinks().front()).reduced.to_ulong(), 0b1U);
  EXPECT_EQ(node.inputs.size(), 1U);
}

TEST(Lower, KeepdimsIsAViewOfTheFold) {
  const auto x = matrix();
  const operation_node node = maker(lowered(x - mean(x, axis<0>, keepdims)));
  ASSERT_EQ(node.inputs.size(), 2U);
  EXPECT_EQ(node.inputs[1]->name, "mean");
  EXPECT_EQ(node.op.operands[1], index_map(2, {{1, 0, 1}}));
}

TEST(Lower, AMatmulStreamsAlongTheSharedAxis) {
  const auto a = zeros<double>({6, 8}, {.chunks = {4, 3}});
  const auto b = zeros<double>({8, 10}, {.chunks = {2, 5}});
  const operation_node node = maker(lowered(matmul(a, b)));
  EXPECT_EQ(node.op.schedule.domain, (index_vector{6, 10, 8}));
  EXPECT_EQ(node.op.schedule.block, (index_vector{4, 5, 8}));
  EXPECT_EQ(node.op.schedule.step, (index_vector{4, 5, 3}));
  EXPECT_EQ(node.op.operands[0], index_map(3, {{0, 0, 1}, {2, 0, 1}}));
  EXPECT_EQ(node.op.operands[1], index_map(3, {{2, 0, 1}, {1, 0, 1}}));
}

TEST(Lower, ProductsGoAlongLongerChunksUnlessBlocksBecomeLarge) {
  const auto steps = [](const chunk_lengths& of_a, const chunk_lengths& of_b) {
    const auto a = zeros<double>({20'000, 20'000}, {.chunks = of_a});
    const auto b = zeros<double>({20'000, 20'000}, {.chunks = of_b});
    return maker(lowered(matmul(a, b))).op.schedule.step[2];
  };
  EXPECT_EQ(steps({10, 20}, {50, 10}), 50);
  EXPECT_EQ(steps({10, 50}, {20, 10}), 50);
  // 20,000 x 5000 elements would be 800 MB.
  EXPECT_EQ(steps({10, 20'000}, {20, 5000}), 20);
}

TEST(Lower, ProductsOfSeveralMatricesGoByTheFewestTerms) {
  const auto a = zeros<double>({100, 2});
  const auto b = zeros<double>({2, 100});
  const auto c = zeros<double>({100, 3});
  const operation_node node = maker(lowered(einsum<"ij,jk,kl->il">(a, b, c)));
  ASSERT_EQ(node.inputs.size(), 2U);
  EXPECT_EQ(node.inputs[0], a.view().array);
  EXPECT_EQ(node.inputs[1]->shape, (index_vector{3, 2}));
}

TEST(Lower, WhatIsNoProductOfMatricesIsOneFold) {
  const auto x = matrix();
  const auto u = zeros<double>({6});
  const auto v = zeros<double>({8});
  const operation_node node = maker(lowered(einsum<"i,ij,j->i">(u, x, v)));
  EXPECT_NE(dynamic_cast<const strips*>(node.op.primitive.get()), nullptr);
  EXPECT_EQ(node.op.schedule.domain, (index_vector{6, 8}));
  EXPECT_EQ(node.op.schedule.step, (index_vector{4, 3}));
}

TEST(Lower, MatricesOfABatchAreRowsWhereTheyAreMultipliedByOne) {
  const auto a = zeros<double>({5, 6, 8});
  const auto b = zeros<double>({8, 3});
  const operation_node node = maker(lowered(matmul(a, b)));
  EXPECT_EQ(node.op.schedule.domain, (index_vector{5, 6, 3, 8}));
  const operation_node of_each = maker(lowered(matmul(a, zeros<double>({5, 8, 3}))));
  EXPECT_NE(node.op.primitive->to_json(), of_each.op.primitive->to_json());
}

TEST(Lower, ConcatIsOneOperationOfSeveralPieces) {
  const auto x = matrix();
  const auto y = zeros<float>({6, 2});
  const operation_node node = maker(lowered(concat(x, y, x + 1, axis<1>)));
  const auto& pieces = dynamic_cast<const strips&>(*node.op.primitive).pieces().items();
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[1].box, (region{{0, 8}, {6, 10}}));
  EXPECT_EQ(pieces[1].program->steps.size(), 1U) << "float is converted to double";
  EXPECT_EQ(node.op.operands[pieces[2].operands[0]], index_map(2, {{0, 0, 1}, {1, -10, 1}}));
}

TEST(Lower, RechunkCopiesOnlyWhatIsThereAlready) {
  const auto x = matrix();
  EXPECT_EQ(lowered(rechunk(x, {4, 3})), x.view().array) << "the same chunks: nothing to do";
  const operation_node copied = maker(lowered(rechunk(x, {6, 2})));
  EXPECT_EQ(copied.op.name, "rechunk");
  EXPECT_EQ(copied.op.schedule.block, (index_vector{6, 2}));
  const operation_node computed = maker(lowered(rechunk(x + 1, {6, 2})));
  EXPECT_EQ(computed.op.schedule.block, (index_vector{6, 2}));
  EXPECT_EQ(computed.inputs[0], x.view().array);
}

TEST(Lower, WhatAPlanIsAskedForIsComputed) {
  const auto x = matrix();
  const array_handle copy = computed(x.view().array);
  EXPECT_NE(copy, x.view().array);
  EXPECT_TRUE(std::holds_alternative<computed_source>(copy->source));
  EXPECT_EQ(computed(copy), copy);
}

TEST(Lower, AFoldOfNothingIsAConstant) {
  const auto x = zeros<double>({0, 3});
  EXPECT_TRUE(std::holds_alternative<generated_source>(lowered(sum(x, axis<0>))->source));
}

}  // namespace
}  // namespace tessera
