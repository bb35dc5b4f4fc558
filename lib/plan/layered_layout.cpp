// SPDX-License-Identifier: Apache-2.0
/// \file
/// Layers of boxes, edges between them.
///
///     layers       of limited width: a box comes below its predecessors, where there is room
///     lanes        an edge over several layers has a lane, an item without a box, in each of them
///     order        items of a layer are sorted by the mean place of their neighbours, in sweeps
///     places       each item as near to its neighbours as the order and the gaps allow
///     bands        layers that do not fit below each other continue beside, as columns of a page
///
/// All widths are tried; the layout that needs least of the page is taken.
/// References: Sugiyama, Tagawa and Toda (1981); Coffman and Graham (1972) for layers of limited
/// width; pooled violators (Ayer et al., 1955) for places.

#include "plan/layered_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace tessera {

namespace {

constexpr double margin = 12;
constexpr double lane_width = 6;
constexpr double lane_gap = 4;
constexpr std::size_t most_columns = 12;
constexpr int num_sweeps = 8;
constexpr auto no_box = std::numeric_limits<std::size_t>::max();

using numbers = std::vector<std::size_t>;

/// A box, or a lane of the edges of a box, in a layer.
struct layered_item {
  std::size_t box = no_box;
  std::size_t layer = 0;
  numbers above = {};
  numbers below = {};
  double x = 0;  ///< of its middle, in its band
};

/// Returns the boxes below each box.
std::vector<numbers> successors_of(std::size_t num_boxes, const std::vector<picture_edge>& edges) {
  std::vector<numbers> below(num_boxes);
  for (const picture_edge& edge : edges) below[edge.from].push_back(edge.to);
  return below;
}

/// Returns the boxes in an order in which each comes behind its predecessors.
numbers topological_order(const std::vector<numbers>& below) {
  numbers num_missing(below.size(), 0);
  for (const numbers& boxes : below) {
    for (const std::size_t box : boxes) ++num_missing[box];
  }
  numbers order;
  for (std::size_t box = 0; box < below.size(); ++box) {
    if (num_missing[box] == 0) order.push_back(box);
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const std::size_t box : below[order[i]]) {
      if (--num_missing[box] == 0) order.push_back(box);
    }
  }
  return order;
}

/// Returns the layer of each box, with at most `most` boxes in one. Boxes are placed from the last
/// layer upwards, so that sources stand close above their readers.
numbers layers_of(const std::vector<numbers>& below, std::size_t most) {
  numbers height(below.size(), 0);
  numbers num_at;
  const numbers order = topological_order(below);
  for (auto box = order.rbegin(); box != order.rend(); ++box) {
    std::size_t level = 0;
    for (const std::size_t reader : below[*box]) level = std::max(level, height[reader] + 1);
    while (level < num_at.size() && num_at[level] >= most) ++level;
    if (level >= num_at.size()) num_at.resize(level + 1, 0);
    ++num_at[level];
    height[*box] = level;
  }
  for (std::size_t& level : height) level = num_at.size() - 1 - level;
  return height;
}

/// The items of all layers, in their order.
class layered_items {
 public:
  layered_items(const std::vector<numbers>& below, const numbers& layers) : layers_(1) {
    for (std::size_t box = 0; box < below.size(); ++box) {
      items_.push_back({.box = box, .layer = layers[box]});
    }
    for (std::size_t box = 0; box < below.size(); ++box) {
      for (const std::size_t reader : below[box]) connect(box, reader);
    }
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (items_[i].layer >= layers_.size()) layers_.resize(items_[i].layer + 1);
      layers_[items_[i].layer].push_back(i);
    }
    for (int sweep = 0; sweep < num_sweeps; ++sweep) sort(sweep % 2 == 0);
  }

  [[nodiscard]] std::vector<layered_item>& items() { return items_; }
  [[nodiscard]] const std::vector<numbers>& layers() const { return layers_; }

  /// Returns the items of an edge, from box to box.
  [[nodiscard]] numbers items_of(const picture_edge& edge) const {
    numbers trail{edge.from};
    const std::size_t last = items_[edge.to].layer;
    for (std::size_t layer = items_[edge.from].layer + 1; layer < last; ++layer) {
      trail.push_back(lanes_.at({edge.from, layer}));
    }
    trail.push_back(edge.to);
    return trail;
  }

 private:
  /// Adds the lanes between two boxes: edges of one box share them.
  void connect(std::size_t from, std::size_t to) {
    std::size_t before = from;
    for (std::size_t layer = items_[from].layer + 1; layer < items_[to].layer; ++layer) {
      const auto [lane, is_new] = lanes_.try_emplace({from, layer}, items_.size());
      if (is_new) {
        items_.push_back({.layer = layer});
        join(before, lane->second);
      }
      before = lane->second;
    }
    join(before, to);
  }
  void join(std::size_t above, std::size_t below) {
    items_[above].below.push_back(below);
    items_[below].above.push_back(above);
  }

  /// Sorts the items of each layer by the mean place of their neighbours above, or below.
  void sort(bool is_downwards) {
    std::vector<double> position(items_.size());
    const auto set_positions = [&](const numbers& layer) {
      for (std::size_t i = 0; i < layer.size(); ++i) position[layer[i]] = static_cast<double>(i);
    };
    const auto mean_of = [&](std::size_t i) {
      const numbers& neighbours = is_downwards ? items_[i].above : items_[i].below;
      if (neighbours.empty()) return position[i];
      double sum = 0;
      for (const std::size_t neighbour : neighbours) sum += position[neighbour];
      return sum / static_cast<double>(neighbours.size());
    };
    for (const numbers& layer : layers_) set_positions(layer);
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      numbers& layer = layers_[is_downwards ? i : layers_.size() - 1 - i];
      std::ranges::stable_sort(layer, {}, mean_of);
      set_positions(layer);
    }
  }

  std::vector<layered_item> items_;
  std::vector<numbers> layers_;
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> lanes_;
};

/// Returns the numbers nearest to `wanted` (least squares) that do not fall: neighbours that would
/// are pooled, and share their mean.
std::vector<double> rising(const std::vector<double>& wanted) {
  struct pool {
    double sum = 0;
    std::size_t count = 0;
    [[nodiscard]] double mean() const { return sum / static_cast<double>(count); }
  };
  std::vector<pool> pools;
  for (const double x : wanted) {
    pools.push_back({x, 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() >= pools.back().mean()) {
      const pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().count += last.count;
    }
  }
  std::vector<double> result;
  for (const pool& part : pools) result.insert(result.end(), part.count, part.mean());
  return result;
}

/// The places of items, in bands of `rows` layers.
class box_placement {
 public:
  box_placement(layered_items& graph, const layout_sizes& sizes, std::size_t rows)
      : graph_(graph),
        sizes_(sizes),
        rows_(rows),
        tops_(tops_of_rows()),
        limits_(limits_of_bands()) {
    for (int sweep = 0; sweep < num_sweeps; ++sweep) {
      for (const numbers& layer : graph_.layers()) place(layer);
    }
    double right = margin;
    for (std::size_t first = 0; first < graph_.layers().size(); first += rows_) {
      starts_.push_back(right);
      right = move_band(first, right) + 2 * sizes_.column_gap;
    }
    width_ = right - 2 * sizes_.column_gap + margin;
  }

  [[nodiscard]] double width() const { return width_; }
  [[nodiscard]] double height() const {
    const std::size_t count = std::min(rows_, graph_.layers().size());
    return bottom(count - 1) + sizes_.row_gap / 2 + margin;
  }
  /// Returns the upper side of a layer.
  [[nodiscard]] double top(std::size_t layer) const { return tops_[layer % rows_]; }

  /// Returns the points of the edge through `trail`.
  [[nodiscard]] std::vector<picture_point> route(const numbers& trail) const {
    std::vector<picture_point> points;
    for (std::size_t i = 0; i < trail.size(); ++i) {
      const layered_item& at = graph_.items()[trail[i]];
      const double y = top(at.layer);
      if (i > 0 && at.layer % rows_ == 0) enter_band(points, at);
      if (i > 0) points.push_back({at.x, y});
      if (i + 1 == trail.size()) continue;
      // A box may be lower than its row: the edge passes its neighbours before it turns.
      if (at.box != no_box) points.push_back({at.x, y + sizes_.height_of(at.box)});
      if (points.empty() || points.back().y < bottom(at.layer)) {
        points.push_back({at.x, bottom(at.layer)});
      }
    }
    return points;
  }

 private:
  /// Returns the lower side of a layer.
  [[nodiscard]] double bottom(std::size_t layer) const {
    return tops_[layer % rows_ + 1] - sizes_.row_gap;
  }
  /// Returns the upper side of each row of the bands, and of a row below the last one.
  [[nodiscard]] std::vector<double> tops_of_rows() const {
    std::vector<double> heights(rows_, sizes_.box_height);
    for (const layered_item& at : graph_.items()) {
      double& height = heights[at.layer % rows_];
      if (at.box != no_box) height = std::max(height, sizes_.height_of(at.box));
    }
    std::vector<double> tops{margin + sizes_.row_gap / 2};
    for (const double height : heights) tops.push_back(tops.back() + height + sizes_.row_gap);
    return tops;
  }
  [[nodiscard]] bool is_in_band(const layered_item& a, const layered_item& b) const {
    return a.layer / rows_ == b.layer / rows_;
  }
  [[nodiscard]] double width_of(const layered_item& at) const {
    return at.box == no_box ? lane_width : sizes_.box_width;
  }
  [[nodiscard]] double distance(const layered_item& a, const layered_item& b) const {
    const bool are_boxes = a.box != no_box && b.box != no_box;
    return (width_of(a) + width_of(b)) / 2 + (are_boxes ? sizes_.column_gap : lane_gap);
  }

  /// Returns the mean place of the neighbours of an item in its band.
  [[nodiscard]] double wanted(const layered_item& at) const {
    double sum = 0;
    double count = 0;
    for (const numbers* const neighbours : {&at.above, &at.below}) {
      for (const std::size_t i : *neighbours) {
        const layered_item& neighbour = graph_.items()[i];
        if (!is_in_band(at, neighbour)) continue;
        sum += neighbour.x;
        count += 1;
      }
    }
    return count > 0 ? sum / count : at.x;
  }

  /// Returns the places of the items of a layer that begin at 0 and are as close as they may be.
  [[nodiscard]] std::vector<double> packed(const numbers& layer) const {
    const std::vector<layered_item>& items = graph_.items();
    std::vector<double> offsets{0};
    for (std::size_t i = 1; i < layer.size(); ++i) {
      offsets.push_back(offsets.back() + distance(items[layer[i - 1]], items[layer[i]]));
    }
    return offsets;
  }

  /// Returns the width of each band: its part of the page, or the width of its widest layer.
  [[nodiscard]] std::vector<double> limits_of_bands() const {
    const std::size_t num_layers = graph_.layers().size();
    const std::size_t num_bands = (num_layers + rows_ - 1) / rows_;
    const auto count = static_cast<double>(num_bands);
    const double room = sizes_.page_width - 2 * margin - 2 * sizes_.column_gap * (count - 1);
    std::vector<double> limits(num_bands, room / count);
    for (std::size_t layer = 0; layer < num_layers; ++layer) {
      const double width = packed(graph_.layers()[layer]).back() + sizes_.box_width;
      limits[layer / rows_] = std::max(limits[layer / rows_], width);
    }
    return limits;
  }

  void place(const numbers& layer) {
    std::vector<layered_item>& items = graph_.items();
    const std::vector<double> offsets = packed(layer);
    std::vector<double> positions;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      positions.push_back(wanted(items[layer[i]]) - offsets[i]);
    }
    positions = rising(positions);
    const double least = sizes_.box_width / 2;
    const double most =
        limits_[items[layer.front()].layer / rows_] - offsets.back() - sizes_.box_width / 2;
    for (std::size_t i = 0; i < layer.size(); ++i) {
      items[layer[i]].x = std::clamp(positions[i], least, std::max(least, most)) + offsets[i];
    }
  }

  /// Moves the band that begins with the layer `first` to `left`, and returns its right side.
  double move_band(std::size_t first, double left) {
    const std::size_t last = std::min(first + rows_, graph_.layers().size());
    double least = std::numeric_limits<double>::max();
    double right = left;
    for (std::size_t layer = first; layer < last; ++layer) {
      for (const std::size_t i : graph_.layers()[layer]) {
        const layered_item& at = graph_.items()[i];
        least = std::min(least, at.x - width_of(at) / 2);
      }
    }
    for (std::size_t layer = first; layer < last; ++layer) {
      for (const std::size_t i : graph_.layers()[layer]) {
        layered_item& at = graph_.items()[i];
        at.x += left - least;
        right = std::max(right, at.x + width_of(at) / 2);
      }
    }
    return right;
  }

  /// Leads an edge from below the last layer of a band to above the first one of the next.
  void enter_band(std::vector<picture_point>& points, const layered_item& at) const {
    const double below = points.back().y + sizes_.row_gap / 2;
    const double above = margin;
    const double between = starts_[at.layer / rows_] - sizes_.column_gap;
    points.push_back({points.back().x, below});
    points.push_back({between, below});
    points.push_back({between, above});
    points.push_back({at.x, above});
  }

  layered_items& graph_;
  const layout_sizes& sizes_;
  std::size_t rows_;
  std::vector<double> tops_;    ///< the upper side of each row
  std::vector<double> limits_;  ///< the width of each band
  std::vector<double> starts_;  ///< the left side of each band
  double width_ = 0;
};

layered_layout layout_with(const std::vector<numbers>& below,
                           const std::vector<picture_edge>& edges, const layout_sizes& sizes,
                           std::size_t most_in_layer) {
  layered_items graph(below, layers_of(below, most_in_layer));
  double row = sizes.row_gap;  // a gap and the mean height of a box
  for (std::size_t box = 0; box < below.size(); ++box) {
    row += sizes.height_of(box) / static_cast<double>(below.size());
  }
  const auto fitting =
      static_cast<std::size_t>(std::max(1.0, std::floor((sizes.page_height - 2 * margin) / row)));
  const std::size_t num_layers = graph.layers().size();
  const std::size_t num_bands = (num_layers + fitting - 1) / fitting;
  const box_placement drawn(graph, sizes, (num_layers + num_bands - 1) / num_bands);
  layered_layout layout{.width = drawn.width(), .height = drawn.height()};
  for (std::size_t box = 0; box < below.size(); ++box) {
    const layered_item& at = graph.items()[box];
    layout.boxes.push_back({at.x - sizes.box_width / 2, drawn.top(at.layer)});
  }
  for (const picture_edge& edge : edges) layout.routes.push_back(drawn.route(graph.items_of(edge)));
  return layout;
}

}  // namespace

layered_layout lay_out(std::size_t num_boxes, const std::vector<picture_edge>& edges,
                       const layout_sizes& sizes) {
  if (num_boxes == 0) return {.width = 2 * margin, .height = 2 * margin};
  const std::vector<numbers> below = successors_of(num_boxes, edges);
  const auto share_of_page = [&](const layered_layout& layout) {
    return std::max(layout.width / sizes.page_width, layout.height / sizes.page_height);
  };
  // In narrow layouts of large graphs, the lanes grow with the square of the boxes.
  constexpr std::size_t most_boxes = 300;
  const std::size_t least = num_boxes > most_boxes ? most_columns : 1;
  layered_layout best = layout_with(below, edges, sizes, least);
  for (std::size_t most = least + 1; most <= std::min(num_boxes, most_columns); ++most) {
    layered_layout next = layout_with(below, edges, sizes, most);
    if (share_of_page(next) < share_of_page(best)) best = std::move(next);
  }
  return best;
}

}  // namespace tessera
