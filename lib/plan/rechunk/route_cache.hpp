// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The routes of rechunks that one planning has searched.
///
/// A planning makes several attempts at a plan, and most of them rechunk the same arrays within the
/// same limits. The routes of a problem depend on the problem alone, so that attempts share them.

#include "plan/rechunk/route.hpp"

#include <cstddef>
#include <unordered_map>
#include <vector>

namespace tessera::rechunking {

/// The answers of `shortest_routes`, by problem. Not safe for use by several threads.
class route_cache {
 public:
  /// Returns `shortest_routes(of)`, which is searched for once.
  [[nodiscard]] const std::vector<route>& find(const problem& of);

  [[nodiscard]] std::size_t num_questions() const { return num_questions_; }
  [[nodiscard]] std::size_t num_searches() const { return routes_.size(); }

 private:
  struct hash {
    [[nodiscard]] std::size_t operator()(const problem& of) const;
  };

  std::unordered_map<problem, std::vector<route>, hash> routes_;
  std::size_t num_questions_ = 0;
};

}  // namespace tessera::rechunking
