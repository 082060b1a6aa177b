//===- PermuteOps.td - the permc dialect -------------------*- tablegen -*-===//
//
// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef PERMC_DIALECT_PERMUTE_PERMUTEOPS_TD
#define PERMC_DIALECT_PERMUTE_PERMUTEOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

def Permc_Dialect : Dialect {
  let name = "permc";
  let cppNamespace = "::permc";
  let summary = "Tensor permutations as problems and schedules";
  let description = [{
    One operation, `permc.permute`, moves a tensor between two flat byte
    buffers. What is to be done is its problem attribute; how it is done is its
    schedule attribute. Passes rewrite the problem into a simpler one, attach a
    schedule, and carry it out. Where dims are known at run time only,
    `permc.dynamic_permute` comes first; a pass expands it into one
    `permc.permute` for each way to do it.

    Lowering leaves the moves of other dialects, and those here that say more:
    which registers a load fills, or that an address has been stepped to.

    A function with `permc.kernel` is a kernel though it is private. A module
    with `permc.target = "aarch64"` is compiled for that target.
  }];
  let discardableAttrs = (ins "::mlir::UnitAttr":$kernel,
                              "::mlir::StringAttr":$target);
  let hasOperationAttrVerify = 1;
  let useDefaultAttributePrinterParser = 1;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def Permc_ProblemAttr : AttrDef<Permc_Dialect, "Problem"> {
  let mnemonic = "problem";
  let summary = "A permutation of a strided tensor";
  let description = [{
    Output dim i is input dim `perm[i]`. Strides are in bytes, `src_strides` by
    input dim and `dst_strides` by output dim; a side without them is dense and
    row-major.

    ```mlir
    #permc.problem<element = 4, shape = [2, 4, 8], perm = [2, 0, 1]>
    #permc.problem<element = 1, shape = [4, 8], perm = [1, 0],
                   src_strides = [16, 1]>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::permc::Problem", "", "const ::permc::Problem &">:$value);
  let hasCustomAssemblyFormat = 1;
}

def Permc_DynamicProblemAttr : AttrDef<Permc_Dialect, "DynamicProblem"> {
  let mnemonic = "dynamic_problem";
  let summary = "A permutation of a tensor with some dims unknown";
  let description = [{
    Output dim i is input dim `perm[i]`. A size is a product of a constant and
    of dynamic dims; `?0` is the first of those that a call brings. So are
    strides, in bytes, where a side is not dense (`src_strides`, `dst_strides`).

    ```mlir
    #permc.dynamic_problem<element = 1, shape = [?0, 224*?1, 3],
                           perm = [0, 2, 1]>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::permc::DynamicProblem", "",
                  "const ::permc::DynamicProblem &">:$value);
  let hasCustomAssemblyFormat = 1;
}

def Permc_ScheduleAttr : AttrDef<Permc_Dialect, "Schedule"> {
  let mnemonic = "schedule";
  let summary = "How a problem is carried out";
  let description = [{
    The kernel kind, the elements of each dim (in output order) that one micro
    kernel moves, and the loops round it, outermost first, as `dim : step`. The
    first `units` loops are collapsed into one. `vector` is the width of
    the moves in bytes. Then keys that a kind may have; of another they are
    refused:

    | key | kinds | what it says |
    |---|---|---|
    | `last_tile = [...]` | `tile_transpose` | the elements of each dim that the last tile along it moves |
    | `scalable` | `copy`, `block_copy`, `interleave` | `vector` is the least width of vectors of any length |
    | `pairs = N` | all but shuffles, `interleave` and `gather` | moves are of pairs of words, where buffers are aligned to N |
    | `vector_pairs` | `tile_transpose`, `interleave` | vectors are moved two at a time |
    | `stepping = N` | `tile_transpose` | up to N vectors are moved before an address steps on |
    | `tables = N` | `interleave` | of how many vectors the tables are that put joined streams in order |
    | `lookups_at_once` | `interleave` | what these are looked up by is loaded at once |
    | `vectors_per_load = N`, `vectors_per_store = N` | `interleave` | how many streams are loaded or stored at once |
    | `last_lane` | `interleave` | the last element of each stream is stored by itself |
    | `structures_step` | `interleave` | structure moves step their address |
    | `src_reach = BACK : AHEAD`, `dst_reach = BACK : AHEAD` | all but `interleave` and `gather` | how far from an address moves can be |
    | `step_reach = BACK : AHEAD` | `tile_transpose` | how far stores of words can step theirs |

    and keys of all kinds:

    | key | what it says |
    |---|---|
    | `panel = [...]` | the elements of each dim that a panel holds |
    | `whole_lines` | its rows are cut at lines of dst |
    | `streaming` | stores are non-temporal |
    | `prefetch = BYTES` | how far ahead in src tiles prefetch |
    | `prefetch_to_l2` | ... to the second cache |
    | `prefetch_panel = BYTES` | how far ahead in src a whole panel is prefetched |
    | `prefetch_dst = BYTES` | how far ahead in dst lines are prefetched |

    ```mlir
    #permc.schedule<tile_transpose, tile = [16, 1, 8],
                    loops = [0 : 256, 1 : 1, 2 : 8, 0 : 16], units = 1,
                    vector = 32>
    ```
  }];
  let parameters = (ins
    AttrParameter<"::permc::Schedule", "", "const ::permc::Schedule &">:$value);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Operations
//===----------------------------------------------------------------------===//

def Permc_Buffer : MemRefRankOf<[I8], [1]>;

def Permc_PermuteOp : Op<Permc_Dialect, "permute",
                         [AttrSizedOperandSegments]> {
  let summary = "Moves a tensor from src to dst with its dims reordered";
  let description = [{
    Reads the tensor from `src` and writes it to `dst` as `problem` says. The
    buffers must not overlap. With `box(begin, end) along [dim]` only the
    elements within these ranges are moved, one range for each dim named. A
    range must have room for one of the schedule's tiles, or panels, and consist
    of whole tiles if the dim does.

    With `dims` the sizes and strides of the problem are nominal: for each dim,
    in output order, the operands are its actual size and its actual strides, in
    bytes, in src and dst. The schedule must suit these too. `origins` are then
    the bytes of src and dst at which the first element is, 0 if missing: some
    strides may be negative, and a buffer begins with its lowest byte.

    A schedule that streams whole lines can do so only if dst begins with one.
    Any other dst takes the schedule after `unaligned`, if there is one. With
    `dst_starts_line` there is no other dst.

    ```mlir
    permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
        by #permc.problem<element = 4, shape = [2, 4, 8], perm = [2, 0, 1]>
    ```
  }];
  let arguments = (ins
    Arg<Permc_Buffer, "the input", [MemRead]>:$src,
    Arg<Permc_Buffer, "the output", [MemWrite]>:$dst,
    Variadic<Index>:$box,
    Variadic<Index>:$dims,
    Variadic<Index>:$origins,
    OptionalAttr<DenseI64ArrayAttr>:$boxed,
    Permc_ProblemAttr:$problem,
    OptionalAttr<Permc_ScheduleAttr>:$schedule,
    OptionalAttr<Permc_ScheduleAttr>:$unaligned,
    UnitAttr:$dst_starts_line);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst,
                   "ProblemAttr":$problem), [{
      build($_builder, $_state, src, dst, /*box=*/::mlir::ValueRange(),
            /*dims=*/::mlir::ValueRange(), /*origins=*/::mlir::ValueRange(),
            /*boxed=*/nullptr, problem, /*schedule=*/nullptr, /*unaligned=*/nullptr,
            /*dst_starts_line=*/false);
    }]>
  ];
  let assemblyFormat = [{
    $src `,` $dst (`box` `(` $box^ `)` `along` $boxed)? (`dims` `(` $dims^ `)`)?
    (`origins` `(` $origins^ `)`)? `:` type($src) `,` type($dst)
    `by` qualified($problem) (`as` qualified($schedule)^)?
    (`unaligned` qualified($unaligned)^)? attr-dict
  }];
  let hasVerifier = 1;
}

def Permc_BytesOp : Op<Permc_Dialect, "bytes",
    [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "The bytes of a memref, from its first element on";
  let description = [{
    The same memory as `source` without its type: byte 0 is that of the element
    with all indices 0. Strides are a matter of the problem that reads it.

    ```mlir
    %bytes = permc.bytes %m : memref<4x8xf32, strided<[16, 1], offset: 3>>
        to memref<224xi8>
    ```
  }];
  let arguments = (ins AnyMemRef:$source);
  let results = (outs Permc_Buffer:$bytes);
  let assemblyFormat = "$source attr-dict `:` type($source) `to` type($bytes)";
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::getViewSource() { return getSource(); }
  }];
}

def Permc_DimList : MemRefRankOf<[I64], [1]>;

def Permc_DynamicPermuteOp : Op<Permc_Dialect, "dynamic_permute"> {
  let summary = "Moves a tensor some dims of which are known at run time only";
  let description = [{
    Reads the tensor from `src` and writes it to `dst` as `problem` says, where
    `dims[k]` is the size of the dynamic dim `?k`, or the stride `?k`. If a size
    is not positive, nothing is moved. Strides are those of a problem: of src
    any, of dst not zero; a buffer begins with its lowest byte. The buffers must
    not overlap.

    `specialized` names static kernels that are called instead where the dims
    are these: `specialized {k.8 = array<i64: 8>}`.

    ```mlir
    permc.dynamic_permute %src, %dst, %dims
        : memref<?xi8>, memref<?xi8>, memref<2xi64>
        by #permc.dynamic_problem<element = 4, shape = [?0, ?1], perm = [1, 0]>
    ```
  }];
  let arguments = (ins
    Arg<Permc_Buffer, "the input", [MemRead]>:$src,
    Arg<Permc_Buffer, "the output", [MemWrite]>:$dst,
    Arg<Permc_DimList, "the dynamic dims", [MemRead]>:$dims,
    Permc_DynamicProblemAttr:$problem,
    OptionalAttr<DictionaryAttr>:$specialized);
  let builders = [
    OpBuilder<(ins "::mlir::Value":$src, "::mlir::Value":$dst,
                   "::mlir::Value":$dims, "DynamicProblemAttr":$problem), [{
      build($_builder, $_state, src, dst, dims, problem,
            /*specialized=*/nullptr);
    }]>
  ];
  let assemblyFormat = [{
    $src `,` $dst `,` $dims `:` type($src) `,` type($dst) `,` type($dims)
    `by` qualified($problem) (`specialized` $specialized^)? attr-dict
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

def Permc_Bytes : VectorOfRankAndType<[1], [I8]>;

class Permc_MoveOp<string mnemonic> : Op<Permc_Dialect, mnemonic> {
  code moveDeclarations = [{
    ::mlir::VectorType getVectorType() {
      return ::llvm::cast<::mlir::VectorType>(getMoved().getType());
    }
  }];
}

def Permc_LoadOp : Permc_MoveOp<"load"> {
  let summary = "Loads bytes in a way that vector.load cannot say";
  let description = [{
    Like a `vector.load` at a byte. Where they apply:

    - `follows`: it begins where the load before it ends, and has its address
      from that, which a structure load may step on (NEON's ld3).
    - `near N`: its address is made from another, N bytes into the tile, for
      the offsets of pairs of vectors do not reach far; a pair is
      `nontemporal` until the back end has chosen its instruction (ldp).
    - `registers N`: it fills 16-byte registers that follow one another, from
      the machine's register N on where the back end must be told (vld1 of
      ARMv7). The only users are shuffles that take whole registers.

    ```mlir
    %0 = permc.load %src[%at] follows registers 8
        : memref<?xi8>, vector<64xi8>
    ```
  }];
  let arguments = (ins
    Arg<Permc_Buffer, "what is loaded from", [MemRead]>:$base,
    Index:$offset,
    UnitAttr:$follows,
    OptionalAttr<I64Attr>:$near,
    OptionalAttr<I64Attr>:$registers,
    UnitAttr:$nontemporal);
  let results = (outs Permc_Bytes:$moved);
  let assemblyFormat = [{
    $base `[` $offset `]` (`follows` $follows^)? (`near` $near^)?
    (`registers` $registers^)? (`nontemporal` $nontemporal^)? attr-dict
    `:` type($base) `,` type($moved)
  }];
  let extraClassDeclaration = moveDeclarations;
  let hasVerifier = 1;
}

def Permc_StoreOp : Permc_MoveOp<"store"> {
  let summary = "Stores bytes in a way that vector.store cannot say";
  let description = [{
    Like a `vector.store` at a byte. Where they apply:

    - `follows`: as that of `permc.load`.
    - `registers`: what is stored are 16-byte registers that a shuffle put side
      by side, in one instruction (AArch64's st1).
    - `lane`: it is the same element of each of some registers (st3 of a lane).

    ```mlir
    permc.store %value, %dst[%at] registers : memref<?xi8>, vector<48xi8>
    ```
  }];
  let arguments = (ins
    Permc_Bytes:$moved,
    Arg<Permc_Buffer, "what is stored to", [MemWrite]>:$base,
    Index:$offset,
    UnitAttr:$follows,
    UnitAttr:$registers,
    UnitAttr:$lane,
    UnitAttr:$nontemporal);
  let assemblyFormat = [{
    $moved `,` $base `[` $offset `]` (`follows` $follows^)?
    (`registers` $registers^)? (`lane` $lane^)?
    (`nontemporal` $nontemporal^)? attr-dict
    `:` type($base) `,` type($moved)
  }];
  let extraClassDeclaration = moveDeclarations;
  let hasVerifier = 1;
}

def Permc_CopyOp : Op<Permc_Dialect, "copy", [SameTypeOperands]> {
  let summary = "Copies some aligned bytes";
  let description = [{
    Both buffers are aligned to `alignment`, and so short that a back end copies
    them in place (32-bit ARM's ldm and stm).

    ```mlir
    permc.copy %from, %to aligned 4 : memref<64xi8>
    ```
  }];
  let arguments = (ins
    Arg<Permc_Buffer, "the input", [MemRead]>:$src,
    Arg<Permc_Buffer, "the output", [MemWrite]>:$dst,
    I64Attr:$alignment);
  let assemblyFormat = [{
    $src `,` $dst `aligned` $alignment attr-dict `:` type($src)
  }];
  let hasVerifier = 1;
}

def Permc_VectorsOp : Op<Permc_Dialect, "vectors",
    [Pure, AllTypesMatch<["value", "vectors"]>]> {
  let summary = "Constant vectors that are loaded at once";
  let description = [{
    Two to four registers of 16 bytes; shuffles take them apart. One by one each
    would take an instruction for its address (AArch64's ld1).

    ```mlir
    %0 = permc.vectors dense<[...]> : vector<64xi8>
    ```
  }];
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Permc_Bytes:$vectors);
  let assemblyFormat = "$value attr-dict";
  let hasVerifier = 1;
}

#endif // PERMC_DIALECT_PERMUTE_PERMUTEOPS_TD
