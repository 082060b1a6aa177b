# permc_add_kernels(NAME MANIFEST FILE [TARGET TARGET] [VERIFY])
#
# Adds the library NAME with all kernels of a manifest. What links it finds their
# header as <NAME.h>. permc runs when the library is built, and again when the
# manifest or permc itself has changed.
#
#   TARGET  the machine to compile for, as `permc targets` lists them; the
#           manifest's without it. arc-em, arc-hs and c99 give C, which the
#           project's own compiler takes from there
#   VERIFY  prove every kernel when it is compiled
#
# PERMC_EXECUTABLE is the permc to run.
function(permc_add_kernels name)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "VERIFY" "MANIFEST;TARGET" "")
  if(NOT ARG_MANIFEST OR ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "permc_add_kernels(${ARGV}): expected "
            "permc_add_kernels(NAME MANIFEST FILE [TARGET TARGET] [VERIFY])")
  endif()
  get_filename_component(manifest "${ARG_MANIFEST}" ABSOLUTE)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.kernels")
  file(MAKE_DIRECTORY "${folder}")
  set(made "${folder}/lib${name}.a")
  if(ARG_TARGET MATCHES "^(arc-|c99$)")
    set(made "${folder}/${name}.c")
  endif()
  set(options "")
  if(ARG_TARGET)
    list(APPEND options --target ${ARG_TARGET})
  endif()
  if(ARG_VERIFY)
    list(APPEND options --verify)
  endif()
  add_custom_command(OUTPUT "${made}" "${folder}/${name}.h"
    COMMAND "${PERMC_EXECUTABLE}" compile --manifest "${manifest}"
            -o "${made}" --header "${folder}/${name}.h" ${options}
    DEPENDS "${manifest}" "${PERMC_EXECUTABLE}"
    COMMENT "Compiling the kernels of ${ARG_MANIFEST}"
    VERBATIM)

  if(made MATCHES "\\.c$")
    add_library(${name} STATIC "${made}" "${folder}/${name}.h")
    target_include_directories(${name} INTERFACE "${folder}")
    return()
  endif()
  add_custom_target(${name}-kernels DEPENDS "${made}" "${folder}/${name}.h")
  add_library(${name} STATIC IMPORTED)
  set_target_properties(${name} PROPERTIES
    IMPORTED_LOCATION "${made}"
    INTERFACE_INCLUDE_DIRECTORIES "${folder}")
  add_dependencies(${name} ${name}-kernels)
endfunction()
