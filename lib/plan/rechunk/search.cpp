// SPDX-License-Identifier: Apache-2.0
/// \file
/// The search for the cheapest route of blocks.
///
/// 1. Candidate blocks are the nodes of a graph. The edge from block b to block c has the cost of
///    writing b's chunks and reading them in blocks of c. Costs are products over the axes, so that
///    a table for each axis suffices (`edge_tables`).
/// 2. Bellman's recursion yields the shortest routes of 1, 2, ... copies (`frontier`), with bounds
///    that skip nodes. This is a matrix product in the (min, +) semiring.
/// 3. Each route is improved along single lengths between the candidates (`descent`).
/// The merit wall * sqrt(work) is not additive. The recursion therefore runs for several linear
/// objectives (`thetas`), and the best merit of all routes is taken.

#include "plan/rechunk/axis.hpp"
#include "plan/rechunk/costs.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>

namespace tessera::rechunking {

namespace {

constexpr std::array<double, 5> thetas{0, 0.25, 1, 4, 16};
constexpr std::array<double, 4> tolerances{1, tuning.usual_tolerance, 2, 8};

/// The costs of edges, as products over the axes: one table for each axis.
class edge_tables {
 public:
  edge_tables(const block_costs& costs, const std::vector<index_vector>& nodes, double tolerance)
      : costs_(&costs) {
    const problem& of = costs.of();
    for (std::size_t axis = 0; axis < of.shape.size(); ++axis) {
      axes_.emplace_back(of.shape[axis], nodes, axis, tolerance);
    }
    for (const index_vector& node : nodes) sizes_.push_back(costs.bytes_of(node));
  }

  /// Sets the seconds in which the first copy writes, and the second reads, for the edges from
  /// `node` to all nodes; infinity for edges that do not fit.
  void edges_from(std::size_t node, std::vector<double>& write, std::vector<double>& read) {
    const std::size_t count = sizes_.size();
    const problem& of = costs_->of();
    chunks_.assign(count, static_cast<double>(of.itemsize));
    write.assign(count, 1);
    read.assign(count, 1);
    for (const axis_table& axis : axes_) axis.multiply(node, chunks_, write, read);
    const auto chunk_copies = static_cast<double>(of.chunk_copies);
    const auto memory = static_cast<double>(of.memory);
    const double wait = of.costs.wait(1).count();
    const double write_all = costs_->to_write(costs_->array_bytes(), 0);
    const double of_a_byte = costs_->to_read(1, 0);
    const double node_size = sizes_[node];
    for (std::size_t i = 0; i < count; ++i) {
      const bool fits = std::max(node_size, sizes_[i]) + chunk_copies * chunks_[i] <= memory;
      write[i] = fits ? write_all + write[i] * wait : infinite;
      read[i] *= chunks_[i] * of_a_byte + wait;
    }
  }

 private:
  /// By pair of lengths: the chunk between them, the number of chunks, and the number of reads.
  class axis_table {
   public:
    axis_table(index_t extent, const std::vector<index_vector>& nodes, std::size_t axis,
               double tolerance) {
      std::set<index_t> known;
      for (const index_vector& node : nodes) known.insert(node[axis]);
      const std::vector<index_t> lengths(known.begin(), known.end());
      size_ = lengths.size();
      for (const index_vector& node : nodes) {
        const auto position = std::ranges::lower_bound(lengths, node[axis]);
        index_.push_back(static_cast<std::uint32_t>(position - lengths.begin()));
      }
      for (const index_t written : lengths) {
        for (const index_t read : lengths) {
          const index_t chunk = meet(extent, written, read, tolerance);
          cells_.push_back({static_cast<double>(chunk),
                            static_cast<double>(ceil_divide(extent, chunk)),
                            static_cast<double>(touched(extent, read, chunk))});
        }
      }
    }

    void multiply(std::size_t node, std::vector<double>& chunks, std::vector<double>& writes,
                  std::vector<double>& reads) const {
      const cell* const row = cells_.data() + index_[node] * size_;
      for (std::size_t i = 0; i < index_.size(); ++i) {
        const cell& at = row[index_[i]];
        chunks[i] *= at.chunk;
        writes[i] *= at.num_chunks;
        reads[i] *= at.num_reads;
      }
    }

   private:
    struct cell {
      double chunk;
      double num_chunks;
      double num_reads;
    };
    std::size_t size_ = 0;
    std::vector<std::uint32_t> index_;
    std::vector<cell> cells_;
  };

  const block_costs* costs_;
  std::vector<axis_table> axes_;
  std::vector<double> sizes_;
  std::vector<double> chunks_;
};

/// The shortest routes to all nodes for one objective.
class frontier {
 public:
  frontier(const block_costs& costs, const std::vector<index_vector>& nodes, const weights& by)
      : written_(costs.to_write(costs.array_bytes(), 0)) {
    for (const index_vector& node : nodes) {
      share_.push_back(by.share(costs.num_tasks(node)));
      reach_.push_back(share_.back() * costs.read_source(node));
      last_.push_back(share_.back() * costs.write_target(node));
    }
    if (!nodes.empty()) {
      behind_ = *std::ranges::min_element(share_) * costs.to_read(costs.array_bytes(), 0) +
                *std::ranges::min_element(last_);
    }
    take_best();
  }

  /// Tells whether a route through `node` may be shorter than the best. The rest of a route at
  /// least writes the array once more, reads it, and writes the target.
  [[nodiscard]] bool goes_on_from(std::size_t node) const {
    return !is_done_ && reach_[node] + share_[node] * written_ + behind_ < best_;
  }

  void begin_step() {
    next_.assign(reach_.size(), infinite);
    from_.emplace_back(reach_.size());
  }
  void take(std::size_t node, const std::vector<double>& write, const std::vector<double>& read) {
    std::vector<std::uint32_t>& from = from_.back();
    const double begun = reach_[node];
    const double share = share_[node];
    for (std::size_t i = 0; i < next_.size(); ++i) {
      const double total = begun + share * write[i] + share_[i] * read[i];
      if (total < next_[i]) {
        next_[i] = total;
        from[i] = static_cast<std::uint32_t>(node);
      }
    }
  }
  void end_step() {
    reach_.swap(next_);
    take_best();
  }

  /// Returns the numbers of the nodes of the best route; none if there is no route.
  [[nodiscard]] const std::vector<std::size_t>& route() const { return route_; }

 private:
  /// Updates the best route. The search ends once one more copy does not help.
  void take_best() {
    std::size_t end = 0;
    double value = infinite;
    for (std::size_t i = 0; i < reach_.size(); ++i) {
      if (reach_[i] + last_[i] < value) {
        value = reach_[i] + last_[i];
        end = i;
      }
    }
    if (value < best_ * (1 - 1e-9) || (best_ == infinite && value < infinite)) {
      best_ = value;
      route_.assign(from_.size() + 1, end);
      for (std::size_t step = from_.size(); step-- > 0;) {
        route_[step] = from_[step][route_[step + 1]];
      }
    } else if (!route_.empty() && from_.size() > route_.size()) {
      is_done_ = true;
    }
  }

  std::vector<double> share_;
  /// By node: the cost of the best route to it, and the cost of the target after it.
  std::vector<double> reach_;
  std::vector<double> last_;
  /// The seconds in which one worker writes the array, and a lower bound of the cost after that.
  double written_;
  double behind_ = 0;
  std::vector<double> next_;
  std::vector<std::vector<std::uint32_t>> from_;
  double best_ = infinite;
  std::vector<std::size_t> route_;
  bool is_done_ = false;
};

/// A route, and the objective that it minimizes.
struct weighted_route {
  std::vector<index_vector> blocks;
  weights by;
};

/// Returns the best route over `nodes` for each of `objectives` that has one.
std::vector<weighted_route> best_routes(const block_costs& costs,
                                        const std::vector<index_vector>& nodes,
                                        const std::vector<weights>& objectives, double tolerance) {
  std::vector<frontier> frontiers;
  for (const weights& by : objectives) frontiers.emplace_back(costs, nodes, by);
  edge_tables edges(costs, nodes, tolerance);
  std::vector<double> write;
  std::vector<double> read;
  for (std::size_t copies = 1; copies < tuning.most_copies; ++copies) {
    for (frontier& front : frontiers) front.begin_step();
    for (std::size_t node = 0; node < nodes.size(); ++node) {
      const auto goes_on = [node](const frontier& front) { return front.goes_on_from(node); };
      if (std::ranges::none_of(frontiers, goes_on)) continue;
      edges.edges_from(node, write, read);
      for (frontier& front : frontiers) {
        if (goes_on(front)) front.take(node, write, read);
      }
    }
    for (frontier& front : frontiers) front.end_step();
  }
  std::vector<weighted_route> routes;
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    weighted_route result{{}, objectives[i]};
    for (const std::size_t node : frontiers[i].route()) result.blocks.push_back(nodes[node]);
    if (!result.blocks.empty()) routes.push_back(std::move(result));
  }
  return routes;
}

/// Coordinate descent: changes single lengths of a route as long as that helps, to lengths between
/// the candidates and to lengths that just fill the memory.
class descent {
 public:
  descent(const block_costs& costs, const weights& by, double tolerance)
      : costs_(costs), by_(by), tolerance_(tolerance) {}

  void improve(std::vector<index_vector>& blocks) const {
    double value = costs_.route(blocks, by_, tolerance_);
    bool is_better = true;
    while (is_better) {
      is_better = false;
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        for (std::size_t axis = 0; axis < blocks[i].size(); ++axis) {
          is_better = improve_length(blocks, i, axis, value) || is_better;
        }
      }
    }
  }

 private:
  bool improve_length(std::vector<index_vector>& blocks, std::size_t i, std::size_t axis,
                      double& value) const {
    const index_t before = blocks[i][axis];
    index_t best = before;
    for (const index_t length : lengths(blocks, i, axis)) {
      blocks[i][axis] = length;
      const double tried = costs_.route(blocks, by_, tolerance_);
      if (tried < value * (1 - 1e-6)) {
        value = tried;
        best = length;
      }
    }
    blocks[i][axis] = best;
    return best != before;
  }

  /// Returns lengths near the length of block `i`, and lengths that nearly fill the memory.
  [[nodiscard]] std::set<index_t> lengths(const std::vector<index_vector>& blocks, std::size_t i,
                                          std::size_t axis) const {
    const problem& of = costs_.of();
    const index_t extent = of.shape[axis];
    std::set<index_t> units{of.source[axis], of.target[axis]};
    for (const index_vector& block : blocks) units.insert(block[axis]);
    const double line = costs_.bytes_of(blocks[i]) / static_cast<double>(blocks[i][axis]);
    const auto rest = static_cast<index_t>(static_cast<double>(of.memory) / line);
    std::set<index_t> result{extent};
    const auto add = [&](index_t unit, index_t first, index_t last) {
      for (index_t k = std::max<index_t>(1, first); k <= last && k * unit < extent; ++k) {
        result.insert(k * unit);
      }
    };
    for (const index_t unit : units) {
      const index_t here = blocks[i][axis] / unit;
      add(unit, here - tuning.near_lengths, here + tuning.near_lengths);
      add(unit, rest / unit - tuning.nearly_full_lengths, rest / unit);
    }
    return result;
  }

  const block_costs& costs_;
  weights by_;
  double tolerance_;
};

/// The best routes by merit.
class best_routes_seen {
 public:
  void take(route result) {
    const auto is_same = [&](const route& known) {
      return std::ranges::equal(known.copies, result.copies, {}, &copy::block, &copy::block);
    };
    const auto same = std::ranges::find_if(routes_, is_same);
    if (same != routes_.end()) {
      if (!is_better(result, *same)) return;
      routes_.erase(same);
    }
    const auto worse =
        std::ranges::find_if(routes_, [&](const route& known) { return is_better(result, known); });
    routes_.insert(worse, std::move(result));
    if (routes_.size() > most_told) routes_.pop_back();
  }
  [[nodiscard]] const std::vector<route>& routes() const { return routes_; }

 private:
  static constexpr std::size_t most_told = 3;

  /// Tells whether `a` has a better merit than `b`, or an equal one with fewer copies.
  static bool is_better(const route& a, const route& b) {
    const double least = b.cost.merit();
    const double merit = a.cost.merit();
    const bool is_equal = merit <= least * (1 + 1e-9);
    return merit < least * (1 - 1e-9) || (is_equal && a.copies.size() < b.copies.size());
  }

  std::vector<route> routes_;
};

}  // namespace

std::vector<route> shortest_routes(const problem& of) {
  const block_costs costs(of);
  std::vector<weights> objectives{{.num_workers = 1, .theta = 0}};
  for (const double theta : thetas) {
    objectives.push_back(
        {.num_workers = static_cast<double>(of.costs.num_workers()), .theta = theta});
  }
  best_routes_seen best;
  const auto take_best = [&](const std::vector<weighted_route>& routes) {
    for (const auto& [blocks, by] : routes) {
      for (const double tolerance : tolerances) {
        std::vector<index_vector> improved = blocks;
        if (costs.route(improved, by, tolerance) == infinite) continue;
        descent(costs, by, tolerance).improve(improved);
        std::vector<copy> copies = costs.copies(improved, tolerance);
        const route_cost cost = cost_of(of, copies);
        best.take({std::move(copies), cost});
      }
    }
  };
  for (const bool is_thorough : {false, true}) {
    const std::vector<index_vector> nodes = candidates(costs, is_thorough);
    if (!best.routes().empty() && nodes.size() > tuning.few_nodes) break;
    take_best(best_routes(costs, nodes, objectives, tuning.usual_tolerance));
    if (nodes.size() <= tuning.few_nodes) {
      for (const double tolerance : tolerances) {
        if (tolerance != tuning.usual_tolerance)
          take_best(best_routes(costs, nodes, objectives, tolerance));
      }
    }
  }
  return best.routes();
}

}  // namespace tessera::rechunking
