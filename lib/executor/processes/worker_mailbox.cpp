// SPDX-License-Identifier: Apache-2.0
#include "executor/processes/worker_mailbox.hpp"

#include "executor/processes/system.hpp"

#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

namespace tessera {

namespace {

constexpr off_t recipe_offset = sizeof(worker_mailbox);

}  // namespace

shared_page::shared_page() : file_(memfd_create("tessera-worker", MFD_CLOEXEC)) {
  check_system(file_.get() >= 0 && ftruncate(file_.get(), recipe_offset) == 0,
               "making a worker's shared memory");
  map();
  new (page_) worker_mailbox;
}

shared_page::shared_page(descriptor file) : file_(std::move(file)) { map(); }

shared_page::~shared_page() {
  if (page_ != nullptr) munmap(page_, sizeof(worker_mailbox));
}

void shared_page::map() {
  void* start =
      mmap(nullptr, sizeof(worker_mailbox), PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  check_system(start != MAP_FAILED, "mapping a worker's shared memory");
  page_ = static_cast<worker_mailbox*>(start);
}

void shared_page::write_recipe(const workload_recipe& recipe) {
  const std::string text = recipe.kind + recipe.content;
  std::size_t written = 0;
  while (written < text.size()) {
    const ssize_t count = pwrite(file_.get(), text.data() + written, text.size() - written,
                                 recipe_offset + static_cast<off_t>(written));
    check_system(count > 0, "writing a recipe");
    written += static_cast<std::size_t>(count);
  }
  page_->kind_size = recipe.kind.size();
  page_->content_size = recipe.content.size();
  ++page_->recipe_number;
}

workload_recipe shared_page::read_recipe() const {
  std::string text(page_->kind_size + page_->content_size, '\0');
  std::size_t read = 0;
  while (read < text.size()) {
    const ssize_t count = pread(file_.get(), text.data() + read, text.size() - read,
                                recipe_offset + static_cast<off_t>(read));
    check_system(count > 0, "reading a recipe");
    read += static_cast<std::size_t>(count);
  }
  return {text.substr(0, page_->kind_size), text.substr(page_->kind_size)};
}

}  // namespace tessera
