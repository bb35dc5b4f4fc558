// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/memory.hpp"

#include "tessera/executor/executors.hpp"
#include "tessera/scheduler/scheduler.hpp"

#include "core/api/shared_pages.hpp"
#include "executor/code_pages.hpp"
#include "executor/process_status.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

namespace {

/// The memory of a plan and of its state in the scheduler: 30 to 100 kB were measured.
constexpr bytes of_a_plan{256 * 1024};

/// Tasks that touch the memory of any task: the worker's stack and its allocator.
class warm_up final : public workload {
 public:
  explicit warm_up(std::size_t num_workers) : operations_(1) {
    operations_[0].name = "warm-up";
    operations_[0].num_tasks = static_cast<index_t>(64 * num_workers);
    operations_[0].element_steps_per_task = 1 << 20;
  }
  const std::vector<workload_operation>& operations() const override { return operations_; }
  void begin(std::size_t) override {}
  void run(std::size_t, index_t, std::size_t) override {
    constexpr std::size_t size = 64 * 1024;
    const std::unique_ptr<char[]> block(new char[size]);
    std::memset(block.get(), 1, size);
    asm volatile("" : : "r"(block.get()) : "memory");  // else the compiler removes both
  }
  void end(std::size_t) override {}
  std::string describe(std::size_t, index_t task) const override {
    return "task " + std::to_string(task);
  }

 private:
  std::vector<workload_operation> operations_;
};

}  // namespace

bytes read_process_status(std::string_view key) {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::uint64_t kibibytes = 0;
    if (word == key && status >> kibibytes) return bytes{kibibytes * 1024};
  }
  return bytes{0};
}

bytes resident_memory() { return read_process_status("VmRSS:"); }

// Results that other processes have computed belong to this process. The host holds them already,
// but they become resident here only when they are read.
bytes memory_with_code() {
  map_code();
  const bytes shared{shared_pages_taken()};
  return resident_memory() + (shared - std::min(shared, read_process_status("RssShmem:")));
}

bytes memory_before_run() { return memory_with_code() + of_a_plan; }

bytes peak_memory() { return read_process_status("VmHWM:"); }

bool reset_peak_memory() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  return file.good();
}

bytes measure_reserved_memory(const std::shared_ptr<executor>& engine) {
  const std::shared_ptr<executor> measured = engine ? engine : default_executor();
  const executor_traits traits = measured->traits();
  if (!traits.shares_memory) {
    return traits.worker_memory > bytes{0} ? traits.worker_memory : resident_memory();
  }
  warm_up work(measured->num_workers());
  run(work, *measured);
  return memory_before_run();
}

}  // namespace tessera
