#pragma once

#include <cstdint>

#include "abut/io/recording_format.hpp"

namespace abut {

/// What a contact does, as the page colours it.
enum class ContactMode : std::uint8_t {
  near,   ///< without force
  stick,  ///< friction below what the normal force allows
  slip,   ///< friction at 99 % of it or more
};

/// What the page is told of a contact besides what is recorded.
struct PageContact {
  Vec3 force;       ///< on B, world [N]
  double slip = 0;  ///< speed of B's point along the surface, relative to A's [m/s]
  ContactMode mode = ContactMode::near;
};

PageContact page_contact(const RecordedContact& contact, double time_step);

}  // namespace abut
