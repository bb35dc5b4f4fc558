// SPDX-License-Identifier: Apache-2.0
/// \file
/// Fuses operations over one domain that read a common view of an array, or the same chunks of it.
///
/// Problem: f(x, y) and g(x, z) as two operations read x twice. One operation with two outputs
/// reads each block of x once:
///     x, y -> [f] -> u                x, y, z -> [f | g] -> u, v
///     x, z -> [g] -> v
/// Views at other offsets, such as x[::2] and x[1::2], share chunks, which must save reads.
/// Legality (`check_schedules`): neither needs the result of the other, and both have one schedule:
/// the same; or one folds, and each of its steps holds whole chunks of the outputs of the other,
/// a map; or both fold over different axes with the same steps.
/// Price: the fused task keeps to the allowed memory; folds over different axes must also read or
/// move less, be no more work, and leave at least half as many tasks.
/// Search: operations are indexed by the views that they read, so that siblings are found without
/// comparing all pairs. Siblings with the schedule of the leader are fused in batches that double,
/// as joining k candidates by halves copies each of them O(log k) times.
/// Invariant: the graph stays acyclic. Operations of one layer (`layers.hpp`) never need each
/// other; between layers, a search looks for a path.
/// Reference: multi-output loop fusion as in XLA's multi-output fusion.

#include "core/api/text.hpp"
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/fusion_estimate.hpp"
#include "plan/passes/inlining.hpp"
#include "plan/passes/layers.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/sibling_schedules.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Returns a refusal if `planned`, which fuses folds `a` and `b` over different axes, gains
/// nothing.
reason check_gain(const array_graph& graph, vertex a, vertex b, const planned_operation& planned,
                  const spec& limits) {
  const planned_operation first = estimate(graph, a, limits);
  const planned_operation second = estimate(graph, b, limits);
  const bytes apart = first.bytes_read + second.bytes_read;
  if (planned.bytes_read > apart) return reads_more(planned.bytes_read, apart);
  const bytes moved_apart = first.memory_moved + second.memory_moved;
  if (planned.bytes_read == apart && planned.memory_moved >= moved_apart) {
    return {no_repeated_reads, "{} together, {} apart", planned.bytes_read, apart};
  }
  const costs::seconds work = work_of(planned, limits.costs);
  const costs::seconds work_apart = work_of(first, limits.costs) + work_of(second, limits.costs);
  if (work > work_apart * (1 + any_saving)) return takes_longer(work, work_apart);
  const index_t wanted =
      std::min(worthwhile_tasks(planned.op, limits.costs.num_workers()),
               std::max(tasks_when_split(first.op), tasks_when_split(second.op)));
  const index_t num_tasks = tasks_when_split(planned.op);
  return 2 * num_tasks < wanted ? fewer_workers_busy(num_tasks, wanted) : nullptr;
}

/// Returns a refusal if `planned`, which fuses `operations` that share no view, saves few reads, or
/// takes longer on all workers by its merit.
reason check_saving(const array_graph& graph, std::span<const vertex> operations,
                    const planned_operation& planned, const spec& limits) {
  const auto num_workers = static_cast<double>(limits.costs.num_workers());
  const auto merit = [&](costs::seconds work, index_t num_tasks) {
    plan_cost cost;
    cost.work = work;
    cost.wall = work / std::min(num_workers, static_cast<double>(num_tasks));
    return cost.merit();
  };
  bytes apart;
  costs::seconds work{};
  index_t num_tasks = 0;
  for (const vertex v : operations) {
    const planned_operation alone = estimate(graph, v, limits);
    apart += alone.bytes_read;
    work += work_of(alone, limits.costs);
    num_tasks += tasks_when_split(alone.op);
  }
  const costs::seconds together = work_of(planned, limits.costs);
  const double most = (1 - tuning.least_saving_of_blocks) * static_cast<double>(apart.count());
  if (static_cast<double>(planned.bytes_read.count()) < most &&
      merit(together, tasks_when_split(planned.op)) < merit(work, num_tasks)) {
    return nullptr;
  }
  return {"{op} and {partner} read few chunks twice, or have too few tasks together",
          "{} together, {} apart", planned.bytes_read, apart};
}

/// The fusion of all siblings in a graph.
///
/// Operations of one layer are fused first: they never need each other, and fusing them leaves all
/// layers as they are. Between layers, a path is searched for, and the readers of the fused
/// operation are lifted above it.
class sibling_fusion {
 public:
  sibling_fusion(plan_graph& plan, const pass_context& context)
      : graph_(plan.graph),
        context_(context),
        layers_(plan.graph),
        order_(operations_in_order(plan.graph)),
        merges_maps_(plan.merges_maps) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      whole_views_.push_back(whole_views_of(i));
      views_.push_back(views_of(i));
      for (const std::size_t view : views_.back()) readers_[view].push_back(i);
    }
  }

  void run() {
    std::vector<std::size_t> leaders;
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (has_siblings(i)) leaders.push_back(i);
    }
    for (const bool in_one_layer : {true, false}) {
      for (const std::size_t i : leaders) {
        if (!is_gone(i)) fuse_siblings_of(i, in_one_layer);
      }
    }
  }

 private:
  [[nodiscard]] bool is_gone(std::size_t i) const {
    return order_[i] == array_graph::null_vertex();
  }

  /// Returns the hashes of the views that an operation reads, sorted.
  [[nodiscard]] std::vector<std::size_t> whole_views_of(std::size_t number) const {
    if (merges_maps_ && is_left_to_reader(order_[number])) return {};
    std::vector<std::size_t> views = hash_views(graph_, order_[number]);
    std::ranges::sort(views);
    return views;
  }

  /// Returns the hashes of the views that an operation reads, and of their chunks, sorted.
  [[nodiscard]] std::vector<std::size_t> views_of(std::size_t number) const {
    std::vector<std::size_t> views = whole_views_[number];
    if (views.empty()) return views;
    const std::vector<std::size_t> in_chunks = hash_views_in_chunks(graph_, order_[number]);
    views.insert(views.end(), in_chunks.begin(), in_chunks.end());
    std::ranges::sort(views);
    views.erase(std::unique(views.begin(), views.end()), views.end());
    return views;
  }

  /// Tells whether `merge_maps` may merge `v` into the only reader of its output.
  [[nodiscard]] bool is_left_to_reader(vertex v) const {
    if (boost::out_degree(v, graph_) != 1) return false;
    const vertex array = outputs_of(graph_, v).front();
    if (check_internal(array_at(graph_, array)) || !has_one_reader(graph_, array)) return false;
    return is_for_merge_maps(graph_, array, readers_of(graph_, array).front());
  }

  /// Tells whether a later operation reads a view of operation `number`, or its chunks.
  [[nodiscard]] bool has_siblings(std::size_t number) const {
    return std::any_of(views_[number].begin(), views_[number].end(),
                       [&](std::size_t view) { return readers_.at(view).back() > number; });
  }

  /// Tells whether two operations read one view.
  [[nodiscard]] bool share_view(std::size_t a, std::size_t b) const {
    return std::ranges::any_of(whole_views_[b], [&](std::size_t view) {
      return std::ranges::binary_search(whole_views_[a], view);
    });
  }

  /// Returns the later operations that share a view with `leader`, in order, and then the ones that
  /// share the chunks of a view; without the `refused`.
  [[nodiscard]] std::vector<std::size_t> siblings_of(std::size_t leader, bool in_one_layer,
                                                     const std::set<std::size_t>& refused) const {
    std::vector<std::size_t> siblings;
    for (const std::size_t view : views_[leader]) {
      const std::vector<std::size_t>& readers = readers_.at(view);
      for (auto i = std::upper_bound(readers.begin(), readers.end(), leader); i != readers.end();
           ++i) {
        if (is_gone(*i) || refused.contains(*i)) continue;
        if (in_one_layer != (layers_[order_[*i]] == layers_[order_[leader]])) continue;
        siblings.push_back(*i);
      }
    }
    std::sort(siblings.begin(), siblings.end());
    siblings.erase(std::unique(siblings.begin(), siblings.end()), siblings.end());
    std::stable_partition(siblings.begin(), siblings.end(),
                          [&](std::size_t i) { return share_view(leader, i); });
    return siblings;
  }

  /// Fuses siblings into `leader` until none is left: each adds views, and so new siblings.
  void fuse_siblings_of(std::size_t leader, bool in_one_layer) {
    std::set<std::size_t> refused;
    std::size_t num_refusals = 0;
    while (num_refusals < tuning.most_refusals) {
      const std::vector<std::size_t> siblings = siblings_of(leader, in_one_layer, refused);
      if (siblings.empty()) return;
      // The batch doubles with each success, so that each candidate is copied a few times only.
      std::size_t most = 1;
      for (std::size_t first = 0; first < siblings.size() && num_refusals < tuning.most_refusals;) {
        const auto rest = std::span(siblings).subspan(first);
        const std::size_t count =
            in_one_layer ? count_equal_schedules(leader, rest.first(std::min(most, rest.size())))
                         : 1;
        const reason refusal = fuse(leader, rest.first(count));
        if (refusal == nullptr) {
          first += count;
          most = 2 * count;
          num_refusals = 0;
        } else if (count > 1) {
          most = count / 2;
        } else {
          context_.leave(graph_, order_[rest.front()], refusal, order_[leader]);
          refused.insert(rest.front());
          ++num_refusals;
          ++first;
          most = 1;
        }
      }
    }
  }

  /// Returns the number of leading siblings with the schedule of `leader`; at least one.
  [[nodiscard]] std::size_t count_equal_schedules(std::size_t leader,
                                                  std::span<const std::size_t> siblings) const {
    const loop_schedule& schedule = operation_at(graph_, order_[leader]).schedule;
    std::size_t count = 0;
    while (count < siblings.size() &&
           operation_at(graph_, order_[siblings[count]]).schedule == schedule) {
      ++count;
    }
    return std::max<std::size_t>(1, count);
  }

  /// Returns the number of outputs of `leader` and `siblings`.
  [[nodiscard]] std::size_t num_results(std::size_t leader,
                                        std::span<const std::size_t> siblings) const {
    std::size_t count = boost::out_degree(order_[leader], graph_);
    for (const std::size_t i : siblings) count += boost::out_degree(order_[i], graph_);
    return count;
  }

  /// Fuses `leader` and `siblings`. Several siblings must have the schedule of the leader. Returns
  /// null, or a refusal.
  reason fuse(std::size_t leader, std::span<const std::size_t> siblings) {
    const vertex a = order_[leader];
    const vertex b = order_[siblings.front()];
    if (const std::size_t results = num_results(leader, siblings); results > tuning.most_results) {
      return {"{op} and {partner} in one operation would have more than 512 outputs", "{}",
              results};
    }
    if (const reason refusal = check_schedules(graph_, a, b, context_.limits.costs.num_workers()))
      return refusal;
    if (layers_[a] != layers_[b] && layers_.may_lead(a, b))
      return "one of {op} and {partner} needs a result of the other";
    std::vector<candidate> candidates{candidate_at(graph_, a)};
    for (const std::size_t i : siblings) candidates.push_back(candidate_at(graph_, order_[i]));
    std::optional<candidate> fused = join_all(candidates);
    if (!fused) return no_primitive_does_both;
    fused->op.schedule = common_schedule(candidates.front().op, candidates.back().op);
    for (std::size_t i = 1; i < candidates.size(); ++i) {
      fused->op.name = joined_names(fused->op.name, candidates[i].op.name);
    }
    fused->op.outputs = fused->op.primitive->outputs(fused->op.schedule);
    if (const reason refusal = check_pieces(*fused)) return refusal;
    *fused = unified(std::move(*fused));
    small_vector<vertex> outputs = outputs_of(graph_, a);
    for (const std::size_t i : siblings) {
      const small_vector<vertex> added = outputs_of(graph_, order_[i]);
      outputs.insert(outputs.end(), added.begin(), added.end());
    }
    const planned_operation planned =
        estimate(graph_, fused->op, fused->inputs, outputs, context_.limits);
    if (!fits(planned, context_.limits)) return too_large(planned, context_.limits);
    if (const reason refusal = check_shared_chunks(leader, siblings, planned)) return refusal;
    if (reduce_different_axes(operation_at(graph_, a), operation_at(graph_, b))) {
      if (const reason refusal = check_gain(graph_, a, b, planned, context_.limits)) return refusal;
    }
    replace(leader, siblings, std::move(*fused), outputs);
    return nullptr;
  }

  /// Returns a refusal if a sibling shares no view with `leader`, and `planned` saves few reads.
  reason check_shared_chunks(std::size_t leader, std::span<const std::size_t> siblings,
                             const planned_operation& planned) const {
    if (std::ranges::all_of(siblings, [&](std::size_t i) { return share_view(leader, i); })) {
      return nullptr;
    }
    std::vector<vertex> operations{order_[leader]};
    for (const std::size_t i : siblings) operations.push_back(order_[i]);
    return check_saving(graph_, operations, planned, context_.limits);
  }

  /// Replaces `leader` by `fused`, with `outputs`, and removes `siblings`.
  void replace(std::size_t leader, std::span<const std::size_t> siblings, candidate fused,
               const small_vector<vertex>& outputs) {
    const vertex leader_vertex = order_[leader];
    std::size_t layer = layers_[leader_vertex];
    std::size_t num_outputs = boost::out_degree(leader_vertex, graph_);
    for (const std::size_t i : siblings) {
      layer = std::max(layer, layers_[order_[i]]);
      remove(graph_, order_[i]);
      order_[i] = array_graph::null_vertex();
    }
    put(graph_, leader_vertex, std::move(fused));
    context_.tell(graph_, leader_vertex, [&] {
      return fmt::format("{} operations are fused into one: {}", siblings.size() + 1,
                         shortened(operation_at(graph_, leader_vertex).name));
    });
    for (; num_outputs < outputs.size(); ++num_outputs) {
      add_output(graph_, leader_vertex, outputs[num_outputs], num_outputs);
    }
    layers_.lift(leader_vertex, layer);
    whole_views_[leader] = whole_views_of(leader);
    views_[leader] = views_of(leader);
  }

  array_graph& graph_;
  const pass_context& context_;
  layers layers_;
  std::vector<vertex> order_;
  bool merges_maps_;
  /// By operation: the views that it reads.
  std::vector<std::vector<std::size_t>> whole_views_;
  /// By operation: these views, and their chunks.
  std::vector<std::vector<std::size_t>> views_;
  /// By view: the operations that read it, in order.
  std::unordered_map<std::size_t, std::vector<std::size_t>> readers_;
};

}  // namespace

void fuse_siblings(plan_graph& plan, const pass_context& context) {
  sibling_fusion(plan, context).run();
}

}  // namespace tessera
