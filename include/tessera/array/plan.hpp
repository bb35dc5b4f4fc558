// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A plan of several expressions, which knows the types of its results.

#include "tessera/array/array.hpp"
#include "tessera/array/detail/plan_arguments.hpp"
#include "tessera/array/detail/requested_plan.hpp"
#include "tessera/array/ndarray.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/lower/lower.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/task/execution.hpp"
#include "tessera/task/run_with.hpp"

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

/// The request of an `E` to a plan, and the result for it: `result`, `layout(e)`, `output(e)` and
/// `receive(computed, layout)`.
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

/// Tells whether an `E` is handed back in memory, not as something that was stored.
template <class E>
inline constexpr bool comes_in_memory = !array_expression<typename request<E>::result>;

/// The requests of an argument of a plan: one array, or the arrays of a vector.
template <class E>
struct argument;
template <class E>
requires requires { typename request<E>::result; }
struct argument<E> {
  using requested = E;
  using result = typename request<E>::result;

  static void ask(const E& e, plan_requests& requests) {
    requests.add(request<E>::output(e), request<E>::layout(e));
  }
  static result receive(const computed_output* outputs, const array_layout* layouts, std::size_t) {
    return request<E>::receive(*outputs, *layouts);
  }
};
template <class E>
requires requires { typename request<E>::result; }
struct argument<std::vector<E>> {
  using requested = E;
  using result = std::vector<typename request<E>::result>;

  static void ask(const std::vector<E>& es, plan_requests& requests) {
    for (const E& e : es) argument<E>::ask(e, requests);
  }
  static result receive(const computed_output* outputs, const array_layout* layouts,
                        std::size_t count) {
    result results;
    for (std::size_t i = 0; i < count; ++i) {
      results.push_back(request<E>::receive(outputs[i], layouts[i]));
    }
    return results;
  }
};

}  // namespace detail

/// An argument of a plan: an array expression, the result of `stored`, or a `std::vector` of
/// either.
template <class E>
concept plannable = requires {
  typename detail::argument<E>::result;
};

/// Tells whether any of `Es` is handed back in memory.
template <class... Es>
inline constexpr bool has_results =
    (detail::comes_in_memory<typename detail::argument<Es>::requested> || ...);

/// A plan of several expressions: the operations that compute them together, with the memory of
/// every task known.
///
/// A value; copies share the operations. It is made for an executor, that of a `run_with`. Other
/// executors that need no more memory run it too: see `check_target`. A plan that needs more memory
/// than is allowed is refused; to look at it all the same, make it with
/// `pass_switches{.bound_memory = false}`. `plan<>` is a plan that was loaded from a file; it can
/// be executed, but hands out no results. Example: `auto plan = ts::plan(mean(u * v), mean(u * u));
/// auto [uv, uu] = plan.compute();`
template <plannable... Es>
class plan {
 public:
  /// Plans `es` without running anything. `settings` are the options of its runs.
  ///
  /// Example: `auto p = ts::plan(x, y, ts::run_with{.executor = ts::executors::processes(4)});`
  /// Throws: memory_error <- a task would need more than the allowed memory, or the results more
  ///         than the host has; the message names the operation, its buffers, both sizes and the
  ///         remedy. value_error <- specs differ, or the executor works in other processes and
  ///         the plan cannot: see `bounded_plan::check_portable`.
  explicit plan(const Es&... es) requires(sizeof...(Es) > 0)
      : plan(pass_switches{}, nullptr, es...) {}
  plan(const Es&... es, const run_with& settings) requires(sizeof...(Es) > 0)
      : plan(pass_switches{}, &settings, es...) {}
  plan(const pass_switches& passes, const Es&... es) requires(sizeof...(Es) > 0)
      : plan(passes, nullptr, es...) {}
  plan(const pass_switches& passes, const run_with& settings,
       const Es&... es) requires(sizeof...(Es) > 0)
      : plan(passes, &settings, es...) {}
  // No requires-clause: Clang 14 ignores it when it deduces the arguments of a plan.
  template <class... Args, std::enable_if_t<detail::are_out_of_order<Args...>(), int> = 0>
  explicit plan(const Args&...) {
    static_assert(detail::is_allowed<Args...>,
                  "tessera::plan(x, ..., how): requires a run_with behind what is planned; with "
                  "pass_switches, both come first: plan(passes, how, x, ...)");
  }

  /// Returns the plan in the file `path`, which `save` wrote; see `bounded_plan::load`.
  [[nodiscard]] static plan load(const std::string& path) requires(sizeof...(Es) == 0) {
    return plan(detail::unrequested(bounded_plan::load(path)));
  }

  [[nodiscard]] std::size_t num_operations() const { return bounded().num_operations(); }
  [[nodiscard]] index_t num_tasks() const { return bounded().num_tasks(); }
  /// Returns the greatest memory of any task, reserved memory included.
  [[nodiscard]] bytes projected_memory() const { return bounded().projected_memory(); }
  /// Returns the memory of all processes on the host: a task of each worker, intermediates in
  /// memory, results and reserved memory; `bounded().bound()` has the parts.
  [[nodiscard]] bytes projected_host_memory() const { return bounded().bound().total(); }
  /// Returns the decoded bytes that tasks read from storage.
  [[nodiscard]] bytes bytes_read() const { return bounded().bytes_read(); }
  /// Returns the decoded bytes that tasks write to storage.
  [[nodiscard]] bytes bytes_written() const { return bounded().bytes_written(); }
  /// Returns the cost of a run, on the planned workers or on `num_workers`.
  [[nodiscard]] plan_cost cost() const { return bounded().cost(); }
  [[nodiscard]] plan_cost cost(std::size_t num_workers) const {
    return bounded().cost(num_workers);
  }
  /// Returns the operations of the plan, and the reasons for them.
  ///
  /// Example: `std::cout << p.explain();`
  [[nodiscard]] plan_explanation explain() const { return bounded().explain(); }
  [[nodiscard]] const tessera::spec& spec() const { return bounded().spec(); }
  /// Returns the default options of a run; nothing is set in a plan from a file.
  [[nodiscard]] const run_with& default_settings() const { return requested_->default_settings; }
  /// Returns the plan without the types of its results.
  [[nodiscard]] const bounded_plan& bounded() const { return requested_->bounded; }

  /// Computes the results: one `ndarray`, or a tuple of them, in the order in which they were asked
  /// for. A `stored` argument comes back as an open `array`; a vector as a vector. Options that
  /// `settings` does not set are as the plan was made with.
  ///
  /// Example: `p.compute({.resume = ts::resume_mode::never});`
  /// Throws: memory_error <- as the constructor, if `bound_memory` was switched off; nothing has
  ///         been read or written then. task_error <- a task failed. interrupted_error <- an
  ///         interrupt. value_error <- the executor is not one that the plan was made for, see
  ///         `check_target`, or only simulates; then the message tells how long it takes the run to
  ///         be.
  [[nodiscard]] auto compute(const run_with& settings = {}) const requires(has_results<Es...>) {
    return results(settings);
  }
  auto compute(const run_with& settings = {}) const
      requires(sizeof...(Es) > 0 && !has_results<Es...>) {
    return results(settings);
  }

  /// Runs the plan and keeps `stored` results alone. Results in memory are let go. On an executor
  /// that only simulates, nothing is computed or stored; a run is shown to the observers as it
  /// would be.
  ///
  /// Throws: as `compute`.
  void execute(const run_with& settings = {}) const { detail::execute(*requested_, settings); }

  /// Writes the plan to the file `path`; see `bounded_plan::save`.
  void save(const std::string& path) const { bounded().save(path); }

  /// Draws the graph of operations and arrays; see `bounded_plan::visualize`.
  std::string visualize(const std::string& path) const { return bounded().visualize(path); }

  /// Prints a table of the operations: tasks, projected memory, bytes read and written.
  friend std::ostream& operator<<(std::ostream& out, const plan& p) { return out << p.bounded(); }

 private:
  explicit plan(std::shared_ptr<const detail::requested_plan> asked)
      : requested_(std::move(asked)) {}
  plan(const pass_switches& passes, const run_with* settings, const Es&... es) {
    detail::plan_requests requests;
    (((void)detail::argument<Es>::ask(es, requests), requests.end_argument()), ...);
    requested_ = requests.plan(passes, settings);
  }

  auto results(const run_with& settings) const {
    return receive(detail::plan_results(*requested_, settings), std::index_sequence_for<Es...>{});
  }

  template <std::size_t... I>
  static auto receive(const detail::plan_results& results, std::index_sequence<I...>) {
    const auto result_of = [&]<class E>(std::type_identity<E>, std::size_t i) {
      return detail::argument<E>::receive(results.outputs(i), results.layouts(i), results.count(i));
    };
    if constexpr (sizeof...(Es) == 1) {
      return (result_of(std::type_identity<Es>{}, I), ...);
    } else {
      return std::tuple<typename detail::argument<Es>::result...>{
          result_of(std::type_identity<Es>{}, I)...};
    }
  }

  std::shared_ptr<const detail::requested_plan> requested_;
};

// Arguments before a `run_with` cannot be deduced as a pack: a guide for each number, and
// `plan<A, B, ...>(a, b, ..., settings)` beyond.
template <plannable A>
plan(const A&, const run_with&) -> plan<A>;
template <plannable A, plannable B>
plan(const A&, const B&, const run_with&) -> plan<A, B>;
template <plannable A, plannable B, plannable C>
plan(const A&, const B&, const C&, const run_with&) -> plan<A, B, C>;
template <plannable A, plannable B, plannable C, plannable D>
plan(const A&, const B&, const C&, const D&, const run_with&) -> plan<A, B, C, D>;
template <plannable A, plannable B, plannable C, plannable D, plannable E>
plan(const A&, const B&, const C&, const D&, const E&, const run_with&) -> plan<A, B, C, D, E>;

template <class... Args>
requires(detail::are_out_of_order<Args...>()) plan(const Args&...)
->plan<detail::out_of_order>;

/// Returns the plan of one expression, as `e.plan()`.
template <array_expression E>
[[nodiscard]] auto make_plan(const E& e, const run_with& settings = {}) {
  return plan<E>(e, settings);
}

}  // namespace tessera
