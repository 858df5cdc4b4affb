#include "abut/problem/prepared_problem.hpp"

#include <utility>

#include "abut/core/grow.hpp"

namespace abut {

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
  masses_.find(problem_, pool);
  work_.resize(masses_.work_size());
  estimate_mobilities(pool);
  regularize_scalars();
  regularize_contacts(pool);
  const std::vector<double>& gap = problem_.contacts.gap;
  for (auto* v : {&contacts_.given_gap, &contacts_.allowance}) make_room(*v, gap.capacity());
  assign(contacts_.given_gap, gap);
  assign(contacts_.allowance, gap.size(), 0);
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
  find_dormant(pool);
  make_room(islands_.patches, problem_.patches.capacity());
  islands_.find(static_cast<int>(problem_.trees.size()), problem_.patches, problem_.scalars);
  stage_ = Stage::complete;
}

}  // namespace abut
