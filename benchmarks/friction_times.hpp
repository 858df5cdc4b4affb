#pragma once

#include <algorithm>
#include <cstdio>
#include <limits>

#include "abut/problem/certify_friction.hpp"

namespace abut {

/// What a program that times solves of one friction problem prints.
struct FrictionTimes {
  double seconds = std::numeric_limits<double>::infinity();  ///< the least [s]
  int iterations = 0;
  double error = 0;  ///< the certificate's natural error
};

/// Solves once to warm up, then for 20 ms, at least 5 times if they take no more than a second.
/// `solve` gives the time inside the solver [s] and how many iterations there were; `judge` the
/// natural error of its last answer.
template <class Solve, class Judge>
FrictionTimes time_solves(const Solve& solve, const Judge& judge, bool once) {
  FrictionTimes times;
  double spent = 0;
  if (!once) solve();
  for (int k = 0; k == 0 || (!once && spent < (k < 5 ? 1 : 0.02)); ++k) {
    const auto [seconds, iterations] = solve();
    times.seconds = std::min(times.seconds, seconds);
    times.iterations = iterations;
    spent += seconds;
  }
  times.error = judge();
  return times;
}

inline void print_times(int contacts, const FrictionTimes& times) {
  std::printf("{\"contacts\": %d, \"us\": %.3f, \"iterations\": %d, \"error\": %.3e}\n", contacts,
              1e6 * times.seconds, times.iterations, times.error);
}

}  // namespace abut
