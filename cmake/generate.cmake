# generate.cmake - writes the man pages and the completions of shells, which raddle itself makes from its tables.
#
#   cmake -DRADDLE=build/raddle -DDIR=build/generated -DDATE=2026-01-31 -P generate.cmake
function(write FILE)
  execute_process(COMMAND ${RADDLE} --generate ${ARGN} OUTPUT_VARIABLE TEXT RESULT_VARIABLE FAILED)
  if(FAILED)
    message(FATAL_ERROR "raddle --generate ${ARGN}: ${FAILED}")
  endif()
  file(WRITE "${DIR}/${FILE}" "${TEXT}")
endfunction()

file(REMOVE_RECURSE "${DIR}")
execute_process(COMMAND ${RADDLE} --generate man-pages OUTPUT_VARIABLE PAGES COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" PAGES "${PAGES}")
foreach(PAGE IN LISTS PAGES ITEMS raddle)
  write(man1/${PAGE}.1 man ${DATE} ${PAGE})
endforeach()
write(completions/raddle.bash bash)
write(completions/_raddle zsh)
write(completions/raddle.fish fish)
