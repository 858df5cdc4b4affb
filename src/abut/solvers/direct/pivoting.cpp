#include "abut/solvers/direct/pivoting.hpp"

#include <algorithm>
#include <cmath>

namespace abut {
namespace {

constexpr int orders_tried = 10;
constexpr int polish_limit = 4;

/// The power of two nearest to x^exponent, so that scaling rounds nothing.
double power_of_two(double x, double exponent) {
  return x > 0 ? std::exp2(std::round(exponent * std::log2(x))) : 1;
}

}  // namespace

void Pivoting::reset(int n) {
  size_ = n;
  lead_ = (n + 7) / 8 * 8;
  matrix_.resize(static_cast<std::size_t>(n) * static_cast<std::size_t>(lead_));
  matrix_.fill_zero();
  for (AlignedBuffer<double>* v : {&b_, &f_, &a_, &df_, &da_}) {
    v->resize(static_cast<std::size_t>(lead_));
    v->fill_zero();
  }
  rows_.assign(n, {});
  other_.assign(n, -1);
  is_first_.assign(n, false);
  scale_.assign(n, 1);
  angle_.assign(n, {});
}

void Pivoting::make_cone(int x, int y, int normal, double friction) {
  for (const int i : {x, y}) {
    rows_[i] = {.limit = RowLimit::cone, .normal = normal, .friction = friction};
    is_first_[i] = i == x;
  }
  other_[x] = y, other_[y] = x;
}

void Pivoting::make_dynamic(int x, double v_x, double v_y) {
  const double speed = std::hypot(v_x, v_y);
  turn_cone(x, -v_x / speed, -v_y / speed);
  rows_[x].dynamic = 1;
}

/// Units in which every row has a mobility near 1, those of a cone the same, and b is near 1.
void Pivoting::scale() {
  for (int i = 0; i < size_; ++i) {
    const double own = entry(i, i);
    scale_[i] = power_of_two(other_[i] < 0 ? own : (own + entry(other_[i], other_[i])) / 2, -0.5);
  }
  double largest = 0;
  for (int i = 0; i < size_; ++i) largest = std::max(largest, std::abs(scale_[i] * b_[i]));
  unit_ = power_of_two(largest, 1);
  for (int j = 0; j < size_; ++j) {
    double* to = column(j);
    for (int i = 0; i < size_; ++i) to[i] *= scale_[i] * scale_[j];
  }
  for (int i = 0; i < size_; ++i) {
    b_[i] *= scale_[i] / unit_;
    PivotRow& r = rows_[i];
    if (r.normal >= 0) r.friction *= scale_[r.normal] / scale_[i];
    r.lower /= unit_ * scale_[i], r.upper /= unit_ * scale_[i];
  }
}

void Pivoting::unscale() {
  for (int x = 0; x < size_; ++x) {
    if (!is_first_[x]) continue;
    const auto [c, s] = angle_[x];
    for (AlignedBuffer<double>* v : {&f_, &df_}) {
      double &along = (*v)[x], &across = (*v)[other_[x]];
      const double kept = along;
      along = c * kept - s * across;
      across = s * kept + c * across;
    }
  }
  for (int i = 0; i < size_; ++i) {
    f_[i] *= unit_ * scale_[i];
    df_[i] *= scale_[i];
  }
}

/// Nothing is taken yet; f = 0, or where limits do not allow that, at the nearest.
void Pivoting::start() {
  const std::size_t n = rows_.size();
  sets_.assign(n, Set::idle);
  left_.assign(n, Set::idle);
  moved_.assign(n, -1);
  returns_.assign(n, 0);
  place_.assign(n, -1);
  clamped_.clear();
  qr_.reset(size_);
  progress_ = 0;
  hash_ = 0;
  last_moved_ = -1;
  is_plain_ = true;
  has_dynamic_ = false;
  for (int i = 0; i < size_; ++i) {
    const PivotRow& r = rows_[i];
    f_[i] = r.limit == RowLimit::fixed ? std::clamp(0.0, r.lower, r.upper) : 0;
    has_dynamic_ = has_dynamic_ || r.dynamic != 0;
    if (r.dynamic != 0) sets_[i] = r.dynamic > 0 ? Set::upper : Set::lower;
    is_plain_ = is_plain_ && r.limit == RowLimit::fixed && r.lower == 0 && r.upper == PivotRow::inf;
  }
}

PivotEnd Pivoting::run(int most) {
  counts_ = {};
  scale();
  friction_begin_.assign(rows_.size() + 1, 0);
  for (const PivotRow& r : rows_) {
    if (r.normal >= 0) ++friction_begin_[r.normal + 1];
  }
  for (int i = 0; i < size_; ++i) friction_begin_[i + 1] += friction_begin_[i];
  friction_rows_.resize(friction_begin_.back());
  place_.assign(rows_.size(), 0);  // here: how many of a normal's are in place
  for (int i = 0; i < size_; ++i) {
    const int n = rows_[i].normal;
    if (n >= 0) friction_rows_[friction_begin_[n] + place_[n]++] = i;
  }
  // bilateral rows first, as no change of sets moves them; friction last: with all normal forces
  // known less of it has to be taken back
  order_.clear();
  for (const int rank : {0, 1, 2}) {
    for (int i = 0; i < size_; ++i) {
      const PivotRow& r = rows_[i];
      const bool is_bilateral = r.lower == -PivotRow::inf && r.upper == PivotRow::inf;
      if (rank != (r.limit != RowLimit::fixed ? 2 : is_bilateral ? 0 : 1)) continue;
      const bool is_second = other_[i] >= 0 && !is_first_[i];
      if (!is_second && r.dynamic == 0) order_.push_back(i);
    }
  }
  PivotEnd end = PivotEnd::gave_up;
  random_ = 1;
  for (int k = 0; k < orders_tried; ++k) {
    if (k > 0) shuffle();
    start();
    pivot_limit_ = counts_.pivots + 10 * size_ + 100;
    if (most > 0) pivot_limit_ = std::min(pivot_limit_, most);
    end = drive_all();
    // without dynamic friction rays are rounding, or b is not in the range of A
    const bool is_final =
        end == PivotEnd::solved || (end == PivotEnd::unbounded_ray && has_dynamic_);
    if (is_final || (most > 0 && counts_.pivots >= most)) break;
  }
  unscale();
  return end;
}

/// Another order, the same in every run.
void Pivoting::shuffle() {
  ++counts_.restarts;
  for (std::size_t i = order_.size(); i > 1; --i) {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    std::swap(order_[i - 1], order_[(random_ >> 33) % i]);
  }
}

PivotEnd Pivoting::drive_all() {
  int polished = 0;
  while (true) {
    find_accelerations();
    const Aim aim = find_violated();
    if (aim.row < 0) {
      if (polish()) return PivotEnd::solved;
      if (++polished == polish_limit) return PivotEnd::gave_up;
      continue;
    }
    switch (drive(aim)) {
      case DriveEnd::done: break;
      case DriveEnd::unbounded: return PivotEnd::unbounded_ray;
      case DriveEnd::failed: return PivotEnd::gave_up;
    }
  }
}

Pivoting::Aim Pivoting::find_violated() {
  double largest = 1;
  for (int i = 0; i < size_; ++i) largest = std::max(largest, std::abs(f_[i]));
  force_tolerance_ = 1e-12 * largest;
  acceleration_tolerance_ = std::min(force_tolerance_, 1e-10);
  arrived_ = 1e-13 * largest;
  Aim found;
  double worst = 0;
  for (const int i : order_) {
    if (found.row >= 0 && rows_[i].limit != rows_[found.row].limit) break;
    const Aim aim = aim_at(i);
    if (aim.row < 0) continue;
    if (counts_.restarts > 0) return aim;
    const double size = std::abs(a_[aim.row]);
    if (found.row >= 0 && size <= worst) continue;
    found = aim;
    worst = size;
  }
  return found;
}

/// What row i, a cone's first for both, is to be driven for; nothing if its conditions hold.
Pivoting::Aim Pivoting::aim_at(int i) {
  const double push = sets_[i] == Set::lower ? -a_[i] : sets_[i] == Set::upper ? a_[i] : 0;
  if (push > 10 * acceleration_tolerance_) give_up(i);  // rounding has turned its sign
  if (rows_[i].limit == RowLimit::cone) return aim_at_cone(i);
  if (sets_[i] != Set::idle) return {};
  const bool is_fixed = rows_[i].limit == RowLimit::fixed;
  const double lower = is_fixed ? rows_[i].lower : -limit(i),
               upper = is_fixed ? rows_[i].upper : limit(i), f = f_[i], a = a_[i];
  if (f > upper + force_tolerance_) return {.row = i, .sign = -1, .from_outside = true};
  if (f < lower - force_tolerance_) return {.row = i, .sign = 1, .from_outside = true};
  if (a < -acceleration_tolerance_ && f < upper - force_tolerance_) return {.row = i, .sign = 1};
  if (a > acceleration_tolerance_ && f > lower + force_tolerance_) return {.row = i, .sign = -1};
  return {};
}

Pivoting::Aim Pivoting::aim_at_cone(int x) {
  const int y = other_[x];
  const double most = limit(x), size = std::hypot(f_[x], f_[y]);
  if (is_at_limit(x) || sets_[y] == Set::clamped) return {};
  if (sets_[x] == Set::clamped) {
    if (std::abs(a_[y]) <= acceleration_tolerance_ || size >= most - force_tolerance_) return {};
    return {.row = y, .sign = a_[y] < 0 ? 1.0 : -1.0};
  }
  const double speed = std::hypot(a_[x], a_[y]);
  const bool is_inside = size <= most + force_tolerance_;
  if (is_inside) {
    if (speed <= acceleration_tolerance_ || most <= force_tolerance_) return {};
    if (size <= force_tolerance_) {  // against where it would go
      turn_cone(x, -a_[x] / speed, -a_[y] / speed);
      return {.row = x, .sign = 1};
    }
    const double power = f_[x] * a_[x] + f_[y] * a_[y];
    if (size >= most - force_tolerance_ && power <= acceleration_tolerance_ * size) return {};
  }
  turn_cone(x, f_[x] / size, f_[y] / size);
  return {.row = x, .sign = -1, .to_zero = true};
}

/// Drives a row until its condition holds [BARAFF 4.3, 5.5].
Pivoting::DriveEnd Pivoting::drive(Aim aim) {
  ++counts_.drives;
  driven_ = aim.row;
  seen_.clear();
  last_moved_ = -1;
  while (counts_.pivots < pivot_limit_) {
    if (!find_direction(aim)) return DriveEnd::failed;
    check_theorems(aim);
    Event event = find_step(aim);
    // two rows may arrive together, the other being taken for the first: the next direction then
    // need not change a_d at all
    const bool has_arrived = !aim.to_zero && !aim.from_outside && std::abs(a_[driven_]) <= arrived_;
    if (has_arrived && event.step > 0) event = {0, Turn::zero, driven_};
    if (event.step == PivotRow::inf) return DriveEnd::unbounded;
    advance(event.step);
    ++counts_.pivots;
    if (event.row == driven_) {
      if (finish(event, aim)) return DriveEnd::done;
      continue;
    }
    apply(event);
    const int normal = rows_[driven_].normal;
    if (normal >= 0 && sets_[normal] != Set::clamped && f_[normal] <= force_tolerance_ &&
        !aim.to_zero && !aim.from_outside) {
      f_[driven_] = 0;  // so is its limit
      return DriveEnd::done;
    }
  }
  return DriveEnd::failed;
}

/// The driven row has arrived. False if it has to go on from where its f may be.
bool Pivoting::finish(const Event& event, Aim& aim) {
  const int d = aim.row;
  if (aim.to_zero) {
    f_[d] = 0;
    return true;
  }
  switch (event.turn) {
    case Turn::zero:
      a_[d] = 0;
      clamp(d);
      return true;
    case Turn::cone: saturate_cone(is_first_[d] ? d : other_[d]); return true;
    case Turn::lower:
    case Turn::upper: break;
    default: return true;
  }
  const bool is_upper = event.turn == Turn::upper;
  if (aim.from_outside) {
    aim.from_outside = false;
    const bool stays =
        is_upper ? a_[d] <= acceleration_tolerance_ : a_[d] >= -acceleration_tolerance_;
    if (!stays) return false;
  } else if (is_upper != (aim.sign > 0)) {
    ++counts_.given_up;  // its limit came to meet it from behind, where a has the wrong sign
    return true;
  }
  saturate(d, is_upper ? Set::upper : Set::lower);
  return true;
}

/// Solves for the clamped rows again, until errors of many steps are gone. True if all conditions
/// still hold.
bool Pivoting::polish() {
  const std::size_t k = clamped_.size();
  x_.resize(k);
  const auto worst = [&] {
    double most = 0;
    for (const int i : clamped_) most = std::max(most, std::abs(a_[i]));
    return most;
  };
  std::copy_n(f_.data(), lead_, df_.data());
  double before = PivotRow::inf;
  for (double now = worst(); now > 0.01 * acceleration_tolerance_ && now < 0.5 * before;) {
    before = now;
    for (std::size_t p = 0; p < k; ++p) x_[p] = -a_[clamped_[p]];
    qr_.solve(x_, x_);
    for (std::size_t p = 0; p < k; ++p) f_[clamped_[p]] += x_[p];
    for (int i = 0; i < size_; ++i) {
      if (rows_[i].normal >= 0 && is_at_limit(i)) f_[i] = fold(i) * f_[rows_[i].normal];
    }
    find_accelerations();
    now = worst();
  }
  if (find_beyond() >= 0) {  // nearly dependent rows: what is left of a is no reason to move f
    std::copy_n(df_.data(), lead_, f_.data());
    find_accelerations();
    if (!(worst() <= 10 * acceleration_tolerance_)) {
      for (int i = find_beyond(); i >= 0; i = find_beyond()) give_up(i);
      return false;
    }
  }
  if (!(worst() <= 10 * acceleration_tolerance_)) {
    refresh();
    return false;
  }
  for (const int i : clamped_) {  // by rounding
    if (rows_[i].limit == RowLimit::fixed)
      f_[i] = std::clamp(f_[i], rows_[i].lower, rows_[i].upper);
  }
  return find_violated().row < 0;
}

/// A clamped row whose f is beyond its limits; -1 if there is none.
int Pivoting::find_beyond() const {
  for (const int i : clamped_) {
    const PivotRow& r = rows_[i];
    const double size = other_[i] < 0 ? std::abs(f_[i]) : std::hypot(f_[i], f_[other_[i]]);
    const bool is_fixed = r.limit == RowLimit::fixed;
    const double beyond = is_fixed ? std::max(r.lower - f_[i], f_[i] - r.upper) : size - limit(i);
    if (beyond > force_tolerance_) return i;
  }
  return -1;
}

}  // namespace abut
