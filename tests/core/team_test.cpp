#include "abut/core/team.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "support/with_team.hpp"

namespace abut {
namespace {

class TeamOf : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Sizes, TeamOf, testing::Values(1, 2, 4));

TEST_P(TeamOf, EachMemberDoesItsPart) {
  ThreadPool pool(GetParam());
  std::vector<int> done(pool.threads(), 0);
  int wrong = 0;
  with_team(pool, [&](Team& team) {
    for (int turn = 1; turn <= 2000; ++turn) {
      team.share([&](int member, int members) {
        if (members == pool.threads()) done[member] = turn;
      });
      for (const int d : done) wrong += d != turn;  // all are done when share() returns
    }
  });
  EXPECT_EQ(wrong, 0);
}

// each finds what all had written before they met
TEST_P(TeamOf, MembersMeet) {
  ThreadPool pool(GetParam());
  std::vector<int> written(pool.threads(), 0);
  std::atomic<int> missed = 0;
  with_team(pool, [&](Team& team) {
    team.share([&](int member, int members) {
      for (int i = 1; i <= 2000; ++i) {
        written[member] = i;
        team.meet(members);
        for (const int w : written) missed += w != i;
        team.meet(members);
      }
    });
  });
  EXPECT_EQ(missed, 0);
}

// one of them works while the leader goes on
TEST_P(TeamOf, OneDoesWhatIsDelegated) {
  constexpr int turns = 2000;
  ThreadPool pool(GetParam());
  const bool has_helpers = pool.threads() > 1;
  std::vector<int> done(pool.threads(), 0);
  std::atomic<int> calls = 0, leader_is_at = 0;
  int by_leader = 0, handed = 0, wrong = 0;
  with_team(pool, [&](Team& team) {
    const std::thread::id leader = std::this_thread::get_id();
    for (int turn = 1; turn <= turns; ++turn) {
      int result = 0;
      const auto work = [&] {
        wait_awake([&] { return leader_is_at == turn; });  // who waits for it is not let go on
        ++calls;
        by_leader += std::this_thread::get_id() == leader;
        result = turn;
      };
      if (team.delegate(work)) {
        ++handed;
        leader_is_at = turn;
        team.wait();
        wrong += result != turn;
      }
      team.share([&](int member, int members) {  // all of them are there again
        if (members == pool.threads()) done[member] = turn;
      });
      for (const int d : done) wrong += d != turn;
    }
    const auto last = [&] { done[0] = -1; };
    if (team.delegate(last)) team.dismiss();  // not before it is done
    wrong += done[0] != (has_helpers ? -1 : turns);
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(by_leader, 0);
  EXPECT_EQ(handed, has_helpers ? turns : 0);
  EXPECT_EQ(calls, handed);
}

// they come while the leader is at it: each turn has the members that were there when it began
TEST(Team, HelpersComeWhenTheyPlease) {
  constexpr int helpers = 4;
  Team team;
  std::vector<std::thread> threads;
  int most = 0, wrong = 0;
  for (int turn = 0; most <= helpers; ++turn) {
    if (turn % 100 == 0 && std::ssize(threads) < helpers) {
      threads.emplace_back([&team] { team.help(); });
    }
    std::atomic<int> calls = 0, sum = 0;
    int told = 0;
    team.share([&](int member, int members) {
      ++calls;
      sum += member;
      if (member == 0) told = members;
      team.meet(members);
    });
    wrong += calls != told || sum != told * (told - 1) / 2 || told < most;
    most = told;
  }
  team.dismiss();
  for (std::thread& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
  team.help();  // too late: there is nothing to do
}

}  // namespace
}  // namespace abut
