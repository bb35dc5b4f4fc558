// SPDX-License-Identifier: Apache-2.0
#include "tessera/task/resume.hpp"

#include "tessera/core/error.hpp"

#include "task/continued.hpp"

#include <atomic>
#include <string>

namespace tessera {

namespace {

std::atomic<resume_mode> mode_by_default{resume_mode::automatic};

}  // namespace

resume_mode parse_resume_mode(std::string_view text) {
  if (text == "auto") return resume_mode::automatic;
  if (text == "never") return resume_mode::never;
  if (text == "require") return resume_mode::require;
  throw value_error("resume mode \"" + std::string(text) +
                    "\" does not exist; choose auto, never or require");
}

resume_mode set_default_resume(resume_mode mode) { return mode_by_default.exchange(mode); }

resume_mode default_resume() { return mode_by_default; }

void note_continued() {
  resume_mode required = resume_mode::require;
  mode_by_default.compare_exchange_strong(required, resume_mode::automatic);
}

}  // namespace tessera
