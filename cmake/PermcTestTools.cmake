# Finds what the tests run with:
#   PERMC_LIT, PERMC_FILECHECK, PERMC_NOT   LLVM's own, of the LLVM we link
#   PERMC_PYTHON                            a python3 that has numpy
#   PERMC_PLAIN_CC                          the C compiler a user would have

# permc_find_llvm_tool(VAR NAMES...) looks beside the LLVM we link before
# anywhere else: another version may come first on PATH.
function(permc_find_llvm_tool var)
  find_program(${var} NAMES ${ARGN} PATHS ${LLVM_TOOLS_BINARY_DIR}
               NO_DEFAULT_PATH)
  find_program(${var} NAMES ${ARGN})
  if(NOT ${var})
    list(GET ARGN 0 name)
    message(FATAL_ERROR "The tests need LLVM's ${name}; neither in "
            "${LLVM_TOOLS_BINARY_DIR} nor on PATH. Debian: llvm-22-tools. "
            "Set ${var}, or PERMC_BUILD_TESTS=OFF to build without tests.")
  endif()
endfunction()

# The python3 that comes first on PATH need not be the one that has numpy.
function(permc_find_python_with_numpy var)
  if(${var})
    return()
  endif()
  find_program(first_python python3 NO_CACHE)
  set(tried "")
  foreach(python IN ITEMS /usr/bin/python3 ${first_python})
    if(NOT EXISTS ${python})
      continue()
    endif()
    execute_process(COMMAND ${python} -c "import numpy" RESULT_VARIABLE failed
                    OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(${var} ${python} CACHE FILEPATH "A python3 that has numpy")
      return()
    endif()
    string(APPEND tried " ${python}")
  endforeach()
  message(FATAL_ERROR "The tests need a python3 that has numpy; tried:${tried}. "
          "Debian: python3-numpy. Set ${var}, or PERMC_BUILD_TESTS=OFF to build "
          "without tests.")
endfunction()

permc_find_llvm_tool(PERMC_LIT lit llvm-lit)
permc_find_llvm_tool(PERMC_FILECHECK FileCheck)
permc_find_llvm_tool(PERMC_NOT not)
permc_find_python_with_numpy(PERMC_PYTHON)
find_program(PERMC_PLAIN_CC NAMES gcc cc REQUIRED)
