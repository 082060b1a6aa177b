# permc_add_library(NAME SOURCES... [USES libs...] [MLIR])
#
# Declares one layer as a static library. USES names the layers below it. MLIR
# links LLVM's and MLIR's shared libraries and, with PERMC_PCH, precompiles the
# MLIR headers that nearly every file of such a layer includes.
function(permc_add_library name)
  cmake_parse_arguments(ARG "MLIR" "" "USES" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${name} PUBLIC ${ARG_USES})
  if(ARG_MLIR)
    # The dylibs only: a static MLIR library beside them would be a second copy
    # of everything.
    target_link_libraries(${name} PUBLIC MLIR LLVM)
    if(PERMC_PCH)
      permc_precompile_mlir(${name})
    endif()
  endif()
endfunction()

# One precompiled header serves all layers that use MLIR.
function(permc_precompile_mlir name)
  if(NOT TARGET permc_mlir_pch)
    # Unlike file(WRITE) this keeps the file's time, and so the library.
    file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/permc_mlir_pch.cpp CONTENT "")
    add_library(permc_mlir_pch STATIC ${CMAKE_BINARY_DIR}/permc_mlir_pch.cpp)
    set_target_properties(permc_mlir_pch PROPERTIES
                          POSITION_INDEPENDENT_CODE ON)
    target_precompile_headers(permc_mlir_pch PRIVATE
      <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/IR/DialectImplementation.h>
      <mlir/IR/OpImplementation.h> <mlir/Pass/Pass.h>
      <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/LLVMIR/LLVMDialect.h>)
  endif()
  target_precompile_headers(${name} REUSE_FROM permc_mlir_pch)
endfunction()
