# Read by ctest for rff_discover_tests: lists the tests of a program that exists, and adds one for each.
if(NOT EXISTS "${RFF_PROGRAM}")
  add_test("${RFF_PREFIX}NOT_BUILT" "${RFF_PROGRAM}")
  return()
endif()
set(choice)
if(NOT RFF_FILTER STREQUAL "")
  set(choice --filter "${RFF_FILTER}")
endif()
execute_process(COMMAND "${RFF_FUZZ}" --tests ${RFF_FRAMEWORK} --list-tests ${choice} -- "${RFF_PROGRAM}" ${RFF_ARGS}
                OUTPUT_VARIABLE names ERROR_VARIABLE error RESULT_VARIABLE status OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT status STREQUAL "0")
  # A program that cannot be listed is a test that fails, never none.
  add_test("${RFF_PREFIX}NOT_LISTED" "${RFF_FUZZ}" --tests ${RFF_FRAMEWORK} --list-tests ${choice} -- "${RFF_PROGRAM}" ${RFF_ARGS})
  return()
endif()
string(REPLACE ";" "\\;" names "${names}")
string(REPLACE "\n" ";" names "${names}")
foreach(name IN LISTS names)
  string(MAKE_C_IDENTIFIER "${name}" folder)
  # Characters that are patterns in a filter match themselves between brackets.
  string(REGEX REPLACE "([][*?])" "[\\1]" exact "${name}")
  add_test("${RFF_PREFIX}${name}" "${RFF_FUZZ}" --tests ${RFF_FRAMEWORK} --filter "${exact}" ${RFF_OPTIONS} --force
           -o "${RFF_FOLDER}/${folder}" --skip-status 77 --junit "${RFF_FOLDER}/${folder}.xml" -- "${RFF_PROGRAM}" ${RFF_ARGS})
  set_tests_properties("${RFF_PREFIX}${name}" PROPERTIES SKIP_RETURN_CODE 77 LABELS "${RFF_LABELS}" TIMEOUT ${RFF_TIMEOUT} PROCESSORS 2
                       ATTACHED_FILES_ON_FAIL "${RFF_FOLDER}/${folder}.xml")
endforeach()
