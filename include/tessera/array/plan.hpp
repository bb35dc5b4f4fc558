// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A plan of several expressions, which knows the types of its results.

#include "tessera/array/array.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/executor/execution.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/lower/lower.hpp"
#include "tessera/observe/default_observers.hpp"
#include "tessera/plan/bounded_plan.hpp"

#include <array>
#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// How a plan asks for an `E`, and what it hands back for it: `result`, `layout(e)`, `output(e)`
/// and `receive(computed, layout)`.
template <class E>
struct request;

template <array_expression E>
struct request<E> {
  using result = ndarray<typename E::value_type, E::rank>;

  static const array_layout& layout(const E& e) { return e.layout(); }
  static plan_output output(const E& e) { return {computed(lower(e, e.layout().chunks))}; }
  static result receive(const computed_output& output, const array_layout& layout) {
    return result(to_array<E::rank>(layout.shape), output.elements);
  }
};

/// Returns the plan of `outputs`, under the spec that `layouts` share.
[[nodiscard]] bounded_plan make_bounded_plan(std::vector<plan_output> outputs,
                                             const std::vector<array_layout>& layouts,
                                             const pass_switches& passes);

}  // namespace detail

/// What a plan can be asked for: an array expression, or what `stored` returns.
template <class E>
concept plannable = requires(const E& e) {
  typename detail::request<E>::result;
  detail::request<E>::output(e);
};

/// A plan of several expressions: the operations that compute them together, with the memory of
/// every task known.
///
/// A value; copies share the operations. One that needs more memory than is allowed is refused; to
/// look at it all the same, make it with `pass_switches{.bound_memory = false}`. `plan<>` is a plan
/// that was loaded from a file; it can be executed, but hands out no results.
/// Example: `auto plan = ts::plan(mean(u * v), mean(u * u)); auto [uv, uu] = plan.compute();`
template <plannable... Es>
class plan {
 public:
  /// Plans `es` without running anything.
  ///
  /// Throws: memory_error <- a task would need more than the allowed memory, or the results more
  ///         than the host has; the message names the operation, its buffers, both sizes and the
  ///         remedy. value_error <- specs differ, or the spec's executor works in other processes
  ///         and the plan cannot: see `bounded_plan::check_portable`.
  explicit plan(const Es&... es) requires(sizeof...(Es) > 0) : plan(pass_switches{}, es...) {}
  plan(const pass_switches& passes, const Es&... es) requires(sizeof...(Es) > 0)
      : layouts_{detail::request<Es>::layout(es)...},
        bounded_(
            detail::make_bounded_plan({detail::request<Es>::output(es)...}, layouts_, passes)) {}

  /// Returns the plan in the file `path`, which `save` wrote; see `bounded_plan::load`.
  [[nodiscard]] static plan load(const std::string& path) requires(sizeof...(Es) == 0) {
    return plan(bounded_plan::load(path));
  }

  [[nodiscard]] std::size_t num_operations() const { return bounded_.num_operations(); }
  [[nodiscard]] index_t num_tasks() const { return bounded_.num_tasks(); }
  /// Returns the greatest memory of any task, reserved memory included.
  [[nodiscard]] bytes projected_memory() const { return bounded_.projected_memory(); }
  /// Returns the decoded bytes that tasks read from storage.
  [[nodiscard]] bytes bytes_read() const { return bounded_.bytes_read(); }
  /// Returns the decoded bytes that tasks write to storage.
  [[nodiscard]] bytes bytes_written() const { return bounded_.bytes_written(); }
  [[nodiscard]] const tessera::spec& spec() const { return bounded_.spec(); }
  /// Returns the plan without the types of its results.
  [[nodiscard]] const bounded_plan& bounded() const { return bounded_; }

  /// Computes the results: one `ndarray`, or a tuple of them, in the order in which they were asked
  /// for. What was asked for as `stored` comes back as an open `array`.
  ///
  /// Throws: memory_error <- as the constructor, where `bound_memory` was switched off; nothing has
  ///         been read or written then. task_error <- a task failed. interrupted_error <- an
  ///         interrupt. value_error <- the executor only simulates; the message tells how long it
  ///         takes the run to be.
  [[nodiscard]] auto compute() const requires(sizeof...(Es) > 0) {
    const std::vector<computed_output> outputs = tessera::execute(bounded_, default_observers());
    return receive(outputs, std::index_sequence_for<Es...>{});
  }

  /// Runs the plan for what it stores: what was asked for as `stored`. Results in memory are let
  /// go. With `spec().executor` one that only simulates, nothing is computed or stored; a run is
  /// shown to `watchers` as it would be.
  ///
  /// Throws: as `compute`.
  void execute(std::vector<std::shared_ptr<observer>> watchers = default_observers()) const {
    tessera::run(bounded_, std::move(watchers));
  }

  /// Writes the plan to the file `path`; see `bounded_plan::save`.
  void save(const std::string& path) const { bounded_.save(path); }

  /// Draws the graph of operations and arrays; see `bounded_plan::visualize`.
  std::string visualize(const std::string& path) const { return bounded_.visualize(path); }

  /// Prints a table of the operations: tasks, projected memory, bytes read and written.
  friend std::ostream& operator<<(std::ostream& out, const plan& p) { return out << p.bounded_; }

 private:
  explicit plan(bounded_plan loaded) : bounded_(std::move(loaded)) {}

  template <std::size_t... I>
  auto receive(const std::vector<computed_output>& outputs, std::index_sequence<I...>) const {
    if constexpr (sizeof...(Es) == 1) {
      return (detail::request<Es>::receive(outputs[I], layouts_[I]), ...);
    } else {
      return std::tuple<typename detail::request<Es>::result...>{
          detail::request<Es>::receive(outputs[I], layouts_[I])...};
    }
  }

  std::vector<array_layout> layouts_;
  bounded_plan bounded_;
};

/// Returns the plan of one expression; what `e.plan()` calls.
template <array_expression E>
[[nodiscard]] auto make_plan(const E& e) {
  return plan<E>(e);
}

}  // namespace tessera
