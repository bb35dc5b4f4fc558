// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/kernel/contraction.hpp"
#include "tessera/kernel/elementwise.hpp"
#include "tessera/kernel/fold.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/label.hpp"
#include "tessera/kernel/registry.hpp"

#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace tessera {
namespace {

using x = tree_operand<double, 0>;
using y = tree_operand<float, 1>;
using constant = tree_constant<double>;
using scaled =
    tree_node<op::add, tree_node<op::multiply, constant, x>, tree_node<op::astype<double>, y>>;

scaled scaled_by(double factor) { return {{}, {{{}, {constant{factor}, x{}}}, {}}}; }

struct keeps_a_double {
  double state;
  double operator()(double value) const { return value + state; }
};

struct keeps_an_integer {
  std::int64_t state;
  double operator()(double value) const { return value + static_cast<double>(state); }
};

template <class F>
tree_node<op::map<F, 1>, x> mapped(F f) {
  return {{f}, {}};
}

TEST(KernelIdentity, OfATreeIsItsTypeAndTheBytesOfItsConstants) {
  const strip_kernel& kernel = elementwise_kernel<scaled>();
  EXPECT_EQ(&kernel, &elementwise_kernel<scaled>());
  EXPECT_EQ(kernel.inputs, (std::vector<dtype>{dtype::float64, dtype::float32}));
  EXPECT_EQ(kernel.outputs, (std::vector<dtype>{dtype::float64}));
  const kernel_parameters two = elementwise_parameters(scaled_by(2));
  EXPECT_TRUE(two.is_portable());
  EXPECT_EQ(two.identity().size(), sizeof(double));
  EXPECT_EQ(two, elementwise_parameters(scaled_by(2)));
  EXPECT_FALSE(two == elementwise_parameters(scaled_by(3)));
}

TEST(KernelIdentity, OfAUsersFunctionIsItsStateWhereBytesAreValues) {
  const auto empty = mapped([](double value) { return value; });
  EXPECT_TRUE(elementwise_parameters(empty).is_portable());
  EXPECT_EQ(elementwise_parameters(empty).identity(), "");

  const auto one = elementwise_parameters(mapped(keeps_an_integer{1}));
  EXPECT_TRUE(one.is_portable());
  EXPECT_EQ(one, elementwise_parameters(mapped(keeps_an_integer{1})));
  EXPECT_FALSE(one == elementwise_parameters(mapped(keeps_an_integer{2})));

  // 0.0 and -0.0 are equal but differ in bytes, so bytes do not tell.
  const auto kept = elementwise_parameters(mapped(keeps_a_double{1}));
  EXPECT_FALSE(kept.is_portable());
  EXPECT_FALSE(kept == elementwise_parameters(mapped(keeps_a_double{1})));
}

TEST(KernelIdentity, TellsLambdasOfOneSignatureApart) {
  const auto f = [](double value) { return value + 1; };
  const auto g = [](double value) { return value + 2; };
  EXPECT_NE((elementwise_kernel<tree_node<op::map<decltype(f), 1>, x>>().name),
            (elementwise_kernel<tree_node<op::map<decltype(g), 1>, x>>().name));
}

TEST(KernelLabel, ShowsOperandsAndConstants) {
  const strip_kernel& kernel = elementwise_kernel<scaled>();
  EXPECT_EQ(kernel.label, "(({#0:float64} * {0}) + astype<float64>({1}))");
  const kernel_parameters parameters = elementwise_parameters(scaled_by(0.5));
  EXPECT_EQ(print_label(kernel.label, {"u", "v"}, parameters.identity()),
            "(0.5 * u) + astype<float64>(v)");
  EXPECT_EQ(print_label("(a) + (b)", {}, ""), "(a) + (b)");
  EXPECT_EQ(print_label("map(f, {0}) + {#0:int32}", {"u"}, ""), "map(f, u) + _");
}

TEST(KernelLabel, FindsConstantsBehindTheStateOfAFunction) {
  using tree = tree_node<op::map<keeps_an_integer, 1>, tree_constant<double>>;
  const tree t{{keeps_an_integer{7}}, {{2.5}}};
  EXPECT_EQ(print_label(elementwise_kernel<tree>().label, {}, elementwise_parameters(t).identity()),
            "map(f, 2.5)");
}

TEST(KernelRegistry, FindsKernelsThatWereNamed) {
  const strip_kernel& strip = elementwise_kernel<scaled>();
  EXPECT_EQ(&find_strip_kernel(strip.name), &strip);
  EXPECT_EQ(&find_fold_kernel(fold::sum<float>().name), &fold::sum<float>());
  EXPECT_EQ(fold::sum<float>().name, "sum<float32>");
  EXPECT_EQ(&find_generator_kernel(generator::uniform<double>().name),
            &generator::uniform<double>());
  EXPECT_EQ(&find_contraction_kernel(contraction::matmul<double>().name),
            &contraction::matmul<double>());
}

TEST(KernelRegistry, NamesTheKernelThatIsMissing) {
  try {
    (void)find_fold_kernel("sum<float128>");
    FAIL() << "no exception";
  } catch (const value_error& e) {
    EXPECT_NE(std::string(e.what()).find("'sum<float128>'"), std::string::npos) << e.what();
  }
}

TEST(KernelRegistry, RefusesANameThatTwoKernelsBear) {
  static const generator_kernel first{"two of a name", "", dtype::int8, nullptr};
  static const generator_kernel second{"two of a name", "", dtype::int8, nullptr};
  register_kernel(first);
  register_kernel(first);
  EXPECT_EQ(&find_generator_kernel("two of a name"), &first);
  register_kernel(second);
  EXPECT_THROW((void)find_generator_kernel("two of a name"), value_error);
}

}  // namespace
}  // namespace tessera
