# Debian packages: `cpack -G DEB` in the build folder, or `make deb`.
#
# They are finer than the components that `cmake --install` knows, so each is a
# component of its own that takes its files from a whole installation
# (stage_package.cmake). Nothing of it is installed otherwise.
set(PERMC_MAINTAINER "the permc authors <authors@permc.invalid>" CACHE STRING
    "Who makes the Debian packages: NAME <ADDRESS>")
set(packages permc libpermc0 libpermc-dev libpermc-rt0 libpermc-rt-dev)
if(TARGET permcPython)
  list(APPEND packages python3-permc)
else()
  message(STATUS "No Debian package python3-permc: there is no Python module")
endif()
foreach(package IN LISTS packages)
  install(CODE "
    set(package ${package})
    set(build \"${CMAKE_BINARY_DIR}\")
    set(sources \"${PROJECT_SOURCE_DIR}\")
    set(version ${PROJECT_VERSION})
    set(maintainer \"${PERMC_MAINTAINER}\")
    set(strip \"${CMAKE_STRIP}\")
    set(python_dir \"${PERMC_PYTHON_DIR}\")
    include(\"${CMAKE_CURRENT_SOURCE_DIR}/stage_package.cmake\")"
    COMPONENT deb-${package} EXCLUDE_FROM_ALL)
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME permc)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${PERMC_MAINTAINER}")
# Each package has its own; CPack would put this one before them.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_PACKAGE_VENDOR permc)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
list(TRANSFORM packages PREPEND deb- OUTPUT_VARIABLE CPACK_COMPONENTS_ALL)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)

set(same "(= ${PROJECT_VERSION}-1)")
# permc_package(NAME SECTION SUMMARY TEXT [DEPENDS...])
macro(permc_package name section summary text)
  string(TOUPPER deb-${name} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${name})
  set(CPACK_DEBIAN_${component}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${component}_DESCRIPTION "${summary}\n${text}")
  set(CPACK_COMPONENT_${component}_DESCRIPTION "${summary}\n${text}")
  string(JOIN ", " CPACK_DEBIAN_${component}_PACKAGE_DEPENDS ${ARGN})
  set(CPACK_DEBIAN_${component}_PACKAGE_SHLIBDEPS ON)
endmacro()
permc_package(permc devel "compiler for tensor permutations"
  "permc compiles transposes, layout changes and head splits of tensors to objects\nand C that depend on nothing, from the command line and from builds.")
set(CPACK_DEBIAN_DEB-PERMC_PACKAGE_RECOMMENDS "gcc | clang")
set(CPACK_DEBIAN_DEB-PERMC_PACKAGE_SUGGESTS "cmake, mlir-22-tools, qemu-user")
permc_package(libpermc0 libs "tensor permutations, compiled at run time"
  "The library compiles a kernel when it first sees a shape, and permutes with it.")
permc_package(libpermc-dev libdevel "tensor permutations, compiled at run time (development)"
  "Headers and libraries to build programs that use libpermc."
  "libpermc0 ${same}" "libpermc-rt-dev ${same}" "permc ${same}")
set(CPACK_DEBIAN_DEB-LIBPERMC-DEV_PACKAGE_SUGGESTS "libmlir-22-dev")
permc_package(libpermc-rt0 libs "tensor permutations of any shape at run time"
  "Permutes tensors of any shape without a compiler, with kernels that were\ncompiled when the library was built.")
permc_package(libpermc-rt-dev libdevel "tensor permutations of any shape (development)"
  "Headers and libraries to build programs that use libpermc_rt, or the drop-in\nfor Tensor Permute." "libpermc-rt0 ${same}")
permc_package(python3-permc python "transposes of arrays at the speed of memory (Python)"
  "The module takes arrays of numpy, tensors of torch and whatever else has the\nbuffer protocol or DLPack, and needs none of them." "python3 (>= 3.9)")
set(CPACK_DEBIAN_DEB-PYTHON3-PERMC_PACKAGE_SUGGESTS "libpermc0, python3-numpy")
set(CPACK_DEBIAN_DEB-PYTHON3-PERMC_PACKAGE_CONTROL_EXTRA
    ${CMAKE_CURRENT_SOURCE_DIR}/python3-permc/postinst
    ${CMAKE_CURRENT_SOURCE_DIR}/python3-permc/prerm)
foreach(library libpermc0 libpermc-rt0)
  string(TOUPPER deb-${library} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_CONTROL_EXTRA
      ${CMAKE_CURRENT_SOURCE_DIR}/${library}/triggers
      ${CMAKE_CURRENT_SOURCE_DIR}/${library}/shlibs)
endforeach()
include(CPack)
