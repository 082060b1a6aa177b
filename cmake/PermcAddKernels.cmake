# permc_add_kernels(NAME [STATIC | SHARED | OBJECT]
#                   MANIFEST FILE
#                   | MODEL FILE
#                   | KERNEL NAME TENSOR TENSOR PERM ORDER [CONVENTION C]
#                     [INVERSE] [IN_STRIDES S,S,...] [OUT_STRIDES S,S,...]
#                     [SPECIALIZE SHAPE,...] [SCHEDULE FILE] [TUNE]
#                     [KERNEL ...]...
#                   [TARGETS TARGET...] [OPTIONS OPTION...] [VERIFY])
#
# Adds the library NAME with all kernels of a manifest, those of a model (OpenVINO
# IR, ONNX, MLIR), or those that are listed. It is a library as any other: it can
# be linked from any folder, installed and exported. What links it finds the
# kernels' header as <NAME.h>. permc runs when the library is built, and again
# when permc itself has changed, or what it has read: the manifest and schedules
# of it, the model and its data in other files. The names of a model's kernels
# and of its tables begin with NAME: NAME_layers, NAME_permute_...
#
#   TARGETS  the machine to compile for, as `permc targets` lists them; several
#            levels of one give kernels that take the best the CPU has. Without
#            it, what the manifest says; else this machine or, in a cross build,
#            what the toolchain file tells of the machine (its processor, -mcpu
#            and -march). arc-em, arc-hs and c99 give C, which the project's own
#            compiler takes from there
#   OPTIONS  more words for `permc compile`
#   VERIFY   prove every kernel when it is compiled
#
# SHARED and STATIC are as in add_library; without them BUILD_SHARED_LIBS says.

# Ninja's files have relative paths, and those of a DEPFILE are made so.
if(POLICY CMP0116)
  cmake_policy(SET CMP0116 NEW)
endif()

function(permc_add_kernels name)
  _permc_parse_kernels(${ARGN})
  if(NOT PERMC_EXECUTABLE)
    message(FATAL_ERROR "permc_add_kernels(${name}): no permc that runs on this "
            "machine; expected one on PATH, or PERMC_EXECUTABLE to name it")
  endif()
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${name}.kernels")
  file(MAKE_DIRECTORY "${folder}")
  if(inputs MATCHES "^KERNELS$")
    set(manifest "${folder}/${name}.yaml")
    file(CONFIGURE OUTPUT "${manifest}" CONTENT "${kernels}" @ONLY)
    set(inputs --manifest "${manifest}")
    set(input "${manifest}")
  endif()
  _permc_choose_targets(${name} "${inputs}" "${targets}" ${watched} words
                        makes_c)

  set(made "${folder}/${name}${CMAKE_C_OUTPUT_EXTENSION}")
  if(makes_c)
    set(made "${folder}/${name}.c")
  elseif(NOT CMAKE_C_OUTPUT_EXTENSION)
    set(made "${folder}/${name}.o")
  endif()
  if(verify)
    list(APPEND words --verify)
  endif()
  set(dep_file "")
  # Makefiles have them from CMake 3.20 on.
  if(CMAKE_GENERATOR MATCHES "Ninja" OR NOT CMAKE_VERSION VERSION_LESS 3.20)
    list(APPEND words --depfile "${folder}/${name}.d")
    set(dep_file DEPFILE "${folder}/${name}.d")
  endif()
  add_custom_command(OUTPUT "${made}" "${folder}/${name}.h"
    COMMAND "${PERMC_EXECUTABLE}" compile ${inputs}
            -o "${made}" --header "${folder}/${name}.h" ${words} ${options}
    DEPENDS "${input}" "${PERMC_EXECUTABLE}" ${schedules}
    ${dep_file}
    COMMENT "Compiling the kernels of ${name}"
    VERBATIM)

  add_library(${name} ${kind} "${made}" "${folder}/${name}.h")
  set_source_files_properties("${made}" "${folder}/${name}.h" PROPERTIES
                              GENERATED TRUE)
  if(NOT makes_c)
    set_source_files_properties("${made}" PROPERTIES EXTERNAL_OBJECT TRUE)
    set(language C)
    get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
    if(NOT "C" IN_LIST languages)
      set(language CXX)
    endif()
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE ${language})
    # CMake hands on the objects that it compiled itself only.
    if(kind STREQUAL "OBJECT")
      target_link_libraries(${name} INTERFACE "$<BUILD_INTERFACE:${made}>")
    endif()
  endif()
  set_target_properties(${name} PROPERTIES
    PUBLIC_HEADER "${folder}/${name}.h"
    POSITION_INDEPENDENT_CODE ON)
  include(GNUInstallDirs)
  target_include_directories(${name} PUBLIC
    "$<BUILD_INTERFACE:${folder}>"
    "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endfunction()

# Sets in the caller what permc_add_kernels was given:
#   kind, targets, options, verify
#   inputs     words that tell permc what to compile; KERNELS for those listed
#   input      the file that is watched
#   watched    whether that file may say what the targets are
#   kernels    a manifest of the kernels that are listed
#   schedules  their schedules
macro(_permc_parse_kernels)
  set(kind "")
  set(targets "")
  set(options "")
  set(verify FALSE)
  set(inputs "")
  set(input "")
  set(watched TRUE)
  set(kernels "kernels:\n")
  set(schedules "")
  set(_permc_key "")
  foreach(_permc_word IN ITEMS ${ARGN})
    if(_permc_word MATCHES "^(STATIC|SHARED|OBJECT)$" AND _permc_key STREQUAL "")
      set(kind ${_permc_word})
    elseif(_permc_word STREQUAL "VERIFY")
      set(verify TRUE)
      set(_permc_key "")
    elseif(_permc_word MATCHES "^(INVERSE|TUNE)$")
      string(TOLOWER "${_permc_word}" _permc_yaml)
      string(APPEND kernels "    ${_permc_yaml}: true\n")
      set(_permc_key "")
    elseif(_permc_word MATCHES "^(MANIFEST|MODEL|KERNEL|TENSOR|PERM|CONVENTION|IN_STRIDES|OUT_STRIDES|SPECIALIZE|SCHEDULE|TARGETS|OPTIONS)$")
      set(_permc_key ${_permc_word})
    elseif(_permc_key STREQUAL "TARGETS")
      list(APPEND targets "${_permc_word}")
    elseif(_permc_key STREQUAL "OPTIONS")
      list(APPEND options "${_permc_word}")
    elseif(_permc_key MATCHES "^(MANIFEST|MODEL)$" AND inputs STREQUAL "")
      get_filename_component(input "${_permc_word}" ABSOLUTE)
      set(inputs --manifest "${input}")
      if(_permc_key STREQUAL "MODEL")
        string(MAKE_C_IDENTIFIER "${name}" _permc_prefix)
        set(inputs "${input}" --name "${_permc_prefix}")
        set(watched FALSE)
      endif()
      set(_permc_key "")
    elseif(_permc_key STREQUAL "KERNEL" AND inputs MATCHES "^(KERNELS)?$")
      set(inputs KERNELS)
      string(APPEND kernels "  - name: ${_permc_word}\n")
      set(_permc_key "")
    elseif(_permc_key MATCHES "^(TENSOR|PERM|CONVENTION|IN_STRIDES|OUT_STRIDES|SPECIALIZE|SCHEDULE)$" AND inputs STREQUAL "KERNELS")
      string(TOLOWER "${_permc_key}" _permc_yaml)
      string(REPLACE "_" "-" _permc_yaml "${_permc_yaml}")
      set(_permc_value "${_permc_word}")
      if(_permc_key STREQUAL "SCHEDULE")
        get_filename_component(_permc_value "${_permc_word}" ABSOLUTE)
        list(APPEND schedules "${_permc_value}")
      endif()
      string(APPEND kernels "    ${_permc_yaml}: '${_permc_value}'\n")
      set(_permc_key "")
    else()
      message(FATAL_ERROR "permc_add_kernels(${ARGV0}): '${_permc_word}' is not "
              "expected there; expected permc_add_kernels(NAME [STATIC | SHARED "
              "| OBJECT] MANIFEST FILE | MODEL FILE | KERNEL NAME TENSOR TENSOR "
              "PERM ORDER ... [TARGETS TARGET...] [OPTIONS OPTION...] [VERIFY])")
    endif()
  endforeach()
  if(inputs STREQUAL "")
    message(FATAL_ERROR "permc_add_kernels(${name}): no kernels; expected "
            "MANIFEST FILE, MODEL FILE, or KERNEL NAME TENSOR TENSOR PERM ORDER")
  endif()
  string(REPLACE ";" "," targets "${targets}")
endmacro()

# Asks permc what it would make of the inputs. `words` are those that choose the
# targets, `makes_c` says whether C comes out. A machine that is not known, and
# a target of another, are errors now rather than when the project is linked.
# A model says nothing of targets, takes its time to read, and may be one that
# the build makes: any tensor stands in for it.
function(_permc_choose_targets name inputs targets watched words makes_c)
  set(chosen "")
  if(targets)
    list(APPEND chosen --target "${targets}")
  else()
    # A manifest may come to say something else.
    if(watched)
      set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${input}")
    endif()
    if(CMAKE_CROSSCOMPILING)
      permc_toolchain_target(target)
      if(target)
        list(APPEND chosen --default-target ${target})
      endif()
    endif()
  endif()
  if(CMAKE_SYSTEM_PROCESSOR)
    list(APPEND chosen --processor ${CMAKE_SYSTEM_PROCESSOR})
  endif()
  if(NOT watched)
    set(inputs 2x2xu8 --perm 1,0)
  endif()
  execute_process(COMMAND "${PERMC_EXECUTABLE}" compile ${inputs} --check ${chosen}
                  RESULT_VARIABLE failed OUTPUT_VARIABLE checked
                  ERROR_VARIABLE why)
  set(native FALSE)
  if(checked MATCHES " native " AND CMAKE_CROSSCOMPILING)
    set(native TRUE)
    set(why "the toolchain file does not tell: CMAKE_SYSTEM_PROCESSOR is '${CMAKE_SYSTEM_PROCESSOR}'")
  endif()
  if(failed AND CMAKE_CROSSCOMPILING AND NOT target AND NOT targets AND
     why MATCHES "what is built is for")
    set(native TRUE)
  endif()
  if(native)
    execute_process(COMMAND "${PERMC_EXECUTABLE}" targets OUTPUT_VARIABLE known)
    message(FATAL_ERROR "permc_add_kernels(${name}): which machine is this for? "
            "${why}\nExpected TARGETS with one of these (c99 is C for any "
            "machine):\n${known}")
  endif()
  if(failed)
    message(FATAL_ERROR "permc_add_kernels(${name}): ${why}")
  endif()
  if(checked MATCHES " c\n")
    set(${makes_c} TRUE PARENT_SCOPE)
  else()
    set(${makes_c} FALSE PARENT_SCOPE)
  endif()
  set(${words} "${chosen}" PARENT_SCOPE)
endfunction()

# permc_toolchain_target(VAR) is the target that CMake's variables and the
# compilers' flags tell of, or nothing where they do not.
function(permc_toolchain_target var)
  set(target "")
  string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" processor)
  string(JOIN " " flags " ${CMAKE_C_COMPILER_ARG1}" "${CMAKE_CXX_COMPILER_ARG1}"
         "${CMAKE_C_FLAGS}" "${CMAKE_CXX_FLAGS}" "")
  get_directory_property(directory_options COMPILE_OPTIONS)
  string(JOIN " " flags "${flags}" ${directory_options} "")
  if(processor MATCHES "^(x86_64|amd64)$" AND NOT CMAKE_SIZEOF_VOID_P EQUAL 4)
    set(target x86-64)
    if(flags MATCHES " -march=(x86-64-v4|skylake-avx512|cascadelake|icelake-server|sapphirerapids|znver[45]) " OR flags MATCHES " -mavx512bw ")
      set(target x86-64-v4)
    elseif(flags MATCHES " -march=(x86-64-v3|haswell|broadwell|skylake|alderlake|znver[123]) " OR flags MATCHES " -mavx2 ")
      set(target x86-64-v3)
    elseif(flags MATCHES " -march=(x86-64-v2|nehalem|westmere|sandybridge|ivybridge) " OR flags MATCHES " -msse4.2 ")
      set(target x86-64-v2)
    endif()
  elseif(processor MATCHES "^(aarch64|arm64)$")
    set(target aarch64)
    if(flags MATCHES "[+]sve" OR flags MATCHES " -mcpu=(a64fx|neoverse-(v1|v2|n2)|cortex-(x2|x3|a510|a710|a715))[ +]")
      set(target aarch64-sve)
    endif()
  elseif(processor MATCHES "^arm" OR processor MATCHES "^cortex-" OR processor MATCHES "^thumb")
    set(cpu "${flags} ${processor} ")
    if(cpu MATCHES "cortex-m(55|85)")
      set(target cortex-m55)
    elseif(cpu MATCHES "cortex-m(4|7|33|35p)")
      set(target cortex-m4)
    elseif(cpu MATCHES "cortex-m")
      set(target c99)
    elseif(cpu MATCHES "armv7" OR cpu MATCHES "cortex-a" OR flags MATCHES " -mfpu=[a-z0-9-]*neon")
      set(target armv7-neon)
    endif()
  elseif(processor MATCHES "^arc" OR processor MATCHES "^(em|hs)[0-9]")
    if("${flags} -mcpu=${processor} " MATCHES " -mcpu=(arc)?hs")
      set(target arc-hs)
    elseif("${flags} -mcpu=${processor} " MATCHES " -mcpu=(arc)?(em|quarkse)")
      set(target arc-em)
    endif()
  endif()
  set(${var} "${target}" PARENT_SCOPE)
endfunction()
