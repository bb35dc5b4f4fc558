// SPDX-License-Identifier: Apache-2.0
#include "scheduler/watchdog.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

std::optional<session_time> duration_record::limit(const backup_policy& policy,
                                                   std::size_t num_started) {
  if (static_cast<index_t>(num_started) < policy.min_started) return std::nullopt;
  const double share = std::ceil(policy.fraction_ended * static_cast<double>(num_started));
  const auto rank = static_cast<std::size_t>(std::max(share - 1.0, 0.0));
  if (durations_.size() <= rank) return std::nullopt;
  const auto is_near = [](std::size_t now, std::size_t then) { return now - then <= then / 32; };
  const bool is_known = size_when_ranked_ > 0 && rank >= rank_ &&
                        is_near(durations_.size(), size_when_ranked_) && is_near(rank, rank_);
  if (!is_known) {
    const auto place = durations_.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(durations_.begin(), place, durations_.end());
    ranked_ = *place;
    size_when_ranked_ = durations_.size();
    rank_ = rank;
  }
  const auto limit = session_time{
      static_cast<session_time::rep>(policy.slowness * static_cast<double>(ranked_.count()))};
  return std::max<session_time>(limit, policy.at_least);
}

watchdog::watchdog(const std::vector<workload_operation>& operations, const run_options& options)
    : operations_(operations),
      backups_(options.backups),
      timeout_(options.task_timeout),
      records_(operations.size()) {}

void watchdog::batch_ended(std::size_t operation, session_time per_task) {
  if (backups_.is_on) records_[operation].add(per_task);
}

watchdog::findings watchdog::look(const flight_table& flights, const executor_session& session,
                                  bool has_idle_worker) {
  findings found;
  next_straggler_.reset();
  const session_time now = session.now();
  if (flights.empty()) {
    if (timeout_) next_timeout_look_ = now + *timeout_;
    return found;
  }
  if (timeout_ && now >= next_timeout_look_) find_late(flights, session, now, found);
  if (!backups_.is_on || !has_idle_worker) return found;
  if (now >= next_backup_look_) {
    find_stragglers(flights, session, now, found);
  } else {
    next_straggler_ = next_backup_look_;
  }
  return found;
}

/// A batch that had not started when it was looked at cannot be late before the time-out is over.
void watchdog::find_late(const flight_table& flights, const executor_session& session,
                         session_time now, findings& found) {
  next_timeout_look_ = now + *timeout_;
  for (std::size_t ticket = 0; ticket < flights.all().size(); ++ticket) {
    const flight& one = flights.all()[ticket];
    if (!one.is_open || one.has_timed_out) continue;
    const std::optional<session_time> started = session.started(ticket);
    if (!started) continue;
    const session_time end = *started + *timeout_ * one.batch.count;
    if (end <= now) {
      found.late.push_back(ticket);
    } else {
      next_timeout_look_ = std::min(next_timeout_look_, end);
    }
  }
}

void watchdog::find_stragglers(const flight_table& flights, const executor_session& session,
                               session_time now, findings& found) {
  struct running {
    std::size_t ticket = 0;
    session_time started{};
  };
  std::vector<running> candidates;
  // A worker may have begun with it in the meantime, and nothing tells of that.
  bool is_any_waiting = false;
  std::vector<std::size_t> num_started(operations_.size());
  for (std::size_t i = 0; i < records_.size(); ++i) num_started[i] = records_[i].size();
  for (std::size_t ticket = 0; ticket < flights.all().size(); ++ticket) {
    const flight& one = flights.all()[ticket];
    if (!one.is_open || one.is_superseded) continue;
    const std::optional<session_time> started = session.started(ticket);
    if (!started) {
      is_any_waiting = is_any_waiting || may_have_backup(one);
      continue;
    }
    ++num_started[one.batch.operation];
    if (may_have_backup(one)) candidates.push_back({ticket, *started});
  }
  session_time pause = backups_.at_least;
  for (const auto& [ticket, started] : candidates) {
    const task_batch& batch = flights.all()[ticket].batch;
    const auto limit = records_[batch.operation].limit(backups_, num_started[batch.operation]);
    if (!limit) continue;
    pause = std::max(pause, *limit);
    const session_time due = started + *limit * batch.count;
    if (now > due) {
      found.stragglers.push_back(ticket);
    } else {
      next_straggler_ = std::min(next_straggler_.value_or(due), due);
    }
  }
  if (is_any_waiting)
    next_straggler_ = std::min(next_straggler_.value_or(now + pause), now + pause);
  next_backup_look_ = now + pause / 16;
  if (next_straggler_) next_straggler_ = std::max(*next_straggler_, next_backup_look_);
}

bool watchdog::may_have_backup(const flight& one) const {
  return !one.has_had_backup && !one.has_timed_out && one.batch.worker == any_worker &&
         operations_[one.batch.operation].may_be_duplicated;
}

std::optional<session_time> watchdog::next_look() const {
  if (!timeout_) return next_straggler_;
  return std::min(next_straggler_.value_or(next_timeout_look_), next_timeout_look_);
}

}  // namespace tessera
