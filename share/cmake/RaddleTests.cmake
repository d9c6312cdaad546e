# RaddleTests.cmake - CMake functions for tests under Raddle. docs/build-systems.md has examples.
#
#   raddle_instrument(TARGET...)
#       compiles and links the targets as `raddle cc` does, with the compiler of the project: every access to memory
#       that threads share is then a scheduling point. Started without raddle, the program runs as always.
#
#   raddle_add_test(TARGET target [NAME name] [ARGS arg...] [OPTIONS option...] [TIMEOUT seconds]
#                   [WORKING_DIRECTORY folder])
#       adds the test `raddle run OPTIONS -- target ARGS`, by default with the name raddle.target. It fails if Raddle
#       finds a bug, or cannot test the program. Schedules and reports go to a folder of its own, raddle-out/NAME in
#       the binary folder. The test has the label `raddle`.
#
#   raddle_launch_tests(TARGET target [OPTIONS option...])
#       lets every test that CMake makes of the target run under Raddle: those of gtest_discover_tests and
#       catch_discover_tests, one search for each test case, and of add_test. Call it before these functions.
set(RADDLE_LAUNCH_TEST "${CMAKE_CURRENT_LIST_DIR}/raddle-launch-test")

function(_raddle_executable to)
  get_target_property(path Raddle::raddle LOCATION)
  set(${to} "${path}" PARENT_SCOPE)
endfunction()

function(_raddle_check_parsed function unparsed missing)
  if(missing)
    message(FATAL_ERROR "${function}: no value after: ${missing}")
  endif()
  if(unparsed)
    message(FATAL_ERROR "${function}: unexpected: ${unparsed}")
  endif()
endfunction()

function(raddle_instrument)
  if(NOT ARGN)
    message(FATAL_ERROR "raddle_instrument: no target is named")
  endif()
  if(NOT CMAKE_GENERATOR MATCHES "Makefiles|Ninja")
    message(FATAL_ERROR "raddle_instrument: needs a Makefile or Ninja generator, not '${CMAKE_GENERATOR}'")
  endif()
  _raddle_executable(raddle)
  foreach(target IN LISTS ARGN)
    if(NOT TARGET ${target})
      message(FATAL_ERROR "raddle_instrument: there is no target '${target}'")
    endif()
    foreach(language C CXX)
      get_filename_component(compiler "${CMAKE_${language}_COMPILER}" NAME)
      if(compiler MATCHES "^raddle-c") # it is the wrapper already
        continue()
      endif()
      foreach(step COMPILER LINKER) # a launcher that is there, such as ccache, stays behind raddle
        get_target_property(launcher ${target} ${language}_${step}_LAUNCHER)
        if(NOT launcher)
          set(launcher)
        endif()
        if(NOT "${raddle}" IN_LIST launcher)
          set_property(TARGET ${target} PROPERTY ${language}_${step}_LAUNCHER "${raddle}" ${launcher})
        endif()
      endforeach()
    endforeach()
  endforeach()
endfunction()

# The folder for the results of a test: no two names share one.
function(_raddle_folder name to)
  string(REGEX REPLACE "[^A-Za-z0-9_.+-]" "_" folder "${name}")
  if(NOT folder STREQUAL name)
    string(SHA1 hash "${name}")
    string(SUBSTRING ${hash} 0 8 hash)
    string(APPEND folder "-${hash}")
  endif()
  set(${to} "${CMAKE_CURRENT_BINARY_DIR}/raddle-out/${folder}" PARENT_SCOPE)
endfunction()

function(raddle_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TARGET;TIMEOUT;WORKING_DIRECTORY" "ARGS;OPTIONS")
  _raddle_check_parsed(raddle_add_test "${arg_UNPARSED_ARGUMENTS}" "${arg_KEYWORDS_MISSING_VALUES}")
  if(NOT arg_TARGET)
    message(FATAL_ERROR "raddle_add_test: TARGET is missing")
  endif()
  if(NOT TARGET ${arg_TARGET})
    message(FATAL_ERROR "raddle_add_test: there is no target '${arg_TARGET}'")
  endif()
  if(NOT arg_NAME)
    set(arg_NAME raddle.${arg_TARGET})
  endif()
  _raddle_executable(raddle)
  _raddle_folder("${arg_NAME}" folder)
  set(where)
  if(arg_WORKING_DIRECTORY)
    set(where WORKING_DIRECTORY "${arg_WORKING_DIRECTORY}")
  endif()
  # $<TARGET_FILE> and not the name of the target: a launcher of the target would come before raddle
  add_test(NAME "${arg_NAME}" ${where}
    COMMAND "${raddle}" run -o "${folder}" ${arg_OPTIONS} -- $<TARGET_FILE:${arg_TARGET}> ${arg_ARGS})
  set_property(TEST "${arg_NAME}" PROPERTY LABELS raddle)
  if(arg_TIMEOUT)
    set_property(TEST "${arg_NAME}" PROPERTY TIMEOUT "${arg_TIMEOUT}")
  endif()
endfunction()

function(raddle_launch_tests)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET" "OPTIONS")
  _raddle_check_parsed(raddle_launch_tests "${arg_UNPARSED_ARGUMENTS}" "${arg_KEYWORDS_MISSING_VALUES}")
  if(NOT arg_TARGET)
    message(FATAL_ERROR "raddle_launch_tests: TARGET is missing")
  endif()
  if(NOT TARGET ${arg_TARGET})
    message(FATAL_ERROR "raddle_launch_tests: there is no target '${arg_TARGET}'")
  endif()
  _raddle_executable(raddle)
  _raddle_folder("${arg_TARGET}" folder)
  # from CMake 3.29 on an emulator is for other machines' programs, and there is a property for what we want
  set(property CROSSCOMPILING_EMULATOR)
  if(NOT CMAKE_VERSION VERSION_LESS 3.29)
    set(property TEST_LAUNCHER)
  endif()
  set_property(TARGET ${arg_TARGET}
    PROPERTY ${property} "${RADDLE_LAUNCH_TEST}" "${raddle}" "${folder}" ${arg_OPTIONS} --)
endfunction()
