// SPDX-License-Identifier: Apache-2.0
/// \file
/// Inserts copies between arrays and operations whose chunks and blocks do not align.
///
/// Problem: x in chunks of rows is read in blocks of columns. Every task reads every chunk:
///     rows       +-------+       columns    +-+-+-+-+
///     of x       +-------+   ->  of y       | | | | |      reads = rows * columns chunks
///                +-------+                  +-+-+-+-+
/// Two rewrites are priced against the operation as it is.
/// - In memory: x is copied into the memory of all workers as a whole, if the host has room.
/// - In storage: x goes through copies in intermediate chunks, which `plan/rechunk` searches for.
///   They come before the operation, which is then the last of them; behind an elementwise
///   operation, which is then the first; or before one operand of any operation.
/// If one operation alone reads the result, the route may end in its blocks (`extend_to_reader`).
/// Price: the merit of all operations of the route must be better by
/// `tuning.least_saving_of_copies`. Invariant: values stay the same, as copies only move elements.
/// Reference: the rechunker of Pangeo (one intermediate array within a memory limit).

#include "plan/buffers.hpp"
#include "plan/cost.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/rechunk.hpp"
#include "plan/passes/rechunk_ends.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

/// Inserts a copy in memory before `v` if that is better than `present_merit`. Returns true if it
/// did.
bool copy_into_memory(plan_graph& plan, vertex v, const rechunk& original, double present_merit,
                      const pass_context& context) {
  if (context.workers == nullptr) return false;
  const copy_in_memory copy(original, operation_at(plan.graph, v));
  if (!copy.fits(plan.graph, *context.workers, context.limits)) return false;
  const std::size_t num_workers = std::max<std::size_t>(1, context.workers->count);
  if (copy.merit(context.limits.costs, num_workers) >
      present_merit * (1 - tuning.least_saving_of_copies))
    return false;
  copy.apply(plan.graph, v);
  context.tell(plan.graph, v, [&] {
    return fmt::format("reads '{}' from a copy in memory, {}", original.from.name,
                       format_short(original.from.size()));
  });
  return true;
}

/// Returns a route as text: "(6000, 1000) > (1000, 1000); ...".
std::string format_route(const rechunking::route& route) {
  const std::vector<rechunking::copy>& copies = route.copies;
  std::string text;
  for (std::size_t i = 0; i < copies.size(); ++i) {
    text += fmt::format("{}{} > {}", i == 0 ? "" : "; ", format_shape(copies[i].block),
                        format_shape(copies[i].chunks));
  }
  return text;
}

/// Returns the routes after the first as text, with their times relative to the first.
std::string format_next_best(const std::vector<rechunking::route>& routes) {
  std::string text;
  for (std::size_t i = 1; i < routes.size(); ++i) {
    text += fmt::format("{}{}, {:.3g} times as long with {:.3g} times the work",
                        i == 1 ? ". Next best: " : "; or ", format_route(routes[i]),
                        routes[i].cost.wall / routes.front().cost.wall,
                        routes[i].cost.work / routes.front().cost.work);
  }
  return text;
}

/// Returns the merit of operations that run one after the other.
double merit_of(const std::vector<planned_operation>& operations, const costs& figures) {
  plan_cost_sum sum(figures, figures.num_workers());
  for (std::size_t i = 0; i < operations.size(); ++i) {
    sum.add_behind(operations[i], i == 0 ? std::vector<std::size_t>{} : std::vector{i - 1});
  }
  return sum.total().merit();
}

/// Returns the merit of an operation, or infinity if it does not fit.
double merit_of(const planned_operation& planned, const spec& limits, std::size_t num_workers) {
  return fits(planned, limits) ? cost_of(planned, limits.costs, num_workers).merit()
                               : std::numeric_limits<double>::infinity();
}

/// Returns the time to read each chunk of `array` once.
costs::seconds time_to_read_once(const planned_array& array, const costs& figures) {
  return figures.to_read(static_cast<double>(array.size().count()),
                         static_cast<double>(chunk_grid(array.shape, array.chunks).size()));
}

/// Returns the time to read operand `i` of `planned`, or 0 if it shares a window with other
/// operands or is not in storage.
costs::seconds time_to_read_operand(const planned_operation& planned, std::size_t i,
                                    const costs& figures) {
  const operand_access access = planned.inputs[i].access;
  if (access != operand_access::gathered && access != operand_access::whole_chunk) return {};
  const planned_window& window = planned.windows[planned.inputs[i].window];
  if (window.operands.size() > 1) return {};
  return figures.to_read(static_cast<double>(window.bytes_read.count()),
                         static_cast<double>(window.chunk_reads));
}

/// Returns the copies before one operand of `v` with the best merit, or nullopt if none is clearly
/// better.
std::optional<rechunk_between> before_operand(const array_graph& graph, vertex v,
                                              const spec& limits) {
  std::vector<rechunk_ends> candidates;
  const small_vector<vertex> inputs = inputs_of(graph, v);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (const auto ends = rechunk_ends_at(graph, inputs[i], {v, i}, limits))
      candidates.push_back(*ends);
  }
  if (candidates.empty()) return std::nullopt;
  const planned_operation unchanged = estimate(graph, v, limits);
  std::optional<rechunk_between> best;
  double least =
      merit_of(unchanged, limits, limits.costs.num_workers()) * (1 - tuning.least_saving_of_copies);
  for (const rechunk_ends& ends : candidates) {
    const costs::seconds once = time_to_read_once(array_at(graph, ends.array), limits.costs);
    if (time_to_read_operand(unchanged, ends.operand, limits.costs) <= 2 * once) continue;
    std::optional<rechunk_between> copies = rechunk_between::find(graph, ends, limits);
    if (!copies || merit_of(copies->operations(), limits.costs) >= least) continue;
    least = merit_of(copies->operations(), limits.costs);
    best = std::move(copies);
  }
  return best;
}

/// Inserts `copies` before a reader, and records it.
void put_before_reader(array_graph& graph, const rechunk_between& copies,
                       const pass_context& context) {
  const rechunk_ends ends = copies.ends();
  const std::string name = array_at(graph, ends.array).name;
  copies.apply(graph, context.limits);
  context.tell(graph, ends.reader, [&] {
    const rechunking::route& route = copies.routes().front();
    const bool is_direct = route.copies.size() == 1;
    return fmt::format("reads '{}' in its own blocks{}: {}{}", name,
                       is_direct ? "" : ", by copies, block > chunks", format_route(route),
                       format_next_best(copies.routes()));
  });
}

/// The staging of one elementwise operation: copies before it, behind it, or up to its reader.
class rechunk_staging {
 public:
  rechunk_staging(plan_graph& plan, const rechunk_ends& ends, const pass_context& context)
      : plan_(plan),
        graph_(plan.graph),
        ends_(ends),
        context_(context),
        rechunk_(rechunk_of(graph_, ends.producer, context.limits)),
        direct_(estimate(graph_, ends.producer, context.limits)),
        fits_now_(fits(direct_, context.limits)) {}

  /// Returns true if the operation should be staged again.
  bool run() {
    const vertex v = ends_.producer;
    const costs& figures = context_.limits.costs;
    const std::size_t num_workers = context_.workers == nullptr
                                        ? figures.num_workers()
                                        : std::max<std::size_t>(1, context_.workers->count);
    const double present_merit = merit_of(direct_, context_.limits, num_workers);
    if (rechunk_ && copy_into_memory(plan_, v, *rechunk_, present_merit, context_)) return false;
    const least_read once = reading_once();
    if (once.size == bytes{}) return false;
    // Another copy reads and writes all elements once more.
    const costs::seconds read = figures.to_read(static_cast<double>(direct_.bytes_read.count()),
                                                static_cast<double>(direct_.chunk_reads));
    if (fits_now_ && read <= 2 * once.time) {
      if (rechunk_) {
        context_.leave(
            graph_, v,
            {"{op} reads few chunks twice", "{} for inputs of {}", direct_.bytes_read, once.size});
      }
      return false;
    }
    choose();
    if (extend_to_reader()) return false;
    apply_chosen();
    return before_.has_value();
  }

 private:
  /// The size of all stored inputs, and the time to read each chunk once.
  struct least_read {
    bytes size;
    costs::seconds time{};
  };
  [[nodiscard]] least_read reading_once() const {
    least_read candidates;
    for (const vertex input : inputs_of(graph_, ends_.producer)) {
      const planned_array& array = array_at(graph_, input);
      const array_storage from = storage_of(array, array_use::read, context_.limits);
      if (from.medium != array_storage::kind::chunks) continue;
      candidates.size += array.size();
      candidates.time += time_to_read_once(array, context_.limits.costs);
    }
    return candidates;
  }

  /// Chooses among copies before the operation, behind it, or before one operand. Its reader is not
  /// considered.
  void choose() {
    const spec& limits = context_.limits;
    chosen_ = {direct_};
    least_ =
        merit_of(direct_, limits, limits.costs.num_workers()) * (1 - tuning.least_saving_of_copies);
    if (rechunk_) {
      last_ = find_better(*rechunk_, operation_at(graph_, ends_.producer), fits_now_, limits,
                          *graph_[boost::graph_bundle].routes);
      if (last_) set_chosen(last_->operations);
      // If the operation widens elements, copies before it move fewer bytes.
      if (rechunk_->from.type.size() <= rechunk_->to.type.size()) return;
    }
    const rechunk_ends written{.producer = ends_.producer, .array = ends_.array};
    first_ = rechunk_between::find(graph_, written, limits);
    if (!choose_if_better(first_)) first_.reset();
    if (first_) last_.reset();
    if (rechunk_) return;
    before_ = before_operand(graph_, ends_.producer, limits);
    if (!choose_if_better(before_)) before_.reset();
    if (before_) first_.reset();
  }

  void set_chosen(const std::vector<planned_operation>& operations) {
    chosen_ = operations;
    least_ = merit_of(operations, context_.limits.costs);
  }

  bool choose_if_better(const std::optional<rechunk_between>& copies) {
    if (!copies || merit_of(copies->operations(), context_.limits.costs) >= least_) return false;
    set_chosen(copies->operations());
    return true;
  }

  /// Extends the route to the blocks of the reader if that costs less. Returns true if it did.
  bool extend_to_reader() {
    if (!ends_.has_reader()) return false;
    const auto copies = rechunk_between::find(graph_, ends_, context_.limits);
    if (!copies) return false;
    chosen_.push_back(estimate(graph_, ends_.reader, context_.limits));
    const bool fit = std::all_of(chosen_.begin(), chosen_.end(), [&](const auto& planned) {
      return fits(planned, context_.limits);
    });
    const costs& figures = context_.limits.costs;
    if (fit && merit_of(copies->operations(), figures) >= merit_of(chosen_, figures)) return false;
    put_before_reader(graph_, *copies, context_);
    return true;
  }

  void apply_chosen() {
    if (before_) {
      put_before_reader(graph_, *before_, context_);
    } else if (first_) {
      first_->apply(graph_, context_.limits);
      tell("computed in the first of", first_->routes());
    } else if (last_) {
      put_before(graph_, ends_.producer, last_->copies());
      tell("by", last_->routes);
    } else {
      context_.leave(graph_, ends_.producer,
                     {"no copies before or behind {op} cost less", "{} are read, with {} a task",
                      direct_.bytes_read, task_memory(direct_, context_.limits)});
    }
  }

  void tell(const char* verb, const std::vector<rechunking::route>& routes) const {
    context_.tell(graph_, ends_.producer, [&] {
      const rechunking::route& route = routes.front();
      return fmt::format("{} {} copies, block > chunks: {}", verb, route.copies.size(),
                         format_route(route)) +
             (fits_now_
                  ? fmt::format(", as {} would be read directly", format_short(direct_.bytes_read))
                  : std::string(", as directly a task would need too much memory")) +
             format_next_best(routes);
    });
  }

  plan_graph& plan_;
  array_graph& graph_;
  rechunk_ends ends_;
  const pass_context& context_;
  std::optional<rechunk> rechunk_;
  planned_operation direct_;
  bool fits_now_;
  /// At most one of these is set.
  std::optional<staged> last_;
  std::optional<rechunk_between> first_;
  std::optional<rechunk_between> before_;
  /// The chosen operations, and the merit that a better choice must be below.
  std::vector<planned_operation> chosen_;
  double least_ = 0;
};

/// Inserts copies before or behind `v`. Returns true if `v` should be staged again.
bool stage(plan_graph& plan, vertex v, const pass_context& context) {
  const array_graph& graph = plan.graph;
  if (const std::optional<rechunk_ends> ends = rechunk_ends_at(graph, v)) {
    const planned_array& array = array_at(graph, ends->array);
    const array_storage to = storage_of(array, array_use::write, context.limits);
    if (to.medium == array_storage::kind::chunks)
      return rechunk_staging(plan, *ends, context).run();
  }
  const auto copies = before_operand(graph, v, context.limits);
  if (copies) put_before_reader(plan.graph, *copies, context);
  return copies.has_value();
}

}  // namespace

void stage_rechunks(plan_graph& plan, const pass_context& context) {
  for (const vertex v : operations_in_order(plan.graph)) {
    // At most once for each operand.
    std::size_t count = boost::in_degree(v, plan.graph);
    while (count-- > 0 && stage(plan, v, context)) {
    }
  }
}

}  // namespace tessera
