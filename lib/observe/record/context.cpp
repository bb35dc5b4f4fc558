// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/bytes.hpp"
#include "tessera/version.hpp"

#include "core/api/host_memory.hpp"
#include "observe/api/run_context.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <string_view>
#include <sys/utsname.h>
#include <system_error>
#include <thread>

namespace tessera {

namespace {

/// Returns the first "model name" of /proc/cpuinfo, or "unknown".
std::string processor() {
  constexpr std::string_view key = "model name";
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with(key) && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown";
}

std::string program() {
  std::error_code failure;
  return std::filesystem::read_symlink("/proc/self/exe", failure).filename().string();
}

}  // namespace

std::map<std::string, std::string> context_of_run() {
  utsname system{};
  ::uname(&system);
  return {{"host", system.nodename},
          {"processor", processor()},
          {"cores", fmt::format("{}", std::thread::hardware_concurrency())},
          {"memory", format(host_memory())},
          {"kernel", fmt::format("{} {}", system.sysname, system.release)},
          {"compiler", __VERSION__},
          {"tessera", fmt::format("{}.{}.{}", TESSERA_VERSION_MAJOR, TESSERA_VERSION_MINOR,
                                  TESSERA_VERSION_PATCH)},
          {"program", program()}};
}

}  // namespace tessera
