# Toolchain file of the presets: clang 22 if it is installed and nobody asked
# for another compiler, whatever CMake finds otherwise. clang builds this code
# fastest because its precompiled headers are the cheapest to load.
if(NOT CMAKE_C_COMPILER AND NOT CMAKE_CXX_COMPILER
   AND "$ENV{CC}$ENV{CXX}" STREQUAL "")
  find_program(PERMC_CLANG clang-22)
  find_program(PERMC_CLANGXX clang++-22)
  mark_as_advanced(PERMC_CLANG PERMC_CLANGXX)
  if(PERMC_CLANG AND PERMC_CLANGXX)
    set(CMAKE_C_COMPILER ${PERMC_CLANG})
    set(CMAKE_CXX_COMPILER ${PERMC_CLANGXX})
  endif()
endif()
