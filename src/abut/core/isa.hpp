#pragma once

namespace abut {

/// Instruction sets the kernels are built for; which one runs is chosen once per process.
enum class Isa { baseline, avx2, avx512 };

/// The widest set that this build and this processor share, or the one that the environment
/// variable ABUT_ISA (baseline, avx2, avx512) asks for.
/// @throws InputError if ABUT_ISA names a set that is unknown, not built or not supported here.
Isa active_isa();

const char* to_string(Isa isa);

}  // namespace abut
