#include "abut/laws/pointwise_laws.hpp"

#include "abut/laws/law_list.hpp"

namespace abut {

NormalEval<double> evaluate_own_law(const NormalStep<double>& step, double vn) {
  return dispatch_law(static_cast<NormalLawKind>(static_cast<int>(step.law)),
                      [&]<class Law>() { return Law::evaluate(step, vn); });
}

double solve_own_law_alone(const NormalStep<double>& step, double w, double v_free) {
  return dispatch_law(static_cast<NormalLawKind>(static_cast<int>(step.law)),
                      [&]<class Law>() { return Law::solve_alone(step, w, v_free); });
}

}  // namespace abut
