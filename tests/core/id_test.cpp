#include "abut/core/id.hpp"

#include <gtest/gtest.h>

namespace abut {
namespace {

struct Thing;

TEST(Id, NullIsFalseAndNeverAlive) {
  IdPool<Thing> pool;
  pool.create();
  EXPECT_FALSE(Id<Thing>{});
  EXPECT_FALSE(pool.is_alive({}));
}

TEST(IdPool, IndexComesBackWithANewGeneration) {
  IdPool<Thing> pool;
  const Id<Thing> a = pool.create(), b = pool.create();
  EXPECT_NE(a, b);
  pool.destroy(a);
  const Id<Thing> c = pool.create();
  EXPECT_EQ(c.index, a.index);
  EXPECT_NE(c, a);
  EXPECT_FALSE(pool.is_alive(a));
  EXPECT_TRUE(pool.is_alive(b));
  EXPECT_TRUE(pool.is_alive(c));
}

TEST(IdPool, MostRecentlyFreedIndexIsUsedFirst) {
  IdPool<Thing> pool;
  const Id<Thing> a = pool.create(), b = pool.create();
  pool.destroy(a);
  pool.destroy(b);
  EXPECT_EQ(pool.create().index, b.index);
  EXPECT_EQ(pool.create().index, a.index);
}

TEST(IdPool, EqualHistoriesGiveEqualPools) {
  IdPool<Thing> a, b;
  a.destroy(a.create());
  EXPECT_FALSE(a == b);
  b.destroy(b.create());
  EXPECT_TRUE(a == b);
}

TEST(IdPool, ForeignIdIsNotAlive) {
  const IdPool<Thing> pool;
  EXPECT_FALSE(pool.is_alive({5, 1}));
}

}  // namespace
}  // namespace abut
