// SPDX-License-Identifier: Apache-2.0
/// \file
/// Answers calls of the functions of the Python Array API standard: usage: serve <work directory>.
#include "tessera/core/error.hpp"
#include "tessera/core/spec.hpp"

#include "array_api/call.hpp"

#include <algorithm>
#include <iostream>
#include <memory>

namespace tessera::array_api {
namespace {

/// Returns a message in one line, behind its kind.
std::string refused(const char* kind, std::string message) {
  std::replace(message.begin(), message.end(), '\n', ' ');
  return std::string("error ") + kind + " " + message + "\n";
}

std::string answer_of(const functions& table, const std::string& name, const call& given) {
  const auto entry = table.find(name);
  if (entry == table.end()) return refused("missing", name);
  try {
    return answer(entry->second(given));
  } catch (const dtype_error& e) {
    return refused("dtype", e.what());
  } catch (const shape_error& e) {
    return refused("shape", e.what());
  } catch (const value_error& e) {
    return refused("value", e.what());
  } catch (const std::exception& e) {
    return refused("other", e.what());
  }
}

void serve(const std::string& work_dir) {
  functions table;
  for (const auto add : {add_elementwise, add_creation, add_manipulation, add_reductions, add_lines,
                         add_selections, add_products, add_matrices, add_transforms}) {
    add(table);
  }
  const auto limits = std::make_shared<const spec>(spec{.work_dir = work_dir});
  while (const auto next = read_call(std::cin, limits)) {
    const std::string text = answer_of(table, next->first, next->second);
    std::cout.write(text.data(), static_cast<std::streamsize>(text.size()));
    std::cout.flush();
  }
}

}  // namespace
}  // namespace tessera::array_api

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: serve <work directory>\n";
    return 2;
  }
  tessera::array_api::serve(argv[1]);
  return 0;
}
