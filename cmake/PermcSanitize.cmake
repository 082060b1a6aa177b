# PERMC_SANITIZE=address,undefined builds everything with those sanitizers. LLVM
# and MLIR stay as they are: they neither annotate the containers that they fill
# nor unpoison what their allocators hand out, while the same code inlined here
# does. ASAN_OPTIONS in test/CMakeLists.txt switches both checks off.

set(PERMC_SANITIZE "" CACHE STRING "Sanitizers to build with, as in -fsanitize=")
include(CheckCXXSourceCompiles)

# permc_can_sanitize(VAR SANITIZERS) sets VAR to whether the compiler can link with
# them. While the answer is no it is asked each time: the run-time library is a
# package of its own, which may have been installed since.
function(permc_can_sanitize var sanitizers)
  if(NOT ${var})
    unset(${var} CACHE)
  endif()
  set(CMAKE_REQUIRED_FLAGS -fsanitize=${sanitizers})
  check_cxx_source_compiles("int main() { return 0; }" ${var})
endfunction()

if(PERMC_SANITIZE)
  permc_can_sanitize(PERMC_SANITIZE_WORKS ${PERMC_SANITIZE})
  if(NOT PERMC_SANITIZE_WORKS)
    message(FATAL_ERROR
            "${CMAKE_CXX_COMPILER} cannot link with -fsanitize=${PERMC_SANITIZE}; "
            "its run-time library may be missing: scripts/install-deps.sh sanitize")
  endif()
  add_compile_options(-fsanitize=${PERMC_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PERMC_SANITIZE})
endif()
