// SPDX-License-Identifier: Apache-2.0
#include "plan/picture_svg.hpp"

#include "core/api/escaped_text.hpp"
#include "core/api/text.hpp"
#include "plan/layered_layout.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <string_view>

namespace tessera {

namespace {

/// The width of boxes if one has several lines of details, and the height of such a line.
constexpr double width_for_lines = 264;
constexpr double line_height = 13;
/// The mean width of a character of 11 units.
constexpr double character_width = 6.2;
/// The width of a character of bold titles in a wide font.
constexpr double widest_character = 8.2;
constexpr double padding = 6;
constexpr double bar_height = 3;

constexpr std::string_view style =
    "<style>text{font:11px Helvetica,Arial,sans-serif;fill:#202020}"
    ".detail{fill:#505050}.title{font-weight:bold}"
    "polyline{fill:none;stroke:#7f8c99;stroke-linejoin:round}</style>\n";

/// Lines across the boxes of operations that were resumed.
constexpr std::string_view hatches =
    R"x(<defs><pattern id="hatches" width="8" height="8" patternUnits="userSpaceOnUse" )x"
    R"x(patternTransform="rotate(45)"><line x1="2" y1="0" x2="2" y2="8" stroke="#c8a94a" )x"
    R"x(stroke-width="2"/></pattern></defs>)x"
    "\n";
constexpr std::string_view failed_color = "#f08a80";

/// Returns the width of a line for an array: thick for many bytes.
double line_width(bytes size) {
  const double megabytes = static_cast<double>(size.count()) / 1e6;
  return std::clamp(1 + std::log10(1 + megabytes), 1.0, 7.0);
}

/// Returns the number of drawn lines of details: all lines of an operation, else the first one.
std::size_t count_lines(const picture_box& box) {
  return box.is_operation ? box.details.size() : std::min<std::size_t>(1, box.details.size());
}

/// Returns the sizes of a layout of `boxes`: boxes with several lines are higher.
layout_sizes sizes_for(const std::vector<picture_box>& boxes) {
  layout_sizes sizes;
  for (const picture_box& box : boxes) {
    const std::size_t num_lines = std::max<std::size_t>(1, count_lines(box));
    sizes.box_heights.push_back(sizes.box_height +
                                line_height * static_cast<double>(num_lines - 1));
    if (num_lines > 1) sizes.box_width = width_for_lines;
  }
  return sizes;
}

/// Returns the attributes that keep a line within `width`: viewers choose the font, and lines of
/// wide fonts would leave their box.
std::string length_of(std::string_view line, double width) {
  // Bytes that continue a character of UTF-8 are 10xxxxxx.
  const auto num_characters = static_cast<double>(std::ranges::count_if(
      line, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
  if (num_characters * widest_character <= width) return {};
  return fmt::format(R"( textLength="{:.0f}" lengthAdjust="spacingAndGlyphs")",
                     std::min(width, num_characters * character_width));
}

/// Returns the rectangle of a box in the style of its outcome.
std::string frame_svg(const picture_box& box, picture_point corner, double height,
                      const layout_sizes& sizes) {
  const auto rectangle = [&](std::string_view fill) {
    return fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{}" height="{}" )"
                       R"(rx="{}" fill="{}" stroke="#404040" stroke-width="{}"/>)",
                       corner.x, corner.y, sizes.box_width, height, box.is_operation ? 6 : 0, fill,
                       box.is_result ? 2.5 : 1.0);
  };
  const std::string frame = rectangle(box.outcome.has_failed ? failed_color : box.color);
  return box.outcome.is_resumed ? frame + rectangle("url(#hatches)") : frame;
}

/// Returns the outcome of a box in words, for the text below the pointer.
std::string outcome_words(const operation_outcome& outcome) {
  return fmt::format("{}{}", outcome.is_resumed ? "; resumed" : "",
                     outcome.has_failed ? "; failed" : "");
}

std::string box_svg(const picture_box& box, picture_point corner, double height,
                    const layout_sizes& sizes) {
  std::string text = fmt::format(R"(<g><title>{}&#10;{}{}</title>{})", markup_text(box.title),
                                 markup_text(fmt::format("{}", fmt::join(box.details, "; "))),
                                 outcome_words(box.outcome), frame_svg(box, corner, height, sizes));
  const double width = sizes.box_width - 2 * padding;
  const auto most_characters = static_cast<std::size_t>(width / character_width);
  const auto line = [&](std::string_view words, std::string_view kind, double y) {
    const std::string shown = shortened(words, most_characters);
    text +=
        fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}"{}>{}</text>)", kind,
                    corner.x + padding, corner.y + y, length_of(shown, width), markup_text(shown));
  };
  line(box.title, "title", 14);
  for (std::size_t i = 0; i < count_lines(box); ++i) {
    line(box.details[i], "detail", 28 + line_height * static_cast<double>(i));
  }
  if (box.share > 0) {
    text +=
        fmt::format(R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}" fill="#404040"/>)",
                    corner.x + padding, corner.y + height - bar_height - 2,
                    std::max(1.0, width * std::min(1.0, box.share)), bar_height);
  }
  return text + "</g>\n";
}

std::string array_svg(const picture_array& array, const std::vector<picture_point>& route) {
  std::string points;
  for (const picture_point& point : route) {
    points += fmt::format("{}{:.1f},{:.1f}", points.empty() ? "" : " ", point.x, point.y);
  }
  return fmt::format(R"(<polyline points="{}" stroke-width="{:.1f}"><title>{}</title></polyline>)"
                     "\n",
                     points, line_width(array.size), markup_text(array.text));
}

}  // namespace

std::string picture_svg(const std::vector<picture_box>& boxes,
                        const std::vector<picture_array>& arrays) {
  const layout_sizes sizes = sizes_for(boxes);
  std::vector<picture_edge> edges;
  for (const picture_array& array : arrays) edges.push_back({array.from, array.to});
  const layered_layout layout = lay_out(boxes.size(), edges, sizes);
  std::string text =
      fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" )"
                  "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n{2}"
                  "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                  std::ceil(layout.width), std::ceil(layout.height), style);
  const auto is_resumed = [](const picture_box& box) { return box.outcome.is_resumed; };
  if (std::ranges::any_of(boxes, is_resumed)) text += hatches;
  for (std::size_t i = 0; i < arrays.size(); ++i) text += array_svg(arrays[i], layout.routes[i]);
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    text += box_svg(boxes[i], layout.boxes[i], sizes.height_of(i), sizes);
  }
  return text + "</svg>\n";
}

}  // namespace tessera
