# Every case as a program in build/litmus/<name>, all together in the target "litmus_programs". Include this file from a CMakeLists.txt.
find_package(Python3 REQUIRED COMPONENTS Interpreter)
find_package(Threads REQUIRED)
add_custom_target(litmus_programs ALL)

file(GLOB litmus_cases CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cases/*.litmus)
foreach(case ${litmus_cases})
  get_filename_component(name ${case} NAME_WE)
  set(generated ${CMAKE_BINARY_DIR}/litmus/source/${name}.c)
  add_custom_command(OUTPUT ${generated}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_BINARY_DIR}/litmus/source
    COMMAND Python3::Interpreter -B ${CMAKE_CURRENT_LIST_DIR}/generate ${name} ${generated}
    DEPENDS ${case} ${CMAKE_CURRENT_LIST_DIR}/generate ${CMAKE_CURRENT_LIST_DIR}/litmus.py VERBATIM)
  add_executable(litmus_${name} EXCLUDE_FROM_ALL ${generated})
  set_target_properties(litmus_${name} PROPERTIES OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/litmus)
  target_compile_options(litmus_${name} PRIVATE -O1 -g -Wall -Wextra)
  target_link_libraries(litmus_${name} PRIVATE Threads::Threads)
  add_dependencies(litmus_programs litmus_${name})
endforeach()
