# Installs COMPONENT (library if not given) from BUILD, then builds and runs EXAMPLE against it, as a
# user would: nothing of the source or build tree is in reach but the package.
if(NOT COMPONENT)
  set(COMPONENT library)
endif()
file(REMOVE_RECURSE ${WORK})
get_filename_component(name ${EXAMPLE} NAME)
foreach(step "install" "configure" "build" "run")
  if(step STREQUAL "install")
    set(command ${CMAKE_COMMAND} --install ${BUILD} --component ${COMPONENT}
                --prefix ${WORK}/prefix)
  elseif(step STREQUAL "configure")
    set(command ${CMAKE_COMMAND} -S ${EXAMPLE} -B ${WORK}/build
                -DCMAKE_PREFIX_PATH=${WORK}/prefix)
  elseif(step STREQUAL "build")
    set(command ${CMAKE_COMMAND} --build ${WORK}/build)
  else()
    set(command ${WORK}/build/${name})
  endif()
  execute_process(COMMAND ${command} RESULT_VARIABLE result
                  OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    message(FATAL_ERROR "could not ${step} ${name}:\n${output}")
  endif()
endforeach()
message("${output}")
