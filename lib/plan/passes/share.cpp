// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/core/hash.hpp"
#include "tessera/core/hashed.hpp"

#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace tessera {

namespace {

bool equal(const memory_source& a, const memory_source& b) {
  // Parts of different arrays may be empty here and not elsewhere: the plan is the same everywhere.
  if (a.parts != nullptr || b.parts != nullptr) return a.parts == b.parts;
  return a.data == b.data && a.strides == b.strides;
}

bool equal(const generated_source& a, const generated_source& b) {
  return a.kernel == b.kernel && a.parameters == b.parameters;
}

/// Tells whether two arrays hold the same elements because they come from the same source.
bool equal(const planned_array& a, const planned_array& b) {
  if (a.type != b.type || a.shape != b.shape || a.chunks != b.chunks) return false;
  if (a.place.index() != b.place.index()) return false;
  if (const auto* stored = std::get_if<stored_source>(&a.place)) {
    return stored->array->is_same(*std::get<stored_source>(b.place).array);
  }
  if (const auto* memory = std::get_if<memory_source>(&a.place)) {
    return equal(*memory, std::get<memory_source>(b.place));
  }
  if (const auto* generated = std::get_if<generated_source>(&a.place)) {
    return equal(*generated, std::get<generated_source>(b.place));
  }
  return false;
}

bool equal(const operation& a, const operation& b) {
  return a.how == b.how && a.operands == b.operands && equal(*a.body, *b.body);
}

/// Returns a number that is equal for sources that are.
std::size_t hash_of(const planned_array& source) {
  row_hash hash;
  hash.add(source.place.index()).add(source.shape).add(source.chunks);
  if (const auto* stored = std::get_if<stored_source>(&source.place)) {
    if (const auto* known = dynamic_cast<const hashed*>(stored->array.get()))
      hash.add(known->hash());
  } else if (const auto* memory = std::get_if<memory_source>(&source.place)) {
    if (memory->parts == nullptr) hash.add(memory->data).add(memory->strides);
  } else if (const auto* generated = std::get_if<generated_source>(&source.place)) {
    hash.add(generated->kernel).add(generated->parameters.identity());
  }
  return hash.value();
}

/// Returns a number that is equal for operations that are, but for what they compute, and read the
/// same.
std::size_t hash_of(const operation& what, const few<vertex>& inputs) {
  row_hash hash;
  hash.add(what.how.domain).add(what.how.block).add(what.how.stream);
  for (const vertex input : inputs) hash.add(input);
  for (const index_map& map : what.operands) hash.add(map);
  return hash.value();
}

/// Returns a number that is equal for operations that compute the same.
std::size_t hash_of_body(const operation& what) {
  try {
    what.body->check_portable(what.name, what.name);
    return row_hash().add(what.body->to_json()).value();
  } catch (const value_error&) {
    return 0;  // what has a state that no bytes describe
  }
}

/// Tells whether an operation reads an array as several operands.
bool reads_one_twice(const array_graph& graph, vertex v) {
  few<vertex> inputs = inputs_of(graph, v);
  std::sort(inputs.begin(), inputs.end());
  return std::adjacent_find(inputs.begin(), inputs.end()) != inputs.end();
}

/// Makes equal vertices of a graph one.
class sharing {
 public:
  explicit sharing(plan_graph& plan) : plan_(plan) {}

  void run() {
    for (const vertex v : to_be_compared()) {
      if (is_operation(plan_.graph, v)) {
        share_operation(v);
      } else {
        share_source(v);
      }
    }
    for (vertex& output : plan_.outputs) {
      // What takes an array's place is never replaced itself: it stands before it.
      if (const auto found = replaced_.find(output); found != replaced_.end()) {
        output = found->second;
      }
    }
  }

 private:
  /// Vertices of one hash.
  using alike = std::vector<vertex>;
  /// Operations of one hash, and once there are several, by that of what they compute.
  struct alike_operations {
    vertex first = {};
    std::unordered_map<std::size_t, alike> all;
  };

  /// Returns the sources and the operations in order. Arrays that operations make are left out:
  /// they go with their operation, and a vertex that is gone must not be looked at.
  [[nodiscard]] std::vector<vertex> to_be_compared() const {
    std::vector<vertex> found = in_order(plan_.graph);
    std::erase_if(found, [&](vertex v) {
      return !is_operation(plan_.graph, v) && boost::in_degree(v, plan_.graph) != 0;
    });
    return found;
  }

  void share_source(vertex v) {
    const planned_array& source = array_at(plan_.graph, v);
    alike& others = sources_[hash_of(source)];
    const auto same = std::find_if(others.begin(), others.end(), [&](vertex other) {
      return equal(source, array_at(plan_.graph, other));
    });
    if (same == others.end()) return others.push_back(v);
    replace_array(v, *same);
  }

  void share_operation(vertex v) {
    const few<vertex> inputs = inputs_of(plan_.graph, v);
    const operation& what = operation_at(plan_.graph, v);
    alike_operations& candidates = operations_[hash_of(what, inputs)];
    if (candidates.first == vertex{}) {
      candidates.first = v;
      return;
    }
    if (candidates.all.empty()) {
      const operation& first = operation_at(plan_.graph, candidates.first);
      candidates.all[hash_of_body(first)].push_back(candidates.first);
    }
    alike& others = candidates.all[hash_of_body(what)];
    const auto same = std::find_if(others.begin(), others.end(), [&](vertex other) {
      return boost::out_degree(v, plan_.graph) == boost::out_degree(other, plan_.graph) &&
             inputs == inputs_of(plan_.graph, other) &&
             equal(what, operation_at(plan_.graph, other));
    });
    if (same == others.end()) return others.push_back(v);
    const few<vertex> outputs = outputs_of(plan_.graph, v);
    const few<vertex> kept = outputs_of(plan_.graph, *same);
    for (std::size_t i = 0; i < outputs.size(); ++i) replace_array(outputs[i], kept[i]);
    remove(plan_.graph, v);
  }

  /// Lets everything that read or asked for `from` read and ask for `to`, and removes `from`.
  void replace_array(vertex from, vertex to) {
    for (const auto& [reader, position] : uses_of(plan_.graph, from)) {
      add_input(plan_.graph, to, reader, position);
    }
    if (array_at(plan_.graph, from).is_requested) array_at(plan_.graph, to).is_requested = true;
    replaced_.emplace(from, to);
    remove(plan_.graph, from);
  }

  plan_graph& plan_;
  std::unordered_map<std::size_t, alike> sources_;
  std::unordered_map<std::size_t, alike_operations> operations_;
  std::unordered_map<vertex, vertex> replaced_;
};

}  // namespace

void share(plan_graph& plan, const pass_context& /*context*/) {
  sharing(plan).run();
  for (const vertex v : operations_in_order(plan.graph)) {
    if (!reads_one_twice(plan.graph, v)) continue;
    candidate one = unified(candidate_at(plan.graph, v));
    if (one.inputs.size() != boost::in_degree(v, plan.graph)) put(plan.graph, v, std::move(one));
  }
}

}  // namespace tessera
