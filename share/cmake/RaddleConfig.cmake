# RaddleConfig.cmake - find_package(Raddle): targets and functions for tests under Raddle.
#
#   Raddle::raddle        the executable
#   Raddle::annotations   the folder of raddle.h; programs need no library for it (see there about -no-pie)
#   Raddle::runtime       the same and libraddle.so linked, which has no effect unless raddle starts the program
#
# RaddleTests.cmake describes the functions raddle_instrument, raddle_add_test and raddle_launch_tests.
include("${CMAKE_CURRENT_LIST_DIR}/RaddleTargets.cmake")
include("${CMAKE_CURRENT_LIST_DIR}/RaddleTests.cmake")
