# Fills CMAKE_INSTALL_PREFIX with the files of one Debian package. Set before:
#   package, build, sources, version, maintainer, strip, python_dir

# The files of each, relative to the prefix; what none of them has belongs to
# libpermc-rt-dev.
set(files_python3-permc "^${python_dir}/")
set(files_permc "^bin/|^lib/permc/|^lib/cmake/permc/(permcConfig|PermcAddKernels)|^share/|^include/permc-mli/")
set(files_libpermc0 "^lib/libpermc[.]so[.]")
set(files_libpermc-dev "^lib/libpermc[.](so|a)$|^include/permc/|^lib/cmake/permc/permc(Mlir|Targets|StaticTargets)|^lib/pkgconfig/permc[.]pc$")
set(files_libpermc-rt0 "^lib/libpermc_(rt|tensor_permute)[.]so[.]")
set(files_libpermc-rt-dev ".")

set(whole "${build}/packages/whole-installation")
file(REMOVE_RECURSE "${whole}")
foreach(component tools library runtime python)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E env --unset=DESTDIR
                  "${CMAKE_COMMAND}" --install "${build}" --prefix "${whole}"
                  --component ${component}
                  OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
endforeach()

function(belongs_to package file result)
  foreach(each python3-permc permc libpermc0 libpermc-dev libpermc-rt0 libpermc-rt-dev)
    if("${file}" MATCHES "${files_${each}}")
      string(COMPARE EQUAL "${each}" "${package}" same)
      set(${result} ${same} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

set(root "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
file(GLOB_RECURSE files LIST_DIRECTORIES FALSE RELATIVE "${whole}" "${whole}/*")
foreach(file IN LISTS files)
  belongs_to(${package} "${file}" mine)
  if(mine)
    get_filename_component(parent "${file}" DIRECTORY)
    file(COPY "${whole}/${file}" DESTINATION "${root}/${parent}")
  endif()
endforeach()
file(REMOVE_RECURSE "${whole}")

# As Debian wants it: without debugging symbols, texts packed without a time, and
# no path to libraries where the system's own does.
file(GLOB programs "${root}/bin/*" "${root}/lib/*.so.*.*" "${root}/lib/permc/*.so"
     "${root}/${python_dir}/permc/*.so")
foreach(program IN LISTS programs)
  execute_process(COMMAND "${strip}" --strip-unneeded "${program}")
  if(program MATCHES "libpermc_|_permc[.]")
    file(RPATH_REMOVE FILE "${program}")
  endif()
endforeach()
file(GLOB archives "${root}/lib/*.a")
foreach(archive IN LISTS archives)
  execute_process(COMMAND "${strip}" --strip-debug
                  --enable-deterministic-archives "${archive}")
endforeach()
set(doc "${root}/share/doc/${package}")
file(MAKE_DIRECTORY "${doc}")
file(REMOVE "${doc}/LICENSE")
file(COPY_FILE "${sources}/packaging/copyright" "${doc}/copyright")
file(COPY_FILE "${sources}/CHANGELOG.md" "${doc}/changelog")
file(REMOVE "${doc}/CHANGELOG.md")
file(WRITE "${doc}/changelog.Debian" "permc (${version}-1) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- ${maintainer}  Sun, 01 Jan 2023 00:00:00 +0000\n")
file(GLOB pages "${root}/share/man/man1/*.1")
foreach(page "${doc}/changelog" "${doc}/changelog.Debian" ${pages})
  execute_process(COMMAND gzip -9nf "${page}" COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(EXISTS "${sources}/packaging/overrides/${package}")
  file(MAKE_DIRECTORY "${root}/share/lintian/overrides")
  file(COPY_FILE "${sources}/packaging/overrides/${package}"
       "${root}/share/lintian/overrides/${package}")
endif()
