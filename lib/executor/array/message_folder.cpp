// SPDX-License-Identifier: Apache-2.0
#include "executor/api/message_folder.hpp"

#include "tessera/store/open_store.hpp"

#include "core/api/location_names.hpp"
#include "executor/array/directory_messages.hpp"
#include "executor/array/stored_messages.hpp"

#include <algorithm>

namespace tessera::job_arrays {

std::shared_ptr<message_folder> open_message_folder(const std::string& location) {
  if (is_location(location)) {
    return std::make_shared<stored_messages>(location, open_store(location));
  }
  return std::make_shared<directory_messages>(location);
}

split_location split_folder(const std::string& location) {
  if (!is_location(location)) {
    const std::filesystem::path path = location;
    return {path.parent_path().string(), path.filename().string()};
  }
  const std::size_t options = std::min(location.rfind('?'), location.size());
  const std::size_t slash = location.rfind('/', options);
  return {location.substr(0, slash) + location.substr(options),
          location.substr(slash + 1, options - slash - 1)};
}

}  // namespace tessera::job_arrays
