#pragma once

#include <gtest/gtest.h>

#include "abut/constraints/contact_pool.hpp"

namespace abut {

/// All that two pools say of their contacts.
inline void expect_same(const ContactPool& a, const ContactPool& b) {
  for (const auto v : {&ContactPool::point, &ContactPool::normal, &ContactPool::bias,
                       &ContactPool::previous_impulse, &ContactPool::anchor}) {
    EXPECT_EQ(a.*v, b.*v);
  }
  for (const auto v :
       {&ContactPool::gap, &ContactPool::weight, &ContactPool::stiffness, &ContactPool::dissipation,
        &ContactPool::relaxation_time, &ContactPool::friction}) {
    EXPECT_EQ(a.*v, b.*v);
  }
  EXPECT_EQ(a.law, b.law);
  EXPECT_EQ(a.extra, b.extra);
  EXPECT_EQ(a.extras, b.extras);
}

}  // namespace abut
