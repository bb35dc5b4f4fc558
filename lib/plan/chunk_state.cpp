// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/chunk_state.hpp"

#include "tessera/core/error.hpp"
#include "tessera/plan/fingerprint.hpp"
#include "tessera/zarr/directory_store.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fmt/format.h>
#include <sys/stat.h>

namespace tessera {

namespace fs = std::filesystem;

std::string state_of_chunks(const zarr_array& array) {
  fs::path folder = detail::as_directory(array.store()).value().path;
  if (!array.path().empty()) folder /= array.path();
  // A sum of one hash for each file, so that the order in which they are found does not matter.
  std::array<std::uint64_t, 2> sum{};
  std::size_t count = 0;
  try {
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
      struct stat status {};
      // Metadata are compared by what they say; a file that has gone meanwhile is not there.
      if (entry.path().filename().native().starts_with(".") ||
          ::stat(entry.path().c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        continue;
      }
      fingerprint file;
      file.add(fmt::format("{}\n{} {} {}", entry.path().lexically_relative(folder).native(),
                           status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec));
      const auto words = file.words();
      for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += words[i];
      ++count;
    }
  } catch (const fs::filesystem_error& failure) {
    throw store_error(fmt::format("{}: cannot list its chunks: {}", array.name(), failure.what()));
  }
  return fmt::format("{} {:x} {:x}\n", count, sum[0], sum[1]);
}

}  // namespace tessera
