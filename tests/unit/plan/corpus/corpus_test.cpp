// SPDX-License-Identifier: Apache-2.0
/// \file
/// Compares the plans of the corpus with the stored texts; a change of the planner is seen in their
/// difference. With the environment variable TESSERA_RENEW_PLANS set, it writes the texts anew.

#include "unit/plan/corpus/corpus.hpp"

#include "unit/plan/lines_of.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

namespace tessera::test {
namespace {

struct family {
  const char* name;
  std::vector<corpus_program> (*programs)();
  /// Whether the build has the libraries whose workspace the stored plans were chosen with.
  bool has_libraries = true;
};

void PrintTo(const family& family, std::ostream* out) { *out << family.name; }

std::string path_of(const family& family) {
  return std::string(TESSERA_PRINTED_PLANS) + "/" + family.name + ".txt";
}

std::string print_family(const family& family) {
  std::string text;
  for (const corpus_program& program : family.programs()) {
    for (const corpus_setting& setting : corpus_settings()) {
      text += print_program(program, setting) + "\n";
    }
  }
  return text;
}

std::string read_text(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Returns the first line that differs, with the title of its plan above it.
std::string first_difference(const std::string& stored, const std::string& printed) {
  const std::vector<std::string> old_lines = lines_of(stored);
  const std::vector<std::string> new_lines = lines_of(printed);
  std::string title;
  for (std::size_t i = 0; i < new_lines.size(); ++i) {
    if (new_lines[i].starts_with("==")) title = new_lines[i] + "\n";
    const std::string old_line = i < old_lines.size() ? old_lines[i] : "";
    if (old_line != new_lines[i]) {
      return title + "stored:  " + old_line + "\nprinted: " + new_lines[i];
    }
  }
  return "the stored text is longer";
}

class PrintedPlans : public testing::TestWithParam<family> {};

TEST_P(PrintedPlans, AreTheStoredPlans) {
  const std::string printed = print_family(GetParam());
  if (std::getenv("TESSERA_RENEW_PLANS") != nullptr) {
    std::ofstream(path_of(GetParam())) << printed;
    return;
  }
  const std::string stored = read_text(path_of(GetParam()));
  if (stored == printed) return;
  FAIL() << first_difference(stored, printed)
         << "\nIf the plans are meant to change, run this test with TESSERA_RENEW_PLANS=1.";
}

/// The families whose tasks have the same workspace in each build, and the ones of this build.
std::vector<family> families() {
  std::vector<family> programs{{"maps", map_programs},
                               {"folds", fold_programs},
                               {"scans", scan_programs},
                               {"stencils", stencil_programs},
                               {"gathers", gather_programs},
                               {"rechunks", rechunk_programs},
                               {"lines", line_programs, TESSERA_FFTW == 0},
                               {"products", product_programs, TESSERA_OPENBLAS == 1}};
  std::erase_if(programs, [](const family& group) { return !group.has_libraries; });
  return programs;
}

INSTANTIATE_TEST_SUITE_P(Families, PrintedPlans, testing::ValuesIn(families()),
                         [](const testing::TestParamInfo<family>& info) {
                           return std::string(info.param.name);
                         });

}  // namespace
}  // namespace tessera::test
