# The version has one home, the file VERSION. What cannot read it says the same,
# or nothing is configured.
math(EXPR PERMC_VERSION_NUMBER "${PROJECT_VERSION_MAJOR} * 10000
     + ${PROJECT_VERSION_MINOR} * 100 + ${PROJECT_VERSION_PATCH}")

# permc_check_version(FILE TEXT): FILE has to have a line that begins with TEXT.
function(permc_check_version file text)
  file(STRINGS ${PROJECT_SOURCE_DIR}/${file} lines)
  foreach(line IN LISTS lines)
    string(FIND "${line}" "${text}" place)
    if(place EQUAL 0)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "${file} is not of version ${PROJECT_VERSION}, which VERSION "
          "has; expected a line '${text}'")
endfunction()

set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS VERSION)
permc_check_version(include/permc-c/permc.h
                    "#define PERMC_VERSION ${PERMC_VERSION_NUMBER}")
permc_check_version(include/permc-rt/permc_rt.h
                    "#define PERMC_RT_VERSION ${PERMC_VERSION_NUMBER}")
permc_check_version(bindings/rust/permc-build/Cargo.toml
                    "version = \"${PROJECT_VERSION}\"")
permc_check_version(CHANGELOG.md "## ${PROJECT_VERSION}")
