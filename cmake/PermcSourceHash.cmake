# A hash of the sources that decide what code a kernel is made of. Kernels that
# outlive a process are keyed by it, so that a new build never runs old code.
#
# permc_add_source_hash(TARGET) gives TARGET the header "permc-source-hash.h",
# which defines PERMC_SOURCE_HASH. As a script (-P) this file writes that header.

set(permc_hashed_folders
    include/permc lib/Plan lib/Dialect lib/Lowering lib/Transforms lib/Compiler
    codegen_targets)

function(permc_hashed_sources var root)
  set(sources "")
  set(depends CONFIGURE_DEPENDS)
  if(CMAKE_SCRIPT_MODE_FILE)
    set(depends "")
  endif()
  foreach(folder IN LISTS permc_hashed_folders)
    set(patterns *.cpp *.h *.td *.def *.ll *.c *.in)
    list(TRANSFORM patterns PREPEND ${root}/${folder}/)
    file(GLOB_RECURSE found ${depends} ${patterns})
    # Tests beside a target's code decide nothing.
    list(FILTER found EXCLUDE REGEX "/codegen_targets/[^/]+/test/")
    list(APPEND sources ${found})
  endforeach()
  set(${var} ${sources} PARENT_SCOPE)
endfunction()

function(permc_add_source_hash target)
  permc_hashed_sources(sources ${PROJECT_SOURCE_DIR})
  set(script ${PROJECT_SOURCE_DIR}/cmake/PermcSourceHash.cmake)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/permc-source-hash.h)
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DHEADER=${header}
            -P ${script}
    DEPENDS ${sources} ${script}
    COMMENT "Hashing the sources")
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  permc_hashed_sources(sources ${ROOT})
  set(hashes "")
  foreach(source IN LISTS sources)
    file(SHA256 ${source} hash)
    string(APPEND hashes ${hash})
  endforeach()
  string(SHA256 hash "${hashes}")
  file(WRITE ${HEADER} "#define PERMC_SOURCE_HASH \"${hash}\"\n")
endif()
