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

/// The most characters of 11 units that a box is wide.
constexpr std::size_t most_characters = 25;
constexpr double padding = 6;
constexpr double bar_height = 3;

constexpr std::string_view style =
    "<style>text{font:11px Helvetica,Arial,sans-serif;fill:#202020}"
    ".detail{fill:#505050}.title{font-weight:bold}"
    "polyline{fill:none;stroke:#7f8c99;stroke-linejoin:round}</style>\n";

/// Returns the width of a line for an array: thick for many bytes.
double line_width(bytes size) {
  const double megabytes = static_cast<double>(size.count()) / 1e6;
  return std::clamp(1 + std::log10(1 + megabytes), 1.0, 7.0);
}

std::string box_svg(const picture_box& box, picture_point corner, const layout_sizes& sizes) {
  std::string text = fmt::format(
      R"(<g><title>{}&#10;{}</title><rect x="{:.1f}" y="{:.1f}" width="{}" height="{}" )"
      R"(rx="{}" fill="{}" stroke="#404040" stroke-width="{}"/>)",
      markup_text(box.title), markup_text(fmt::format("{}", fmt::join(box.details, "; "))),
      corner.x, corner.y, sizes.box_width, sizes.box_height, box.is_operation ? 6 : 0, box.color,
      box.is_result ? 2.5 : 1.0);
  const auto line = [&](std::string_view words, std::string_view kind, double y) {
    text +=
        fmt::format(R"(<text class="{}" x="{:.1f}" y="{:.1f}">{}</text>)", kind, corner.x + padding,
                    corner.y + y, markup_text(shortened(words, most_characters)));
  };
  line(box.title, "title", 14);
  if (!box.details.empty()) line(box.details.front(), "detail", 28);
  if (box.share > 0) {
    text += fmt::format(
        R"(<rect x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{}" fill="#404040"/>)",
        corner.x + padding, corner.y + sizes.box_height - bar_height - 2,
        std::max(1.0, (sizes.box_width - 2 * padding) * std::min(1.0, box.share)), bar_height);
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
  const layout_sizes sizes;
  std::vector<picture_edge> edges;
  for (const picture_array& array : arrays) edges.push_back({array.from, array.to});
  const layered_layout layout = lay_out(boxes.size(), edges, sizes);
  std::string text =
      fmt::format(R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0:.0f}" height="{1:.0f}" )"
                  "viewBox=\"0 0 {0:.0f} {1:.0f}\">\n{2}"
                  "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
                  std::ceil(layout.width), std::ceil(layout.height), style);
  for (std::size_t i = 0; i < arrays.size(); ++i) text += array_svg(arrays[i], layout.routes[i]);
  for (std::size_t i = 0; i < boxes.size(); ++i) text += box_svg(boxes[i], layout.boxes[i], sizes);
  return text + "</svg>\n";
}

}  // namespace tessera
