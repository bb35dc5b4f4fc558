// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The executor and the spec of a plan's conformance test.

#include "tessera/array/plan.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/scheduler/executor.hpp"

#include <atomic>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <system_error>
#include <utility>

namespace tessera::testing {

/// An executor, and a spec with a work directory, which is removed with its files.
class plan_setting {
 public:
  explicit plan_setting(std::shared_ptr<executor> engine)
      : plan_setting(std::move(engine), new_directory()) {}
  /// Processes that compute together need the same directory.
  plan_setting(std::shared_ptr<executor> engine, std::string work_dir) {
    spec_.work_dir = std::move(work_dir);
    spec_.allowed_memory = bytes{4'000'000};
    settings_.executor = std::move(engine);
  }
  plan_setting(const plan_setting&) = delete;
  plan_setting& operator=(const plan_setting&) = delete;
  ~plan_setting() {
    std::error_code ignored;
    std::filesystem::remove_all(spec_.work_dir, ignored);
  }

  [[nodiscard]] const tessera::spec& spec() const { return spec_; }
  [[nodiscard]] const run_with& settings() const { return settings_; }
  [[nodiscard]] std::string directory(const std::string& name) const {
    return spec_.work_dir + "/" + name;
  }

 private:
  static std::string new_directory() {
    static std::atomic<unsigned> num_made{0};
    const std::string name = "tessera-conformance-" + std::to_string(std::random_device{}()) + "-" +
                             std::to_string(num_made++);
    return (std::filesystem::temp_directory_path() / name).string();
  }

  tessera::spec spec_;
  run_with settings_;
};

}  // namespace tessera::testing
