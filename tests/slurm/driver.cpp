// SPDX-License-Identifier: Apache-2.0
//
// A driver that tests kill: makes the missing ones of the files 0 to 59 in a folder on Slurm.
//
// usage: slurm_driver <folder for jobs> <folder for files>
#include "tessera/runtime/runtime.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/scheduler/workload_registry.hpp"

#include "slurm/cluster.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

namespace tessera::testing {
namespace {

namespace fs = std::filesystem;

/// Makes two rounds of files, the second of the first.
class file_workload final : public workload {
 public:
  explicit file_workload(fs::path folder) : folder_(std::move(folder)) {
    for (workload_operation& operation : operations_) {
      operation.num_tasks = 30;
      operation.element_steps_per_task = 1 << 20;
    }
    operations_[0].name = "first";
    operations_[1].name = "second";
    operations_[1].after = {0};
  }

  const std::vector<workload_operation>& operations() const override { return operations_; }
  void begin(std::size_t) override {}
  std::vector<task_range> remaining(std::size_t operation) override {
    std::vector<task_range> missing;
    for (index_t task = 0; task < 30; ++task) {
      if (!fs::exists(file(operation, task))) missing.push_back({task, task + 1});
    }
    return missing;
  }
  void run(std::size_t operation, index_t task, std::size_t) override {
    std::this_thread::sleep_for(std::chrono::milliseconds{20});
    index_t value = task;
    if (operation == 1) std::ifstream(file(0, task)) >> value;
    const fs::path target = file(operation, task);
    const std::string beside = target.string() + "." + std::to_string(getpid());
    std::ofstream(beside) << value + 1 << '\n';
    fs::rename(beside, target);
  }
  void end(std::size_t) override {}
  std::string describe(std::size_t operation, index_t task) const override {
    return file(operation, task).string();
  }
  workload_recipe recipe() override { return {"files", folder_.string()}; }

 private:
  [[nodiscard]] fs::path file(std::size_t operation, index_t task) const {
    return folder_ / std::to_string(static_cast<index_t>(operation) * 30 + task);
  }

  fs::path folder_;
  std::vector<workload_operation> operations_ = std::vector<workload_operation>(2);
};

const bool is_known = register_workload(
    "files", [](const std::string& folder) { return std::make_unique<file_workload>(folder); });

}  // namespace
}  // namespace tessera::testing

int main(int argc, char** argv) {
  using namespace tessera;
  const runtime around{argc, argv};
  if (argc != 3) return 2;
  slurm_options options = testing::quick_options(4);
  options.directory = argv[1];
  testing::file_workload work(argv[2]);
  try {
    run(work, *executors::slurm(options));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "slurm_driver: %s\n", failure.what());
    return 1;
  }
  return 0;
}
