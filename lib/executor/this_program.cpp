// SPDX-License-Identifier: Apache-2.0
#include "executor/api/this_program.hpp"

#include "tessera/executor/worker_role.hpp"

#include <filesystem>

namespace tessera {

std::vector<std::string> this_program() {
  std::vector<std::string> words = program_arguments();
  words.front() = std::filesystem::read_symlink("/proc/self/exe").string();
  return words;
}

}  // namespace tessera
