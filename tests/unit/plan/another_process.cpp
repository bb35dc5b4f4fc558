// SPDX-License-Identifier: Apache-2.0
#include "unit/plan/another_process.hpp"

#include "tessera/tessera.hpp"

#include "plan/api/program_identity.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <gtest/gtest.h>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <unistd.h>

namespace tessera::testing {

std::string run_in_another_process(const std::vector<std::string>& arguments) {
  std::string command = "exec /proc/" + std::to_string(::getpid()) + "/exe";
  for (const std::string& argument : arguments) command += " '" + argument + "'";
  std::FILE* const output = ::popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("popen failed");
  std::string text;
  std::array<char, 256> block;
  while (std::fgets(block.data(), block.size(), output) != nullptr) text += block.data();
  if (::pclose(output) != 0) throw std::runtime_error("the other process failed: " + text);
  return text;
}

std::string identity_of_a_program(double constant, unsigned seed) {
  const auto x = random::uniform<double>({40, 30}, {.chunks = {7, 8}, .seed = seed});
  const auto y = map([constant](double v) { return v * constant; }, x) + mean(x);
  return plan(sum(y * y), var(x), y + constant).bounded().identity();
}

}  // namespace tessera::testing

namespace ts = tessera;

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 4 && arguments[0] == "run") {
    const auto plan = ts::bounded_plan::load(arguments[1]);
    const auto elements = ts::execute(plan).front().elements;
    const auto size = std::stoll(arguments[3]);
    std::ofstream(arguments[2], std::ios::binary)
        .write(reinterpret_cast<const char*>(elements.get()), size);
    std::cout << ts::program_identity();
    return 0;
  }
  if (arguments == std::vector<std::string>{"identity"}) {
    std::cout << ts::testing::identity_of_a_program();
    return 0;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
