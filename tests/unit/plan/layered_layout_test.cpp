// SPDX-License-Identifier: Apache-2.0
#include "plan/layered_layout.hpp"

#include "plan/picture_svg.hpp"

#include <algorithm>
#include <cstddef>
#include <gtest/gtest.h>
#include <random>
#include <regex>
#include <string>
#include <vector>

namespace tessera {
namespace {

using edges = std::vector<picture_edge>;

struct rectangle {
  picture_point low;
  picture_point high;
};

rectangle box_at(const layered_layout& layout, const layout_sizes& sizes, std::size_t box) {
  const picture_point corner = layout.boxes[box];
  return {corner, {corner.x + sizes.box_width, corner.y + sizes.height_of(box)}};
}

bool overlap(const rectangle& a, const rectangle& b) {
  return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y && b.low.y < a.high.y;
}

/// Tells whether a segment meets the inside of a box: Liang and Barsky's clipping.
bool meets(picture_point from, picture_point to, const rectangle& box) {
  double enters = 0;
  double leaves = 1;
  const auto clip = [&](double begin, double step, double low, double high) {
    if (step == 0) return begin > low && begin < high;
    const double first = (low - begin) / step;
    const double second = (high - begin) / step;
    enters = std::max(enters, std::min(first, second));
    leaves = std::min(leaves, std::max(first, second));
    return true;
  };
  constexpr double skin = 0.01;
  return clip(from.x, to.x - from.x, box.low.x + skin, box.high.x - skin) &&
         clip(from.y, to.y - from.y, box.low.y + skin, box.high.y - skin) && enters < leaves;
}

void expect_clear(std::size_t num_boxes, const edges& lines, const std::string& message,
                  const layout_sizes& sizes = {}) {
  const layered_layout layout = lay_out(num_boxes, lines, sizes);
  ASSERT_EQ(layout.boxes.size(), num_boxes) << message;
  ASSERT_EQ(layout.routes.size(), lines.size()) << message;
  for (std::size_t i = 0; i < num_boxes; ++i) {
    const rectangle box = box_at(layout, sizes, i);
    EXPECT_GE(box.low.x, 0) << message;
    EXPECT_LE(box.high.x, layout.width) << message;
    EXPECT_LE(box.high.y, layout.height) << message;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_FALSE(overlap(box, box_at(layout, sizes, j))) << message << ": " << i << ", " << j;
    }
    for (const auto& route : layout.routes) {
      for (std::size_t k = 1; k < route.size(); ++k) {
        EXPECT_FALSE(meets(route[k - 1], route[k], box)) << message << ": " << i;
      }
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const rectangle from = box_at(layout, sizes, lines[i].from);
    const rectangle to = box_at(layout, sizes, lines[i].to);
    EXPECT_DOUBLE_EQ(layout.routes[i].front().y, from.high.y) << message;
    EXPECT_DOUBLE_EQ(layout.routes[i].back().y, to.low.y) << message;
    EXPECT_DOUBLE_EQ(layout.routes[i].front().x, (from.low.x + from.high.x) / 2) << message;
    EXPECT_DOUBLE_EQ(layout.routes[i].back().x, (to.low.x + to.high.x) / 2) << message;
  }
}

void expect_on_page(std::size_t num_boxes, const edges& lines, const std::string& message) {
  const layered_layout layout = lay_out(num_boxes, lines, {});
  EXPECT_LE(layout.width, 1600) << message;
  EXPECT_LE(layout.height, 1000) << message;
  expect_clear(num_boxes, lines, message);
}

/// Returns a random program: each box reads one or two of the `reach` boxes before it.
edges random_program(std::size_t num_boxes, std::size_t reach, std::mt19937& draw) {
  edges lines;
  for (std::size_t box = 1; box < num_boxes; ++box) {
    const std::size_t nearest = std::min(box, reach);
    const std::size_t first = box - 1 - draw() % nearest;
    const std::size_t second = box - 1 - draw() % nearest;
    lines.push_back({first, box});
    if (second != first) lines.push_back({second, box});
  }
  return lines;
}

TEST(LayeredLayout, HoldsFiftyOperationsOnAPage) {
  edges chain;
  for (std::size_t i = 1; i < 52; ++i) chain.push_back({i - 1, i});
  expect_on_page(52, chain, "chain");
  edges wide;  // 24 sources, 25 maps, a sum
  for (std::size_t i = 0; i < 24; ++i) {
    wide.push_back({i, 24 + i});
    wide.push_back({24 + i, 49});
  }
  expect_on_page(50, wide, "wide");
  edges tree;
  for (std::size_t i = 1; i < 63; ++i) tree.push_back({i, (i - 1) / 2});
  expect_on_page(63, tree, "tree");
  edges pairs;  // Five chains of ten, which share a source and end in five results.
  for (std::size_t i = 0; i < 50; ++i) pairs.push_back({i % 10 == 0 ? 50 : i - 1, i});
  expect_on_page(51, pairs, "chains");
  std::mt19937 draw(3);
  for (int i = 0; i < 20; ++i) {
    expect_on_page(54, random_program(54, 6, draw), "random program " + std::to_string(i));
  }
}

TEST(LayeredLayout, NeverLeadsAnEdgeThroughABox) {
  std::mt19937 draw(11);
  for (const std::size_t num_boxes : {1, 2, 3, 7, 20, 60, 120}) {
    for (const std::size_t reach : {1, 3, 10, 100}) {
      expect_clear(num_boxes, random_program(num_boxes, reach, draw),
                   std::to_string(num_boxes) + " boxes, reach " + std::to_string(reach));
    }
  }
}

TEST(LayeredLayout, LeadsEdgesPastHigherBoxesOfTheirRow) {
  std::mt19937 draw(17);
  for (const std::size_t num_boxes : {2, 3, 7, 20, 60}) {
    for (const std::size_t reach : {1, 3, 10, 100}) {
      layout_sizes sizes;
      for (std::size_t i = 0; i < num_boxes; ++i) {
        sizes.box_heights.push_back(sizes.box_height + 13.0 * static_cast<double>(draw() % 9));
      }
      expect_clear(num_boxes, random_program(num_boxes, reach, draw),
                   std::to_string(num_boxes) + " high boxes, reach " + std::to_string(reach),
                   sizes);
    }
  }
}

TEST(LayeredLayout, IsEmptyWithoutBoxes) { EXPECT_TRUE(lay_out(0, {}, {}).boxes.empty()); }

// Viewers choose the font. DejaVu Sans, which many hosts have in place of Helvetica, has bold
// characters of 8.2 units on average in such titles, as a browser measured.
TEST(PictureSvg, KeepsLinesWithinTheirBoxesInWideFonts) {
  const layout_sizes sizes;
  const double most = sizes.box_width - 12;
  const picture_box wide{.title = "12 matmul(matmul, matmul)", .details = {}, .color = "#ffffff"};
  const picture_box narrow{.title = "3 sort", .details = {}, .color = "#ffffff"};
  const std::string svg =
      picture_svg({wide, narrow}, {{.from = 0, .to = 1, .size = {}, .text = ""}});
  const std::regex line(R"x(<text class="title"[^>]*?(textLength="(\d+)"[^>]*)?>([^<]*)</text>)x");
  std::size_t num_lines = 0;
  for (std::sregex_iterator i(svg.begin(), svg.end(), line), end; i != end; ++i, ++num_lines) {
    const double width =
        (*i)[2].matched ? std::stod((*i)[2]) : 8.2 * static_cast<double>((*i)[3].length());
    EXPECT_LE(width, most) << (*i)[3];
    EXPECT_EQ((*i)[2].matched, (*i)[3].length() > 19) << (*i)[3];
  }
  EXPECT_EQ(num_lines, 2U);
}

TEST(PictureSvg, HatchesResumedOperationsAndMarksFailedOnes) {
  const auto boxes = [](operation_outcome first, operation_outcome second) {
    const picture_box box{.title = "mean", .details = {}, .color = "#fff2cc", .is_operation = true};
    std::vector<picture_box> drawn{box, box};
    drawn[0].outcome = first;
    drawn[1].outcome = second;
    return picture_svg(drawn, {{.from = 0, .to = 1, .size = {}, .text = ""}});
  };
  const auto count = [](const std::string& svg, const std::string& text) {
    std::size_t number = 0;
    for (std::size_t at = 0; (at = svg.find(text, at)) != std::string::npos; ++at) ++number;
    return number;
  };
  const std::string plain = boxes({}, {});
  EXPECT_EQ(count(plain, "fill=\"#fff2cc\""), 2U);
  EXPECT_EQ(count(plain, "hatches"), 0U);
  const std::string stopped = boxes({.is_resumed = true}, {.has_failed = true});
  EXPECT_EQ(count(stopped, "<pattern id=\"hatches\""), 1U);
  EXPECT_EQ(count(stopped, "fill=\"url(#hatches)\""), 1U);
  EXPECT_EQ(count(stopped, "fill=\"#fff2cc\""), 1U);
  EXPECT_EQ(count(stopped, "fill=\"#f08a80\""), 1U);
  EXPECT_EQ(count(stopped, "; resumed</title>"), 1U);
  EXPECT_EQ(count(stopped, "; failed</title>"), 1U);
}

}  // namespace
}  // namespace tessera
