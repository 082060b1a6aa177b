# Unpacks ARCHIVE into WORK, builds it with gcc alone and runs its tests. LLVM is
# hidden: CMake may not look into its folders, and a build that still names one of
# them fails. With PROCESSOR, PREFIX and EMULATOR it is built by a cross compiler
# and its tests are emulated.
file(REMOVE_RECURSE ${WORK})
file(ARCHIVE_EXTRACT INPUT ${ARCHIVE} DESTINATION ${WORK})
file(GLOB source ${WORK}/permc-rt-*)
set(options -DCMAKE_C_COMPILER=gcc -DCMAKE_CXX_COMPILER=g++)
if(PROCESSOR)
  set(options -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=${PROCESSOR}
      -DCMAKE_C_COMPILER=${PREFIX}-gcc -DCMAKE_CXX_COMPILER=${PREFIX}-g++
      "-DCMAKE_CROSSCOMPILING_EMULATOR=${EMULATOR}\\;-L\\;/usr/${PREFIX}"
      -DPERMC_RT_RANDOM_PROBLEMS=200)
endif()
set(ENV{PATH} /usr/bin:/bin)
foreach(step "configure" "build" "test")
  if(step STREQUAL "configure")
    set(command ${CMAKE_COMMAND} -S ${source} -B ${WORK}/build
                ${options}
                -DCMAKE_DISABLE_FIND_PACKAGE_LLVM=ON
                -DCMAKE_DISABLE_FIND_PACKAGE_MLIR=ON
                -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
                -DCMAKE_IGNORE_PREFIX_PATH=${LLVM_PREFIX})
  elseif(step STREQUAL "build")
    set(command ${CMAKE_COMMAND} --build ${WORK}/build --parallel 2)
  else()
    set(command ${CMAKE_CTEST_COMMAND} --test-dir ${WORK}/build
                --output-on-failure --no-tests=error)
  endif()
  execute_process(COMMAND ${command} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0 OR output MATCHES "warning:")
    message(FATAL_ERROR "could not ${step} the archive:\n${output}")
  endif()
endforeach()
file(READ ${WORK}/build/compile_commands.json commands)
string(TOLOWER "${commands}" commands)
if(NOT commands MATCHES "g\\+\\+" OR commands MATCHES "llvm|mlir|clang")
  message(FATAL_ERROR "not built with gcc alone:\n${commands}")
endif()
message("${output}")
