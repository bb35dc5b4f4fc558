// SPDX-License-Identifier: Apache-2.0
#include "testing/script_state.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <memory>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace tessera::testing {

namespace {

void check(bool is_well, const char* action) {
  if (!is_well) throw std::system_error(errno, std::generic_category(), action);
}

void raise_to(std::atomic<std::uint64_t>& most, std::uint64_t now) {
  std::uint64_t current = most;
  while (current < now && !most.compare_exchange_weak(current, now)) {
  }
}

}  // namespace

scripted_workload::state::state(const std::vector<workload_operation>& operations,
                                const std::vector<script_rule>& script)
    : path_((std::filesystem::temp_directory_path() / "tessera-script-XXXXXX").string()),
      is_owner_(true) {
  std::uint64_t num_tasks = 0;
  for (const workload_operation& operation : operations) {
    num_tasks += static_cast<std::uint64_t>(operation.num_tasks);
  }
  const std::size_t size = sizeof(script_header) + operations.size() * sizeof(script_operation) +
                           script.size() * sizeof(script_rule) + num_tasks * sizeof(task_counter);
  const int descriptor = mkostemp(path_.data(), O_CLOEXEC);
  check(descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(size)) == 0,
        "scripted_workload: making the file");
  map(descriptor, size);
  auto* header = new (start_) script_header;
  header->num_operations = operations.size();
  header->num_rules = script.size();
  header->num_tasks = num_tasks;
  header->num_workers = any_worker;
  std::uint64_t first = 0;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    auto* operation = new (&this->operations()[i]) script_operation;
    operation->num_tasks = static_cast<std::uint64_t>(operations[i].num_tasks);
    operation->task_memory = operations[i].task_memory.count();
    operation->first_counter = first;
    first += operation->num_tasks;
  }
  std::ranges::copy(script, const_cast<script_rule*>(rules().data()));
  std::uninitialized_default_construct(counters().begin(), counters().end());
}

scripted_workload::state::state(const std::string& path) : path_(path) {
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  struct stat status {};
  check(descriptor >= 0 && fstat(descriptor, &status) == 0, "scripted_workload: opening the file");
  map(descriptor, static_cast<std::size_t>(status.st_size));
}

scripted_workload::state::~state() {
  munmap(start_, size_);
  if (is_owner_) unlink(path_.c_str());
}

void scripted_workload::state::map(int descriptor, std::size_t size) {
  void* start = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  close(descriptor);
  check(start != MAP_FAILED, "scripted_workload: mapping the file");
  start_ = static_cast<std::byte*>(start);
  size_ = size;
}

std::span<script_operation> scripted_workload::state::operations() const {
  auto* first = reinterpret_cast<script_operation*>(start_ + sizeof(script_header));
  return {first, header().num_operations};
}

std::span<const script_rule> scripted_workload::state::rules() const {
  const auto* first =
      reinterpret_cast<const script_rule*>(operations().data() + header().num_operations);
  return {first, header().num_rules};
}

std::span<task_counter> scripted_workload::state::counters() const {
  auto* first = const_cast<script_rule*>(rules().data()) + header().num_rules;
  return {reinterpret_cast<task_counter*>(first), header().num_tasks};
}

std::span<task_counter> scripted_workload::state::counters_of(std::size_t operation) const {
  const script_operation& selected = operations()[operation];
  return counters().subspan(selected.first_counter, selected.num_tasks);
}

void scripted_workload::state::use(std::uint64_t memory) const {
  raise_to(header().peak, header().memory_in_use += memory);
}

void scripted_workload::state::enter_task(std::uint64_t memory) const {
  use(memory);
  raise_to(header().most_running, ++header().num_running);
}

void scripted_workload::state::leave_task(std::uint64_t memory) const {
  --header().num_running;
  give_back(memory);
}

}  // namespace tessera::testing
