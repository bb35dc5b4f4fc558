// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/kernel/elementwise_kernel.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/kernel/label.hpp"
#include "tessera/kernel/random_generators.hpp"
#include "tessera/kernel/registry.hpp"

#include "kernel/api/contraction_kernel.hpp"
#include "unit/core/message_of.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <new>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace tessera {
namespace {

using x = tree_operand<double, 0>;
using y = tree_operand<float, 1>;
using constant = tree_constant<double>;
using scaled =
    tree_node<op::add, tree_node<op::multiply, constant, x>, tree_node<op::astype<double>, y>>;

scaled scaled_by(double factor) { return {{}, {{{{}, {constant{factor}, x{}}}}, {}}}; }

struct keeps_a_double {
  double state;
  double operator()(double value) const { return value + state; }
};

struct keeps_a_pointer {
  const double* state;
  double operator()(double value) const { return value + *state; }
};

struct has_padding {
  std::int8_t first;
  double second;
  double operator()(double value) const { return value + first + second; }
};

struct keeps_a_list {
  std::vector<double> coefficients;
  double operator()(double value) const {
    double sum = 0;
    for (const double c : coefficients) sum = sum * value + c;
    return sum;
  }
  std::string save() const {
    return {reinterpret_cast<const char*>(coefficients.data()),
            coefficients.size() * sizeof(double)};
  }
  static keeps_a_list load(std::string_view saved) {
    if (saved.size() % sizeof(double) != 0) throw value_error("keeps_a_list: half a number");
    keeps_a_list list{std::vector<double>(saved.size() / sizeof(double))};
    std::memcpy(list.coefficients.data(), saved.data(), saved.size());
    return list;
  }
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
  const kernel_parameters parameters = elementwise_parameters(scaled_by(2));
  EXPECT_TRUE(parameters.is_portable());
  EXPECT_EQ(parameters.identity().size(), sizeof(double));
  EXPECT_EQ(parameters, elementwise_parameters(scaled_by(2)));
  EXPECT_FALSE(parameters == elementwise_parameters(scaled_by(3)));
}

TEST(KernelIdentity, OfAUsersFunctionIsItsStateWhereBytesAreValues) {
  const auto empty = mapped([](double value) { return value; });
  EXPECT_TRUE(elementwise_parameters(empty).is_portable());
  EXPECT_EQ(elementwise_parameters(empty).identity(), "");

  const auto parameters = elementwise_parameters(mapped(keeps_an_integer{1}));
  EXPECT_TRUE(parameters.is_portable());
  EXPECT_EQ(parameters, elementwise_parameters(mapped(keeps_an_integer{1})));
  EXPECT_FALSE(parameters == elementwise_parameters(mapped(keeps_an_integer{2})));

  const auto real = elementwise_parameters(mapped(keeps_a_double{1}));
  EXPECT_TRUE(real.is_portable());
  EXPECT_EQ(real, elementwise_parameters(mapped(keeps_a_double{1})));
  EXPECT_FALSE(real == elementwise_parameters(mapped(keeps_a_double{1.5})));

  const double captured = 2;
  EXPECT_TRUE(elementwise_parameters(mapped([captured](double value) {
                return value * captured;
              })).is_portable());
}

TEST(KernelIdentity, IsOnlyTheObjectWhereBytesAreNoValue) {
  const double there = 1;
  const auto pointing = elementwise_parameters(mapped(keeps_a_pointer{&there}));
  EXPECT_FALSE(pointing.is_portable());
  EXPECT_FALSE(pointing == elementwise_parameters(mapped(keeps_a_pointer{&there})));
  EXPECT_EQ(elementwise_kernel<decltype(mapped(keeps_a_pointer{}))>().restore, nullptr);
  EXPECT_FALSE(elementwise_parameters(mapped([&there](double value) {
                 return value + there;
               })).is_portable());
}

TEST(KernelIdentity, TellsWhichFunctionCannotTravelAndWhy) {
  const double there = 1;
  const auto pointing = elementwise_parameters(mapped(keeps_a_pointer{&there}));
  ASSERT_NE(pointing.obstacle(), nullptr);
  EXPECT_EQ(*pointing.obstacle()->type, typeid(keeps_a_pointer));
  EXPECT_STREQ(pointing.obstacle()->reason, "holds a pointer, a reference or a union");
  const auto owning =
      mapped([values = std::vector{there}](double value) { return value + values[0]; });
  ASSERT_NE(elementwise_parameters(owning).obstacle(), nullptr);
  EXPECT_STREQ(elementwise_parameters(owning).obstacle()->reason,
               "holds a member that owns memory, as a std::vector and a std::string do");
  EXPECT_EQ(elementwise_parameters(mapped(has_padding{})).obstacle(), nullptr);
}

/// Returns the identity of `F{values...}`, made in memory that holds `filling`.
template <class F, class... Values>
std::string identity_in_memory_of(int filling, Values... values) {
  alignas(F) std::array<std::byte, sizeof(F)> memory;
  std::memset(memory.data(), filling, sizeof(F));
  return elementwise_parameters(mapped(*new (memory.data()) F{values...})).identity();
}

TEST(KernelIdentity, HasZerosInThePlaceOfPadding) {
  const std::string first = identity_in_memory_of<has_padding>(0xff, std::int8_t{1}, 2.0);
  EXPECT_EQ(first, identity_in_memory_of<has_padding>(0, std::int8_t{1}, 2.0));
  EXPECT_NE(first, identity_in_memory_of<has_padding>(0, std::int8_t{1}, 2.5));
  ASSERT_EQ(first.size(), sizeof(has_padding));
  EXPECT_EQ(first.substr(0, 8), std::string("\1\0\0\0\0\0\0\0", 8));
  double second = 0;
  std::memcpy(&second, first.data() + 8, sizeof second);
  EXPECT_EQ(second, 2.0);
  const auto kernel = elementwise_kernel<decltype(mapped(has_padding{}))>();
  EXPECT_EQ(kernel.restore(first).identity(), first);
}

TEST(KernelIdentity, OfAUsersFunctionIsWhatItSaves) {
  const auto parameters = elementwise_parameters(mapped(keeps_a_list{{1, 2}}));
  EXPECT_TRUE(parameters.is_portable());
  EXPECT_EQ(parameters, elementwise_parameters(mapped(keeps_a_list{{1, 2}})));
  EXPECT_FALSE(parameters == elementwise_parameters(mapped(keeps_a_list{{1, 2, 3}})));
}

/// Computes `tree` of one operand at `value`, with parameters that were made anew from bytes.
template <class Tree>
double restored_at(const Tree& tree, double value) {
  const strip_kernel& kernel = elementwise_kernel<Tree>();
  const kernel_parameters parameters = elementwise_parameters(tree);
  const kernel_parameters restored = kernel.restore(parameters.identity());
  EXPECT_EQ(restored, parameters);
  double result = 0;
  const std::byte* const in = reinterpret_cast<const std::byte*>(&value);
  std::byte* const out = reinterpret_cast<std::byte*>(&result);
  kernel.run({1, &in, &out, restored.get()});
  return result;
}

TEST(KernelParameters, AreMadeAnewFromTheirIdentity) {
  EXPECT_EQ(restored_at(mapped(keeps_an_integer{7}), 0.5), 7.5);
  EXPECT_EQ(restored_at(mapped(keeps_a_double{0.25}), 0.5), 0.75);
  EXPECT_EQ(restored_at(mapped(keeps_a_list{{3, 2, 1}}), 10.0), 321.0);
  EXPECT_EQ(restored_at(mapped([](double value) { return -value; }), 2.0), -2.0);
  // The list stands in the tree before the constant, and behind it in the identity.
  using listed = tree_node<op::map<keeps_a_list, 1>, x>;
  using list_and_constant = tree_node<op::add, listed, tree_constant<double>>;
  const list_and_constant tree{{}, {listed{{keeps_a_list{{5, 0}}}, {}}, {0.5}}};
  EXPECT_EQ(restored_at(tree, 2.0), 10.5);
  EXPECT_EQ(print_label(elementwise_kernel<list_and_constant>().label, {"u"},
                        elementwise_parameters(tree).identity()),
            "map(f, u) + 0.5");
}

TEST(KernelParameters, OfGeneratorsAndFoldsAreMadeAnew) {
  const auto is_restored = [](const auto& kernel, const kernel_parameters& parameters) {
    return kernel.restore(parameters.identity()) == parameters;
  };
  using namespace generator;
  EXPECT_TRUE(is_restored(generator::constant<bool>(), constant_parameters<bool>(true)));
  EXPECT_TRUE(is_restored(arange<float16>(), arange_parameters(float16(1), float16(2))));
  EXPECT_TRUE(is_restored(linspace<double>(), linspace_parameters<double>(0, 1, 11)));
  EXPECT_TRUE(is_restored(uniform<float>(), uniform_parameters<float>(3, 1, 2)));
  EXPECT_TRUE(is_restored(normal<double>(), normal_parameters<double>(3, 1, 2)));
  EXPECT_TRUE(is_restored(exponential<float>(), exponential_parameters<float>(3, 2)));
  EXPECT_TRUE(is_restored(integers<std::int8_t>(9), integers_parameters<std::int8_t>(3, -1, 9)));
  EXPECT_TRUE(is_restored(integers<std::int64_t>(0), integers_parameters<std::int64_t>(3, 5, 0)));
  EXPECT_TRUE(is_restored(poisson(), poisson_parameters(3, 2.5)));
  EXPECT_TRUE(is_restored(binomial(), binomial_parameters(3, 9, 0.5)));
  EXPECT_TRUE(is_restored(gamma(), gamma_parameters(3, 2, 0.5)));
  EXPECT_TRUE(is_restored(op::var::kernel<double>(), op::var{1}.parameters()));
  EXPECT_TRUE(is_restored(op::sum::kernel<double>(), kernel_parameters()));
}

TEST(KernelParameters, AreNotMadeOfForeignBytes) {
  const restore_function of_list = elementwise_kernel<decltype(mapped(keeps_a_list{}))>().restore;
  const std::string saved = elementwise_parameters(mapped(keeps_a_list{{1}})).identity();
  EXPECT_THROW((void)of_list(saved.substr(0, 15)), value_error);
  EXPECT_THROW((void)of_list(saved + "more"), value_error);
  EXPECT_THROW((void)of_list(std::string(8, '\xff')), value_error);
  EXPECT_THROW((void)elementwise_kernel<scaled>().restore("1234567"), value_error);
  EXPECT_THROW((void)elementwise_kernel<scaled>().restore("123456789"), value_error);
  EXPECT_THROW((void)generator::arange<int>().restore("123"), value_error);
  EXPECT_THROW((void)generator::normal<float>().restore(std::string(16, '\xff')), value_error);
  // Parameters of one kernel of integers would loop for ever in the second kernel.
  const auto wide = generator::integers_parameters<int>(1, 0, std::uint64_t{3} << 32);
  EXPECT_THROW((void)generator::integers<int>(9).restore(wide.identity()), value_error);
  EXPECT_THROW((void)generator::integers<int>(0).restore(
                   generator::integers_parameters<int>(1, 0, 9).identity()),
               value_error);
  EXPECT_THROW((void)op::stddev::kernel<float>().restore("1"), value_error);
  EXPECT_THROW((void)op::sum::kernel<float>().restore("12345678"), value_error);
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

template <int>
struct never_called {
  double operator()(double value) const { return value; }
};

/// Nothing calls this; that it is compiled is enough.
[[maybe_unused]] const strip_kernel& kernel_that_nobody_named() {
  return elementwise_kernel<tree_node<op::map<never_called<1>, 1>, x>>();
}

TEST(KernelRegistry, FindsKernelsThatWereNeverNamed) {
  const std::string name = typeid(tree_node<op::map<never_called<1>, 1>, x>).name();
  EXPECT_EQ(find_strip_kernel(name).name, name);
  EXPECT_EQ(find_block_kernel("matmul<int8>").label, "matmul");
  EXPECT_EQ(find_generator_kernel("normal<float32>").label, "normal");
}

TEST(KernelRegistry, FindsKernelsThatWereNamed) {
  const strip_kernel& strip = elementwise_kernel<scaled>();
  EXPECT_EQ(&find_strip_kernel(strip.name), &strip);
  EXPECT_EQ(&find_fold_kernel(op::sum::kernel<float>().name), &op::sum::kernel<float>());
  EXPECT_EQ(op::sum::kernel<float>().name, "sum<float32>");
  EXPECT_EQ(&find_generator_kernel(generator::uniform<double>().name),
            &generator::uniform<double>());
  EXPECT_EQ(&find_block_kernel(contraction::matmul<double>().name), &contraction::matmul<double>());
}

// Groups count their elements, so they have folds of their own; a program may have all of them.
TEST(KernelRegistry, FindsFoldsThatCountBesideThoseThatNeedNot) {
  using detail::counting;
  for (const fold_kernel* kernel :
       {&op::mean::kernel<double>(), &op::mean::counted_kernel<double, counting::every_element>(),
        &op::mean::counted_kernel<double, counting::masked>(),
        &op::mean::counted_kernel<double, counting::numbers>(), &op::var::kernel<double>(),
        &op::var::counted_kernel<double, counting::every_element>(),
        &op::var::counted_kernel<double, counting::masked>(),
        &op::var::counted_kernel<double, counting::numbers>(), &op::skew::kernel<double>(),
        &op::skew::counted_kernel<double, counting::masked>(),
        &op::skew::counted_kernel<double, counting::numbers>()}) {
    EXPECT_EQ(&find_fold_kernel(kernel->name), kernel);
  }
}

TEST(KernelRegistry, NamesTheKernelThatIsMissing) {
  const std::string message =
      tessera::testing::message_of<value_error>([] { (void)find_fold_kernel("sum<float128>"); });
  EXPECT_NE(message.find("'sum<float128>'"), std::string::npos) << message;
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
