// Ids, hashes, room for vectors and threads against plain models of them.

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/core/grow.hpp"
#include "abut/core/hash.hpp"
#include "abut/core/id.hpp"
#include "abut/core/parallel.hpp"

namespace abut {
namespace {

struct Thing;

TEST(IdPool, IsASetOfIdsThatNeverComeBack) {
  std::mt19937 random(1);
  IdPool<Thing> pool;
  std::vector<Id<Thing>> alive, dead;
  std::set<std::pair<std::uint32_t, std::uint32_t>> given;
  for (int step = 0; step < 5000; ++step) {
    if (alive.empty() || random() % 2 == 0) {
      alive.push_back(pool.create());
      const Id<Thing> id = alive.back();
      EXPECT_TRUE(id);
      EXPECT_TRUE(given.insert({id.index, id.generation}).second) << "given twice";
      EXPECT_LT(id.index, alive.size() + dead.size());
    } else {
      const std::size_t k = random() % alive.size();
      pool.destroy(alive[k]);
      dead.push_back(alive[k]);
      alive[k] = alive.back();
      alive.pop_back();
    }
    if (step % 100 != 0) continue;
    std::set<std::uint32_t> indices;
    for (const Id<Thing> id : alive) {
      EXPECT_TRUE(pool.is_alive(id));
      EXPECT_TRUE(indices.insert(id.index).second);
    }
    for (const Id<Thing> id : dead) EXPECT_FALSE(pool.is_alive(id));
  }
}

// of 64-bit words that differ in any one bit, at any place
TEST(StateHash, SeesEveryBit) {
  std::mt19937_64 random(2);
  for (int length = 1; length < 6; ++length) {
    std::vector<std::uint64_t> words(length);
    for (auto& w : words) w = random() >> random() % 64;
    const auto hash = [&] {
      StateHash h;
      for (const std::uint64_t w : words) h.add(w);
      return h.value();
    };
    std::set<std::uint64_t> seen = {hash()};
    for (int k = 0; k < length; ++k) {
      for (int bit = 0; bit < 64; ++bit) {
        words[k] ^= std::uint64_t{1} << bit;
        EXPECT_TRUE(seen.insert(hash()).second) << "word " << k << ", bit " << bit;
        words[k] ^= std::uint64_t{1} << bit;
      }
    }
  }
}

// as the vector's own functions, which allocate more often
TEST(Grow, DoesWhatVectorsDo) {
  std::mt19937 random(4);
  std::vector<double> v, same;
  std::vector<std::string> words, same_words;
  for (int step = 0; step < 2000; ++step) {
    if (step % 50 == 0) v = {}, same = {}, words = {}, same_words = {};  // without room again
    const std::size_t size = random() % (std::size_t{1} << step % 10);
    const std::size_t room = v.capacity(), room_for_words = words.capacity();
    switch (random() % 3) {
      case 0:
        resize(v, size), same.resize(size);
        resize(words, size), same_words.resize(size);
        break;
      case 1:
        assign(v, size, step), same.assign(size, step);
        assign(words, size, std::to_string(step)), same_words.assign(size, std::to_string(step));
        break;
      case 2: {
        const std::vector<double> values(size, -step);
        assign(v, values), same = values;
      }
    }
    ASSERT_EQ(v, same);
    ASSERT_EQ(words, same_words);
    ASSERT_TRUE(v.capacity() == room || v.capacity() == std::max(size, 2 * room));
    ASSERT_TRUE(words.capacity() == room_for_words ||
                words.capacity() == std::max(size, 2 * room_for_words));
  }
}

TEST(Grow, CreepingSizesSeldomAllocate) {
  std::vector<int> v;
  int moves = 0;
  const int* last = nullptr;
  for (int size = 1; size <= 10000; ++size) {
    assign(v, size, size);
    moves += v.data() != last;
    last = v.data();
    ASSERT_EQ(std::ssize(v), size);
    ASSERT_EQ(v.front(), size);
    ASSERT_EQ(v.back(), size);
  }
  EXPECT_LE(moves, 15) << "doubled each time";
  std::vector<int> copy = {1, 2, 3};
  assign(copy, v);
  EXPECT_EQ(copy, v);
  make_room(copy, 10);
  EXPECT_EQ(copy, v) << "room loses nothing";
  assign(copy, std::span<const int>());
  EXPECT_TRUE(copy.empty());
}

// a worker's buffers are its own: none runs two items at once
TEST(ThreadPool, NoTwoItemsShareAWorker) {
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    std::vector<std::atomic<int>> busy(threads);
    std::atomic<int> shared = 0;
    for (int loop = 0; loop < 50; ++loop) {
      pool.for_each(64, [&](int, int worker) {
        shared += busy[worker].fetch_add(1) != 0;
        for (int k = 0; k < 200; ++k) busy[worker] += k % 2 == 0 ? 1 : -1;
        busy[worker].fetch_sub(1);
      });
    }
    EXPECT_EQ(shared, 0);
  }
}

// of exceptions in many items one comes out, whole; the next loop knows nothing of it
TEST(ThreadPool, ThrowsOneOfManyErrors) {
  for (const int threads : {1, 3}) {
    ThreadPool pool(threads);
    for (int loop = 0; loop < 50; ++loop) {
      try {
        pool.for_each(20, [](int item, int) { throw std::out_of_range(std::to_string(item)); });
        ADD_FAILURE();
      } catch (const std::out_of_range& e) {
        EXPECT_LT(std::stoi(e.what()), 20);
      }
      int sum = 0;
      pool.for_each(1, [&](int, int) { ++sum; });
      pool.for_each(0, [&](int, int) { ++sum; });
      pool.for_each(-3, [&](int, int) { ++sum; });
      EXPECT_EQ(sum, 1);
    }
  }
}

TEST(Errors, SayWhatTheyAre) {
  const OutOfMemory first("loading 'a.xml'");
  const OutOfMemory copy = first;
  EXPECT_STREQ(copy.what(), "out of memory loading 'a.xml'");
  EXPECT_EQ(describe({}), "");
  EXPECT_EQ(describe({"a.xml", 7, ""}), "a.xml:7: ");
  EXPECT_EQ(describe({"", 7, "geom"}), "geom: ") << "a line of no file says nothing";
}

}  // namespace
}  // namespace abut
