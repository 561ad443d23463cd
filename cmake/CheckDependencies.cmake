# Fails when a program loads, directly or through others, a library whose name matches FORBIDDEN, or one that is not found.
#   cmake -DPROGRAM=build/bin/orzo-run -DFORBIDDEN="LLVM|MLIR" -P cmake/CheckDependencies.cmake
file(GET_RUNTIME_DEPENDENCIES EXECUTABLES ${PROGRAM} RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing)
if(NOT found)
  message(FATAL_ERROR "${PROGRAM} seems to load nothing, not even the C library: the check itself does not work")
endif()
foreach(library IN LISTS found missing)
  if(library MATCHES "${FORBIDDEN}")
    message(FATAL_ERROR "${PROGRAM} loads ${library}")
  endif()
endforeach()
if(missing)
  message(FATAL_ERROR "${PROGRAM} needs libraries that are not there: ${missing}")
endif()
