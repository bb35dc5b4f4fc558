// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Tells the thread sanitizer (GCC's) of a hand-over between threads that it cannot see, because
/// the library that does it was not compiled with it. Does nothing in other builds.

#if defined(__SANITIZE_THREAD__)
// As <sanitizer/tsan_interface.h> declares them.
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
