// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The copy of a stored array as a workload: elements of any data type, which are moved as they
/// are.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/array_source.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/scheduler/team.hpp"
#include "tessera/scheduler/workload.hpp"

#include "task/arena.hpp"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tessera {

/// The copy of a stored array as a workload: one operation, each task of which copies a block of
/// whole chunks of the destination.
class copy_workload final : public workload, private teamwork {
 public:
  /// Throws: value_error <- `to` is where `from` is. memory_error <- a task would need more than
  ///         the allowed memory.
  copy_workload(std::shared_ptr<const array_source> from,
                std::shared_ptr<const array_destination> to, const spec& limits);

  /// Makes the workload that `recipe` of another one describes, in a process that runs its tasks.
  [[nodiscard]] static std::unique_ptr<workload> from_recipe(const std::string& content);

  [[nodiscard]] const std::vector<workload_operation>& operations() const override {
    return operations_;
  }
  void begin(std::size_t operation) override;
  void run(std::size_t operation, index_t task, std::size_t worker) override;
  void limit_tasks(bytes all) override { arenas_.set_limit(all.count()); }
  void end(std::size_t) override {}
  [[nodiscard]] std::string describe(std::size_t operation, index_t task) const override;
  [[nodiscard]] workload_recipe recipe() override;
  [[nodiscard]] tessera::teamwork* teamwork() override { return this; }

  /// Returns the copy; called once all tasks have ended.
  [[nodiscard]] std::shared_ptr<const array_sink> result();

 private:
  [[nodiscard]] workload_recipe invitation() override { return recipe(); }
  void join(const workload_recipe& leader) override;

  /// What a task needs: the elements of a block, and what reading and writing them takes.
  struct buffer_sizes {
    std::size_t elements = 0;
    std::size_t decoded = 0;
    std::size_t encoded = 0;
    std::size_t workspace = 0;

    [[nodiscard]] std::size_t arena() const { return elements + decoded + encoded; }
  };

  [[nodiscard]] buffer_sizes sizes_for(const index_vector& block) const;
  [[nodiscard]] bytes memory_for(const index_vector& block, const spec& limits) const;
  void check_memory(const spec& limits) const;
  void attach();

  std::shared_ptr<const array_source> from_;
  std::shared_ptr<const array_destination> to_;
  chunk_grid blocks_;
  buffer_sizes sizes_;
  std::vector<workload_operation> operations_;
  bytes allowed_memory_;
  bytes reserved_memory_;
  std::shared_ptr<const array_sink> copy_;
  bool is_serving_ = false;  ///< whether another process schedules
  std::mutex attaching_;
  arena_pool arenas_;
};

}  // namespace tessera
