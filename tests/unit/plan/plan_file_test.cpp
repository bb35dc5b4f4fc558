// SPDX-License-Identifier: Apache-2.0
#include "plan/plan_file.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/tessera.hpp"

#include "plan/api/program_identity.hpp"
#include "plan/api/saved_plan.hpp"
#include "unit/plan/another_process.hpp"
#include "unit/plan/plan_files.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
namespace ts = tessera;
using ::testing::HasSubstr;
using ts::testing::file_contents;
using ts::testing::run_in_another_process;
using ts::testing::temporary_directory;

/// A polynomial with coefficients that are no plain bytes.
struct polynomial {
  std::vector<double> coefficients;

  double operator()(double x) const {
    double sum = 0;
    for (const double c : coefficients) sum = sum * x + c;
    return sum;
  }
  [[nodiscard]] std::string save() const {
    return {reinterpret_cast<const char*>(coefficients.data()),
            coefficients.size() * sizeof(double)};
  }
  static polynomial load(std::string_view saved) {
    polynomial p{std::vector<double>(saved.size() / sizeof(double))};
    std::copy_n(saved.data(), p.coefficients.size() * sizeof(double),
                reinterpret_cast<char*>(p.coefficients.data()));
    return p;
  }
};

struct keeps_a_list {
  std::vector<double> coefficients;
  double operator()(double x) const { return x + coefficients.front(); }
};

std::string refusal_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const ts::value_error& e) {
    return e.what();
  }
  return "no value_error";
}

/// Reads the plan file `path`, and writes its text, changed, with its elements to `to`.
void rewrite(const std::string& path, const std::string& to, const std::string& from_text,
             const std::string& to_text) {
  const ts::plan_file file = ts::read_plan_file(path);
  std::string text(file.text);
  const std::size_t at = text.find(from_text);
  ASSERT_NE(at, std::string::npos) << text;
  text.replace(at, from_text.size(), to_text);
  ts::write_plan_file(to, text, file.elements.bytes.size(),
                      [&](const auto& sink) { sink(file.elements.bytes); });
}

TEST(PlanFile, RunsInAProcessThatNeverBuiltTheExpression) {
  const temporary_directory folder;
  std::vector<double> values(60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<double>(i);
  const auto x = ts::from_memory<double, 2>(values.data(), {6, 10}, {.chunks = {2, 5}});
  const auto noise = ts::random::normal<double>({6, 10}, {.chunks = {3, 4}, .seed = 7});
  const double factor = 0.5;
  const auto mapped = ts::map(polynomial{{1, 0, 2}}, x + noise) +
                      ts::map([factor](double v) { return v * factor; }, x);
  const auto product = ts::matmul(mapped, ts::permute_dims(x, ts::axis<1, 0>));
  const auto plan = ts::plan(product + ts::var(mapped));
  const auto expected = plan.compute();

  plan.save(folder / "plan");
  const std::string size = std::to_string(expected.span().size_bytes());
  const std::string printed =
      run_in_another_process({"run", folder / "plan", folder / "result", size});
  EXPECT_EQ(printed, ts::program_identity());
  const std::string computed = file_contents(folder / "result");
  EXPECT_EQ(computed, std::string(reinterpret_cast<const char*>(expected.span().data()),
                                  expected.span().size_bytes()));
}

TEST(PlanFile, HoldsArraysWithoutElements) {
  const temporary_directory folder;
  const auto nothing = ts::zeros<double>({0, 3}) + 1;
  const auto joined = ts::concat(nothing, ts::ones<double>({1, 3}), ts::axis<0>);
  const auto plan =
      ts::plan(ts::stored(nothing, folder / "nothing.zarr"),
               ts::stored(ts::sum(nothing, ts::axis<0>) + joined, folder / "sums.zarr"));
  plan.save(folder / "plan");
  const auto loaded = ts::plan<>::load(folder / "plan");
  loaded.save(folder / "again");
  EXPECT_EQ(file_contents(folder / "again"), file_contents(folder / "plan"));
  loaded.execute();
  EXPECT_EQ((ts::open<double, 2>(folder / "nothing.zarr").shape()),
            (std::array<ts::index_t, 2>{0, 3}));
  EXPECT_EQ((ts::open<double, 2>(folder / "sums.zarr").compute()),
            (ts::ndarray<double, 2>::of({{1, 1, 1}})));
}

TEST(PlanFile, NamesEveryPieceThatHoldsNothing) {
  const temporary_directory folder;
  const auto plan = ts::plan(ts::ones<double>({4}) + 1);
  plan.save(folder / "plan");
  rewrite(folder / "plan", folder / "changed", R"("stop":[4])", R"("stop":[0])");
  EXPECT_THAT(refusal_of([&] { static_cast<void>(ts::plan<>::load(folder / "changed")); }),
              HasSubstr("breaks the rule that a piece has elements where the domain has"));
}

TEST(PlanFile, RefusesTablesAndGathersThatAreDamaged) {
  const temporary_directory folder;
  std::vector<double> values(24, 1.5);
  const auto x = ts::from_memory<double, 2>(values.data(), {4, 6}, {.chunks = {2, 3}});
  const auto plan = ts::plan(ts::take(x, {3, 1, 1}, ts::axis<0>));
  plan.save(folder / "plan");
  EXPECT_EQ(ts::plan<>::load(folder / "plan").bounded().identity(), plan.bounded().identity());
  EXPECT_NE(ts::plan(ts::take(x, {3, 1, 2}, ts::axis<0>)).bounded().identity(),
            plan.bounded().identity());
  const auto refusal = [&](const std::string& from, const std::string& to) {
    rewrite(folder / "plan", folder / "changed", from, to);
    return refusal_of([&] { static_cast<void>(ts::plan<>::load(folder / "changed")); });
  };
  const std::string table = R"({"offset":192,"size":3})";
  EXPECT_THAT(refusal(table, R"({"offset":192,"size":9})"), HasSubstr("the file does not hold it"));
  EXPECT_THAT(refusal(table, R"({"offset":7,"size":3})"), HasSubstr("the file does not hold it"));
  EXPECT_THAT(refusal(table, R"({"offset":192,"size":2})"),
              HasSubstr("an index of the second for each of the first"));
  EXPECT_THAT(refusal(table, "null"), HasSubstr("a gather shows 3 elements of 4"));
  EXPECT_THAT(refusal(R"("read":[4])", R"("read":[2])"), HasSubstr("a gather shows"));
  EXPECT_THAT(refusal(R"("read":[4])", R"("read":[5])"), HasSubstr("leads into the array"));
  EXPECT_THAT(refusal(R"("into":{"axes":[[0,)", R"("into":{"axes":[[1,)"),
              HasSubstr("leads into the array"));
}

/// Returns the number of operations of a plan, and the size of its file: the anomaly of a field, a
/// product and another grid of chunks, for `count` by `count` chunks.
std::array<std::size_t, 2> size_of_plan(ts::index_t count) {
  const temporary_directory folder;
  const ts::index_t length = 100 * count;
  const auto x = ts::random::normal<double>({length, length}, {.chunks = {100, 100}, .seed = 1});
  const auto anomaly = x - ts::mean(x, ts::axis<0>, ts::keepdims);
  const auto plan =
      ts::plan(ts::stored(anomaly, folder / "anomaly.zarr"),
               ts::stored(ts::matmul(x, anomaly), folder / "product.zarr"),
               ts::stored(ts::rechunk(x, {length, 1}), folder / "columns.zarr"), ts::max(x * x));
  plan.save(folder / "plan");
  EXPECT_GE(plan.num_tasks(), count * count / 20);
  return {plan.num_operations(), static_cast<std::size_t>(fs::file_size(folder / "plan"))};
}

// 9 chunks, 90'000, and 10^10. The planner may choose one operation more or less.
TEST(PlanFile, HasASizeThatDoesNotFollowTheNumberOfChunks) {
  const auto [operations, bytes] = size_of_plan(3);
  for (const ts::index_t count : {300, 100'000}) {
    const auto [more_operations, more_bytes] = size_of_plan(count);
    EXPECT_LE(more_operations, operations + 1);
    // The numbers have more digits.
    EXPECT_LT(more_bytes, bytes + bytes / 5);
  }
}

TEST(PlanFile, HoldsConstantsOfFloat16) {
  const temporary_directory folder;
  const auto plan =
      ts::plan(ts::stored(ts::full<ts::float16>({3}, ts::float16(1.5)) * 2, folder / "x.zarr"));
  plan.save(folder / "plan");
  ts::plan<>::load(folder / "plan").execute();
  const auto doubled = ts::open<ts::float16, 1>(folder / "x.zarr").compute();
  for (ts::index_t i = 0; i < 3; ++i) EXPECT_EQ(doubled(i), 3.0F);
}

TEST(PlanFile, OfALoadedPlanIsTheSameByteForByte) {
  const temporary_directory folder;
  const auto x = ts::ones<float>({8, 8}, {.chunks = {4, 4}});
  ts::store(x + 1.0F, folder / "x.zarr");
  const auto stored = ts::open<float, 2>(folder / "x.zarr");
  std::vector<std::uint8_t> bits{0, 1, 1, 0, 1, 0, 1, 0};
  const auto mask = ts::from_memory<std::uint8_t, 1>(bits.data(), {8}, {.chunks = {3}});
  const auto plan = ts::plan(ts::stored(stored * 2.0F, folder / "y.zarr", {.chunks = {8, 2}}),
                             ts::mean(stored + x), ts::sum(mask));
  plan.save(folder / "first");
  const auto loaded = ts::plan<>::load(folder / "first");
  loaded.save(folder / "second");
  EXPECT_EQ(file_contents(folder / "first"), file_contents(folder / "second"));

  EXPECT_EQ(loaded.num_operations(), plan.num_operations());
  EXPECT_EQ(loaded.num_tasks(), plan.num_tasks());
  EXPECT_EQ(loaded.projected_memory(), plan.projected_memory());
  EXPECT_EQ(loaded.bytes_read(), plan.bytes_read());
  EXPECT_EQ(loaded.bytes_written(), plan.bytes_written());
  EXPECT_EQ(loaded.cost(3).work, plan.cost(3).work);
  EXPECT_EQ(loaded.bounded().to_string(), plan.bounded().to_string());
  EXPECT_EQ(loaded.bounded().identity(), plan.bounded().identity());
}

TEST(PlanFile, HoldsTheFiguresOfItsSpec) {
  using namespace std::chrono_literals;
  const temporary_directory folder;
  const ts::spec spec{.work_dir = folder / "work",
                      .costs = {.read_bandwidth = ts::bytes{11},
                                .write_bandwidth = ts::bytes{12},
                                .latency = 13ms,
                                .requests_in_flight = 14,
                                .total_bandwidth = ts::bytes{15},
                                .memory_bandwidth = ts::bytes{16},
                                .element_step = 17ns,
                                .task = 18us,
                                .workers = 19}};
  const auto x = ts::ones<float>({8, 8}, {.chunks = {4, 4}, .spec = spec});
  ts::plan(x + 1.0F).save(folder / "plan");
  EXPECT_EQ(ts::plan<>::load(folder / "plan").spec().costs, spec.costs);
}

TEST(PlanFile, IsExecutedForWhatItStores) {
  const temporary_directory folder;
  const auto x = ts::arange<std::int32_t>(0, 10, 1, {.chunks = {4}});
  ts::plan(ts::stored(x * x, folder / "y.zarr")).save(folder / "plan");
  EXPECT_FALSE(std::filesystem::exists(folder / "y.zarr"));
  ts::plan<>::load(folder / "plan").execute();
  const auto y = ts::open<std::int32_t, 1>(folder / "y.zarr").compute();
  for (std::int32_t i = 0; i < 10; ++i) EXPECT_EQ(y(i), i * i);
}

TEST(PlanFile, HoldsElementsThatAreRepeatedOnce) {
  const temporary_directory folder;
  const std::vector<double> row(1000, 1.5);
  const auto x = ts::from_memory<double, 1>(row.data(), {1000}, {.chunks = {1000}});
  const auto wide = ts::broadcast_to(x, {5000, 1000});
  ts::save_for_workers(ts::plan(ts::sum(wide)).bounded(), folder / "plan");
  EXPECT_LT(std::filesystem::file_size(folder / "plan"), 12'000U);
  const auto outputs = ts::execute(ts::bounded_plan::load(folder / "plan"));
  EXPECT_EQ(*reinterpret_cast<const double*>(outputs[0].elements.get()), 7'500'000.0);
}

class DamagedPlanFile : public ::testing::Test {
 protected:
  DamagedPlanFile() {
    const auto x = ts::from_memory<double, 1>(values_.data(), {3}, {.chunks = {2}});
    ts::plan(ts::sum(x + 1.0)).save(path_);
    contents_ = file_contents(path_);
  }

  std::string refusal_of_contents(const std::string& contents) {
    ts::testing::write_file(path_, contents);
    return refusal_of([&] { (void)ts::bounded_plan::load(path_); });
  }

  /// Returns how a plan is refused of which one part of the text is another.
  std::string refusal_of_text(const std::string& from, const std::string& to) {
    rewrite(path_, folder_ / "changed", from, to);
    return refusal_of([&] { (void)ts::bounded_plan::load(folder_ / "changed"); });
  }

  temporary_directory folder_;
  std::string path_ = folder_ / "plan";
  std::vector<double> values_{1, 2, 3};
  std::string contents_;
};

TEST_F(DamagedPlanFile, IsRefused) {
  EXPECT_THAT(refusal_of_contents(""), HasSubstr("it is no plan file"));
  EXPECT_THAT(refusal_of_contents("#!/bin/sh\n"), HasSubstr("it is no plan file"));
  std::string newer = contents_;
  newer.replace(newer.find(" 21\n"), 4, " 22\n");
  EXPECT_THAT(refusal_of_contents(newer),
              HasSubstr("version 22 of plan files, and this program reads version 21"));
  for (const std::size_t size :
       {std::size_t{14}, std::size_t{20}, contents_.size() / 2, contents_.size() - 1}) {
    EXPECT_NE(refusal_of_contents(contents_.substr(0, size)), "no value_error") << size;
  }
  EXPECT_THAT(refusal_of_contents(contents_ + "\n"), HasSubstr("cut off"));
  for (std::size_t at = contents_.find('{'); at < contents_.size(); at += 97) {
    std::string changed = contents_;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_THAT(refusal_of_contents(changed), HasSubstr("not those that were written")) << at;
  }
  EXPECT_THROW((void)ts::bounded_plan::load(folder_ / "missing"), ts::store_error);
}

TEST_F(DamagedPlanFile, OfAnotherProgramIsRefused) {
  EXPECT_THAT(refusal_of_text(ts::program_identity(), std::string(32, '0')),
              HasSubstr("another build of this one"));
  EXPECT_THAT(refusal_of_text("sum<float64>", "sum<float99>"),
              HasSubstr("no kernel named 'sum<float99>'"));
}

TEST_F(DamagedPlanFile, ThatContradictsItselfIsRefused) {
  EXPECT_THAT(refusal_of_text("\"inputs\":[0]", "\"inputs\":[9]"), HasSubstr("the number 9"));
  EXPECT_THAT(refusal_of_text("\"inputs\":[0]", "\"inputs\":[1]"), HasSubstr("before it is made"));
  EXPECT_THAT(refusal_of_text("\"outputs\":[1]", "\"outputs\":[0]"), HasSubstr("there already"));
  EXPECT_THAT(refusal_of_text("[[0,[[0,1]]]]", "[[1,[[0,1]]]]"), HasSubstr("leads into the array"));
  EXPECT_THAT(refusal_of_text("[[0,[[0,1]]]]", "[[0,[[0,9223372036854775807]]]]"),
              HasSubstr("indices"));
  EXPECT_THAT(refusal_of_text("\"domain\":[3]", "\"domain\":[4]"), HasSubstr("cover the domain"));
  EXPECT_THAT(refusal_of_text("\"domain\":[3]", "\"domain\":[3,1]"), HasSubstr("one rank"));
  EXPECT_THAT(refusal_of_text("\"domain\":[3]", "\"domain\":[1e300]"), HasSubstr("an integer"));
  EXPECT_THAT(refusal_of_text("\"domain\":[3]", "\"blocks_per_task\":9,\"domain\":[3]"),
              HasSubstr("some of the blocks"));
  EXPECT_THAT(refusal_of_text("\"domain\":[3]", "\"blocks_per_task\":0,\"domain\":[3]"),
              HasSubstr("not from 1"));
  EXPECT_THAT(refusal_of_text("\"shape\":[3]", "\"shape\":[99]"), HasSubstr("does not hold them"));
  EXPECT_THAT(refusal_of_text("\"shape\":[3]", "\"shape\":[9223372036854775807]"),
              ::testing::Not(HasSubstr("no value_error")));
  EXPECT_THAT(refusal_of_text("\"offset\":0", "\"offset\":64"), HasSubstr("does not hold them"));
  EXPECT_THAT(refusal_of_text("\"strides\":[1]", "\"strides\":[-1]"), HasSubstr("lead nowhere"));
  EXPECT_THAT(refusal_of_text("\"results\":[1]", "\"results\":[7]"), HasSubstr("has written"));
  EXPECT_THAT(refusal_of_text("\"reduced\":1", "\"reduced\":2"), HasSubstr("of the domain"));
  EXPECT_THAT(refusal_of_text("\"type\":\"float64\"", "\"type\":\"float32\""),
              ::testing::Not(HasSubstr("no value_error")));
  EXPECT_THAT(refusal_of_text("\"workers\":null", "\"workers\":0"),
              HasSubstr("costs: workers must be at least 1"));
  EXPECT_THAT(refusal_of_text("\"arrays\":", "\"array\":"), HasSubstr("it is no plan"));
}

// The text of a primitive is written again for its parser, by as many calls as it is deep.
TEST_F(DamagedPlanFile, OfDeepJsonIsRefused) {
  constexpr std::size_t depth = 1'000'000;
  const std::string deep = std::string(depth, '[') + std::string(depth, ']');
  EXPECT_THAT(refusal_of_text("\"sinks\":", "\"deep\":" + deep + ",\"sinks\":"),
              HasSubstr("nested more than 4096 deep"));
}

TEST(PlanFile, OfChangedInputIsRefused) {
  const temporary_directory folder;
  ts::store(ts::ones<double>({4}, {.chunks = {2}}), folder / "x.zarr");
  ts::plan(ts::open<double, 1>(folder / "x.zarr") + 1.0).save(folder / "plan");
  ts::store(ts::ones<double>({6}, {.chunks = {2}}), folder / "x.zarr");
  EXPECT_THAT(refusal_of([&] { (void)ts::bounded_plan::load(folder / "plan"); }),
              HasSubstr("has changed since the plan was made"));
}

TEST(PlanFile, IsNotWrittenOfWhatCannotTravel) {
  const temporary_directory folder;
  const auto x = ts::ones<double>({4}, {.chunks = {2}});
  const auto f = ts::plan(ts::map(keeps_a_list{{2}}, x));
  EXPECT_EQ(f.compute()(0), 3.0);
  const std::string of_function = refusal_of([&] { f.save(folder / "plan"); });
  EXPECT_THAT(of_function, HasSubstr("map"));
  EXPECT_THAT(of_function, HasSubstr("keeps_a_list holds a member that owns memory"));
  EXPECT_THAT(of_function, HasSubstr("`std::string save() const`"));
  EXPECT_THAT(of_function, HasSubstr("an executor in this process"));
  EXPECT_THROW((void)f.bounded().identity(), ts::value_error);

  const auto store = std::make_shared<ts::memory_store>();
  const std::string of_target =
      refusal_of([&] { ts::plan(ts::stored(x, store, "there")).save(folder / "plan"); });
  EXPECT_THAT(of_target, HasSubstr("in the store 'memory'"));
  EXPECT_FALSE(std::filesystem::exists(folder / "plan"));
}

TEST(PlanFile, ReadsAFieldOfRecordsAgain) {
  const temporary_directory folder;
  const ts::data_field first{.name = "a", .type = ts::dtype::int16, .offset = 0};
  const ts::data_field second{.name = "b", .type = ts::dtype::int16, .offset = 2};
  const ts::zarr_metadata metadata{.shape = {3},
                                   .chunks = {3},
                                   .dtype = ts::data_type::structured({first, second}),
                                   .fill_value = std::nullopt};
  const auto records = ts::zarr_array::create(folder / "r.zarr", metadata);
  const std::vector<std::int16_t> values{1, 10, 2, 20, 3, 30};
  std::vector<std::byte> encoded(records.encoded_bound());
  records.write_chunk(ts::index_vector{0}, reinterpret_cast<const std::byte*>(values.data()),
                      encoded);
  const auto b = ts::open<std::int16_t, 1>(folder / "r.zarr", ts::field{"b"});
  ts::plan(ts::sum(b)).save(folder / "plan");
  const auto outputs = ts::execute(ts::bounded_plan::load(folder / "plan"));
  EXPECT_EQ(*reinterpret_cast<const std::int64_t*>(outputs[0].elements.get()), 60);
}

}  // namespace
