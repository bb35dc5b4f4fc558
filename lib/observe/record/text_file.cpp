// SPDX-License-Identifier: Apache-2.0
#include "observe/api/text_file.hpp"

#include "tessera/core/error.hpp"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <system_error>

namespace tessera {

void write_text_file(const std::string& path, std::string_view text) {
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  std::error_code failure;
  if (file) std::filesystem::rename(unfinished, path, failure);
  if (file && !failure) return;
  throw store_error(fmt::format("cannot write \"{}\": {}", path,
                                failure ? failure.message() : std::strerror(errno)));
}

}  // namespace tessera
