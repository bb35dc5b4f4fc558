// SPDX-License-Identifier: Apache-2.0
#include "core/api/resident_library.hpp"

#include "core/api/registry.hpp"

#include <algorithm>
#include <cstddef>
#include <mutex>
#include <utility>

namespace tessera {

namespace {

constexpr auto libraries = &detail::registry<resident_library>::instance;

struct load_hook {
  std::mutex mutex;
  std::function<void()> function;
};

load_hook& hook() {
  static load_hook instance;
  return instance;
}

}  // namespace

bool register_resident_library(std::string_view name, const resident_library& library) {
  return libraries().replace(name, library);
}

std::vector<resident_library> resident_libraries() {
  std::vector<resident_library> known;
  for (const std::string_view name : libraries().names()) known.push_back(*libraries().find(name));
  return known;
}

std::vector<std::string> loaded_resident_libraries() {
  std::vector<std::string> loaded;
  for (const std::string_view name : libraries().names()) {
    if (libraries().find(name)->address() != 0) loaded.emplace_back(name);
  }
  return loaded;
}

void set_before_library_load(std::function<void()> function) {
  const std::lock_guard lock(hook().mutex);
  hook().function = std::move(function);
}

void announce_library_load() {
  const std::lock_guard lock(hook().mutex);
  if (hook().function) hook().function();
}

void prepare_resident_libraries() {
  for (const resident_library& library : resident_libraries()) library.prepare();
}

void prepare_resident_libraries(std::string_view names) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(','), names.size());
    if (const resident_library* library = libraries().find(names.substr(0, end))) {
      library->prepare();
    }
    names.remove_prefix(std::min(end + 1, names.size()));
  }
}

}  // namespace tessera
