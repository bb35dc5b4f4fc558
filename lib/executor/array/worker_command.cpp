// SPDX-License-Identifier: Apache-2.0
#include "executor/array/worker_command.hpp"

#include "tessera/executor/worker_role.hpp"

#include "executor/api/driver_host.hpp"
#include "executor/api/this_program.hpp"
#include "executor/array/array_folder.hpp"
#include "executor/array/run_command.hpp"
#include "executor/array/worker.hpp"

#include <fmt/format.h>

namespace tessera::job_arrays {

namespace {

// In this file, because the linker includes it in every program that starts elements.
const bool is_role_known = register_worker_role(role, play_role);

}  // namespace

std::string worker_text(std::string_view index, const std::string& folder) {
  return fmt::format("{}:{}:{}", role, index, folder);
}

std::string script_assignments(std::string_view index, const array_request& request) {
  const std::string folder = request.is_stored() ? request.location : request.folder.string();
  const std::string text =
      request.is_driver ? fmt::format("{}:{}", driver_role, folder) : worker_text(index, folder);
  return fmt::format("OPENBLAS_NUM_THREADS=1 {}={}", worker_variable, quote(text));
}

std::string script_redirection(std::string_view index, const array_request& request) {
  return fmt::format("if [ -d {0} ]; then exec >>{0}/{1}{2} 2>&1; fi",
                     quote(request.folder.string()), index, output_extension);
}

std::string script_command() {
  std::string command;
  for (const std::string& word : this_program()) {
    command += fmt::format("{}{}", command.empty() ? "" : " ", quote(word));
  }
  return command;
}

std::string measuring_text(const std::string& run_folder) {
  return fmt::format("{}:{}{}", role, measure_prefix, run_folder);
}

}  // namespace tessera::job_arrays
