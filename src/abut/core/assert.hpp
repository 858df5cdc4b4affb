#pragma once

#include <cstdio>
#include <cstdlib>

/// A broken invariant of our own code; debug builds only. Never for a user's input.
#ifndef NDEBUG
#define ABUT_ASSERT(condition)                                                               \
  do {                                                                                       \
    if (!(condition)) {                                                                      \
      std::fprintf(stderr, "%s:%d: broken invariant: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                          \
    }                                                                                        \
  } while (false)
#else
#define ABUT_ASSERT(condition) ((void)0)
#endif
