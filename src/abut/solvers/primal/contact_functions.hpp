#pragma once

// The functions behind ContactKernels, once per instruction set; see there for what they do.

#include "abut/solvers/primal/contact_kernels.hpp"

namespace abut::ABUT_ISA {

void make_inert(const ContactArrays& c);
void load_sap(const ContactArrays& c, double time_step);
void start_duals(const ContactArrays& c);
void change_places(const ContactArrays& c);
void extend_linearly(const ContactArrays& c);
void extrapolate(const ContactArrays& c, double ahead, double* before);

void velocities(const ContactArrays& c, const BodyPatch* patches, int count, const double* x,
                ContactField first_field);
void impulses(const ContactArrays& c, const BodyPatch* patches, int count, double* y);
void moments(const ContactArrays& c);
void assemble(const ContactArrays& c, const BodyPatch* patches, int count, double* body_sums,
              double* values, double* couplings);

void linked_twists(const LinkedBody* bodies, int count, const double* jacobians, const double* x,
                   double* twists);
void linked_loads(const LinkedBody* bodies, int count, const double* jacobians, const double* loads,
                  double* y);
void add_linked(const LinkedBody& rows, const LinkedBody& columns, const double* jacobians,
                const double* m, bool lower, double* work, double* to, std::int64_t leading);

void row_velocities(const ContactRows& r, const double* x, double* out, std::int64_t stride);
void row_loads(const ContactRows& r, const double* gamma, std::int64_t stride, double* y);
void row_hessian(const ContactRows& r, const double* k, std::int64_t stride, double* work,
                 double* to, std::int64_t leading);

void gather_bodies(const RigidSource* from, std::int32_t count, const RigidRoom& to);
BodySums residual(const RigidBodies& b, const double* v, const double* impulse, double* momentum,
                  double* gradient);
StepSums step_terms(const RigidBodies& b, const double* step, const double* momentum,
                    const double* gradient);
void move_bodies(std::int32_t count, const double* inverse_inertia, const double* rest,
                 const double* y, double* x);
BodySums part_residual(const RigidBodies& b, std::int32_t begin, std::int32_t end, const double* v,
                       const double* impulse, const double* momentum, double* gradient);
StepSums part_step_terms(std::int32_t begin, std::int32_t end, const double* step,
                         const double* momentum, const double* gradient, const double* product);
double scaled_square(const RigidBodies& b, std::int32_t begin, std::int32_t end,
                     const double* momentum);
void write_diagonals(const RigidBodies& b, const double* body_sums, const BlockSlot* slots,
                     double* values);

}  // namespace abut::ABUT_ISA
