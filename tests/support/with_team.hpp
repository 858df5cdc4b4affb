#pragma once

#include "abut/core/parallel.hpp"
#include "abut/core/team.hpp"
#include "abut/core/wait_awake.hpp"

namespace abut {

/// Calls lead(team) while all other threads of a pool help.
template <class Lead>
void with_team(ThreadPool& pool, const Lead& lead) {
  Team team;
  pool.for_each_worker([&](int worker) {
    if (worker > 0) return team.help();
    const Dismissal dismissal(team);
    wait_awake([&] {
      int all = 0;
      team.share([&](int member, int members) {
        if (member == 0) all = members;
      });
      return all == pool.threads();
    });
    lead(team);
  });
}

}  // namespace abut
