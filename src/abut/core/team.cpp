#include "abut/core/team.hpp"

#include "abut/core/assert.hpp"
#include "abut/core/wait_awake.hpp"

namespace abut {

void Team::announce(std::uint64_t members) {
  turn_ = (((turn_ >> member_bits) + 1) << member_bits) | members;
}

void Team::share_out(void* callable, Call call) {
  ABUT_ASSERT(busy_ == 0);
  callable_ = callable;
  call_ = call;
  const int helpers = helpers_;
  ABUT_ASSERT(helpers + 1 < 1 << member_bits);
  busy_ = helpers;
  if (helpers > 0) announce(static_cast<std::uint64_t>(helpers) + 1);
  call(callable, 0, helpers + 1);
  wait();
}

bool Team::hand_out(void* callable, Call call) {
  ABUT_ASSERT(busy_ == 0);
  if (helpers_ == 0) return false;
  callable_ = callable;
  call_ = call;
  busy_ = 1;
  announce(2);  // of these the leader is one, who does no part of it
  return true;
}

void Team::wait() {
  wait_awake([this] { return busy_ == 0; });
}

void Team::dismiss() {
  wait();
  announce(dismissed);
}

void Team::help() {
  const auto member = static_cast<std::uint64_t>(++helpers_);
  for (std::uint64_t seen = 0;;) {
    std::uint64_t turn = turn_;
    wait_awake([&] {
      turn = turn_;
      return turn != seen;
    });
    seen = turn;
    const std::uint64_t members = members_of(turn);
    if (members == dismissed) return;
    if (member >= members) continue;  // it began before this one came
    call_(callable_, static_cast<int>(member), static_cast<int>(members));
    --busy_;
  }
}

void Team::meet(int members) {
  const std::uint64_t meeting = meetings_;
  if (met_.fetch_add(1) + 1 < members) {
    return wait_awake([&] { return meetings_ != meeting; });
  }
  met_ = 0;
  ++meetings_;
}

}  // namespace abut
