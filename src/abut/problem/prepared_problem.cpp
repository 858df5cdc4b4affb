#include "abut/problem/prepared_problem.hpp"

#include <algorithm>
#include <utility>

#include "abut/core/grow.hpp"

namespace abut {
namespace {

/// Looks at the first alone, as all are resized together.
template <class First, class... Others>
void resize_together(std::size_t count, std::size_t room, First& first, Others&... others) {
  if (first.size() == count && first.capacity() >= room) return;
  const auto fit = [&](auto& v) {
    make_room(v, room);
    abut::resize(v, count);
  };
  (fit(others), ...);
  fit(first);
}

}  // namespace

void ContactTerms::resize(std::size_t count, std::size_t room) {
  resize_together(count, room, mobility, normal_mobility, tangential_mobility,
                  tangential_regularization, given_gap, allowance);
}

void ScalarTerms::resize(std::size_t count, std::size_t room) {
  resize_together(count, room, mobility, regularization, target, lower, upper, order);
}

PreparedProblem::PreparedProblem(ContactProblem problem) : problem_(std::move(problem)) {
  prepare();
}

ContactProblem& PreparedProblem::edit() {
  stage_ = Stage::none;
  return problem_;
}

void PreparedProblem::prepare(ThreadPool* pool) {
  weigh(pool);
  complete(pool);
}

void PreparedProblem::weigh(ThreadPool* pool) {
  require_patches_by_pair(problem_.patches);
  shares_.find(problem_.patches, static_cast<int>(problem_.trees.size()), pool);
  masses_.find(problem_, pool);
  abut::resize(work_, masses_.work_size());
  const std::vector<double>& gap = problem_.contacts.gap;
  contacts_.resize(gap.size(), gap.capacity());
  scalars_.resize(problem_.scalars.kind.size(), problem_.scalars.kind.capacity());
  estimate_mobilities(pool);
  regularize_scalars();
  regularize_contacts(pool);
  stage_ = Stage::weighed;
}

void PreparedProblem::allow(int contact, double depth) {
  problem_.contacts.gap[contact] += depth;
  contacts_.allowance[contact] += depth;
  if (stage_ == Stage::complete) stage_ = Stage::weighed;
}

void PreparedProblem::complete(ThreadPool* pool) {
  if (stage_ == Stage::none) weigh(pool);
  for (auto* v : {&contacts_.lagged_impulse, &contacts_.slip_tolerance}) v->clear();
  switch (problem_.model) {
    case ContactModel::sap:
    case ContactModel::ncp:
    case ContactModel::ccp:
    case ContactModel::lcp:
    case ContactModel::raisim: break;
    case ContactModel::lagged:
    case ContactModel::similar:
    case ContactModel::anchored: predict_impulses(); break;
  }
  dormancy_.run(*this, islands_.dormant, pool);
  make_room(islands_.patches, problem_.patches.capacity());
  islands_.find(static_cast<int>(problem_.trees.size()), problem_.patches, problem_.scalars);
  stage_ = Stage::complete;
}

}  // namespace abut
