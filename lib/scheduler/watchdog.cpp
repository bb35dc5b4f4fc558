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
    const auto nth = durations_.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(durations_.begin(), nth, durations_.end());
    ranked_ = *nth;
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

watchdog::findings watchdog::check(const in_flight_table& in_flight,
                                   const executor_session& session, bool has_idle_worker) {
  findings due_batches;
  next_straggler_.reset();
  const session_time now = session.now();
  if (in_flight.empty()) {
    if (timeout_) next_timeout_check_ = now + *timeout_;
    return due_batches;
  }
  if (timeout_ && now >= next_timeout_check_) find_late(in_flight, session, now, due_batches);
  if (!backups_.is_on || !has_idle_worker) return due_batches;
  if (now >= next_backup_check_) {
    find_stragglers(in_flight, session, now, due_batches);
  } else {
    next_straggler_ = next_backup_check_;
  }
  return due_batches;
}

/// A batch that has not started at this check can miss its time-out only after a full time-out. The
/// next check is therefore due then at the latest.
void watchdog::find_late(const in_flight_table& in_flight, const executor_session& session,
                         session_time now, findings& due_batches) {
  next_timeout_check_ = now + *timeout_;
  for (std::size_t ticket = 0; ticket < in_flight.entries().size(); ++ticket) {
    const submitted_batch& submitted = in_flight.entries()[ticket];
    if (!submitted.is_open || submitted.has_timed_out) continue;
    const std::optional<session_time> started = session.started(ticket);
    if (!started) continue;
    const session_time end = *started + *timeout_ * submitted.batch.count;
    if (end <= now) {
      due_batches.late.push_back(ticket);
    } else {
      next_timeout_check_ = std::min(next_timeout_check_, end);
    }
  }
}

void watchdog::find_stragglers(const in_flight_table& in_flight, const executor_session& session,
                               session_time now, findings& due_batches) {
  struct running {
    std::size_t ticket = 0;
    session_time started{};
  };
  std::vector<running> candidates;
  // A worker may start a waiting batch at any time, without a notification.
  bool has_waiting_batch = false;
  std::vector<std::size_t> num_started(operations_.size());
  for (std::size_t i = 0; i < records_.size(); ++i) num_started[i] = records_[i].size();
  for (std::size_t ticket = 0; ticket < in_flight.entries().size(); ++ticket) {
    const submitted_batch& submitted = in_flight.entries()[ticket];
    if (!submitted.is_open || submitted.is_superseded) continue;
    const std::optional<session_time> started = session.started(ticket);
    if (!started) {
      has_waiting_batch = has_waiting_batch || may_have_backup(submitted);
      continue;
    }
    ++num_started[submitted.batch.operation];
    if (may_have_backup(submitted)) candidates.push_back({ticket, *started});
  }
  session_time pause = backups_.at_least;
  for (const auto& [ticket, started] : candidates) {
    const task_batch& batch = in_flight.entries()[ticket].batch;
    const auto limit = records_[batch.operation].limit(backups_, num_started[batch.operation]);
    if (!limit) continue;
    pause = std::max(pause, *limit);
    const session_time due = started + *limit * batch.count;
    if (now > due) {
      due_batches.stragglers.push_back(ticket);
    } else {
      next_straggler_ = std::min(next_straggler_.value_or(due), due);
    }
  }
  if (has_waiting_batch)
    next_straggler_ = std::min(next_straggler_.value_or(now + pause), now + pause);
  next_backup_check_ = now + pause / 16;
  if (next_straggler_) next_straggler_ = std::max(*next_straggler_, next_backup_check_);
}

bool watchdog::may_have_backup(const submitted_batch& submitted) const {
  return !submitted.has_had_backup && !submitted.has_timed_out &&
         submitted.batch.worker == any_worker &&
         operations_[submitted.batch.operation].may_be_duplicated;
}

std::optional<session_time> watchdog::next_check() const {
  if (!timeout_) return next_straggler_;
  return std::min(next_straggler_.value_or(next_timeout_check_), next_timeout_check_);
}

}  // namespace tessera
