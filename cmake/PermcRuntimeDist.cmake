# The stand-alone archive of the run-time shim: its sources and its kernels, to
# be built without LLVM. See cmake/runtime-dist.
#
# permc_add_runtime_dist() adds the target permc-runtime-dist, which writes
# permc-rt-VERSION.tar.gz into the build folder. As a script (-P) this file packs
# it.

# What the archive takes from the project, under the same names.
set(permc_dist_files
    LICENSE cmake/PermcAddLibrary.cmake cmake/PermcPkgConfig.cmake
    include/permc-c include/permc-rt include/permc/permute.hpp
    include/permc/Plan include/permc/Runtime include/permc/Threads lib/Plan
    lib/Runtime lib/Threads lib/CAPI/Boundary.h
    lib/CAPI/Boundary.cpp examples/runtime_c)

function(permc_add_runtime_dist)
  include(${PROJECT_SOURCE_DIR}/lib/Runtime/KernelTargets.cmake)
  set(kernels ${CMAKE_BINARY_DIR}/runtime-dist/kernels)
  set(made "")
  foreach(family IN LISTS PERMC_RT_FAMILIES)
    foreach(target IN LISTS PERMC_RT_TARGETS_${family})
      permc_rt_compile_kernels(${target} ${kernels}/${family})
      list(APPEND made ${kernels}/${family}/${target}.s
           ${kernels}/${family}/${target}.cpp)
    endforeach()
  endforeach()
  add_custom_target(permc-runtime-dist
    COMMAND ${CMAKE_COMMAND} -DROOT=${PROJECT_SOURCE_DIR} -DKERNELS=${kernels}
            -DVERSION=${PROJECT_VERSION} -DBINARY=${CMAKE_BINARY_DIR}
            -P ${PROJECT_SOURCE_DIR}/cmake/PermcRuntimeDist.cmake
    DEPENDS ${made}
    COMMENT "Packing the run-time shim")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  set(name permc-rt-${VERSION})
  set(folder ${BINARY}/runtime-dist/${name})
  file(REMOVE_RECURSE ${folder})
  foreach(entry IN LISTS permc_dist_files)
    get_filename_component(parent ${entry} DIRECTORY)
    file(COPY ${ROOT}/${entry} DESTINATION ${folder}/${parent})
  endforeach()
  file(COPY ${ROOT}/cmake/runtime-dist/ DESTINATION ${folder})
  file(COPY ${ROOT}/test/Runtime/RandomProblems.cpp DESTINATION ${folder}/test)
  file(COPY ${KERNELS} DESTINATION ${folder})
  file(WRITE ${folder}/VERSION ${VERSION})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E tar czf ${BINARY}/${name}.tar.gz ${name}
    WORKING_DIRECTORY ${BINARY}/runtime-dist COMMAND_ERROR_IS_FATAL ANY)
  message("${BINARY}/${name}.tar.gz")
endif()
