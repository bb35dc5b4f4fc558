// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The Slurm that cluster.sh runs for the tests, and options that suit it.

#include "tessera/executor/slurm.hpp"

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace tessera::testing {

/// A folder that is there for as long as the program runs.
inline const std::string& own_folder() {
  struct folder {
    std::string path =
        (std::filesystem::temp_directory_path() / fmt::format("slurm-test-{}", getpid())).string();
    ~folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const folder own;
  return own.path;
}

/// Returns options for a Slurm on this host, which answers at once.
inline slurm_options quick_options(std::size_t workers) {
  using namespace std::chrono_literals;
  slurm_options options;
  options.workers = workers;
  options.directory = own_folder();
  options.timing = {.poll = 20ms, .query = 300ms, .visible = 100ms, .patience = 60s};
  return options;
}

}  // namespace tessera::testing
