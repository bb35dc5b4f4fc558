// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// An executor on a virtual clock: a test decides how long batches take and how they end.

#include "tessera/scheduler/executor.hpp"

#include <algorithm>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::testing {

/// The fate of a batch: its time, how many of its tasks end well, and the failure that ends it
/// then.
struct fate {
  session_time takes{};
  std::optional<index_t> done = std::nullopt;
  std::exception_ptr failure = nullptr;
};

/// A batch as it was handed out.
struct handed_out {
  task_batch batch;
  std::size_t worker = 0;
  session_time started{};
};

/// An executor on a virtual clock: a test decides how long batches take and how they end. Nothing
/// of the workload is run.
class virtual_engine final : public executor {
 public:
  /// Says how a batch goes; `copy` counts, from one, how often its first task has been handed out.
  using script = std::function<fate(const task_batch&, int copy)>;

  virtual_engine(std::size_t num_workers, script plan)
      : num_workers_(num_workers), plan_(std::move(plan)) {}

  std::string name() const override { return "virtual"; }
  std::size_t num_workers() const override { return num_workers_; }
  executor_traits traits() const override { return properties; }
  std::unique_ptr<executor_session> start(workload&) override {
    return std::make_unique<session>(*this);
  }

  executor_traits properties;
  bool can_abandon = true;
  /// The time after its start at which a batch is seen to have started.
  session_time seen_after{};
  /// The batches in order of their starts.
  std::vector<handed_out> history;
  int num_abandoned = 0;
  /// The most batches that have waited for a worker at once.
  std::size_t most_waiting = 0;
  /// The time at which the last completion was answered.
  session_time end{};

 private:
  struct item {
    task_batch batch;
    std::uint64_t ticket = 0;
    std::size_t worker = any_worker;
    session_time started{};
    fate outcome;
    bool is_dropped = false;
  };

  class session final : public executor_session {
   public:
    explicit session(virtual_engine& owner) : owner_(owner), is_busy_(owner.num_workers_, false) {}

    void submit(const task_batch& batch, std::uint64_t ticket) override {
      waiting_.push_back({.batch = batch, .ticket = ticket, .outcome = {}});
      start_waiting();
      owner_.most_waiting = std::max(owner_.most_waiting, waiting_.size());
    }

    std::optional<task_completion> wait(std::optional<session_time> until) override {
      const auto next =
          std::min_element(running_.begin(), running_.end(),
                           [](const item& a, const item& b) { return end_of(a) < end_of(b); });
      if (next == running_.end() || (until && end_of(*next) > *until)) {
        now_ = std::max(now_, until.value());
        return std::nullopt;
      }
      const item ended = *next;
      running_.erase(next);
      now_ = std::max(now_, end_of(ended));
      owner_.end = now_;
      is_busy_[ended.worker] = false;
      start_waiting();
      task_completion completion;
      completion.ticket = ended.ticket;
      completion.worker = ended.worker;
      completion.started = ended.started;
      completion.ended = now_;
      if (!ended.is_dropped) {
        completion.done = ended.outcome.done.value_or(ended.batch.count);
        completion.failure = ended.outcome.failure;
      }
      return completion;
    }

    void cancel() override {
      for (item& batch : waiting_) {
        batch.is_dropped = true;
        batch.worker = 0;
        batch.started = now_;
        batch.outcome = {};
        running_.push_back(batch);
      }
      waiting_.clear();
    }

    session_time now() const override { return now_; }

    std::optional<session_time> started(std::uint64_t ticket) const override {
      const auto running = find(ticket);
      if (running == running_.end() || now_ < running->started + owner_.seen_after)
        return std::nullopt;
      return running->started;
    }

    bool abandon(std::uint64_t ticket) override {
      const auto running = running_.begin() + (find(ticket) - running_.cbegin());
      if (!owner_.can_abandon || running == running_.end()) return false;
      ++owner_.num_abandoned;
      running->is_dropped = true;
      running->outcome.takes = now_ - running->started;
      return true;
    }

   private:
    static session_time end_of(const item& running) {
      return running.started + running.outcome.takes;
    }

    std::vector<item>::const_iterator find(std::uint64_t ticket) const {
      return std::find_if(running_.begin(), running_.end(),
                          [ticket](const item& running) { return running.ticket == ticket; });
    }

    void start_waiting() {
      for (auto waiting = waiting_.begin(); waiting != waiting_.end();) {
        const std::size_t worker = worker_for(waiting->batch);
        if (worker == any_worker) {
          ++waiting;
          continue;
        }
        is_busy_[worker] = true;
        waiting->worker = worker;
        waiting->started = now_;
        const auto is_same = [&](const handed_out& started_batch) {
          return started_batch.batch.operation == waiting->batch.operation &&
                 started_batch.batch.first == waiting->batch.first;
        };
        const auto copies = std::count_if(owner_.history.begin(), owner_.history.end(), is_same);
        waiting->outcome = owner_.plan_(waiting->batch, static_cast<int>(copies) + 1);
        owner_.history.push_back({waiting->batch, worker, now_});
        running_.push_back(*waiting);
        waiting = waiting_.erase(waiting);
      }
    }

    std::size_t worker_for(const task_batch& batch) const {
      if (batch.worker != any_worker) return is_busy_[batch.worker] ? any_worker : batch.worker;
      const auto free = std::find(is_busy_.begin(), is_busy_.end(), false);
      return free == is_busy_.end() ? any_worker
                                    : static_cast<std::size_t>(free - is_busy_.begin());
    }

    virtual_engine& owner_;
    std::vector<bool> is_busy_;
    std::vector<item> waiting_;
    std::vector<item> running_;
    session_time now_{};
  };

  std::size_t num_workers_;
  script plan_;
};

}  // namespace tessera::testing
