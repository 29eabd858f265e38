# What other projects find: the CMake package rff and rff.pc, both valid wherever the prefix is moved. A part that offers a library
# installs it with EXPORT rffTargets and COMPONENT development, and appends its flag to the property RFF_PKGCONFIG_LIBS. Include this
# file after all parts.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/rff)
set(generated ${CMAKE_BINARY_DIR}/package)

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/rffConfig.cmake.in ${generated}/rffConfig.cmake
                              INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${generated}/rffConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${generated}/rffConfig.cmake ${generated}/rffConfigVersion.cmake ${CMAKE_CURRENT_LIST_DIR}/rffTesting.cmake
        ${CMAKE_CURRENT_LIST_DIR}/rffHarness.cmake ${CMAKE_CURRENT_LIST_DIR}/rffRun.cmake ${CMAKE_CURRENT_LIST_DIR}/rffDiscover.cmake DESTINATION ${package_folder} COMPONENT development)
install(EXPORT rffTargets NAMESPACE rff:: DESTINATION ${package_folder} COMPONENT development)

get_property(flags GLOBAL PROPERTY RFF_PKGCONFIG_LIBS)
list(JOIN flags " " RFF_PKGCONFIG_LIBS)
file(RELATIVE_PATH RFF_PREFIX_FROM_PKGCONFIG /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/rff.pc.in ${generated}/rff.pc @ONLY)
# Apart from rff.pc: it links the runtime, which programs with properties get from rff-fuzz.
configure_file(${CMAKE_CURRENT_LIST_DIR}/rff-harness.pc.in ${generated}/rff-harness.pc @ONLY)
install(FILES ${generated}/rff.pc ${generated}/rff-harness.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
