# What libpermc_rt.so is made of: LIBRARY shows what HEADER declares and no more,
# needs nothing of LLVM, and its code stays small.
include(${CMAKE_CURRENT_LIST_DIR}/../CAPI/symbols.cmake)

execute_process(COMMAND ${OBJDUMP} -p ${LIBRARY} OUTPUT_VARIABLE headers
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "NEEDED +[^\n]+" needed "${headers}")
if(NOT needed)
  message(FATAL_ERROR "${OBJDUMP} lists no libraries: ${headers}")
endif()
foreach(entry IN LISTS needed)
  if(NOT entry MATCHES " (libstdc\\+\\+|libgcc_s|libm|libc|ld-linux[^/]*)\\.so")
    message(FATAL_ERROR "${LIBRARY} needs ${entry}; expected only C and C++")
  endif()
endforeach()
if(NOT headers MATCHES "SONAME +libpermc_rt\\.so\\.[0-9]+\n")
  message(FATAL_ERROR "${LIBRARY} has no soname with a version: ${headers}")
endif()

# No symbol of LLVM or MLIR, not even one that is hidden.
execute_process(COMMAND ${NM} -C ${LIBRARY} OUTPUT_VARIABLE symbols
                COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES "permc::")
  message(FATAL_ERROR "${NM} lists no symbols of ${LIBRARY}")
endif()
if(symbols MATCHES "(llvm|mlir)::")
  message(FATAL_ERROR "${LIBRARY} has something of LLVM: ${CMAKE_MATCH_0}")
endif()

execute_process(COMMAND ${OBJDUMP} -h ${LIBRARY} OUTPUT_VARIABLE sections
                COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCH "\\.text +([0-9a-f]+)" found "${sections}")
math(EXPR text "0x${CMAKE_MATCH_1}")
if(NOT found OR text GREATER 1048576)
  message(FATAL_ERROR "${LIBRARY} has ${text} bytes of code; expected at most "
          "1048576")
endif()
message("${LIBRARY}: ${text} bytes of code; needs ${needed}")

# Streamed stores are seen in order only after a fence; whether one is missing
# no test on one thread can tell.
execute_process(COMMAND ${OBJDUMP} -d ${LIBRARY} OUTPUT_VARIABLE code
                COMMAND_ERROR_IS_FATAL ANY)
if(code MATCHES "(v?movnt[dp]|v?movntdq)" AND NOT code MATCHES "sfence")
  message(FATAL_ERROR "${LIBRARY} streams and has no fence")
endif()
