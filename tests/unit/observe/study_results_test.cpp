// SPDX-License-Identifier: Apache-2.0
#include "observe/api/study_results.hpp"

#include "observe/study/plot.hpp"

#include <array>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

namespace tessera {
namespace {

using nlohmann::json;

point_result point_of(bool is_weak, std::size_t workers, std::vector<double> seconds) {
  point_result point;
  point.is_weak = is_weak;
  point.engine = "threads";
  point.workers = workers;
  point.scale = is_weak ? static_cast<double>(workers) : 16;
  point.seconds = std::move(seconds);
  point.num_tasks = 10 * workers;
  point.element_steps = 1e6 * (is_weak ? static_cast<double>(workers) : 16);
  point.task_memory = bytes{5'000'000};
  return point;
}

study_results results_of(std::vector<point_result> points) {
  return {"means, \"quadratic\"", {{"host", "node1"}}, std::move(points)};
}

constexpr std::array all_plots{study_plot::time, study_plot::speed_up, study_plot::efficiency,
                               study_plot::memory};

TEST(StudyResults, HaveSpeedUpsOfStrongScaling) {
  const study_results results =
      results_of({point_of(false, 4, {2.5, 2.4, 2.6}), point_of(false, 1, {8, 7.9, 8.1}),
                  point_of(false, 2, {4, 4.1, 3.9})});
  const std::vector<point_figures> figures = figures_of(results);
  ASSERT_EQ(figures.size(), 3U);
  EXPECT_EQ(figures[0].point->workers, 1U);
  EXPECT_DOUBLE_EQ(figures[0].speed_up, 1);
  EXPECT_DOUBLE_EQ(figures[1].speed_up, 2);
  EXPECT_DOUBLE_EQ(figures[1].efficiency, 1);
  EXPECT_DOUBLE_EQ(figures[2].speed_up, 3.2);
  EXPECT_DOUBLE_EQ(figures[2].efficiency, 0.8);
}

TEST(StudyResults, HaveEfficienciesOfWeakScaling) {
  const study_results results =
      results_of({point_of(true, 1, {8}), point_of(true, 2, {10}), point_of(true, 4, {16})});
  const std::vector<point_figures> figures = figures_of(results);
  EXPECT_DOUBLE_EQ(figures[1].efficiency, 0.8);
  EXPECT_DOUBLE_EQ(figures[2].efficiency, 0.5);
  EXPECT_DOUBLE_EQ(figures[2].speed_up, 2);
}

TEST(StudyResults, DoubtWeakStudiesWithOtherWork) {
  std::vector<point_result> points{point_of(true, 1, {8}), point_of(true, 2, {8})};
  EXPECT_TRUE(doubts_about(results_of(points)).empty());
  points[1].element_steps *= 2;
  const std::vector<std::string> doubts = doubts_about(results_of(points));
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_NE(doubts[0].find("the work of a worker is 2.00 of that on 1"), std::string::npos)
      << doubts[0];
}

TEST(StudyResults, DoubtWideIntervals) {
  const study_results results = results_of(
      {point_of(false, 1, {8, 8, 8, 8, 8, 8}), point_of(false, 2, {3, 4, 5, 4, 3.5, 4.5})});
  const std::vector<std::string> doubts = doubts_about(results);
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_NE(doubts[0].find("threads on 2 workers"), std::string::npos);
}

TEST(StudyResults, CompareNeitherEnginesNorSizes) {
  std::vector<point_result> points{point_of(false, 1, {8}),  point_of(false, 2, {4}),
                                   point_of(false, 1, {20}), point_of(false, 2, {10}),
                                   point_of(false, 1, {40}), point_of(false, 2, {16})};
  points[2].engine = points[3].engine = "processes";
  points[4].scale = points[5].scale = 64;
  for (const point_figures& line : figures_of(results_of(points))) {
    const bool is_larger = line.point->scale == 64;
    EXPECT_DOUBLE_EQ(line.speed_up, line.point->workers == 1 ? 1.0 : is_larger ? 2.5 : 2.0);
  }
  EXPECT_EQ(fits_of(results_of(points)).size(), 3U);
}

TEST(StudyResults, AreNarrowWithinFivePercentAndWithEnoughRepetitions) {
  EXPECT_TRUE(is_narrow(median_of({1, 1, 1.01, 1.02, 1, 1.05})));
  EXPECT_FALSE(is_narrow(median_of({1, 1, 1.01, 1.02, 1, 1.2})));
  // Of five, the least and the greatest hold the median with 94 %.
  EXPECT_FALSE(is_narrow(median_of({1, 1, 1, 1, 1})));
}

TEST(StudyResults, CompareSimulatedWithMeasuredTimes) {
  std::vector<point_result> points{point_of(false, 1, {8}), point_of(false, 2, {4}),
                                   point_of(false, 2, {4.4})};
  points[2].is_simulated = true;
  points[2].engine = "simulated";
  const std::vector<std::string> sentences = predictions_in(results_of(points));
  ASSERT_EQ(sentences.size(), 1U);
  EXPECT_EQ(sentences[0], "threads on 2 workers: the simulated time differs by +10.0 %");
}

TEST(StudyResults, FitNoLawToSimulatedPoints) {
  std::vector<point_result> points{point_of(false, 1, {8}), point_of(false, 2, {4.5})};
  EXPECT_EQ(fits_of(results_of(points)).size(), 1U);
  for (point_result& point : points) point.is_simulated = true;
  EXPECT_TRUE(fits_of(results_of(points)).empty());
}

TEST(StudyResults, HaveALineForEachRepetition) {
  const study_results results =
      results_of({point_of(false, 1, {8, 7.5}), point_of(false, 2, {4, 4.25, 4.5})});
  std::istringstream csv(csv_of(results));
  std::vector<std::string> lines;
  for (std::string line; std::getline(csv, line);) lines.push_back(line);
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[0], "# host: node1");
  // RFC 4180: a field with commas or quotes is in quotes, and a quote in it is doubled.
  const std::string expected = "\"means, \"\"quadratic\"\"\",strong,threads,0,2,16,1,4.25,";
  EXPECT_EQ(lines[5].substr(0, expected.size()), expected);
  std::istringstream extra_p(extra_p_of(results));
  std::vector<json> values;
  for (std::string line; std::getline(extra_p, line);) values.push_back(json::parse(line));
  ASSERT_EQ(values.size(), 5U);
  EXPECT_EQ(values[1].at("value"), 7.5);
  EXPECT_EQ(values[4].at("params").at("workers"), 2);
  const json whole = json::parse(json_of(results));
  EXPECT_EQ(whole.at("points").at(1).at("median_seconds"), 4.25);
  EXPECT_EQ(whole.at("study"), "means, \"quadratic\"");
}

TEST(StudyResults, ArePlottedWithAllRepetitions) {
  const study_results results =
      results_of({point_of(false, 1, {8, 7.5}), point_of(false, 2, {4, 4.25, 4.5})});
  for (const study_plot plot : all_plots) {
    const std::string svg = svg_of(results, plot);
    std::size_t num_circles = 0;
    for (std::size_t at = svg.find("<circle"); at != std::string::npos;
         at = svg.find("<circle", at + 1)) {
      ++num_circles;
    }
    EXPECT_EQ(num_circles, 5U) << name_of(plot);
    EXPECT_EQ(svg.find("nan"), std::string::npos) << name_of(plot);
    EXPECT_NE(svg.find(">workers</text>"), std::string::npos);
  }
}

TEST(StudyResults, ArePlottedIfNothingWasMeasured) {
  for (const study_plot plot : all_plots) {
    EXPECT_NE(svg_of(results_of({}), plot).find("</svg>"), std::string::npos) << name_of(plot);
  }
}

// The speed-up over a time of 0 is infinite; that of 10^12 has no tick at each fifth.
TEST(StudyResults, ArePlottedWhateverTheTimes) {
  for (const double first : {0.0, 5e12}) {
    const study_results results =
        results_of({point_of(false, 1, {first}), point_of(false, 2, {5.0}),
                    point_of(true, 1, {first}), point_of(true, 2, {5.0})});
    for (const study_plot plot : all_plots) {
      const std::string svg = svg_of(results, plot);
      EXPECT_NE(svg.find("</svg>"), std::string::npos) << name_of(plot);
      EXPECT_LT(svg.size(), 100'000U) << name_of(plot);
    }
  }
}

TEST(StudyResults, EscapeNamesOfEngines) {
  point_result point = point_of(false, 1, {1});
  point.engine = "<script>";
  for (const study_plot plot : all_plots) {
    EXPECT_EQ(svg_of(results_of({point}), plot).find("<script>"), std::string::npos);
  }
}

TEST(StudyResults, KeepNotesThatAreNoUtf8) {
  study_results results = results_of({point_of(false, 1, {1})});
  results.notes.emplace_back("a\xFF");
  EXPECT_EQ(json::parse(json_of(results)).at("notes").at(0), "a\uFFFD");
}

}  // namespace
}  // namespace tessera
