// SPDX-License-Identifier: Apache-2.0
/// \file
/// An operation has one number and one label: in the plan's table, its explanation and its picture,
/// in the history, the progress, the trace and the errors.

#include "tessera/observe/history.hpp"
#include "tessera/observe/progress_bar.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <array>
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>
#include <zlib.h>

namespace {

namespace ts = tessera;
using matrix = ts::array<double, 2>;
using nlohmann::json;

/// The numbers and labels of the operations of a plan, as one text each: "3 anomaly".
using labels = std::set<std::string>;

std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

std::string unzipped(const std::string& path) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  std::array<char, 4096> piece{};
  for (int size = 0; (size = gzread(file, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  gzclose(file);
  return text;
}

labels explained(const ts::bounded_plan& plan) {
  labels names;
  for (const auto& operation : plan.explain().operations) {
    EXPECT_TRUE(operation.are_equal) << operation.label;
    for (const std::size_t number : operation.numbers) {
      EXPECT_TRUE(names.insert(std::to_string(number) + " " + operation.label).second);
    }
  }
  EXPECT_EQ(names.size(), plan.num_operations());
  return names;
}

labels recorded(const ts::history& past) {
  labels names;
  for (const auto& operation : past.operations()) {
    names.insert(std::to_string(names.size()) + " " + operation.name);
  }
  return names;
}

labels in_json(const std::string& folder) {
  labels names;
  const json history = json::parse(contents_of(folder + "/history.json"));
  for (const json& operation : history.at("operations")) {
    names.insert(std::to_string(names.size()) + " " + operation.at("label").get<std::string>());
  }
  return names;
}

labels in_trace(const std::string& folder) {
  labels names;
  const json trace = json::parse(unzipped(folder + "/trace.json.gz"));
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X") names.insert(event.at("name"));
  }
  return names;
}

class Labels : public ::testing::Test {
 protected:
  /// Expects that all views of a plan and of its run name its operations as its explanation does.
  void expect_one_name(const ts::bounded_plan& plan, const std::string& folder,
                       const ts::history& past) {
    const labels expected = explained(plan);
    EXPECT_EQ(recorded(past), expected);
    EXPECT_EQ(in_json(folder), expected);
    EXPECT_EQ(in_trace(folder), expected);
    std::ostringstream history;
    history << past;
    const std::string drawing = folder_ / "plan.dot";
    plan.visualize(drawing);
    for (const auto& [view, text] :
         std::map<std::string, std::string>{{"table", '\n' + plan.to_string()},
                                            {"explanation", contents_of(folder + "/explain.txt")},
                                            {"history", '\n' + history.str()},
                                            {"picture", contents_of(drawing)}}) {
      for (const std::string& label : expected) {
        const std::string begin = view == "picture" ? "<b>" : view == "explanation" ? "  " : "\n";
        EXPECT_NE(text.find(begin + label), std::string::npos) << view << ": " << label << text;
      }
    }
    expect_in_progress(expected);
    progress_.str("");
  }

  /// Expects that each line of the progress begins with an operation, or tells of several.
  void expect_in_progress(const labels& expected) {
    constexpr std::size_t width = 20;
    labels known{"done", "between operations"};
    known.insert("all " + std::to_string(expected.size()) + " operations");
    for (const std::string& label : expected) known.insert(label.substr(0, width));
    std::istringstream lines(progress_.str());
    for (std::string line; std::getline(lines, line);) {
      std::string name = line.substr(0, width);
      name.erase(name.find_last_not_of(' ') + 1);
      EXPECT_TRUE(known.contains(name) || known.contains(name + " ")) << line;
    }
  }

  template <class... Es>
  void expect_labels_of_plan(const Es&... expressions) {
    const auto past = std::make_shared<ts::history>();
    const auto progress = std::make_shared<ts::progress_bar>(
        progress_, ts::progress_style{.is_terminal = false, .first = {}, .period = {}});
    const std::string reports = folder_ / ("reports" + std::to_string(num_programs_++));
    const ts::plan plan(ts::pass_switches{},
                        ts::run_with{.executor = ts::executors::serial(),
                                     .resume = ts::resume_mode::never,
                                     .observers = {past, progress},
                                     .report = reports},
                        expressions...);
    (void)plan.compute();
    expect_one_name(plan.bounded(), reports + "/1", *past);
  }

  ts::test::scratch_directory folder_;
  ts::spec limits_{.work_dir = folder_ / "work"};
  matrix u_ = ts::random::normal<double>({90, 40}, {.chunks = {20, 40}, .spec = limits_});
  matrix v_ =
      ts::random::normal<double>({90, 40}, {.chunks = {20, 40}, .spec = limits_, .seed = 2});
  matrix narrow_ = ts::rechunk(u_, {90, 10});
  std::ostringstream progress_;
  int num_programs_ = 0;
};

TEST_F(Labels, AreOneForReductions) {
  expect_labels_of_plan(ts::mean(u_));
  expect_labels_of_plan(ts::mean(u_, ts::axis<0>));
  expect_labels_of_plan(ts::mean(u_, ts::axis<1>), ts::stddev(v_));
  expect_labels_of_plan(ts::mean(u_ * v_, ts::axis<0>), ts::stddev(v_), ts::sum(u_, ts::axis<1>));
  expect_labels_of_plan(ts::argmax(u_, ts::axis<0>), ts::max(u_));
  expect_labels_of_plan(ts::sum(u_ + 1.0), ts::sum(u_ + 1.0, ts::axis<0>));
  expect_labels_of_plan(ts::median(u_, ts::axis<0>));
}

TEST_F(Labels, AreOneForChains) {
  expect_labels_of_plan(matrix(u_ + v_));
  expect_labels_of_plan(matrix(u_ - ts::mean(u_, ts::axis<0>)));
  expect_labels_of_plan(matrix((u_ - ts::mean(u_, ts::axis<0>)) / ts::stddev(u_, ts::axis<0>)));
  expect_labels_of_plan(matrix(ts::sqrt(u_ * u_ + v_ * v_)), ts::mean(u_ * u_ + v_ * v_));
  expect_labels_of_plan(ts::where(ts::isnan(u_), v_, u_));
  expect_labels_of_plan(matrix(u_ + 1.0), matrix(v_ * 2.0));
}

TEST_F(Labels, AreOneForFunctionsOfAxes) {
  expect_labels_of_plan(ts::cumulative_sum(u_, ts::axis<0>), ts::diff(v_, ts::axis<0>));
  expect_labels_of_plan(ts::sort(u_, ts::axis<1>), ts::rechunk(v_, {90, 10}));
  expect_labels_of_plan(ts::sort(u_, ts::axis<0>));
  expect_labels_of_plan(ts::flip(u_, ts::axis<0>));
  expect_labels_of_plan(ts::roll(u_, 7, ts::axis<0>));
  expect_labels_of_plan(ts::concat({u_, v_}, ts::axis<0>));
  expect_labels_of_plan(ts::permute_dims(u_, ts::axis<1, 0>));
}

TEST_F(Labels, AreOneForMatricesAndChunks) {
  const matrix across = ts::permute_dims(v_, ts::axis<1, 0>);
  expect_labels_of_plan(ts::matmul(u_, across));
  expect_labels_of_plan(matrix(ts::matmul(u_, across) + 1.0));
  expect_labels_of_plan(ts::matmul(ts::matmul(u_, across), u_));
  expect_labels_of_plan(narrow_);
  expect_labels_of_plan(narrow_, ts::mean(narrow_, ts::axis<0>));
  expect_labels_of_plan(matrix(narrow_ + ts::rechunk(v_, {90, 10})));
}

TEST_F(Labels, AreOneForArraysThatAreNamed) {
  const auto anomaly = ts::named(u_ - ts::mean(u_, ts::axis<0>), "anomaly");
  expect_labels_of_plan(anomaly);
  expect_labels_of_plan(anomaly, ts::mean(anomaly * anomaly, ts::axis<0>));
  expect_labels_of_plan(ts::rechunk(anomaly, {90, 10}));
  expect_labels_of_plan(ts::named(ts::matmul(u_, ts::permute_dims(v_, ts::axis<1, 0>)), "product"));
}

TEST_F(Labels, AreThoseThatProgramsGive) {
  const auto climate = ts::named(ts::mean(u_, ts::axis<0>), "climate");
  const auto anomaly = ts::named(u_ - climate, "anomaly");
  const ts::plan plan(ts::pass_switches{.memory_tier = false}, ts::run_with{}, anomaly, climate);
  EXPECT_EQ(explained(plan.bounded()), (labels{"0 climate", "1 anomaly"})) << plan;
  // Names change no element, and formulas use the labels of operands.
  const ts::plan rest(anomaly, climate + 1.0);
  EXPECT_NE(rest.bounded().to_string().find("climate + 1"), std::string::npos) << rest;
  EXPECT_EQ(ts::all(anomaly == u_ - ts::mean(u_, ts::axis<0>)).compute()(), true);
}

TEST_F(Labels, AreKeptByFilesOfPlans) {
  const ts::plan plan(ts::stored(ts::named(u_ + v_, "both"), folder_ / "both"));
  plan.bounded().save(folder_ / "plan");
  const ts::bounded_plan loaded = ts::bounded_plan::load(folder_ / "plan");
  EXPECT_EQ(explained(loaded), (labels{"0 both"}));
}

TEST_F(Labels, AreRefusedIfTheyAreNoLineOfText) {
  EXPECT_THROW((void)ts::named(u_, ""), ts::value_error);
  EXPECT_THROW((void)ts::named(u_, "two\nlines"), ts::value_error);
}

// A part of a source has another shape: the source keeps its name.
TEST_F(Labels, OfPartsLeaveTheirSources) {
  const auto part = ts::named(u_(ts::slice(0, 20)), "part");
  const std::string text = ts::plan(matrix(part + 1.0)).bounded().to_string();
  EXPECT_EQ(text.find("part"), std::string::npos) << text;
}

struct refusing {
  double operator()(double x) const {
    if (x > 2) throw std::runtime_error("too large");
    return x;
  }
};

TEST_F(Labels, AreThoseOfErrors) {
  const auto x = ts::arange<double>(10, {.chunks = {5}, .spec = limits_});
  const ts::plan plan(ts::pass_switches{}, ts::run_with{.executor = ts::executors::serial()},
                      ts::named(ts::map(refusing{}, x), "checked"));
  try {
    (void)plan.compute();
    FAIL() << "no element was refused";
  } catch (const ts::task_error& failure) {
    EXPECT_NE(std::string(failure.what()).find("operation 0 \"checked\", block"), std::string::npos)
        << failure.what();
  }
}

}  // namespace
