// SPDX-License-Identifier: Apache-2.0

/// \file
/// Logs of runs: an input is a whole file, a header, or the columns of a block.

#include "tessera/core/error.hpp"

#include "observe/api/run_log.hpp"
#include "observe/record/deflate.hpp"
#include "observe/record/event_block.hpp"
#include "observe/record/log_file.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

using namespace tessera;

/// A file in memory.
class memory_file {
 public:
  explicit memory_file(std::string_view content) : descriptor_(memfd_create("log", 0)) {
    if (descriptor_ < 0) std::abort();
    const auto size = static_cast<ssize_t>(content.size());
    if (write(descriptor_, content.data(), content.size()) != size) std::abort();
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() { close(descriptor_); }

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

void read_file(std::string_view content) {
  const memory_file file(content);
  try {
    run_log_reader reader(file.path());
    while (reader.next_block()) {
    }
  } catch (const value_error&) {
  }
}

/// A block that is read is written and read again as it was.
void read_block(std::string_view columns, std::uint64_t version) {
  const auto events = event_decoder(version).decode(deflated(columns));
  if (!events) return;
  const auto again = event_decoder().decode(event_encoder().encode(*events));
  if (!again || *again != *events) std::abort();
}

}  // namespace

/// The first byte chooses the kind of the rest.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 4) {
    case 0:
      read_file(rest);
      break;
    case 1:
      read_file(std::string(run_log_magic) + record_of(rest));
      break;
    case 2:
      read_block(rest, run_log_version);
      break;
    default:
      read_block(rest, oldest_run_log_version);
      break;
  }
  return 0;
}
