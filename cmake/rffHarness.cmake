# rff::harness, for runs inside a process (rff/harness.h, rff/explore.h, rff/gtest_harness.h), and the functions rff_add_harness and
# rff_instrument_target. Needs rff::harness_parts, rff::callbacks and rff::sched, the runtime.
if(NOT TARGET rff::harness)
  add_library(rff::harness INTERFACE IMPORTED GLOBAL)
  # The runtime stands in front of the C library and of libstdc++, whose functions it replaces.
  set_target_properties(rff::harness PROPERTIES
    INTERFACE_LINK_LIBRARIES "rff::harness_parts;rff::sched"
    INTERFACE_LINK_OPTIONS "-Wl,-u,rff_feedback;-Wl,-z,now;-pthread")
endif()

# rff_instrument_target(TARGET): its code reports memory accesses to runs. The compiler inserts the calls that it has for
# ThreadSanitizer; ThreadSanitizer itself is not linked.
function(rff_instrument_target target)
  target_compile_options(${target} PRIVATE -fsanitize=thread -fno-omit-frame-pointer)
  get_target_property(type ${target} TYPE)
  if(CMAKE_C_COMPILER_ID MATCHES "Clang" OR CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # Otherwise clang leaves out the read of x = x + 1.
    target_compile_options(${target} PRIVATE "SHELL:-mllvm -tsan-instrument-read-before-write=1")
  endif()
  if(NOT type STREQUAL "OBJECT_LIBRARY")
    target_link_libraries(${target} PRIVATE rff::callbacks)
  endif()
endfunction()

# rff_add_harness(TARGET): the program makes runs of its own code, whose memory accesses it reports.
function(rff_add_harness target)
  rff_instrument_target(${target})
  target_link_libraries(${target} PRIVATE rff::harness)
endfunction()
