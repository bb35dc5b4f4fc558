// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/hash.hpp"
#include "tessera/core/text.hpp"

#include "plan/buffers.hpp"
#include "plan/parts.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/layers.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/whole_chunks.hpp"

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

/// A walk makes so many results at most: what it reads is little beside them then, and all that
/// plans them takes as long for each as for few.
constexpr std::size_t most_results = 512;

bool lies_in_parts(const array_graph& graph, vertex v) {
  const few<vertex> inputs = inputs_of(graph, v);
  return std::any_of(inputs.begin(), inputs.end(),
                     [&](vertex input) { return parts_of(array_at(graph, input)) != nullptr; });
}

/// Returns why `map`, which reduces no axis, may not go along with `fold`, which does.
reason why_not_along(const array_graph& graph, vertex fold, vertex map) {
  const operation& leader = operation_at(graph, fold);
  const operation& other = operation_at(graph, map);
  if (lies_in_parts(graph, fold)) return "what it reads lies in several processes";
  for (const vertex made : outputs_of(graph, map)) {
    const planned_array& array = array_at(graph, made);
    if (array.shape != leader.how.domain) return "the two walk in other blocks";
    if (!steps_hold_whole_chunks(leader, array)) {
      return "steps of the one would cut chunks of the other";
    }
  }
  const index_t wanted = std::min(other.how.tasks().size(), worthwhile_tasks(other));
  return 2 * tasks_when_split(leader) < wanted ? "fewer workers would have a task" : nullptr;
}

/// Tells whether states of all folds of `what` are merged, so that any of them may be cut.
bool may_be_cut(const operation& what) {
  const std::vector<two_stages> folds = what.body->in_stages();
  return std::all_of(folds.begin(), folds.end(),
                     [](const two_stages& fold) { return !fold.leaf.empty(); }) &&
         !folds.empty();
}

/// Tells whether the two fold over unlike axes.
bool are_unlike(const operation& one, const operation& other) {
  return one.body->reduced().any() && other.body->reduced().any() &&
         one.body->reduced() != other.body->reduced();
}

/// Returns the length of the steps that `how` takes along `axis`.
index_t step_along(std::size_t axis, const walk& how) {
  return std::min(how.stream[axis], std::max<index_t>(1, how.domain[axis]));
}

/// Tells whether tasks of both take the same blocks along `axis`.
bool have_same_blocks(std::size_t axis, const walk& one, const walk& other) {
  return one.block[axis] == other.block[axis] ||
         std::min(one.block[axis], other.block[axis]) >= one.domain[axis];
}

/// Returns why folds over unlike axes may not share a walk.
reason why_not_folded_together(const array_graph& graph, vertex a, vertex b) {
  const operation& one = operation_at(graph, a);
  const operation& other = operation_at(graph, b);
  if (!may_be_cut(one) || !may_be_cut(other)) return "states of one cannot be merged";
  if (one.how.ordered != other.how.ordered) return "the two walk in other steps";
  for (std::size_t axis = 0; axis < one.how.rank(); ++axis) {
    const bool folds = one.body->reduced()[axis];
    if (folds != other.body->reduced()[axis]) continue;
    if (!folds && !have_same_blocks(axis, one.how, other.how))
      return "the two walk in other blocks";
    // A step is taken as it would be alone, or the bits would be others.
    if (folds && step_along(axis, one.how) != step_along(axis, other.how)) {
      return "the two walk in other steps";
    }
  }
  return nullptr;
}

/// Returns how an operation on all that `one` and `other` do goes along their domain.
walk common_walk(const operation& one, const operation& other) {
  if (!one.body->reduced().any()) return other.how;
  walk how = one.how;
  for (std::size_t axis = 0; axis < how.rank(); ++axis) {
    if (one.body->reduced()[axis] || !other.body->reduced()[axis]) continue;
    how.block[axis] = std::max<index_t>(1, how.domain[axis]);
    how.stream[axis] = step_along(axis, other.how);
  }
  return how;
}

/// Returns why `a` and `b`, which walk the same domain, have no walk in common.
reason why_no_walk(const array_graph& graph, vertex a, vertex b) {
  const operation& one = operation_at(graph, a);
  const operation& other = operation_at(graph, b);
  if (one.how == other.how) return nullptr;
  if (!one.body->reduced().any() && !other.body->reduced().any()) {
    return "the two walk in other blocks";
  }
  if (!other.body->reduced().any()) return why_not_along(graph, a, b);
  return one.body->reduced().any() ? why_not_folded_together(graph, a, b)
                                   : why_not_along(graph, b, a);
}

/// Returns why `together`, which folds over unlike axes what `a` and `b` do, gains nothing.
reason why_no_gain(const array_graph& graph, vertex a, vertex b, const planned_operation& together,
                   const spec& limits) {
  const planned_operation one = estimate(graph, a, limits);
  const planned_operation other = estimate(graph, b, limits);
  const bytes apart = one.bytes_read + other.bytes_read;
  if (together.bytes_read > apart) return reads_more(together.bytes_read, apart);
  const bytes moved_apart = one.memory_moved + other.memory_moved;
  if (together.bytes_read == apart && together.memory_moved >= moved_apart) {
    return "nothing is read twice";
  }
  const index_t wanted =
      std::min(worthwhile_tasks(together.what),
               std::max(tasks_when_split(one.what), tasks_when_split(other.what)));
  return 2 * tasks_when_split(together.what) < wanted ? "fewer workers would have a task" : nullptr;
}

/// Returns what `all` do in one walk, as a task that goes like `how` does it; nothing where no
/// primitive does that. Halves are put together, so that nothing is copied often.
std::optional<candidate> side_by_side(std::span<const candidate> all) {
  if (all.size() == 1) return all.front();
  std::optional<candidate> a = side_by_side(all.first(all.size() / 2));
  const std::optional<candidate> b = side_by_side(all.subspan(all.size() / 2));
  if (!a || !b) return std::nullopt;
  a->what.body = a->what.body->beside(*b->what.body, a->inputs.size());
  if (a->what.body == nullptr) return std::nullopt;
  a->inputs.insert(a->inputs.end(), b->inputs.begin(), b->inputs.end());
  a->what.operands.insert(a->what.operands.end(), b->what.operands.begin(), b->what.operands.end());
  return a;
}

/// Fuses the siblings in a graph.
///
/// Operations stand in layers: each in a higher one than those that make what it reads. No two of
/// one layer need each other, and making them one leaves all layers as they are: so these are fused
/// first. Whether one of two in different layers needs the other is searched for, and what reads
/// both is lifted.
class sibling_fusion {
 public:
  sibling_fusion(array_graph& graph, const pass_context& context)
      : graph_(graph), context_(context), layers_(graph), order_(operations_in_order(graph)) {
    for (std::size_t i = 0; i < order_.size(); ++i) {
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
        if (!is_gone(i)) gather(i, in_one_layer);
      }
    }
  }

 private:
  /// An operation gives up after so many siblings in a row that it cannot be fused with.
  static constexpr std::size_t most_refusals = 16;

  [[nodiscard]] bool is_gone(std::size_t i) const {
    return order_[i] == array_graph::null_vertex();
  }

  /// Returns a number for each view of an array that an operation reads, with the domain that it
  /// walks.
  [[nodiscard]] std::vector<std::size_t> views_of(std::size_t number) const {
    const operation& one = operation_at(graph_, order_[number]);
    const few<vertex> inputs = inputs_of(graph_, order_[number]);
    std::vector<std::size_t> views;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      row_hash hash;
      hash.add(one.how.domain).add(inputs[i]).add(one.operands[i]);
      views.push_back(hash.value());
    }
    std::sort(views.begin(), views.end());
    views.erase(std::unique(views.begin(), views.end()), views.end());
    return views;
  }

  /// Tells whether operations behind it read a view that the operation of this number reads.
  [[nodiscard]] bool has_siblings(std::size_t number) const {
    return std::any_of(views_[number].begin(), views_[number].end(),
                       [&](std::size_t view) { return readers_.at(view).back() > number; });
  }

  /// Returns the operations behind `leader`, in order, that read a view that it reads, and of which
  /// it was not told that they stay.
  [[nodiscard]] std::vector<std::size_t> siblings_of(std::size_t leader, bool in_one_layer,
                                                     const std::set<std::size_t>& refused) const {
    std::vector<std::size_t> found;
    for (const std::size_t view : views_[leader]) {
      const std::vector<std::size_t>& all = readers_.at(view);
      for (auto i = std::upper_bound(all.begin(), all.end(), leader); i != all.end(); ++i) {
        if (is_gone(*i) || refused.contains(*i)) continue;
        if (in_one_layer != (layers_[order_[*i]] == layers_[order_[leader]])) continue;
        found.push_back(*i);
      }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
  }

  /// Fuses what there is into `leader`, again with what is read by what was.
  void gather(std::size_t leader, bool in_one_layer) {
    std::set<std::size_t> refused;
    std::size_t num_refusals = 0;
    while (num_refusals < most_refusals) {
      const std::vector<std::size_t> siblings = siblings_of(leader, in_one_layer, refused);
      if (siblings.empty()) return;
      // As many are tried at once as were fused before, so that each is copied a few times only.
      std::size_t most = 1;
      for (std::size_t first = 0; first < siblings.size() && num_refusals < most_refusals;) {
        const auto rest = std::span(siblings).subspan(first);
        const std::size_t count =
            in_one_layer ? alike(leader, rest.first(std::min(most, rest.size()))) : 1;
        const reason why_not = fuse(leader, rest.first(count));
        if (why_not == nullptr) {
          first += count;
          most = 2 * count;
          num_refusals = 0;
        } else if (count > 1) {
          most = count / 2;
        } else {
          context_.leave(graph_, order_[rest.front()], why_not);
          refused.insert(rest.front());
          ++num_refusals;
          ++first;
          most = 1;
        }
      }
    }
  }

  /// Returns how many of the first siblings walk as `leader` does; at least one.
  [[nodiscard]] std::size_t alike(std::size_t leader, std::span<const std::size_t> siblings) const {
    const walk& how = operation_at(graph_, order_[leader]).how;
    std::size_t count = 0;
    while (count < siblings.size() && operation_at(graph_, order_[siblings[count]]).how == how) {
      ++count;
    }
    return std::max<std::size_t>(1, count);
  }

  /// Returns how many results `leader` and `siblings` make.
  [[nodiscard]] std::size_t num_results(std::size_t leader,
                                        std::span<const std::size_t> siblings) const {
    std::size_t count = boost::out_degree(order_[leader], graph_);
    for (const std::size_t i : siblings) count += boost::out_degree(order_[i], graph_);
    return count;
  }

  /// Makes one operation of `leader` and some siblings, of which several walk as it does. Returns
  /// null, or why they are left.
  reason fuse(std::size_t leader, std::span<const std::size_t> siblings) {
    const vertex a = order_[leader];
    const vertex b = order_[siblings.front()];
    if (num_results(leader, siblings) > most_results) return "a walk would make many results";
    if (const reason why_not = why_no_walk(graph_, a, b)) return why_not;
    if (layers_[a] != layers_[b] && layers_.may_lead(a, b)) return "one needs what the other makes";
    std::vector<candidate> all{candidate_at(graph_, a)};
    for (const std::size_t i : siblings) all.push_back(candidate_at(graph_, order_[i]));
    std::optional<candidate> joined = side_by_side(all);
    if (!joined) return "no primitive does both";
    joined->what.how = common_walk(all.front().what, all.back().what);
    for (std::size_t i = 1; i < all.size(); ++i) {
      joined->what.name = joined_names(joined->what.name, all[i].what.name);
    }
    joined->what.outputs = joined->what.body->outputs(joined->what.how);
    *joined = unified(std::move(*joined));
    few<vertex> outputs = outputs_of(graph_, a);
    for (const std::size_t i : siblings) {
      const few<vertex> made = outputs_of(graph_, order_[i]);
      outputs.insert(outputs.end(), made.begin(), made.end());
    }
    const planned_operation together =
        estimate(graph_, joined->what, joined->inputs, outputs, context_.limits);
    if (!fits(together, context_.limits)) return too_large(together, context_.limits);
    if (are_unlike(operation_at(graph_, a), operation_at(graph_, b))) {
      if (const reason why_not = why_no_gain(graph_, a, b, together, context_.limits))
        return why_not;
    }
    join(leader, siblings, std::move(*joined), outputs);
    return nullptr;
  }

  /// Puts `joined`, which makes `outputs`, in the place of `leader`, and removes `siblings`.
  void join(std::size_t leader, std::span<const std::size_t> siblings, candidate joined,
            const few<vertex>& outputs) {
    const vertex kept = order_[leader];
    std::size_t layer = layers_[kept];
    std::size_t num_made = boost::out_degree(kept, graph_);
    for (const std::size_t i : siblings) {
      layer = std::max(layer, layers_[order_[i]]);
      remove(graph_, order_[i]);
      order_[i] = array_graph::null_vertex();
    }
    put(graph_, kept, std::move(joined));
    context_.tell(graph_, kept, [&] {
      return fmt::format("{} operations walk as one: {}", siblings.size() + 1,
                         shortened(operation_at(graph_, kept).name));
    });
    for (; num_made < outputs.size(); ++num_made) {
      add_output(graph_, kept, outputs[num_made], num_made);
    }
    layers_.lift(kept, layer);
    views_[leader] = views_of(leader);
  }

  array_graph& graph_;
  const pass_context& context_;
  layers layers_;
  std::vector<vertex> order_;
  /// For each operation the views that it reads.
  std::vector<std::vector<std::size_t>> views_;
  /// For each view of an array, the operations that read it, in order.
  std::unordered_map<std::size_t, std::vector<std::size_t>> readers_;
};

}  // namespace

void fuse_siblings(plan_graph& plan, const pass_context& context) {
  sibling_fusion(plan.graph, context).run();
}

}  // namespace tessera
