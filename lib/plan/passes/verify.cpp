// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/verify.hpp"

#include <boost/graph/iteration_macros.hpp>
#include <fmt/format.h>
#include <stdexcept>
#include <vector>

namespace tessera {

namespace {

class graph_check {
 public:
  graph_check(const array_graph& graph, std::string_view pass) : graph_(graph), pass_(pass) {}

  void run() const {
    BGL_FORALL_VERTICES(v, graph_, array_graph) {
      if (is_operation(graph_, v)) {
        check_operation(v);
      } else {
        check_array(v);
      }
    }
    BGL_FORALL_EDGES(edge, graph_, array_graph) {
      require(is_operation(graph_, boost::source(edge, graph_)) !=
                  is_operation(graph_, boost::target(edge, graph_)),
              "arrays and operations alternate");
    }
  }

 private:
  void require(bool holds, const char* rule) const {
    if (holds) return;
    throw std::logic_error(fmt::format("the pass '{}' breaks the rule that {}", pass_, rule));
  }

  void check_array(vertex v) const {
    const planned_array& array = array_at(graph_, v);
    require(boost::in_degree(v, graph_) == (array.is_computed() ? 1 : 0),
            "an array has a source or is the output of one operation");
  }

  void check_operation(vertex v) const {
    const operation& op = operation_at(graph_, v);
    const small_vector<vertex> inputs = inputs_of(graph_, v);
    const small_vector<vertex> outputs = outputs_of(graph_, v);
    require(inputs.size() == op.operands.size(), "each operand is an array");
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      require(op.operands[i].domain_rank() == op.schedule.rank() &&
                  op.operands[i].array_rank() == array_at(graph_, inputs[i]).shape.size(),
              "a map leads from the domain to the array");
    }
    require(op.outputs == op.primitive->outputs(op.schedule), "outputs are those of the primitive");
    require(outputs.size() == op.outputs.size(), "each output is an array");
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const planned_array& array = array_at(graph_, outputs[i]);
      require(array.type == op.outputs[i].type && array.shape == op.outputs[i].shape(op.schedule),
              "outputs have the types and shapes of their arrays");
    }
  }

  const array_graph& graph_;
  std::string_view pass_;
};

}  // namespace

void verify(const plan_graph& plan, std::string_view pass) { graph_check(plan.graph, pass).run(); }

}  // namespace tessera
