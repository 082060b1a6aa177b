# PERMC_COVERAGE=ON builds everything with clang's counters of lines and branches;
# scripts/coverage.py runs tests and adds them up.

option(PERMC_COVERAGE "Count the lines and branches that tests reach" OFF)
if(PERMC_COVERAGE)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "PERMC_COVERAGE needs clang; found ${CMAKE_CXX_COMPILER}")
  endif()
  set(coverage -fprofile-instr-generate -fcoverage-mapping)
  add_compile_options(${coverage})
  # scripts/coverage.py keeps counts by build ID.
  add_link_options(${coverage} -Wl,--build-id)
endif()
