#pragma once

// SAP's contacts whose friction is the same in all directions, judged eight at a time: what
// certify_laws.hpp and certify_measures.hpp say of one of them, with the same bits, but for the
// last one of the stiffness.

#include <algorithm>
#include <cstddef>
#include <span>

#include "abut/core/aligned_buffer.hpp"
#include "abut/linalg/vec3.hpp"
#include "abut/problem/certify_kernels.hpp"
#include "abut/problem/certify_measures.hpp"
#include "abut/problem/patch.hpp"

namespace abut::judging {

class SapContacts {
 public:
  /// As many as stay in the fastest cache; more only of a patch that has more.
  static constexpr int typical = 64;

  /// How many of the first patches, at least one, have at most `typical` contacts together. Their
  /// contacts follow each other.
  static std::size_t patches_at_once(std::span<const Patch> patches) {
    const int begin = patches.front().begin;
    std::size_t count = 1;
    while (count < patches.size() && patches[count].end - begin <= typical) ++count;
    return count;
  }

  /// Room for so many, or for `typical` ones if that is more.
  void reserve(int contacts) {
    data_.reserve(static_cast<std::size_t>(packs_of(std::max(contacts, typical))) * sap_pack_size);
  }
  void resize(int contacts) {
    packs_ = packs_of(contacts);
    data_.resize(static_cast<std::size_t>(packs_) * sap_pack_size);
  }
  void set(int contact, const Vec3& normal, const Vector<double>& velocity, const Vec3& impulse,
           double gap, double friction, double horizon, const ContactNumbers<double>& numbers);
  /// All packs. Lanes behind the last contact hold anything; nobody reads them.
  void judge(double time_step);

  double at(SapField field, int contact) const { return data_[place(field, contact)]; }
  Vector<double> law(int contact) const {
    return {at(SapField::law_x, contact), at(SapField::law_y, contact),
            at(SapField::law_z, contact)};
  }

 private:
  static constexpr int packs_of(int contacts) { return (contacts + sap_lanes - 1) / sap_lanes; }
  static std::size_t place(SapField field, int contact) {
    return contact / sap_lanes * std::size_t{sap_pack_size} + sap_lanes * static_cast<int>(field) +
           contact % sap_lanes;
  }

  alignas(64) AlignedBuffer<double> data_;  ///< no two workers write to one line
  int packs_ = 0;
};

inline void SapContacts::set(int contact, const Vec3& normal, const Vector<double>& velocity,
                             const Vec3& impulse, double gap, double friction, double horizon,
                             const ContactNumbers<double>& numbers) {
  static_assert(SapField{} == SapField::normal_x && static_cast<int>(SapField::law_x) == 16);
  double* to = data_.data() + place(SapField{}, contact);
  for (const double x :
       {normal.x, normal.y, normal.z, velocity.x, velocity.y, velocity.z, impulse.x, impulse.y,
        impulse.z, gap, friction, horizon, numbers.w, numbers.rt, numbers.rn, numbers.target}) {
    *to = x;
    to += sap_lanes;
  }
}

inline void SapContacts::judge(double time_step) {
  judge_kernels().judge_sap(data_.data(), packs_, time_step);
}

}  // namespace abut::judging
