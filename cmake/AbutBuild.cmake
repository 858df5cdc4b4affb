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
set(ABUT_KERNEL_OPTIMIZATION $<IF:$<CONFIG:Debug>,-O1,-O3>)
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

# Programs and the Python module may be optimized as a whole when they are linked: a step takes 5 to
# 20 % less, a link a minute. Objects hold both forms, so that everything else is linked as ever.
set(ABUT_LINK_TIME_DEFAULT OFF)
if(PROJECT_IS_TOP_LEVEL AND NOT ABUT_CORE_ONLY AND NOT ABUT_SANITIZE
   AND CMAKE_BUILD_TYPE STREQUAL "Release" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  set(ABUT_LINK_TIME_DEFAULT ON)
endif()
option(ABUT_LINK_TIME "Optimize programs and the Python module when they are linked (GCC)"
       ${ABUT_LINK_TIME_DEFAULT})

# Of a library of the project.
function(abut_prepare_for_link_time target)
  if(NOT ABUT_LINK_TIME)
    return()
  endif()
  target_compile_options(${target} PRIVATE -flto=auto -ffat-lto-objects)
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    target_link_options(${target} INTERFACE
      $<BUILD_INTERFACE:$<$<NOT:$<BOOL:$<TARGET_PROPERTY:ABUT_LINK_TIME>>>:-fno-lto>>)
  endif()
endfunction()

# Of a program or a module. What it does not export it may drop.
function(abut_optimize_at_link_time target)
  if(ABUT_LINK_TIME)
    set_target_properties(${target} PROPERTIES ABUT_LINK_TIME ON)
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
    abut_prepare_for_link_time(${objects})
    target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
    target_compile_definitions(${target} PRIVATE ABUT_HAS_ISA_${isa})
  endforeach()
endfunction()
