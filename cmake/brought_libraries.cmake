# Each system numbers these libraries in its own way: an installed RFF brings its own, so that what is built on one runs on the others.
function(rff_brings_libraries)
  foreach(program IN LISTS ARGN)
    set_target_properties(${program} PROPERTIES INSTALL_RPATH "$ORIGIN/../${RFF_INSTALL_PRIVATE_LIBDIR}")
    target_link_options(${program} PRIVATE LINKER:--disable-new-dtags)  # so that it holds for libraries of libraries
  endforeach()
endfunction()

foreach(name Zydis Zycore)
  find_library(RFF_LIBRARY_${name} ${name} REQUIRED)
  mark_as_advanced(RFF_LIBRARY_${name})
  if(RFF_LIBRARY_${name} MATCHES "\\.so$")
    # The program asks for the name that this link leads to: libZydis.so.4.0.
    file(READ_SYMLINK ${RFF_LIBRARY_${name}} asked_for)
    file(REAL_PATH ${RFF_LIBRARY_${name}} library)
    install(FILES ${library} DESTINATION ${RFF_INSTALL_PRIVATE_LIBDIR} RENAME ${asked_for})
  endif()
endforeach()
