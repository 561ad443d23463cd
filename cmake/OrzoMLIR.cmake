# MLIR and LLVM 22, as shared libraries. orzo-mlir-options carries their include paths and definitions to the rooms
# that include MLIR headers; nothing else sees them.
find_package(MLIR REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
find_package(LLD REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/lld)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "orzo is written for MLIR/LLVM 22; found ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
set(LLVM_RUNTIME_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/bin)
set(LLVM_LIBRARY_OUTPUT_INTDIR ${CMAKE_BINARY_DIR}/lib)
include(TableGen)
include(AddLLVM)
include(AddMLIR)
separate_arguments(ORZO_LLVM_DEFINITIONS NATIVE_COMMAND ${LLVM_DEFINITIONS})

add_library(orzo-mlir-options INTERFACE)
target_compile_definitions(orzo-mlir-options INTERFACE ${ORZO_LLVM_DEFINITIONS})
target_include_directories(orzo-mlir-options SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_compile_options(orzo-mlir-options INTERFACE -fno-exceptions -fvisibility-inlines-hidden)
target_link_libraries(orzo-mlir-options INTERFACE MLIR LLVM)

# One precompiled header for every room that includes MLIR: parsing MLIR's headers is most of their build time.
file(WRITE ${CMAKE_BINARY_DIR}/mlir-pch.cpp "\n")
add_library(orzo-mlir-pch OBJECT ${CMAKE_BINARY_DIR}/mlir-pch.cpp)
target_link_libraries(orzo-mlir-pch PRIVATE orzo-options orzo-mlir-options)
target_precompile_headers(orzo-mlir-pch PRIVATE ${CMAKE_SOURCE_DIR}/cmake/MLIRPrecompiled.h)

# orzo_mlir_library(Name sources... DEPS targets TABLEGEN tablegen-targets): as orzo_library, with MLIR.
function(orzo_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPS;TABLEGEN" ${ARGN})
  orzo_library(${name} ${ARG_UNPARSED_ARGUMENTS} DEPS orzo-mlir-options ${ARG_DEPS})
  target_precompile_headers(orzo${name} REUSE_FROM orzo-mlir-pch)
  if(ARG_TABLEGEN)
    add_dependencies(orzo${name} ${ARG_TABLEGEN})
  endif()
endfunction()
