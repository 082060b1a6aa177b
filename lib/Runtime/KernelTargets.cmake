# Which targets the shim has kernels for. A new one needs a line here and one in
# Cpu.cpp.

# By family, the best first: the first that the CPU can run is used, and the last
# runs on any CPU of the family.
set(PERMC_RT_FAMILIES x86_64 aarch64 armv7)
set(PERMC_RT_TARGETS_x86_64 x86-64-v4 x86-64-v3 x86-64)
set(PERMC_RT_TARGETS_aarch64 aarch64)
set(PERMC_RT_TARGETS_armv7 armv7-neon)

# permc_rt_family(VAR) is the family of the processor that is built for.
function(permc_rt_family var)
  set(family ${CMAKE_SYSTEM_PROCESSOR})
  if(family MATCHES "^(x86_64|amd64|AMD64)$")
    set(family x86_64)
  elseif(family MATCHES "^(aarch64|arm64)$")
    set(family aarch64)
  elseif(family MATCHES "^arm")
    set(family armv7)
  endif()
  if(NOT family IN_LIST PERMC_RT_FAMILIES)
    message(FATAL_ERROR "The run-time shim has no kernels for the processor "
            "'${CMAKE_SYSTEM_PROCESSOR}'; expected one of ${PERMC_RT_FAMILIES}")
  endif()
  set(${var} ${family} PARENT_SCOPE)
endfunction()

# permc_rt_compile_kernels(TARGET FOLDER) makes TARGET.s and TARGET.cpp.
function(permc_rt_compile_kernels target folder)
  file(MAKE_DIRECTORY ${folder})
  add_custom_command(
    OUTPUT ${folder}/${target}.s ${folder}/${target}.cpp
    COMMAND permc-rt-kernels ${target} ${folder}/${target}.s
            ${folder}/${target}.cpp
    DEPENDS permc-rt-kernels
    COMMENT "Compiling generic kernels for ${target}")
endfunction()
