# PERMC_SANITIZE=address,undefined builds everything with those sanitizers. LLVM
# and MLIR stay as they are: they neither annotate the containers that they fill
# nor unpoison what their allocators hand out, while the same code inlined here
# does. ASAN_OPTIONS in test/CMakeLists.txt switches both checks off.

set(PERMC_SANITIZE "" CACHE STRING "Sanitizers to build with, as in -fsanitize=")
if(PERMC_SANITIZE)
  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_FLAGS -fsanitize=${PERMC_SANITIZE})
  check_cxx_source_compiles("int main() { return 0; }" PERMC_SANITIZE_WORKS)
  unset(CMAKE_REQUIRED_FLAGS)
  if(NOT PERMC_SANITIZE_WORKS)
    message(FATAL_ERROR
            "${CMAKE_CXX_COMPILER} cannot link with -fsanitize=${PERMC_SANITIZE}; "
            "its run-time library may be missing: scripts/install-deps.sh sanitize")
  endif()
  add_compile_options(-fsanitize=${PERMC_SANITIZE} -fno-omit-frame-pointer
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${PERMC_SANITIZE})
endif()
