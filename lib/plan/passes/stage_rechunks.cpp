// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/rechunk.hpp"
#include "plan/passes/rechunk_ends.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Puts a copy in memory before `v` where that is better than `now`, the merit of the best way
/// without; returns whether it did.
bool is_held(plan_graph& plan, vertex v, const rechunk& one, double now,
             const pass_context& context) {
  if (context.workers == nullptr) return false;
  const copy_in_memory held(one, operation_at(plan.graph, v));
  if (!held.fits(plan.graph, *context.workers, context.limits)) return false;
  const std::size_t num_workers = std::max<std::size_t>(1, context.workers->count);
  if (held.merit(context.limits.costs, num_workers) > now * (1 - least_saving)) return false;
  held.apply(plan.graph, v);
  context.tell(plan.graph, v, [&] {
    return fmt::format("reads '{}' from a copy in memory, {}", one.from.name,
                       format_short(one.from.size()));
  });
  return true;
}

/// Says a route: "(6000, 1000) > (1000, 1000); ...".
std::string listed(const rechunking::route& route) {
  const std::vector<rechunking::copy>& copies = route.copies;
  std::string text;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    text += fmt::format("{}{} > {}", i == 0 ? "" : "; ", format_shape(copies[i].block),
                        format_shape(copies[i].chunks));
  }
  return text;
}

/// Says the routes behind the first, and how many times as long they would take.
std::string listed_next_best(const std::vector<rechunking::route>& routes) {
  std::string text;
  for (std::size_t i = 1; i < routes.size(); ++i) {
    text += fmt::format("{}{}, {:.3g} times as long with {:.3g} times the work",
                        i == 1 ? ". Next best: " : "; or ", listed(routes[i]),
                        routes[i].cost.wall / routes.front().cost.wall,
                        routes[i].cost.work / routes.front().cost.work);
  }
  return text;
}

/// Returns the merit of operations that are run one after the other.
double merit_of(const std::vector<planned_operation>& operations, const costs& figures) {
  plan_cost_sum sum(figures, figures.num_workers());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    sum.add_behind(operations[i], i == 0 ? std::vector<std::size_t>{} : std::vector{i - 1});
  }
  return sum.total().merit();
}

/// Returns the merit of an operation as it is; the worst where it does not keep to the memory.
double merit_of(const planned_operation& one, const spec& limits, std::size_t num_workers) {
  return fits(one, limits) ? cost_of(one, limits.costs, num_workers).merit()
                           : std::numeric_limits<double>::infinity();
}

/// Returns what reading each chunk of `array` once takes.
costs::seconds to_read_once(const planned_array& array, const costs& figures) {
  return figures.to_read(static_cast<double>(array.size().count()),
                         static_cast<double>(chunk_grid(array.shape, array.chunks).size()));
}

/// Returns what reading operand `i` of `one` takes; nothing where others are read with it, or it is
/// not read from storage.
costs::seconds to_read_operand(const planned_operation& one, std::size_t i, const costs& figures) {
  const operand_access how = one.inputs[i].access;
  if (how != operand_access::gathered && how != operand_access::whole_chunk) return {};
  const planned_window& window = one.windows[one.inputs[i].window];
  if (window.operands.size() > 1) return {};
  return figures.to_read(static_cast<double>(window.bytes_read.count()),
                         static_cast<double>(window.chunk_reads));
}

/// Returns the copies before one operand of `v` that make most less; nothing where none make it
/// clearly less.
std::optional<rechunk_between> before_operand(const array_graph& graph, vertex v,
                                              const spec& limits) {
  std::vector<rechunk_ends> all;
  const few<vertex> inputs = inputs_of(graph, v);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (const auto ends = rechunk_ends_at(graph, inputs[i], {v, i}, limits)) all.push_back(*ends);
  }
  if (all.empty()) return std::nullopt;
  const planned_operation now = estimate(graph, v, limits);
  std::optional<rechunk_between> best;
  double least = merit_of(now, limits, limits.costs.num_workers()) * (1 - least_saving);
  for (const rechunk_ends& ends : all) {
    const costs::seconds once = to_read_once(array_at(graph, ends.array), limits.costs);
    if (to_read_operand(now, ends.operand, limits.costs) <= 2 * once) continue;
    std::optional<rechunk_between> found = rechunk_between::find(graph, ends, limits);
    if (!found || merit_of(found->operations(), limits.costs) >= least) continue;
    least = merit_of(found->operations(), limits.costs);
    best = std::move(found);
  }
  return best;
}

/// Puts `copies` before a reader, and says so.
void put_before_reader(array_graph& graph, const rechunk_between& copies,
                       const pass_context& context) {
  const rechunk_ends ends = copies.ends();
  const std::string name = array_at(graph, ends.array).name;
  copies.apply(graph, context.limits);
  context.tell(graph, ends.reader, [&] {
    const rechunking::route& route = copies.routes().front();
    const bool is_direct = route.copies.size() == 1;
    return fmt::format("reads '{}' in its own blocks{}: {}{}", name,
                       is_direct ? "" : ", by copies, block > chunks", listed(route),
                       listed_next_best(copies.routes()));
  });
}

/// Puts copies before an operation that makes elements, behind it, or between it and its reader.
class staging {
 public:
  staging(plan_graph& plan, const rechunk_ends& ends, const pass_context& context)
      : plan_(plan),
        graph_(plan.graph),
        ends_(ends),
        context_(context),
        one_(rechunk_of(graph_, ends.maker, context.limits)),
        direct_(estimate(graph_, ends.maker, context.limits)),
        fits_now_(fits(direct_, context.limits)) {}

  /// Returns whether something is to be looked at again.
  bool run() {
    const vertex v = ends_.maker;
    const costs& figures = context_.limits.costs;
    const std::size_t num_workers = context_.workers == nullptr
                                        ? figures.num_workers()
                                        : std::max<std::size_t>(1, context_.workers->count);
    const double now = merit_of(direct_, context_.limits, num_workers);
    if (one_ && is_held(plan_, v, *one_, now, context_)) return false;
    const least_read once = reading_once();
    if (once.size == bytes{}) return false;
    // Another copy reads and writes all elements once more.
    const costs::seconds read = figures.to_read(static_cast<double>(direct_.bytes_read.count()),
                                                static_cast<double>(direct_.chunk_reads));
    if (fits_now_ && read <= 2 * once.time) {
      if (one_) {
        context_.leave(
            graph_, v,
            {"it reads few chunks twice", "{} for an array of {}", direct_.bytes_read, once.size});
      }
      return false;
    }
    choose();
    if (goes_on_to_reader()) return false;
    apply_chosen();
    return before_.has_value();
  }

 private:
  /// What is read from storage where each chunk is read once.
  struct least_read {
    bytes size;
    costs::seconds time{};
  };
  [[nodiscard]] least_read reading_once() const {
    least_read all;
    for (const vertex input : inputs_of(graph_, ends_.maker)) {
      const planned_array& array = array_at(graph_, input);
      const array_storage from = storage_of(array, array_use::read, context_.limits);
      if (from.how != array_storage::kind::chunks) continue;
      all.size += array.size();
      all.time += to_read_once(array, context_.limits.costs);
    }
    return all;
  }

  /// Chooses the copies whoever reads what is made: before the operation, which is the last of
  /// them; behind it, which is the first; or before one operand.
  void choose() {
    const spec& limits = context_.limits;
    chosen_ = {direct_};
    least_ = merit_of(direct_, limits, limits.costs.num_workers()) * (1 - least_saving);
    if (one_) {
      last_ = better(*one_, operation_at(graph_, ends_.maker), fits_now_, limits);
      if (last_) take(last_->operations);
      // Elements that get longer are copied before they are.
      if (one_->from.type.size() <= one_->to.type.size()) return;
    }
    const rechunk_ends written{.maker = ends_.maker, .array = ends_.array};
    first_ = rechunk_between::find(graph_, written, limits);
    if (!take_less(first_)) first_.reset();
    if (first_) last_.reset();
    if (one_) return;
    before_ = before_operand(graph_, ends_.maker, limits);
    if (!take_less(before_)) before_.reset();
    if (before_) first_.reset();
  }

  void take(const std::vector<planned_operation>& operations) {
    chosen_ = operations;
    least_ = merit_of(operations, context_.limits.costs);
  }

  bool take_less(const std::optional<rechunk_between>& found) {
    if (!found || merit_of(found->operations(), context_.limits.costs) >= least_) return false;
    take(found->operations());
    return true;
  }

  /// Lets the reader take the last blocks itself where that costs less; returns whether it does.
  bool goes_on_to_reader() {
    if (!ends_.has_reader()) return false;
    const auto found = rechunk_between::find(graph_, ends_, context_.limits);
    if (!found) return false;
    chosen_.push_back(estimate(graph_, ends_.reader, context_.limits));
    const bool fit = std::all_of(chosen_.begin(), chosen_.end(),
                                 [&](const auto& one) { return fits(one, context_.limits); });
    const costs& figures = context_.limits.costs;
    if (fit && merit_of(found->operations(), figures) >= merit_of(chosen_, figures)) return false;
    put_before_reader(graph_, *found, context_);
    return true;
  }

  void apply_chosen() {
    if (before_) {
      put_before_reader(graph_, *before_, context_);
    } else if (first_) {
      first_->apply(graph_, context_.limits);
      tell("computed in the first of", first_->routes());
    } else if (last_) {
      put_before(graph_, ends_.maker, last_->copies());
      tell("by", last_->routes);
    } else {
      context_.leave(graph_, ends_.maker, "no copies between cost less");
    }
  }

  void tell(const char* how, const std::vector<rechunking::route>& routes) const {
    context_.tell(graph_, ends_.maker, [&] {
      const rechunking::route& route = routes.front();
      return fmt::format("{} {} copies, block > chunks: {}", how, route.copies.size(),
                         listed(route)) +
             (fits_now_
                  ? fmt::format(", as {} would be read directly", format_short(direct_.bytes_read))
                  : std::string(", as directly a task would need too much memory")) +
             listed_next_best(routes);
    });
  }

  plan_graph& plan_;
  array_graph& graph_;
  rechunk_ends ends_;
  const pass_context& context_;
  std::optional<rechunk> one_;
  planned_operation direct_;
  bool fits_now_;
  /// One of these, or none.
  std::optional<staged> last_;
  std::optional<rechunk_between> first_;
  std::optional<rechunk_between> before_;
  /// The operations of that, and the merit that others must be below.
  std::vector<planned_operation> chosen_;
  double least_ = 0;
};

/// Puts copies before or behind `v`; returns whether to look at it again.
bool stage(plan_graph& plan, vertex v, const pass_context& context) {
  const array_graph& graph = plan.graph;
  if (const std::optional<rechunk_ends> ends = rechunk_ends_at(graph, v)) {
    const planned_array& made = array_at(graph, ends->array);
    const array_storage to = storage_of(made, array_use::write, context.limits);
    if (to.how == array_storage::kind::chunks) return staging(plan, *ends, context).run();
  }
  const auto found = before_operand(graph, v, context.limits);
  if (found) put_before_reader(plan.graph, *found, context);
  return found.has_value();
}

}  // namespace

void stage_rechunks(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    // Once for each operand at most.
    std::size_t count = boost::in_degree(v, plan.graph);
    while (count-- > 0 && stage(plan, v, context)) {
    }
  }
}

}  // namespace tessera
