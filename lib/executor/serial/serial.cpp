// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/run_batch.hpp"

#include "core/api/host_name.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera::executors {

namespace {

/// A submitted batch runs when its completion is waited for.
class serial_session final : public executor_session {
 public:
  explicit serial_session(workload& work) : work_(work) {}

  void submit(const task_batch& batch, std::uint64_t ticket) override {
    queue_.push_back({batch, ticket});
  }

  std::optional<task_completion> wait(std::optional<session_time> until) override {
    if (queue_.empty()) {
      std::this_thread::sleep_until(clock_.at(until.value()));
      return std::nullopt;
    }
    const submission next = queue_.front();
    queue_.pop_front();
    if (!is_cancelled_) return run_batch(work_, next, 0, clock_);
    return task_completion{next.ticket, 0, nullptr, 0, now(), now()};
  }

  std::vector<worker_start> started_workers() override {
    if (std::exchange(is_told_, true)) return {};
    return {{.worker = 0, .host = host_name()}};
  }

  void cancel() override { is_cancelled_ = true; }

  session_time now() const override { return clock_.now(); }

 private:
  workload& work_;
  session_clock clock_;
  std::deque<submission> queue_;
  bool is_cancelled_ = false;
  bool is_told_ = false;  ///< whether the start of the worker was told
};

class serial_executor final : public executor {
 public:
  std::string name() const override { return "serial"; }
  std::size_t num_workers() const override { return 1; }
  std::unique_ptr<executor_session> start(workload& work) override {
    return std::make_unique<serial_session>(work);
  }
};

}  // namespace

std::shared_ptr<executor> serial() { return std::make_shared<serial_executor>(); }

}  // namespace tessera::executors
