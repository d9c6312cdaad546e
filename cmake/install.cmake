# What `make install` installs, and what other build systems find: in the installed tree and in this build tree.
#
#   bin/raddle, raddle-cc, raddle-c++, raddle-gdb
#   lib/raddle/libraddle.so*        a folder of its own: `raddle cc` names it in programs, and nothing else is found there
#   lib/raddle/debugger             the library as a debugger sees it
#   lib/raddle/link-gcc/libtsan.so        what `raddle cc` puts in the place of gcc's own thread sanitizer library
#   lib/libraddle.so*               links, for -lraddle
#   lib/cmake/Raddle, lib/pkgconfig, include/raddle.h, share
include(CMakePackageConfigHelpers)

set(PRIVATE_LIBDIR ${CMAKE_INSTALL_LIBDIR}/raddle)
set(CMAKEDIR ${CMAKE_INSTALL_LIBDIR}/cmake/Raddle)

# Links are made here and installed like files, so that the manifest of an installation lists them.
set(LINKS ${CMAKE_BINARY_DIR}/links)
file(MAKE_DIRECTORY ${LINKS}/link-gcc ${LINKS}/lib)
foreach(NAME raddle-cc raddle-c++ raddle-gdb)
  file(CREATE_LINK raddle ${CMAKE_BINARY_DIR}/${NAME} SYMBOLIC)
  install(FILES ${CMAKE_BINARY_DIR}/${NAME} DESTINATION ${CMAKE_INSTALL_BINDIR})
endforeach()
file(CREATE_LINK ../libraddle.so ${LINKS}/link-gcc/libtsan.so SYMBOLIC)
install(FILES ${LINKS}/link-gcc/libtsan.so DESTINATION ${PRIVATE_LIBDIR}/link-gcc)
foreach(NAME libraddle.so libraddle.so.0)
  file(CREATE_LINK raddle/${NAME} ${LINKS}/lib/${NAME} SYMBOLIC)
  install(FILES ${LINKS}/lib/${NAME} DESTINATION ${CMAKE_INSTALL_LIBDIR})
endforeach()

# The targets of find_package(Raddle): Raddle::raddle, Raddle::annotations (the header), Raddle::runtime (-lraddle).
add_library(annotations INTERFACE)
foreach(TARGET annotations raddle_rt)
  target_include_directories(${TARGET} INTERFACE $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
endforeach()
target_compile_definitions(raddle_rt INTERFACE RADDLE_LINKED)
set_target_properties(raddle_rt PROPERTIES EXPORT_NAME runtime)
install(TARGETS raddle annotations EXPORT RaddleTargets RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS raddle_rt EXPORT RaddleTargets LIBRARY DESTINATION ${PRIVATE_LIBDIR})
install(FILES ${CMAKE_BINARY_DIR}/debugger/libraddle.so.0 DESTINATION ${PRIVATE_LIBDIR}/debugger)
install(EXPORT RaddleTargets NAMESPACE Raddle:: DESTINATION ${CMAKEDIR})
export(EXPORT RaddleTargets NAMESPACE Raddle:: FILE ${CMAKE_BINARY_DIR}/RaddleTargets.cmake)

write_basic_package_version_file(${CMAKE_BINARY_DIR}/RaddleConfigVersion.cmake COMPATIBILITY SameMinorVersion)
set(PACKAGE_FILES ${CMAKE_SOURCE_DIR}/share/cmake/RaddleConfig.cmake ${CMAKE_SOURCE_DIR}/share/cmake/RaddleTests.cmake)
set(PACKAGE_PROGRAMS ${CMAKE_SOURCE_DIR}/share/cmake/raddle-launch-test)
file(COPY ${PACKAGE_FILES} ${PACKAGE_PROGRAMS} DESTINATION ${CMAKE_BINARY_DIR})
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PACKAGE_FILES} ${PACKAGE_PROGRAMS})
install(FILES ${PACKAGE_FILES} ${CMAKE_BINARY_DIR}/RaddleConfigVersion.cmake DESTINATION ${CMAKEDIR})
install(PROGRAMS ${PACKAGE_PROGRAMS} DESTINATION ${CMAKEDIR})

# pkg-config finds its prefix from the place of raddle.pc
file(RELATIVE_PATH TO_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" TO_PREFIX "${TO_PREFIX}")
configure_file(share/pkgconfig/raddle.pc.in ${CMAKE_BINARY_DIR}/raddle.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/raddle.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

install(FILES include/raddle.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY share/raddle/schema DESTINATION ${CMAKE_INSTALL_DATADIR}/raddle FILES_MATCHING PATTERN "*.json")
install(DIRECTORY share/raddle/rules DESTINATION ${CMAKE_INSTALL_DATADIR}/raddle FILES_MATCHING PATTERN "*.rules")
install(DIRECTORY share/raddle/gdb DESTINATION ${CMAKE_INSTALL_DATADIR}/raddle FILES_MATCHING PATTERN "*.py")

# Man pages and completions, from the tables of the driver that was just linked
set(GENERATED ${CMAKE_BINARY_DIR}/generated)
add_custom_command(TARGET raddle POST_BUILD VERBATIM COMMAND ${CMAKE_COMMAND} -DRADDLE=$<TARGET_FILE:raddle> -DDIR=${GENERATED}
  -DDATE=${RADDLE_DATE} -P ${CMAKE_SOURCE_DIR}/cmake/generate.cmake)
install(DIRECTORY ${GENERATED}/man1 share/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
install(FILES ${GENERATED}/completions/raddle.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME raddle)
install(FILES ${GENERATED}/completions/_raddle DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES ${GENERATED}/completions/raddle.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

add_custom_target(uninstall COMMAND ${CMAKE_COMMAND} -DMANIFEST=${CMAKE_BINARY_DIR}/install_manifest.txt
  -P ${CMAKE_SOURCE_DIR}/cmake/uninstall.cmake VERBATIM)
