#pragma once

// Sines and cosines of eight angles at once. Kernel code, see simd.hpp.

#include "abut/linalg/simd.hpp"

namespace abut::ABUT_ISA {
namespace {

/// Of angles up to 1e5 [rad], to less than one unit in the last place: what is left of whole
/// quarter turns, by polynomials whose largest relative error was made as small as can be on it.
ABUT_INLINE void sine_and_cosine(const Pack& angle, Pack& sine, Pack& cosine) {
  // pi/2; of its first two parts, of 33 bits, products with whole numbers are exact
  constexpr double first = 1.5707963267341256, second = 6.077100506303966e-11,
                   third = 2.0222662487959506e-21, per_quarter = 0.6366197723675814;
  constexpr double s[] = {-0.16666666666666632,  0.008333333333322413,    -0.0001984126982980782,
                          2.755731369192208e-06, -2.5050758115870874e-08, 1.5896795686322524e-10};
  constexpr double c[] = {0.0416666666666666,      -0.0013888888888874125, 2.4801587289482184e-05,
                          -2.7557314352333056e-07, 2.0875723273287223e-09, -1.135964780725042e-11};
  constexpr double rounding = 0x1.8p52;  // what is added to it loses its fraction
  const Pack turns = fma(angle, Pack(per_quarter), Pack(rounding));
  const Pack whole = turns - Pack(rounding);
  // r + low: what is left of the angle, to twice the digits
  const Pack left = fnma(whole, Pack(first), angle), part = whole * Pack(second);
  const Pack r = left - part, low = fnma(whole, Pack(third), (left - r) - part);
  const Pack z = r * r, half = Pack(0.5) * z, rest = Pack(1) - half;
  Pack p(s[5]), q(c[5]);
  for (int k = 4; k >= 0; --k) p = fma(p, z, Pack(s[k])), q = fma(q, z, Pack(c[k]));
  p = r + fma(r * z, p, fnma(half, low, low));
  q = rest + fma(z * z, q, fnma(r, low, (Pack(1) - rest) - half));
  ABUT_PACK_LOOP {
    const VecMask quarters = reinterpret_cast<VecMask>(turns.part[i]);
    const VecMask is_odd = (quarters & 1) != 0;
    const Vec a = is_odd ? q.part[i] : p.part[i], b = is_odd ? p.part[i] : q.part[i];
    sine.part[i] = reinterpret_cast<Vec>(reinterpret_cast<VecMask>(a) ^ ((quarters & 2) << 62));
    cosine.part[i] =
        reinterpret_cast<Vec>(reinterpret_cast<VecMask>(b) ^ (((quarters + 1) & 2) << 62));
  }
}

}  // namespace
}  // namespace abut::ABUT_ISA
