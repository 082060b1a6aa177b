# permc_install_pkg_config(FILE COMPONENT NAME)
#
# Installs FILE, made from FILE.in, for pkg-config. Its prefix is relative to
# where it lies, so that an installed tree may be moved.
function(permc_install_pkg_config file)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "" "COMPONENT" "")
  include(GNUInstallDirs)
  set(folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  file(RELATIVE_PATH permc_prefix_from_pc /${folder} /)
  string(REGEX REPLACE "/$" "" permc_prefix_from_pc "${permc_prefix_from_pc}")
  configure_file(${file}.in ${file} @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${file} DESTINATION ${folder}
          COMPONENT ${ARG_COMPONENT})
endfunction()
