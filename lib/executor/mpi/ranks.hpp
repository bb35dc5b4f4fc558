// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The ranks of a communicator as a process group.

#include "tessera/executor/communicator.hpp"
#include "tessera/scheduler/process_group.hpp"

#include <exception>
#include <string>
#include <thread>

namespace tessera::mpi {

/// The ranks of a communicator, the first of which leads.
class ranks final : public process_group {
 public:
  explicit ranks(const communicator& comm) : comm_(comm) {}

  [[nodiscard]] bool is_leader() const override { return comm_.rank() == 0; }
  /// Throws, also on the first rank: value_error <- the calling thread is not the constructing one.
  [[nodiscard]] bool serve(workload& work) override;
  void conclude(const std::exception_ptr& failure) override;
  void meet(const std::exception_ptr& failure) override;

 private:
  void send_outcome(const std::string& failure) const;
  void require_own_thread() const;

  const communicator& comm_;
  std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace tessera::mpi
