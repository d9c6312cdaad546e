# uninstall.cmake - removes what the last installation from a build tree has installed: the files of its manifest, and
# those folders of Raddle's own below the prefix that are empty then. DESTDIR is honoured as at the installation.
#
#   cmake -DMANIFEST=build/install_manifest.txt -P uninstall.cmake
#
# Paths may have any characters: no command here takes one as a pattern, and none is in a list, which `[` would break.
if(NOT EXISTS "${MANIFEST}")
  message(FATAL_ERROR "nothing to remove: there is no '${MANIFEST}'; 'make install' writes it")
endif()

# Puts the next line of TEXT into FILE, and takes it from TEXT.
macro(next_file)
  string(FIND "${TEXT}\n" "\n" END)
  string(SUBSTRING "${TEXT}" 0 ${END} FILE)
  string(LENGTH "${FILE}\n" END)
  string(SUBSTRING "${TEXT}\n" ${END} -1 TEXT)
endmacro()

# The folder that all files are in is the prefix.
file(READ "${MANIFEST}" ALL)
set(TEXT "${ALL}")
set(PREFIX)
while(NOT TEXT MATCHES "^\n*$")
  next_file()
  if(NOT PREFIX)
    get_filename_component(PREFIX "${FILE}" DIRECTORY)
  endif()
  string(FIND "${FILE}" "${PREFIX}/" AT)
  while(NOT AT EQUAL 0 AND NOT PREFIX STREQUAL "/")
    get_filename_component(PREFIX "${PREFIX}" DIRECTORY)
    string(FIND "${FILE}" "${PREFIX}/" AT)
  endwhile()
  set(PATH "$ENV{DESTDIR}${FILE}")
  if(EXISTS "${PATH}" OR IS_SYMLINK "${PATH}")
    message(STATUS "removing ${PATH}")
    file(REMOVE "${PATH}")
  endif()
endwhile()

# rmdir leaves a folder that is not empty; the last file of a folder leads to the folders around it.
set(TEXT "${ALL}")
while(NOT TEXT MATCHES "^\n*$")
  next_file()
  get_filename_component(FOLDER "${FILE}" DIRECTORY)
  string(LENGTH "${PREFIX}" LENGTH)
  string(SUBSTRING "${FOLDER}" ${LENGTH} -1 BELOW)
  while(BELOW MATCHES "/[Rr]addle(/|$)")
    if(IS_DIRECTORY "$ENV{DESTDIR}${PREFIX}${BELOW}")
      execute_process(COMMAND rmdir "$ENV{DESTDIR}${PREFIX}${BELOW}" ERROR_QUIET)
    endif()
    get_filename_component(BELOW "${BELOW}" DIRECTORY)
  endwhile()
endwhile()
file(REMOVE "${MANIFEST}")
