// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/on.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/hosted_executor.hpp"

#include "executor/host/crew.hpp"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

namespace tessera::executors {

namespace {

/// The executor whose loop runs on this thread, or null.
thread_local const executor* lender_of_this_thread = nullptr;

/// The crew for which this thread schedules, until `start` gives it a session; else null.
thread_local crew* crew_without_session = nullptr;

/// Sets a variable of this thread for the lifetime of the object.
template <class T>
class scoped_value {
 public:
  scoped_value(T& variable, T value)
      : variable_(variable), before_(std::exchange(variable, value)) {}
  scoped_value(const scoped_value&) = delete;
  scoped_value& operator=(const scoped_value&) = delete;
  ~scoped_value() { variable_ = before_; }

 private:
  T& variable_;
  T before_;
};

class on_executor final : public hosted_executor {
 public:
  on_executor(std::size_t count, host_loop run)
      : count_(count), run_(std::move(run)), is_sequential_(count == 1) {}

  std::string name() const override { return "on:" + std::to_string(count_); }
  std::size_t num_workers() const override { return std::max<std::size_t>(count_ - 1, 1); }

  /// A session inside a task, or outside of `host`, has no crew: it runs serially.
  std::unique_ptr<executor_session> start(workload& work) override {
    crew* const workers = std::exchange(crew_without_session, nullptr);
    if (workers == nullptr) return serial()->start(work);
    return std::make_unique<crew_session>(*workers, work);
  }

  void host(const std::function<void()>& schedule) override {
    if (lender_of_this_thread == this) return schedule();
    crew workers(num_workers(), is_sequential_);
    run_(count_, [&](std::size_t /*index*/) {
      const scoped_value<const executor*> lender(lender_of_this_thread, this);
      workers.join([&] {
        const scoped_value<crew*> scheduled(crew_without_session, &workers);
        schedule();
      });
    });
    is_sequential_ = workers.is_alone();
    workers.conclude();
  }

 private:
  std::size_t count_;
  host_loop run_;
  /// Whether the last loop called one body after the other.
  std::atomic<bool> is_sequential_;
};

}  // namespace

std::shared_ptr<executor> on(std::size_t count, host_loop run) {
  if (count == 0) throw value_error("executors::on: requires at least one thread");
  if (!run) throw value_error("executors::on: requires a loop of the host program");
  return std::make_shared<on_executor>(count, std::move(run));
}

}  // namespace tessera::executors
