# permc_install_package(COMPONENT)
#
# Installs the files of find_package(permc) with COMPONENT. They are the same for
# all components, and give what is installed beside them.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

function(permc_install_package component)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/permc)
  set(made ${PROJECT_BINARY_DIR}/package)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/permcConfig.cmake.in
    ${made}/permcConfig.cmake INSTALL_DESTINATION ${package_dir}
    PATH_VARS CMAKE_INSTALL_BINDIR)
  # permc runs on the machine that builds, whatever machine is built for.
  write_basic_package_version_file(${made}/permcConfigVersion.cmake
    COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
  install(FILES ${made}/permcConfig.cmake ${made}/permcConfigVersion.cmake
                ${PROJECT_SOURCE_DIR}/cmake/PermcAddKernels.cmake
          DESTINATION ${package_dir} COMPONENT ${component})
endfunction()
