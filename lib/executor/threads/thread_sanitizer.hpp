// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Annotations of a hand-over between threads for GCC's thread sanitizer, which cannot see inside
/// oneTBB, as that is not instrumented. They do nothing in other builds.

#if defined(__SANITIZE_THREAD__)
// Declared as in <sanitizer/tsan_interface.h>.
extern "C" void __tsan_acquire(void* address);
extern "C" void __tsan_release(void* address);
#endif

namespace tessera {

#if defined(__SANITIZE_THREAD__)
inline void sanitizer_hand_over(void* object) { __tsan_release(object); }
inline void sanitizer_take_over(void* object) { __tsan_acquire(object); }
#else
inline void sanitizer_hand_over(void*) {}
inline void sanitizer_take_over(void*) {}
#endif

}  // namespace tessera
