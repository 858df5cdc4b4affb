#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>

namespace abut {

/// Threads that are out of work and help one that is not, its leader, until dismissed. They come
/// when they please: how many there are must not matter to a result. They wait awake.
class Team {
 public:
  /// The leader: calls work(member, members) by itself, as member 0, and by all who help at this
  /// moment; returns when all are done. Not after dismiss(). Work must not throw, nor call this.
  template <class Work>
  void share(Work&& work) {
    using Callable = std::remove_reference_t<Work>;
    share_out(
        const_cast<void*>(static_cast<const void*>(&work)),
        [](void* w, int member, int members) { (*static_cast<Callable*>(w))(member, members); });
  }

  /// The leader: has one helper call work() meanwhile, if there is any; else false. It goes on, to
  /// wait() before it asks for anything else. Not after dismiss(). Work must last till then, and
  /// not throw.
  template <class Work>
  bool delegate(Work& work) {
    return hand_out(const_cast<void*>(static_cast<const void*>(&work)),
                    [](void* w, int, int) { (*static_cast<Work*>(w))(); });
  }
  /// The leader: until what it delegated is done, if it did.
  void wait();

  /// In work: returns when all `members` have called it.
  void meet(int members);

  /// The leader: there is nothing to share any more. A second time does nothing.
  void dismiss();

  /// A helper: does its part of all that is shared until dismiss().
  void help();

 private:
  using Call = void (*)(void* callable, int member, int members);
  /// A turn's number and its members in one word: who reads it knows whether it is one of them.
  static constexpr std::uint64_t member_bits = 16, dismissed = 0;
  static std::uint64_t members_of(std::uint64_t turn) {
    return turn & ((std::uint64_t{1} << member_bits) - 1);
  }
  void share_out(void* callable, Call call);
  bool hand_out(void* callable, Call call);
  void announce(std::uint64_t members);

  // written by the leader while no member works, published by the turn below
  void* callable_ = nullptr;
  Call call_ = nullptr;
  alignas(64) std::atomic<std::uint64_t> turn_ = 1;  ///< written by the leader alone
  alignas(64) std::atomic<int> helpers_ = 0;
  std::atomic<int> busy_ = 0;             ///< helpers that are not done with the turn
  alignas(64) std::atomic<int> met_ = 0;  ///< members that wait in meet()
  std::atomic<std::uint64_t> meetings_ = 0;
};

/// Dismisses the team in the end, whatever happens.
struct Dismissal {
  Team& team;
  ~Dismissal() { team.dismiss(); }
};

}  // namespace abut
