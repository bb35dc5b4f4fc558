// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fstream>
#include <string>

namespace tessera::test {

/// The bytes that this process has read from files and written to them so far, and how often.
struct file_bytes {
  file_bytes() {
    std::ifstream counts("/proc/self/io");
    std::string name;
    for (long count = 0; counts >> name >> count;) {
      if (name == "rchar:") read = count;
      if (name == "wchar:") written = count;
      if (name == "syscr:" || name == "syscw:") calls += count;
    }
  }
  long read = 0;
  long written = 0;
  long calls = 0;
};

}  // namespace tessera::test
