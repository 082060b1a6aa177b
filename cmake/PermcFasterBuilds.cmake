# Uses lld and ccache where they are installed. Neither changes what is built.

option(PERMC_LLD "Link with lld where clang finds it" ON)
option(PERMC_CCACHE "Compile through ccache where it is installed" ON)

# Only under clang, which looks for the lld of its own version first; gcc would
# take any lld on PATH, however old.
if(PERMC_LLD AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  include(CheckLinkerFlag)
  check_linker_flag(CXX -fuse-ld=lld PERMC_LLD_WORKS)
  if(PERMC_LLD_WORKS)
    add_link_options(-fuse-ld=lld)
  endif()
endif()

if(PERMC_CCACHE)
  find_program(PERMC_CCACHE_PROGRAM ccache)
  mark_as_advanced(PERMC_CCACHE_PROGRAM)
endif()
if(PERMC_CCACHE_PROGRAM AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Without this sloppiness ccache gives up on every file that uses a
  # precompiled header.
  set(launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
      ${PERMC_CCACHE_PROGRAM})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  # clang stamps a precompiled header with its sources' times, which would make
  # every rebuilt header a new one to ccache.
  if(PERMC_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    add_compile_options("SHELL:-Xclang -fno-pch-timestamp")
  endif()
endif()
