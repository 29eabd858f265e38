# The tools are compiled by GCC or clang. The runtime is compiled by GCC in any case: code that patched programs enter keeps registers by
# options that clang does not have (libsched/CMakeLists.txt).
set(rff_gcc_options -Wno-restrict -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread)  # false alarms of GCC 12 on std::string
set(rff_gcc_group_options -Wno-subobject-linkage)  # a group includes its sources, so types that are local to one look like those of a header

# rff_compile_with_gcc(target): whatever compiles the rest.
function(rff_compile_with_gcc target)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    return()
  endif()
  find_program(RFF_GCC g++)
  if(NOT RFF_GCC)
    message(FATAL_ERROR "The runtime is compiled by GCC, and there is no g++: install it, or name one with -DRFF_GCC=PATH")
  endif()
  set(launcher ${PROJECT_SOURCE_DIR}/cmake/with_gcc ${RFF_GCC})
  # The headers would be compiled for the other compiler.
  set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}" CXX_LINKER_LAUNCHER "${launcher}" DISABLE_PRECOMPILE_HEADERS ON)
  target_compile_options(${target} PRIVATE ${rff_gcc_options} ${rff_gcc_group_options})
endfunction()
