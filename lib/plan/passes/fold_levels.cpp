// SPDX-License-Identifier: Apache-2.0
#include "plan/passes/fold_levels.hpp"

#include "plan/api/rings.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace tessera {

namespace {

double number(index_t n) { return static_cast<double>(n); }

}  // namespace

std::vector<index_vector> runs_of(const index_vector& domain, index_vector leaf, axis_set reduced) {
  for (std::size_t axis = 0; axis < leaf.size(); ++axis) {
    if (reduced[axis]) leaf[axis] = std::min(leaf[axis], domain[axis]);
  }
  std::vector<index_vector> runs{leaf};
  for (std::size_t axis = leaf.size(); axis-- > 0;) {
    while (reduced[axis] && leaf[axis] < domain[axis]) {
      leaf[axis] = std::min(2 * leaf[axis], domain[axis]);
      runs.push_back(leaf);
    }
  }
  return runs;
}

fold_levels::fold_levels(leafy_fold fold, const costs& figures)
    : fold_(std::move(fold)),
      figures_(figures),
      runs_(runs_of(fold_.domain, fold_.leaf, fold_.reduced)) {
  for (const index_vector& run : runs_) {
    index_t count = 1;
    for (std::size_t axis = 0; axis < run.size(); ++axis) {
      if (fold_.reduced[axis]) count *= ceil_divide(fold_.domain[axis], run[axis]);
    }
    num_runs_.push_back(count);
  }
  find_routes();
}

std::size_t fold_levels::choice_of(const index_vector& run) const {
  const auto match =
      std::find_if(runs_.begin(), runs_.end(), [&](const index_vector& candidate_run) {
        for (std::size_t axis = 0; axis < run.size(); ++axis) {
          if (fold_.reduced[axis] && run[axis] != candidate_run[axis]) return false;
        }
        return true;
      });
  return static_cast<std::size_t>(match - runs_.begin());
}

double fold_levels::rounds(double num_tasks) const {
  return std::ceil(num_tasks / static_cast<double>(figures_.num_workers()));
}

double fold_levels::states(std::size_t choice) const {
  return num_runs_[choice] > 1 ? all_states(choice) : 0;
}

double fold_levels::all_states(std::size_t choice) const {
  return number(fold_.num_tasks) * number(num_runs_[choice]) * fold_.state_bytes;
}

bool fold_levels::is_in_memory(std::size_t choice) const {
  return all_states(choice) <= fold_.most_in_memory;
}

std::size_t fold_levels::most_pieces() const {
  const double request =
      figures_.wait(1).count() * number(static_cast<index_t>(figures_.read_bandwidth.count()));
  const double field_bytes = fold_.state_bytes / static_cast<double>(fold_.num_fields);
  std::size_t cuts = 0;
  while (cuts < tuning.most_state_cuts &&
         field_bytes / std::exp2(cuts + 1) >= tuning.least_piece * request)
    ++cuts;
  return cuts;
}

double fold_levels::in_flight(double size, double num_requests, double room) const {
  if (!fold_.requests) return 1;
  request_cost cost = *fold_.requests;
  const double request = size / num_requests;
  cost.largest = static_cast<std::size_t>(std::ceil(request));
  const double most =
      std::min({requests_of_full_wire(cost, bandwidth_of_host(figures_), 1),
                static_cast<double>(cost.most_in_flight), static_cast<double>(tuning.most_in_ring),
                num_requests, std::floor(room / request)});
  return std::max(1.0, most / static_cast<double>(figures_.requests_in_flight));
}

// States are written in the pieces of their readers, except for the last level if its results are
// not cut into pieces.
fold_levels::route_cost fold_levels::step(std::size_t from, std::size_t pieces, std::size_t to,
                                          std::size_t next_pieces) const {
  const bool is_last = to + 1 == runs_.size();
  const bool is_gathered = is_last && !fold_.has_open_results;
  if (is_gathered) next_pieces = 0;
  const double tasks = number(fold_.num_tasks);
  const double width = std::min(std::exp2(to - from), number(num_runs_[from]));
  const double writers = tasks * std::exp2(pieces) * number(num_runs_[from]);
  const double readers = tasks * std::exp2(next_pieces) * number(num_runs_[to]);
  const double written = fold_.state_bytes / std::exp2(pieces);
  const double read = fold_.state_bytes / std::exp2(next_pieces);
  const auto num_fields = static_cast<double>(fold_.num_fields);
  const double nodes = static_cast<double>(to - from) + 1;
  const double buffered = (nodes + tuning.buffers_of_state) * read;
  double write = 0;
  double combine = figures_.task.count();
  if (is_in_memory(from)) {
    const auto bandwidth = static_cast<double>(figures_.memory_bandwidth.count());
    // Merging reads the state; unless a cache holds the node, it reads and writes the node too.
    const double moved = nodes * read <= tuning.cached_bytes ? 1 : 3;
    write = written / bandwidth;
    combine += (moved * width + 1) * read / bandwidth;
  } else {
    const double cuts = is_gathered ? 1 : std::exp2(next_pieces - pieces);
    const double chunks = is_gathered ? std::exp2(pieces) : 1;
    const double room = std::max(0.0, fold_.most_in_task - buffered);
    write = figures_.to_write(written, num_fields * cuts).count() /
            in_flight(written, num_fields * cuts, room);
    combine += width * figures_.to_read(read, num_fields * chunks).count() /
               in_flight(width * read, width * num_fields * chunks, room);
  }
  if (buffered > fold_.most_in_task) combine = std::numeric_limits<double>::infinity();
  const double work = writers * write + readers * combine;
  return {rounds(writers) * write + rounds(readers) * combine, work, to, next_pieces};
}

void fold_levels::find_routes() {
  const std::size_t most = most_pieces();
  routes_.assign(runs_.size(), std::vector<route_cost>(most + 1));
  for (std::size_t from = runs_.size() - 1; from-- > 0;) {
    for (std::size_t pieces = 0; pieces <= most; ++pieces) {
      route_cost& best = routes_[from][pieces];
      best.wall = std::numeric_limits<double>::infinity();
      for (std::size_t to = from + 1; to < runs_.size(); ++to) {
        for (std::size_t next = pieces; next <= most; ++next) {
          route_cost route = step(from, pieces, to, next);
          route.wall += routes_[to][route.next_pieces].wall;
          route.work += routes_[to][route.next_pieces].work;
          if (route.wall < best.wall) best = route;
        }
      }
    }
  }
}

std::vector<fold_level> fold_levels::levels(std::size_t choice) const {
  std::vector<fold_level> levels{{runs_[choice], 1}};
  std::size_t pieces = 0;
  while (choice + 1 < runs_.size()) {
    const route_cost& next = routes_[choice][pieces];
    if (!std::isfinite(next.wall)) {
      levels.push_back({runs_.back(), index_t{1}});
      break;
    }
    choice = next.next;
    pieces = next.next_pieces;
    levels.push_back({runs_[choice], index_t{1} << pieces});
  }
  return levels;
}

}  // namespace tessera
