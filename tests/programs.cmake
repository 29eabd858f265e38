# Every program of programs.json as an ordinary executable in build/test-programs/<pass|fail>/<primitive>/<name>, all together in the target
# "test_programs". Include this file from a CMakeLists.txt.
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/programs.json)
find_package(Threads REQUIRED)
add_custom_target(test_programs ALL)

file(READ ${CMAKE_CURRENT_LIST_DIR}/programs.json programs)
string(JSON programs_count LENGTH "${programs}")
math(EXPR programs_last "${programs_count} - 1")
foreach(i RANGE ${programs_last})
  string(JSON path GET "${programs}" ${i} path)
  get_filename_component(folder ${path} DIRECTORY)
  get_filename_component(base ${path} NAME_WE)
  string(REGEX REPLACE "[/.]" "_" target "program_${folder}_${base}")
  add_executable(${target} EXCLUDE_FROM_ALL ${CMAKE_CURRENT_LIST_DIR}/${path})
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${base} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test-programs/${folder})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_LIST_DIR})
  target_compile_options(${target} PRIVATE -O1 -g -UNDEBUG -Wall -Wextra)
  target_link_libraries(${target} PRIVATE Threads::Threads)
  add_dependencies(test_programs ${target})
endforeach()

target_link_libraries(program_pass_memory_floating_point_flags PRIVATE m)

# Libraries that some of them load: rff_test_library(name program...), each of which finds its path in a macro.
function(rff_test_library name)
  add_library(${name} SHARED ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/libraries/${name}.c)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/test-programs/libraries)
  target_compile_options(${name} PRIVATE -O1 -g -UNDEBUG -Wall -Wextra)
  string(TOUPPER ${name} macro)
  foreach(program ${ARGN})
    target_compile_definitions(program_${program} PRIVATE ${macro}="$<TARGET_FILE:${name}>")
    add_dependencies(program_${program} ${name})
  endforeach()
endfunction()
rff_test_library(early_variable pass_threads_variables_of_a_library)
rff_test_library(late_variable pass_threads_variables_of_a_library)
rff_test_library(last_look fail_threads_seen_by_library fail_threads_seen_in_namespace)
