#pragma once

// The functions behind ContactKernels, once per instruction set; see there for what they do.

#include "abut/solvers/primal/contact_kernels.hpp"

namespace abut::ABUT_ISA {

void velocities(const ContactArrays& c, const RigidPatch* patches, int count, const double* x,
                ContactField first_field);
void impulses(const ContactArrays& c, const RigidPatch* patches, int count, double* y);
void moments(const ContactArrays& c);
void assemble(const ContactArrays& c, const RigidPatch* patches, int count, double* body_sums,
              double* values);

void general_velocities(const ContactArrays& c, const GeneralPatch* patches, int count,
                        const double* jacobians, const double* x, ContactField first_field);
void general_impulses(const ContactArrays& c, const GeneralPatch* patches, int count,
                      const double* jacobians, double* y);
void general_assemble(const ContactArrays& c, const GeneralPatch* patches, int count,
                      const double* jacobians, double* work, double* values);

BodySums residual(const RigidBodies& b, const double* v, const double* impulse, double* momentum,
                  double* gradient);
StepSums step_terms(const RigidBodies& b, const double* step, const double* momentum,
                    const double* gradient);
void write_diagonals(const RigidBodies& b, const double* body_sums, const BlockSlot* slots,
                     double* values);

}  // namespace abut::ABUT_ISA
