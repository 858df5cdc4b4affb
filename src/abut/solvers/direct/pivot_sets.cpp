// Pivoting: rows change index sets, and the factors of A_CC with them.

#include <algorithm>
#include <cmath>

#include "abut/core/assert.hpp"
#include "abut/solvers/direct/pivoting.hpp"

namespace abut {
namespace {

/// A row at less than this angle from the others' is taken to depend on them.
constexpr double least_sine = 1e-11;
/// How often a row may return to a set without progress when others have moved in between.
constexpr int returns_allowed = 3;

/// Of a row and its set a number that looks random.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace

/// Of E = A with the columns of friction at its limit added to that of the normal.
double Pivoting::folded_entry(int i, int j) const {
  double sum = entry(i, j);
  for (int k = friction_begin_[j]; k < friction_begin_[j + 1]; ++k) {
    const int t = friction_rows_[k];
    if (is_at_limit(t)) sum += fold(t) * entry(i, t);
  }
  return sum;
}

/// False, and gives the row up, if it returns to the set it left and there was no progress since:
/// at once if nothing else has moved, else at the third time.
bool Pivoting::may_move(int row, Set to) {
  if (moved_[row] != progress_) {
    returns_[row] = 0;
    return true;
  }
  if (left_[row] != to) return true;
  ++returns_[row];
  if (returns_[row] < returns_allowed && (last_moved_ != row || is_plain_)) return true;
  give_up(row);
  return false;
}

void Pivoting::move(int row, Set to) {
  const auto number = [&](Set set) {
    return set == Set::idle
               ? 0
               : mix(4 * static_cast<std::uint64_t>(row) + static_cast<std::uint64_t>(set));
  };
  hash_ ^= number(sets_[row]) ^ number(to);
  left_[row] = sets_[row];
  sets_[row] = to;
  moved_[row] = progress_;
  last_moved_ = row;
}

/// Enters C; idle instead, and false, if it depends on the others.
bool Pivoting::clamp(int row) {
  const std::size_t k = clamped_.size();
  column_.resize(k + 1);
  row_.resize(k);
  for (std::size_t p = 0; p < k; ++p) {
    column_[p] = folded_entry(clamped_[p], row);
    row_[p] = folded_entry(row, clamped_[p]);
  }
  column_[k] = folded_entry(row, row);
  if (!(qr_.append(column_, row_) > least_sine)) {
    qr_.remove(static_cast<int>(k));
    ++counts_.dependent;
    move(row, Set::idle);
    return false;
  }
  place_[row] = static_cast<std::int32_t>(k);
  clamped_.push_back(row);
  if (sets_[row] != Set::clamped) move(row, Set::clamped);
  return true;
}

/// Leaves the factors; its set is the caller's to change.
void Pivoting::unclamp(int row) {
  const int place = place_[row];
  qr_.remove(place);
  clamped_.erase(clamped_.begin() + place);
  for (std::size_t p = place; p < clamped_.size(); ++p) place_[clamped_[p]] = static_cast<int>(p);
}

/// The normal's column after a change of its friction.
void Pivoting::refold(int normal) {
  if (sets_[normal] != Set::clamped) return;
  const int moved = last_moved_;
  unclamp(normal);
  if (!clamp(normal)) {  // as far as can be, without friction that follows
    for (int k = friction_begin_[normal]; k < friction_begin_[normal + 1]; ++k) {
      const int t = friction_rows_[k];
      if (is_at_limit(t) && rows_[t].dynamic == 0) move(t, Set::idle);
    }
    clamp(normal);
  }
  last_moved_ = moved;
}

void Pivoting::refresh() {
  ++counts_.refreshes;
  qr_.reset(size_);
  kept_.swap(clamped_);
  clamped_.clear();
  for (const int i : kept_) clamp(i);
}

/// A normal whose force is zero has no friction, nor a condition on it.
void Pivoting::release_friction(int normal) {
  for (int k = friction_begin_[normal]; k < friction_begin_[normal + 1]; ++k) {
    const int t = friction_rows_[k];
    if (rows_[t].dynamic != 0) {
      f_[t] = 0;
      continue;
    }
    if (sets_[t] == Set::idle && !(other_[t] >= 0 && !is_first_[t])) continue;
    if (sets_[t] == Set::clamped) unclamp(t);
    if (sets_[t] != Set::idle) move(t, Set::idle);
    f_[t] = 0;
  }
}

/// A normal comes back into C at f = 0: its friction will oppose the acceleration that there is.
void Pivoting::clamp_normal(int normal) {
  const int begin = friction_begin_[normal], end = friction_begin_[normal + 1];
  for (int k = begin; k < end; ++k) {
    const int t = friction_rows_[k], second = other_[t];
    if (rows_[t].dynamic != 0 || f_[t] != 0) continue;
    if (second < 0) {
      if (a_[t] < -acceleration_tolerance_) move(t, Set::upper);
      if (a_[t] > acceleration_tolerance_) move(t, Set::lower);
    } else if (is_first_[t]) {
      const double speed = std::hypot(a_[t], a_[second]);
      if (speed <= acceleration_tolerance_) continue;
      turn_cone(t, -a_[t] / speed, -a_[second] / speed);
      move(t, Set::upper);
    }
  }
  if (!clamp(normal)) {
    release_friction(normal);
    return;
  }
  for (int k = begin; k < end; ++k) {
    const int t = friction_rows_[k];
    const bool follows = other_[t] >= 0 && is_at_limit(is_first_[t] ? t : other_[t]);
    if (sets_[t] == Set::idle && !follows && std::abs(a_[t]) <= acceleration_tolerance_) clamp(t);
  }
  last_moved_ = normal;
}

/// To a limit of its own, or of its normal's force.
void Pivoting::saturate(int row, Set to) {
  const PivotRow& r = rows_[row];
  if (sets_[row] == Set::clamped) unclamp(row);
  move(row, to);
  if (r.limit == RowLimit::fixed) {
    f_[row] = to == Set::lower ? r.lower : r.upper;
    if (f_[row] == 0) release_friction(row);
    last_moved_ = row;
    return;
  }
  f_[row] = fold(row) * f_[r.normal];
  if (sets_[r.normal] != Set::clamped) {
    move(row, Set::idle);
    return;
  }
  refold(r.normal);
}

/// Turned so that friction is along the first row.
void Pivoting::saturate_cone(int x) {
  const int y = other_[x], normal = rows_[x].normal;
  for (const int t : {x, y}) {
    if (sets_[t] != Set::clamped) continue;
    unclamp(t);
    move(t, Set::idle);
  }
  const double size = std::hypot(f_[x], f_[y]), speed = std::hypot(a_[x], a_[y]);
  if (size > 0) {
    turn_cone(x, f_[x] / size, f_[y] / size);
  } else if (speed > 0) {
    turn_cone(x, -a_[x] / speed, -a_[y] / speed);
  }
  f_[x] = limit(x), f_[y] = 0;
  if (sets_[normal] != Set::clamped) return;
  if (a_[x] > acceleration_tolerance_) {  // it would push: its other row was given up on the way
    ++counts_.given_up;
    return;
  }
  move(x, Set::upper);
  left_[x] = Set::clamped;
  refold(normal);
}

/// New axes x' = c x + s y, y' = c y - s x. Neither row is clamped.
void Pivoting::turn_cone(int x, double c, double s) {
  const int y = other_[x];
  const double size = std::hypot(c, s);
  if (!(size > 0) || s == 0) {
    if (!(c < 0)) return;
  }
  c /= size, s /= size;
  const auto turn = [&](double& along, double& across) {
    const double kept = along;
    along = c * kept + s * across;
    across = c * across - s * kept;
  };
  double *column_x = column(x), *column_y = column(y);
  for (int i = 0; i < size_; ++i) turn(column_x[i], column_y[i]);
  for (int j = 0; j < size_; ++j) turn(column(j)[x], column(j)[y]);
  for (AlignedBuffer<double>* v : {&b_, &f_, &a_}) turn((*v)[x], (*v)[y]);
  Angle& angle = angle_[x];
  const Angle before = angle;
  angle.cosine = before.cosine * c - before.sine * s;
  angle.sine = before.cosine * s + before.sine * c;
}

/// No condition on this row until it is taken again [BARAFF 5.4].
void Pivoting::give_up(int row) {
  ++counts_.given_up;
  const auto leave = [&](int i) {
    if (sets_[i] == Set::clamped) unclamp(i);
    if (sets_[i] != Set::idle) move(i, Set::idle);
  };
  const int normal = rows_[row].normal;
  if (normal < 0) {
    for (int k = friction_begin_[row]; k < friction_begin_[row + 1]; ++k) {
      if (rows_[friction_rows_[k]].dynamic == 0) leave(friction_rows_[k]);
    }
    leave(row);
    return;
  }
  leave(row);
  if (other_[row] >= 0) leave(other_[row]);
  refold(normal);
}

/// Of another row than the driven one.
void Pivoting::apply(const Event& event) {
  const int i = event.row;
  const Set was = sets_[i];
  switch (event.turn) {
    case Turn::lower:
    case Turn::upper: {
      const Set to = event.turn == Turn::lower ? Set::lower : Set::upper;
      if (may_move(i, to)) saturate(i, to);
      break;
    }
    case Turn::cone:
      if (may_move(i, Set::upper)) saturate_cone(i);
      break;
    case Turn::release:
      a_[i] = 0;
      if (!may_move(i, Set::clamped)) break;
      if (rows_[i].limit == RowLimit::fixed) {
        clamp_normal(i);
        break;
      }
      move(i, Set::idle);  // for the normal's column
      refold(rows_[i].normal);
      clamp(i);
      left_[i] = was;
      break;
    default: break;
  }
  ABUT_ASSERT(qr_.size() == std::ssize(clamped_));
}

}  // namespace abut
