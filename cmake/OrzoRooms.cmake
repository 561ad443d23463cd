# One folder = one library. A room's CMakeLists.txt is one orzo_library() call; its unit tests are one
# orzo_unittest() call in the same path under unittests/.

add_library(orzo-options INTERFACE)
target_include_directories(orzo-options INTERFACE
  ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/lib ${CMAKE_BINARY_DIR}/include ${CMAKE_BINARY_DIR}/lib)
target_compile_options(orzo-options INTERFACE -Wall -Wextra -Wno-unused-parameter -Wno-deprecated-declarations -ffunction-sections -fdata-sections)
# SHELL: so that CMake does not fold repeated options.
if(ORZO_SANITIZE)
  target_compile_options(orzo-options INTERFACE
    "SHELL:-fsanitize=${ORZO_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=undefined")
  target_link_options(orzo-options INTERFACE -fsanitize=${ORZO_SANITIZE})
endif()
target_link_options(orzo-options INTERFACE -fuse-ld=lld -Wl,--gc-sections)

# orzo_library(Name sources... DEPS other targets): a static library `orzoName`, linking orzo-options.
function(orzo_library name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_library(orzo${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(orzo${name} PUBLIC orzo-options ${ARG_DEPS})
endfunction()

# orzo_unittest(Name sources... DEPS targets): a GoogleTest program `orzo<Name>Tests`, known to ctest.
function(orzo_unittest name)
  cmake_parse_arguments(ARG "" "" "DEPS" ${ARGN})
  add_executable(orzo${name}Tests ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(orzo${name}Tests PRIVATE orzo-options ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND orzo${name}Tests)
endfunction()

# orzo_add_rooms(folders...): add_subdirectory for each that is there.
function(orzo_add_rooms)
  foreach(room IN LISTS ARGN)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${room}/CMakeLists.txt)
      add_subdirectory(${room})
    endif()
  endforeach()
endfunction()
