#pragma once

#include "abut/laws/barrier.hpp"
#include "abut/laws/hertz.hpp"
#include "abut/laws/hunt_crossley.hpp"
#include "abut/laws/kelvin_voigt.hpp"
#include "abut/laws/law_kind.hpp"
#include "abut/laws/tabulated.hpp"

namespace abut {

/// Calls `f.template operator()<Law>()` for the law named by `kind`.
template <class F>
decltype(auto) dispatch_law(NormalLawKind kind, const F& f) {
  switch (kind) {
    case NormalLawKind::kelvin_voigt: return f.template operator()<KelvinVoigt>();
    case NormalLawKind::hunt_crossley: return f.template operator()<HuntCrossley>();
    case NormalLawKind::hertz: return f.template operator()<Hertz>();
    case NormalLawKind::tabulated: return f.template operator()<Tabulated>();
    case NormalLawKind::log_barrier: return f.template operator()<LogBarrier>();
    case NormalLawKind::ipc_barrier: break;
  }
  return f.template operator()<IpcBarrier>();
}

}  // namespace abut
