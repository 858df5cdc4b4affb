#pragma once

// Contacts of SAP, which a certificate judges in blocks of patches, eight contacts at a time. Their
// law is the projection on the friction cone, written here by regions as certify_laws.hpp has it.

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "abut/core/aligned_buffer.hpp"
#include "abut/core/grow.hpp"
#include "abut/problem/certify_kernels.hpp"
#include "abut/problem/certify_laws.hpp"
#include "abut/problem/patch.hpp"

namespace abut::judging {

/// Room of one worker for a block.
struct SapBlock {
  /// Contacts that stay in the fastest cache; more only of a patch that has more.
  static constexpr int typical = 64;

  AlignedBuffer<double> work;
  std::vector<SapPatch> patches;
  std::vector<std::pair<Screw<double>, Screw<double>>> screws;  ///< of their sides, of mechanisms
  std::vector<SapVerdict> verdicts;

  /// How many of the first patches, at least one, have at most `typical` contacts together. Their
  /// contacts follow each other.
  static std::size_t patches_at_once(std::span<const Patch> patches) {
    const int begin = patches.front().begin;
    std::size_t count = 1;
    while (count < patches.size() && patches[count].end - begin <= typical) ++count;
    return count;
  }

  /// For patches of at most so many contacts; those of a block may have one each.
  void make_room(int contacts) {
    work.reserve(sap_work(static_cast<std::size_t>(std::max(contacts, typical))));
    abut::make_room(patches, typical);
    abut::make_room(screws, typical);
    abut::make_room(verdicts, typical);
  }
};

}  // namespace abut::judging
