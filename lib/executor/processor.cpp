// SPDX-License-Identifier: Apache-2.0
#include "executor/processor.hpp"

#include "executor/unfit_worker.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tessera {

namespace {

struct processor_feature {
  std::string_view name;
  bool is_present = false;
};

// The builtin takes literals only.
#define TESSERA_FEATURE(name) \
  processor_feature { name, __builtin_cpu_supports(name) != 0 }

auto features_of_host() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_cpu_init();
  return std::array{TESSERA_FEATURE("sse3"),
                    TESSERA_FEATURE("ssse3"),
                    TESSERA_FEATURE("sse4.1"),
                    TESSERA_FEATURE("sse4.2"),
                    TESSERA_FEATURE("sse4a"),
                    TESSERA_FEATURE("popcnt"),
                    TESSERA_FEATURE("avx"),
                    TESSERA_FEATURE("avx2"),
                    TESSERA_FEATURE("fma"),
                    TESSERA_FEATURE("fma4"),
                    TESSERA_FEATURE("bmi"),
                    TESSERA_FEATURE("bmi2"),
                    TESSERA_FEATURE("avx512f"),
                    TESSERA_FEATURE("avx512cd"),
                    TESSERA_FEATURE("avx512dq"),
                    TESSERA_FEATURE("avx512bw"),
                    TESSERA_FEATURE("avx512vl"),
                    TESSERA_FEATURE("avx512ifma"),
                    TESSERA_FEATURE("avx512vbmi"),
                    TESSERA_FEATURE("avx512vbmi2"),
                    TESSERA_FEATURE("avx512vnni"),
                    TESSERA_FEATURE("avx512bitalg"),
                    TESSERA_FEATURE("avx512vpopcntdq")};
#else
  return std::array<processor_feature, 0>{};
#endif
}

#undef TESSERA_FEATURE

}  // namespace

std::string lacking_features(const char* const* features) {
  const auto host = features_of_host();
  std::string lacking;
  for (; *features != nullptr; ++features) {
    const auto known =
        std::ranges::find(host, std::string_view(*features), &processor_feature::name);
    if (known == host.end() || known->is_present) continue;
    if (!lacking.empty()) lacking += ", ";
    lacking += known->name;
  }
  return lacking;
}

}  // namespace tessera

void tessera_require_processor(const char* const* features) {
  const std::string lacking = tessera::lacking_features(features);
  if (lacking.empty()) return;
  std::fprintf(stderr, "this program was built for a processor with %s, which this host lacks\n",
               lacking.c_str());
  std::_Exit(tessera::exit_code_of_unfit);
}
