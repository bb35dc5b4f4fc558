// SPDX-License-Identifier: Apache-2.0
/// \file
/// Common subexpression elimination: merges structurally equal vertices (hash-consing).
///
/// Two sources are equal if they name the same stored array, memory or generator. Two operations
/// are equal if schedule, views and primitive are equal, and their inputs are the same vertices:
///     v = w  <=>  label(v) = label(w) and inputs(v) = inputs(w), position by position
/// Vertices are visited in topological order, so that equal inputs have become one vertex before
/// the operations that read them are compared. Candidates are found by hashes. The primitive is
/// hashed only if schedule, inputs and views collide, as that serializes it.
/// Outputs with destinations are left: each is written to its own.
/// Invariant: a vertex that replaces another one is earlier in the order, and is never replaced.
/// Reference: value numbering, as in LLVM's EarlyCSE.

#include "tessera/core/error.hpp"

#include "core/api/hash.hpp"
#include "core/api/hashed.hpp"
#include "plan/passes/candidate.hpp"
#include "plan/passes/passes.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

bool equal(const memory_source& a, const memory_source& b) {
  // Distributed arrays may be empty in this process only, and every process must plan alike.
  if (a.parts != nullptr || b.parts != nullptr) return a.parts == b.parts;
  return a.data == b.data && a.strides == b.strides;
}

bool equal(const generated_source& a, const generated_source& b) {
  return a.kernel == b.kernel && a.parameters == b.parameters;
}

/// Tells whether two arrays have the same source, and so the same elements.
bool equal(const planned_array& a, const planned_array& b) {
  if (a.type != b.type || a.shape != b.shape || a.chunks != b.chunks) return false;
  if (a.placement.index() != b.placement.index()) return false;
  if (const auto* stored = std::get_if<stored_source>(&a.placement)) {
    return stored->array->is_same(*std::get<stored_source>(b.placement).array);
  }
  if (const auto* memory = std::get_if<memory_source>(&a.placement)) {
    return equal(*memory, std::get<memory_source>(b.placement));
  }
  if (const auto* generated = std::get_if<generated_source>(&a.placement)) {
    return equal(*generated, std::get<generated_source>(b.placement));
  }
  return false;
}

bool equal(const operation& a, const operation& b) {
  return a.schedule == b.schedule && a.operands == b.operands && equal(*a.primitive, *b.primitive);
}

/// Returns a hash: equal sources have equal hashes.
std::size_t hash_of(const planned_array& source) {
  row_hash hash;
  hash.add(source.placement.index()).add(source.shape).add(source.chunks);
  if (const auto* stored = std::get_if<stored_source>(&source.placement)) {
    if (const auto* known = dynamic_cast<const hashed*>(stored->array.get()))
      hash.add(known->hash());
  } else if (const auto* memory = std::get_if<memory_source>(&source.placement)) {
    if (memory->parts == nullptr) hash.add(memory->data).add(memory->strides);
  } else if (const auto* generated = std::get_if<generated_source>(&source.placement)) {
    hash.add(generated->kernel).add(generated->parameters.identity());
  }
  return hash.value();
}

/// Returns a hash of the schedule, the inputs and the views of an operation.
std::size_t hash_of(const operation& op, const small_vector<vertex>& inputs) {
  row_hash hash;
  hash.add(op.schedule.domain).add(op.schedule.block).add(op.schedule.step);
  for (const vertex input : inputs) hash.add(input);
  for (const index_map& map : op.operands) hash.add(map);
  return hash.value();
}

/// Returns a hash of the primitive of an operation.
std::size_t hash_of_body(const operation& op) {
  try {
    op.primitive->check_portable(op.name, op.name);
    return row_hash().add(op.primitive->to_json()).value();
  } catch (const value_error&) {
    return 0;  // its state cannot be serialized
  }
}

/// Tells whether an operation reads one array as several operands.
bool reads_one_twice(const array_graph& graph, vertex v) {
  small_vector<vertex> inputs = inputs_of(graph, v);
  std::sort(inputs.begin(), inputs.end());
  return std::adjacent_find(inputs.begin(), inputs.end()) != inputs.end();
}

/// The merge of equal vertices of one graph.
class subexpression_merge {
 public:
  subexpression_merge(plan_graph& plan, const pass_context& context)
      : plan_(plan), context_(context) {}

  void run() {
    for (const vertex v : to_be_compared()) {
      if (is_operation(plan_.graph, v)) {
        share_operation(v);
      } else {
        share_source(v);
      }
    }
    for (vertex& output : plan_.outputs) {
      // A replacement is earlier in the order, and is never replaced itself.
      if (const auto entry = replaced_.find(output); entry != replaced_.end()) {
        output = entry->second;
      }
    }
  }

 private:
  /// Vertices of one hash.
  using vertices_of_hash = std::vector<vertex>;
  /// Operations of one hash; once there are several, by the hash of their primitive.
  struct operations_of_hash {
    vertex first = {};
    std::unordered_map<std::size_t, vertices_of_hash> by_body;
  };

  /// Returns the sources and the operations in topological order. Outputs are left out: they are
  /// removed with their operation, and a removed vertex must not be visited.
  [[nodiscard]] std::vector<vertex> to_be_compared() const {
    std::vector<vertex> vertices = in_order(plan_.graph);
    std::erase_if(vertices, [&](vertex v) {
      return !is_operation(plan_.graph, v) && boost::in_degree(v, plan_.graph) != 0;
    });
    return vertices;
  }

  void share_source(vertex v) {
    const planned_array& source = array_at(plan_.graph, v);
    vertices_of_hash& equal_hashes = sources_[hash_of(source)];
    const auto same = std::find_if(equal_hashes.begin(), equal_hashes.end(), [&](vertex earlier) {
      return equal(source, array_at(plan_.graph, earlier));
    });
    if (same == equal_hashes.end()) return equal_hashes.push_back(v);
    replace_array(v, *same);
  }

  /// Tells whether an output of `v` has a destination, which it alone is written to.
  [[nodiscard]] bool has_destination(vertex v) const {
    return std::ranges::any_of(outputs_of(plan_.graph, v), [&](vertex array) {
      return std::holds_alternative<stored_placement>(array_at(plan_.graph, array).placement);
    });
  }

  /// Tells whether the outputs of two operations have equal chunks.
  [[nodiscard]] bool have_equal_chunks(vertex a, vertex b) const {
    return std::ranges::equal(
        outputs_of(plan_.graph, a), outputs_of(plan_.graph, b), [&](vertex x, vertex y) {
          return array_at(plan_.graph, x).chunks == array_at(plan_.graph, y).chunks;
        });
  }

  void share_operation(vertex v) {
    if (has_destination(v)) return;
    const small_vector<vertex> inputs = inputs_of(plan_.graph, v);
    const operation& op = operation_at(plan_.graph, v);
    operations_of_hash& candidates = operations_[hash_of(op, inputs)];
    if (candidates.first == vertex{}) {
      candidates.first = v;
      return;
    }
    if (candidates.by_body.empty()) {
      const operation& first = operation_at(plan_.graph, candidates.first);
      candidates.by_body[hash_of_body(first)].push_back(candidates.first);
    }
    vertices_of_hash& equal_hashes = candidates.by_body[hash_of_body(op)];
    const auto same = std::find_if(equal_hashes.begin(), equal_hashes.end(), [&](vertex earlier) {
      return boost::out_degree(v, plan_.graph) == boost::out_degree(earlier, plan_.graph) &&
             inputs == inputs_of(plan_.graph, earlier) &&
             equal(op, operation_at(plan_.graph, earlier)) && have_equal_chunks(v, earlier);
    });
    if (same == equal_hashes.end()) return equal_hashes.push_back(v);
    const small_vector<vertex> outputs = outputs_of(plan_.graph, v);
    const small_vector<vertex> kept_outputs = outputs_of(plan_.graph, *same);
    for (std::size_t i = 0; i < outputs.size(); ++i) replace_array(outputs[i], kept_outputs[i]);
    remove(plan_.graph, v);
  }

  /// Redirects the uses of `from`, and the request for it, to `to`, and removes `from`.
  void replace_array(vertex from, vertex to) {
    for (const auto& [reader, position] : uses_of(plan_.graph, from)) {
      add_input(plan_.graph, to, reader, position);
    }
    const planned_array& array = array_at(plan_.graph, from);
    if (array.is_requested) array_at(plan_.graph, to).is_requested = true;
    if (array.is_materialized) array_at(plan_.graph, to).is_materialized = true;
    if (array.is_for_memory) array_at(plan_.graph, to).is_for_memory = true;
    replaced_.emplace(from, to);
    remove(plan_.graph, from);
    context_.note_change();
  }

  plan_graph& plan_;
  const pass_context& context_;
  std::unordered_map<std::size_t, vertices_of_hash> sources_;
  std::unordered_map<std::size_t, operations_of_hash> operations_;
  std::unordered_map<vertex, vertex> replaced_;
};

}  // namespace

void share(plan_graph& plan, const pass_context& context) {
  subexpression_merge(plan, context).run();
  for (const vertex v : operations_in_order(plan.graph)) {
    if (!reads_one_twice(plan.graph, v)) continue;
    candidate merged = unified(candidate_at(plan.graph, v));
    if (merged.inputs.size() != boost::in_degree(v, plan.graph))
      put(plan.graph, v, std::move(merged));
  }
}

}  // namespace tessera
