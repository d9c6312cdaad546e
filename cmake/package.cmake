# package.cmake - the packages that cpack makes: raddle_VERSION_ARCH.deb with its debug symbols apart, and a tarball that can
# be unpacked anywhere. `make package` configures a build for them, with the folders of Debian. The same source gives the
# same bytes: SOURCE_DATE_EPOCH is the date of the version, unless it is set.
set(DOCDIR ${CMAKE_INSTALL_DATADIR}/doc/raddle)
install(FILES README.md DESTINATION ${DOCDIR})
install(DIRECTORY docs examples DESTINATION ${DOCDIR})

set(CPACK_PACKAGE_NAME raddle)
set(CPACK_PACKAGE_VENDOR "the authors of Raddle")
set(CPACK_PACKAGE_CONTACT "Raddle maintainers <maintainers@raddle.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "finds concurrency bugs in C and C++ programs")
set(CPACK_PACKAGE_DESCRIPTION "Raddle takes over the scheduler of a compiled multithreaded program, runs it
again and again under thread schedules that it chooses, and reports failed
assertions, crashes, deadlocks, data races, heap errors and hangs with the
schedule that shows them, ready to replay. When it finds no bug, it states
what it has proved.")
set(CPACK_PACKAGE_FILE_NAME raddle-${PROJECT_VERSION}-Linux-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_THREADS 1)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "gcc, g++, gdb")
set(CPACK_DEBIAN_DEBUGINFO_PACKAGE ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/debian)
file(WRITE ${CMAKE_BINARY_DIR}/debian/triggers "activate-noawait ldconfig\n")
file(WRITE ${CMAKE_BINARY_DIR}/debian/shlibs "libraddle 0 raddle (>= ${PROJECT_VERSION})\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/debian/triggers ${CMAKE_BINARY_DIR}/debian/shlibs)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_BINARY_DIR}/package_options.cmake)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_BINARY_DIR}/package_files.cmake)
set(CPACK_POST_BUILD_SCRIPTS ${CMAKE_BINARY_DIR}/package_symbols.cmake)
foreach(SCRIPT options files symbols)
  configure_file(cmake/package_${SCRIPT}.cmake.in ${CMAKE_BINARY_DIR}/package_${SCRIPT}.cmake @ONLY)
endforeach()
include(CPack)
