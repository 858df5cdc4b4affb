# Flags that every target shares, and the kernels compiled once per instruction set.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

find_program(ABUT_CCACHE ccache)
if(ABUT_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ABUT_CCACHE})
endif()

# Contraction is fixed so that optimized builds agree bit by bit; fused multiply-adds appear only
# where linalg/simd.hpp writes them. Nobody reads errno or the flags of exceptions after arithmetic;
# to keep them costs branches, and changes no number.
add_library(abut_flags INTERFACE)
target_compile_options(abut_flags INTERFACE -ffp-contract=off -fno-math-errno -fno-trapping-math
                                            -Wall -Wextra -Wconversion
                                            -Wno-sign-conversion -Wshadow
                                            -Werror=switch
                                            # no function is replaced when a program is loaded
                                            -fno-semantic-interposition)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64"
   AND NOT ABUT_SANITIZE)  # whose builds are not timed
  # Else GCC copies and clears structs of 64 bytes and more by `rep movs` and `rep stos`, which are
  # slow to begin (docs/decisions/layout.md).
  set(ABUT_STRUCT_STRATEGY vector_loop:768:noalign,libcall:-1:noalign)
  target_compile_options(abut_flags INTERFACE -mmemcpy-strategy=${ABUT_STRUCT_STRATEGY}
                                              -mmemset-strategy=${ABUT_STRUCT_STRATEGY})
endif()
# straight code that begins within a cache line may take a third longer (docs/decisions/layout.md)
set(ABUT_KERNEL_OPTIMIZATION $<IF:$<CONFIG:Debug>,-O1,-O3> -falign-functions=64)
if(ABUT_SANITIZE)
  # checks of references to registers make the kernels compile for minutes and find nothing
  set(ABUT_KERNEL_OPTIMIZATION -O1 -fno-sanitize=null,alignment,object-size)
  target_compile_options(abut_flags INTERFACE -fsanitize=${ABUT_SANITIZE}
                                              -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(abut_flags INTERFACE -fsanitize=${ABUT_SANITIZE})
endif()

if(ABUT_BASELINE_ONLY OR NOT CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(ABUT_ISAS baseline)
else()
  set(ABUT_ISAS baseline avx2 avx512)
endif()
set(ABUT_ISA_FLAGS_baseline "")
set(ABUT_ISA_FLAGS_avx2 -march=x86-64-v3)
set(ABUT_ISA_FLAGS_avx512 -march=x86-64-v4 -mprefer-vector-width=512)

# abut's libraries may be optimized together where a program or the Python module is linked: a step
# takes 4 to 20 % less, a link a minute. Objects hold both forms, so that everything else is linked
# as ever.
set(ABUT_LINK_TIME AUTO CACHE STRING "Optimize programs and the Python module when they are linked: ON (GCC), OFF, or AUTO, in release builds of abut alone by GCC")
set(ABUT_OPTIMIZES_LINKS OFF)
if(ABUT_LINK_TIME STREQUAL "AUTO")
  if(PROJECT_IS_TOP_LEVEL AND NOT ABUT_CORE_ONLY AND NOT ABUT_SANITIZE
     AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU"
     AND NOT CMAKE_INTERPROCEDURAL_OPTIMIZATION AND NOT CMAKE_CXX_FLAGS MATCHES "-flto")
    set(ABUT_OPTIMIZES_LINKS ON)
  endif()
elseif(ABUT_LINK_TIME)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    message(FATAL_ERROR "ABUT_LINK_TIME=ON: the compiler must be GCC, whose objects can hold both forms")
  endif()
  set(ABUT_OPTIMIZES_LINKS ON)
endif()
if(ABUT_OPTIMIZES_LINKS)  # each link uses all processors
  set_property(GLOBAL APPEND PROPERTY JOB_POOLS abut_link_time=1)
endif()

# Of a library of the project. Kernels stay as they are: they are called by tables, and what is
# compiled for one instruction set must not get into code of another.
function(abut_prepare_for_link_time target)
  if(NOT ABUT_OPTIMIZES_LINKS)
    return()
  endif()
  # a program is one unit then: the rest of it would use up what small functions may add
  target_compile_options(${target} PRIVATE -flto=auto -ffat-lto-objects --param=inline-unit-growth=100)
  set(optimized "$<OR:$<BOOL:$<TARGET_PROPERTY:ABUT_OPTIMIZED_LINK>>,$<BOOL:$<TARGET_PROPERTY:INTERPROCEDURAL_OPTIMIZATION>>>")
  target_link_options(${target} INTERFACE $<BUILD_INTERFACE:$<$<NOT:${optimized}>:-fno-lto>>)
endfunction()

# Of a program or a module. What the libraries do not export it may drop.
function(abut_optimize_at_link_time target)
  if(ABUT_OPTIMIZES_LINKS)
    set_target_properties(${target} PROPERTIES ABUT_OPTIMIZED_LINK ON JOB_POOL_LINK abut_link_time)
    target_link_options(${target} PRIVATE -flto=auto -Wl,--exclude-libs,ALL)
  endif()
endfunction()

# Adds each source to `target` once per instruction set, in the namespace isa_<name>.
function(abut_add_kernels target)
  foreach(isa IN LISTS ABUT_ISAS)
    set(objects ${target}_${isa})
    add_library(${objects} OBJECT ${ARGN})
    target_link_libraries(${objects} PRIVATE abut_flags)
    target_include_directories(${objects} PRIVATE ${PROJECT_SOURCE_DIR}/src)
    # the kernels say themselves what is a vector; the compiler's own attempts only cost here
    target_compile_options(${objects} PRIVATE ${ABUT_ISA_FLAGS_${isa}}
      ${ABUT_KERNEL_OPTIMIZATION} -fno-tree-slp-vectorize)
    target_compile_definitions(${objects} PRIVATE ABUT_ISA=isa_${isa})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    target_compile_definitions(${target} PRIVATE ABUT_HAS_ISA_${isa})
  endforeach()
endfunction()
