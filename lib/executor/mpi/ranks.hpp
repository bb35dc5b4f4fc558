// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The ranks of a communicator as a team.

#include "tessera/executor/communicator.hpp"
#include "tessera/scheduler/team.hpp"

#include <exception>
#include <string>
#include <thread>

namespace tessera::mpi {

/// The ranks of a communicator, the first of which leads.
class ranks final : public team {
 public:
  explicit ranks(const communicator& comm) : comm_(comm) {}

  /// Throws, also on the first rank: value_error <- another thread asks than made it.
  [[nodiscard]] bool serve(workload& work) override;
  void conclude(const std::exception_ptr& failure) override;
  void meet(const std::exception_ptr& failure) override;

 private:
  void tell_others(const std::string& failure) const;
  void require_own_thread() const;

  const communicator& comm_;
  std::thread::id thread_ = std::this_thread::get_id();
};

}  // namespace tessera::mpi
