# Compares the functions that HEADER declares with those that LIBRARY shows.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY}
                OUTPUT_VARIABLE listing COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^ \n]+\n" names "${listing}")
set(shown "")
foreach(name IN LISTS names)
  string(REGEX REPLACE "@.*|\n" "" name "${name}")
  if(NOT name MATCHES "^PERMC_(RT_)?[0-9.]+$") # the version's own symbol
    list(APPEND shown ${name})
  endif()
endforeach()

file(READ ${HEADER} text)
string(REGEX MATCHALL "PERMC_(RT_)?API[^;]*;" declarations "${text}")
set(declared "")
foreach(declaration IN LISTS declarations)
  string(REGEX MATCH "(permc_[a-z_]+)\\(" name "${declaration}")
  list(APPEND declared ${CMAKE_MATCH_1})
endforeach()

list(SORT shown)
list(SORT declared)
if(NOT declared OR NOT shown STREQUAL declared)
  message(FATAL_ERROR "declared: ${declared}\nshown:    ${shown}")
endif()
