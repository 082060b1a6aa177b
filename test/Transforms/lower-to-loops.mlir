// RUN: %permc-opt %s --permc-lower-to-loops | FileCheck %s

// The shape of the code for schedules that are given.

// A whole copy is straight-line code.
// CHECK-LABEL: func @copy
// CHECK-NOT: scf.for
// CHECK-COUNT-4: vector.load {{.*}} vector<16xi8>
// CHECK-NOT: vector.load
// CHECK-NOT: permc.permute
func.func @copy(%src: memref<60xi8>, %dst: memref<60xi8>) {
  permc.permute %src, %dst : memref<60xi8>, memref<60xi8>
    by #permc.problem<element = 1, shape = [60], perm = [0]>
    as #permc.schedule<copy, tile = [60], loops = [], units = 0, vector = 16>
  return
}

// The empty problem leaves nothing.
// CHECK-LABEL: func @empty
// CHECK-NEXT: return
func.func @empty(%src: memref<0xi8>, %dst: memref<0xi8>) {
  permc.permute %src, %dst : memref<0xi8>, memref<0xi8>
    by #permc.problem<element = 1, shape = [0], perm = [0]>
    as #permc.schedule<copy, tile = [0], loops = [], units = 0, vector = 0>
  return
}

// Where tiles fill their dim, offsets only grow by constants.
// CHECK-LABEL: func @block_copy
// CHECK: scf.for {{.*}} iter_args
// CHECK-NOT: arith.mul
// CHECK-NOT: arith.min
// CHECK-COUNT-2: vector.load {{.*}} vector<32xi8>
// CHECK-NOT: vector.load
// CHECK-NOT: vector.shuffle
// CHECK: scf.yield
// CHECK-NOT: scf.for
func.func @block_copy(%src: memref<784xi8>, %dst: memref<640xi8>) {
  permc.permute %src, %dst : memref<784xi8>, memref<640xi8>
    by #permc.problem<element = 1, shape = [10, 64], perm = [0, 1],
                      src_strides = [80, 1]>
    as #permc.schedule<block_copy, tile = [1, 64], loops = [0 : 1], units = 0,
                       vector = 32>
  return
}

// The lines of dst that the next tile stores to, and of src that it loads.
// CHECK-LABEL: func @prefetched
// CHECK-COUNT-4: memref.prefetch %arg0[{{.*}}], read
// CHECK-NOT: memref.prefetch
// CHECK: memref.prefetch %arg1[{{.*}}], write
// CHECK-COUNT-3: memref.prefetch %arg1[{{.*}}], write
// CHECK-NOT: memref.prefetch
func.func @prefetched(%src: memref<12800xi8>, %dst: memref<12800xi8>) {
  permc.permute %src, %dst : memref<12800xi8>, memref<12800xi8>
    by #permc.problem<element = 4, shape = [80, 40], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4], loops = [0 : 4, 1 : 4],
                       units = 0, vector = 16, prefetch = 640,
                       prefetch_dst = 16>
  return
}

// Streams have views of their own, which the loop moves on.
// CHECK-LABEL: func @prefetched_streams
// CHECK: scf.while
// CHECK-NOT: memref.prefetch %arg{{[01]}}[
// CHECK: memref.prefetch %{{.*}}, read
// CHECK-NOT: memref.prefetch %arg{{[01]}}[
// CHECK: memref.prefetch %{{.*}}, write
// CHECK-NOT: memref.prefetch %arg{{[01]}}[
// CHECK: return
func.func @prefetched_streams(%src: memref<16384xi8>, %dst: memref<16384xi8>) {
  permc.permute %src, %dst : memref<16384xi8>, memref<16384xi8>
    by #permc.problem<element = 1, shape = [4096, 4], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [4, 16], loops = [1 : 16], units = 0,
                       vector = 16, prefetch = 512, prefetch_dst = 128>
  return
}

// The two ends of each of a panel's rows, before the panel is filled; its
// buffer needs no prefetch.
// CHECK-LABEL: func @prefetched_ends
// CHECK: %[[panel:.*]] = memref.alloca
// CHECK-COUNT-2: memref.prefetch %arg1[{{.*}}], write
// CHECK-NOT: memref.prefetch
// CHECK: vector.store {{.*}}, %[[panel]]
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @prefetched_ends(%src: memref<300000xi8>, %dst: memref<300000xi8>) {
  permc.permute %src, %dst : memref<300000xi8>, memref<300000xi8>
    by #permc.problem<element = 1, shape = [1000, 300], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16],
                       loops = [0 : 64, 1 : 256, 0 : 32, 1 : 16, 0 : 16],
                       units = 1, vector = 16, panel = [32, 256], streaming,
                       prefetch_dst = 255>
  return
}

// A panel of all 32 columns is one stretch of src, of 128 lines: it is prefetched
// in pieces of 16, one more line for what begins within one.
// CHECK-LABEL: func @prefetched_stretch
// CHECK: vector.store
// CHECK-COUNT-17: memref.prefetch %arg0[{{.*}}], read
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @prefetched_stretch(%src: memref<32000xi8>, %dst: memref<32000xi8>) {
  permc.permute %src, %dst : memref<32000xi8>, memref<32000xi8>
    by #permc.problem<element = 1, shape = [1000, 32], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16],
                       loops = [1 : 256, 1 : 16, 0 : 16], units = 0,
                       vector = 16, panel = [32, 256], streaming,
                       prefetch_panel = 8192>
  return
}

// The 16 rows of a tile, each a line, before they are loaded; while the panel's
// rows go out nothing is prefetched.
// CHECK-LABEL: func @prefetched_by_tiles
// CHECK: %[[buffer:.*]] = memref.alloca
// CHECK-COUNT-16: memref.prefetch %arg0[{{.*}}], read, locality<3>
// CHECK-NOT: memref.prefetch
// CHECK: vector.load %arg0
// CHECK-NOT: memref.prefetch
// CHECK: vector.store {{.*}}, %[[buffer]]
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @prefetched_by_tiles(%src: memref<300000xi8>,
                               %dst: memref<300000xi8>) {
  permc.permute %src, %dst : memref<300000xi8>, memref<300000xi8>
    by #permc.problem<element = 1, shape = [1000, 300], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16],
                       loops = [0 : 64, 1 : 256, 0 : 32, 1 : 16, 0 : 16],
                       units = 1, vector = 16, panel = [32, 256], streaming,
                       prefetch = 32>
  return
}

// The same of the second cache.
// CHECK-LABEL: func @prefetched_to_l2
// CHECK-COUNT-16: memref.prefetch %arg0[{{.*}}], read, locality<2>
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @prefetched_to_l2(%src: memref<300000xi8>, %dst: memref<300000xi8>) {
  permc.permute %src, %dst : memref<300000xi8>, memref<300000xi8>
    by #permc.problem<element = 1, shape = [1000, 300], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16],
                       loops = [0 : 64, 1 : 256, 0 : 32, 1 : 16, 0 : 16],
                       units = 1, vector = 16, panel = [32, 256], streaming,
                       prefetch = 32, prefetch_to_l2>
  return
}

// A panel of 256 columns and 64 more, a line: the last one is at 1000 - 320, and
// none begins after 1000 - 64. Ends of rows are stored by themselves only in
// the first and in the last panel.
// CHECK-LABEL: func @whole_lines
// CHECK-DAG: %[[at_most:.*]] = arith.constant 680 : index
// CHECK-DAG: %[[last_end:.*]] = arith.constant 936 : index
// CHECK: scf.for %[[at:.*]] =
// CHECK: %[[next:.*]] = arith.addi %[[at]]
// CHECK: %[[first:.*]] = arith.cmpi eq, %[[at]]
// CHECK: %[[last:.*]] = arith.cmpi sge, %[[next]], %[[last_end]]
// CHECK: arith.minsi %[[at]], %[[at_most]]
// CHECK: vector.store {{.*}} vector<16xi8>
// CHECK: scf.if %[[first]]
// CHECK: vector.store {{.*}} {{.*}}nontemporal = true
// CHECK: scf.if %[[last]]
func.func @whole_lines(%src: memref<300000xi8>, %dst: memref<300000xi8>) {
  permc.permute %src, %dst : memref<300000xi8>, memref<300000xi8>
    by #permc.problem<element = 1, shape = [1000, 300], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16],
                       loops = [1 : 256, 0 : 32, 1 : 16, 0 : 16],
                       units = 0, vector = 16, panel = [32, 256], whole_lines,
                       streaming>
  return
}

// 100 is no multiple of 16: the last tile is moved back to end at 84 + 16.
// CHECK-LABEL: func @shifted_last_tile
// CHECK-DAG: %[[tile:.*]] = arith.constant 16 : index
// CHECK-DAG: %[[size:.*]] = arith.constant 100 : index
// CHECK: %[[last:.*]] = arith.subi %[[size]], %[[tile]]
// CHECK: scf.for %[[at:.*]] = {{.*}} to %[[size]] step %[[tile]]
// CHECK-NEXT: arith.minsi %[[at]], %[[last]]
// CHECK: vector.load {{.*}} vector<16xi8>
// CHECK-NOT: vector.load
func.func @shifted_last_tile(%src: memref<100xi8>, %dst: memref<100xi8>) {
  permc.permute %src, %dst : memref<100xi8>, memref<100xi8>
    by #permc.problem<element = 1, shape = [100], perm = [0]>
    as #permc.schedule<copy, tile = [16], loops = [0 : 16], units = 0,
                       vector = 16>
  return
}

// A 4x4 tile of words: rows loaded, zipped twice, columns stored.
// CHECK-LABEL: func @transpose
// CHECK-COUNT-2: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-4: vector.load {{.*}} vector<16xi8>
// CHECK-NOT: vector.load
// CHECK-COUNT-8: vector.shuffle {{.*}} vector<4xi32>
// CHECK-NOT: vector.shuffle
// CHECK-COUNT-4: vector.store {{.*}} vector<16xi8>
// CHECK-NOT: vector.store
// CHECK-LABEL: func @block
func.func @transpose(%src: memref<384xi8>, %dst: memref<384xi8>) {
  permc.permute %src, %dst : memref<384xi8>, memref<384xi8>
    by #permc.problem<element = 4, shape = [8, 12], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4], loops = [0 : 4, 1 : 4],
                       units = 0, vector = 16>
  return
}

// A block that does not divide its dim ends with it.
func.func @block(%src: memref<400xi8>, %dst: memref<400xi8>) {
  // CHECK: scf.for %[[at:.*]] = {{.*}} step %[[block:.*]] {
  // CHECK: %[[next:.*]] = arith.addi %[[at]], %[[block]]
  // CHECK: %[[end:.*]] = arith.minsi %[[next]]
  // CHECK: scf.for {{.*}} = %[[at]] to %[[end]]
  permc.permute %src, %dst : memref<400xi8>, memref<400xi8>
    by #permc.problem<element = 4, shape = [100], perm = [0]>
    as #permc.schedule<copy, tile = [4], loops = [0 : 32, 0 : 4], units = 0,
                       vector = 16>
  return
}

// Collapsed loops: one counter, taken apart. The last block along a dim
// that it does not divide ends with the dim.
// CHECK-LABEL: func @units
// CHECK-DAG: %[[units:.*]] = arith.constant 20 : index
// CHECK-DAG: %[[columns:.*]] = arith.constant 100 : index
// CHECK: scf.for %[[unit:.*]] = %{{.*}} to %[[units]]
// CHECK: arith.remui %[[unit]],
// CHECK: arith.divui %[[unit]],
// CHECK: arith.minsi %{{.*}}, %[[columns]]
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK: return
func.func @units(%src: memref<4000xi8>, %dst: memref<4000xi8>) {
  permc.permute %src, %dst : memref<4000xi8>, memref<4000xi8>
    by #permc.problem<element = 1, shape = [100, 40], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 16],
                       loops = [1 : 32, 0 : 8, 1 : 16], units = 2, vector = 16>
  return
}

// A box: its loops begin and end with it. Its rows are whole tiles, because all
// rows are; of the columns the last tile is moved back.
// CHECK-LABEL: func @box
// CHECK-SAME: %[[top:[^:]*]]: index, %[[bottom:[^:]*]]: index, %[[left:[^:]*]]: index, %[[right:[^:]*]]: index
// CHECK: scf.for %{{.*}} = %[[top]] to %[[bottom]]
// CHECK-NOT: arith.minsi
// CHECK: %[[last:.*]] = arith.subi %[[right]]
// CHECK: scf.for %[[column:.*]] = %[[left]] to %[[right]]
// CHECK: arith.minsi %[[column]], %[[last]]
// CHECK-NOT: scf.for
// CHECK: return
func.func @box(%src: memref<4000xi8>, %dst: memref<4000xi8>, %top: index,
               %bottom: index, %left: index, %right: index) {
  permc.permute %src, %dst box(%top, %bottom, %left, %right) along [0, 1]
    : memref<4000xi8>, memref<4000xi8>
    by #permc.problem<element = 1, shape = [100, 40], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 16], loops = [0 : 8, 1 : 16],
                       units = 0, vector = 16>
  return
}

// Units of a box are as many as it holds.
// CHECK-LABEL: func @units_of_box
// CHECK-SAME: %[[begin:[^:]*]]: index, %[[end:[^:]*]]: index
// CHECK: %[[length:.*]] = arith.subi %[[end]], %[[begin]]
// CHECK: arith.divui %[[length]],
// CHECK: arith.addi %[[begin]],
// CHECK: return
func.func @units_of_box(%src: memref<4000xi8>, %dst: memref<4000xi8>,
                        %begin: index, %end: index) {
  permc.permute %src, %dst box(%begin, %end) along [0]
    : memref<4000xi8>, memref<4000xi8>
    by #permc.problem<element = 1, shape = [100, 40], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 16],
                       loops = [1 : 32, 0 : 8, 1 : 16], units = 2, vector = 16>
  return
}

// Code size does not grow with the rank: all these loops are one.
// CHECK-LABEL: func @flat
// CHECK: scf.for
// CHECK-NOT: scf.for
// CHECK-COUNT-1: vector.load
// CHECK-NOT: vector.load
func.func @flat(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [2, 3, 4, 5, 6, 7],
                      perm = [5, 4, 3, 2, 1, 0]>
    as #permc.schedule<scalar, tile = [1, 1, 1, 1, 1, 1],
                       loops = [0 : 1, 1 : 1, 2 : 1, 3 : 1, 4 : 1, 5 : 1],
                       units = 6, vector = 8>
  return
}

// Channels: each plane has an address of its own, and two registers of it are
// stored one after the other. The last tile has code of its own.
// CHECK-LABEL: func @channels
// CHECK-SAME: %[[src:[^:]*]]: memref<900xi8>, %[[dst:[^:]*]]: memref<900xi8>
// CHECK: memref.view %[[src]]
// CHECK-COUNT-3: memref.view %[[dst]]
// CHECK: scf.while (%[[counter:[^ ]*]] = {{.*}}, %[[from:[^ ]*]] = {{.*}}, %[[red:[^ ]*]] = {{.*}}, %[[green:[^ ]*]] = {{.*}}, %[[blue:[^ ]*]] =
// CHECK-COUNT-2: vector.load %[[from]]{{.*}} vector<48xi8>
// CHECK: vector.store {{.*}} %[[red]]
// CHECK: vector.store {{.*}} %[[red]]
// CHECK: vector.store {{.*}} %[[green]]
// CHECK: vector.store {{.*}} %[[green]]
// CHECK: vector.store {{.*}} %[[blue]]
// CHECK: vector.store {{.*}} %[[blue]]
// CHECK: %[[next:.*]] = arith.addi %[[counter]], %c32
// CHECK: %[[more:.*]] = arith.cmpi slt, %[[next]], %c0
// CHECK: scf.condition(%[[more]]) %[[next]]
// CHECK: scf.if
// CHECK-COUNT-2: vector.load {{.*}} vector<48xi8>
// CHECK-NOT: vector.load
// CHECK: return
func.func @channels(%src: memref<900xi8>, %dst: memref<900xi8>) {
  permc.permute %src, %dst : memref<900xi8>, memref<900xi8>
    by #permc.problem<element = 1, shape = [300, 3], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [3, 32], loops = [1 : 32], units = 0,
                       vector = 16>
  return
}

// What is left of 53 columns has its own code after the loops, 8 bytes of a row
// and from 45 on.
// CHECK-LABEL: func @last_tile
// CHECK: scf.for {{.*}} = %c0 to %c48 step %c16
// CHECK: scf.for {{.*}} = %c0 to %c32 step %c16
// CHECK-COUNT-16: vector.load {{.*}} vector<16xi8>
// CHECK-NOT: vector.load
// CHECK-COUNT-16: vector.store {{.*}} vector<16xi8>
// CHECK-NOT: vector.store
// CHECK: scf.for {{.*}} = %c0 to %c32 step %c16 iter_args({{.*}} = %c45, {{.*}} = %c1440)
// CHECK-COUNT-16: vector.load
// CHECK-NOT: vector.load
// CHECK-COUNT-8: vector.store {{.*}} vector<16xi8>
// CHECK-NOT: vector.store
// CHECK: return
func.func @last_tile(%src: memref<?xi8>, %dst: memref<?xi8>) {
  permc.permute %src, %dst : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 1, shape = [32, 53], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16], loops = [0 : 16, 1 : 16],
                       units = 0, vector = 16, last_tile = [8, 16]>
  return
}

// Whether dst is aligned matters to the stores of a streamed tile alone: the
// rest of a large one is there once.
// CHECK-LABEL: func @streamed_tile
// CHECK-COUNT-32: vector.load
// CHECK: scf.if
// CHECK-COUNT-32: vector.store {{.*}} {alignment = 32 : i64, nontemporal = true}
// CHECK: } else {
// CHECK-COUNT-32: vector.store {{.*}}] : memref<131072xi8>, vector<32xi8>
// CHECK-NOT: vector.{{load|shuffle|store}}
// CHECK: return
func.func @streamed_tile(%src: memref<131072xi8>, %dst: memref<131072xi8>) {
  permc.permute %src, %dst : memref<131072xi8>, memref<131072xi8>
    by #permc.problem<element = 1, shape = [512, 256], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 64], loops = [0 : 16, 1 : 64],
                       units = 1, vector = 32, streaming>
  return
}

// A streamed run prefetches to the second cache what comes later in src, line by
// line.
// CHECK-LABEL: func @fetched_run
// CHECK: scf.for
// CHECK: memref.prefetch %{{.*}}, read, locality<2>, data : memref<16400xi8>
// CHECK-COUNT-2: vector.load
// CHECK-COUNT-2: vector.store {{.*}} {alignment = 32 : i64, nontemporal = true}
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @fetched_run(%src: memref<16400xi8>, %dst: memref<16400xi8>) {
  permc.permute %src, %dst : memref<16400xi8>, memref<16400xi8>
    by #permc.problem<element = 1, shape = [2, 2, 4100], perm = [1, 0, 2]>
    as #permc.schedule<block_copy, tile = [1, 1, 4100], loops = [1 : 1, 0 : 1],
                       units = 0, vector = 32, streaming, prefetch = 8192>
  return
}

// If rows of dst do not begin where a line does, tiles are moved along the row
// to where they do. Two tiles at each end take ordinary stores then, and those
// between have lines of their own: a loop of four turns, of one if no tile can
// be streamed, or of none.
// CHECK-LABEL: func @moved_tiles
// CHECK: %[[LEAD:.*]] = arith.andi %{{.*}}, %c63{{.*}} : index
// CHECK: %[[AHEAD:.*]] = arith.divui %[[LEAD]], %c4{{.*}} : index
// CHECK: %[[LINE:.*]] = arith.addi %c0, %[[AHEAD]]
// CHECK: %[[SECOND:.*]] = arith.addi %[[LINE]], %c16
// CHECK: %[[LAST:.*]] = arith.addi %c96, %[[AHEAD]]
// CHECK: %[[BEGIN:.*]] = arith.select %{{.*}}, %c0, %[[SECOND]]
// CHECK: arith.select %{{.*}}, %[[LAST]], %[[BEGIN]]
// CHECK: arith.select %{{.*}}, %c4, %c1
// CHECK: scf.for %{{.*}} = %[[BEGIN]] to
// CHECK-COUNT-16: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-16: vector.store {{.*}}] : memref<65536xi8>, vector<64xi8>
// CHECK-NOT: vector.store
// CHECK: return
func.func @moved_tiles(%src: memref<65536xi8>, %dst: memref<65536xi8>) {
  permc.permute %src, %dst : memref<65536xi8>, memref<65536xi8>
    by #permc.problem<element = 4, shape = [128, 128], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16], loops = [1 : 16, 0 : 16],
                       units = 0, vector = 64, streaming>
  return
}

// A dst that does not begin with a line has a schedule of its own. The two ends
// of a streamed run are moves of some bytes of a line, where a register is one.
// CHECK-LABEL: func @unaligned
// CHECK: %[[PAST:.*]] = arith.andi %{{.*}}, %c63{{.*}} : index
// CHECK: %[[STARTS:.*]] = arith.cmpi eq, %[[PAST]], %c0
// CHECK: scf.if %[[STARTS]]
// CHECK-COUNT-2: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK-NOT: vector.store
// CHECK: } else {
// CHECK: vector.load
// CHECK: vector.store {{.*}} memref<576xi8>
// CHECK: vector.maskedstore {{.*}} : memref<8192xi8>, vector<64xi1>
// CHECK: vector.store {{.*}} {alignment = 64 : i64, nontemporal = true}
// CHECK: vector.maskedstore {{.*}} : memref<8192xi8>, vector<64xi1>
// CHECK: llvm.fence
// CHECK-NOT: llvm.fence
// CHECK: return
func.func @unaligned(%src: memref<8192xi8>, %dst: memref<8192xi8>) {
  permc.permute %src, %dst : memref<8192xi8>, memref<8192xi8>
    by #permc.problem<element = 1, shape = [16, 4, 128], perm = [1, 0, 2]>
    as #permc.schedule<block_copy, tile = [1, 1, 128], loops = [1 : 1, 0 : 1],
                       units = 0, vector = 64, streaming>
    unaligned
       #permc.schedule<block_copy, tile = [1, 1, 128],
                       loops = [1 : 4, 0 : 1, 1 : 1], units = 0, vector = 64,
                       panel = [1, 4, 128], streaming>
  return
}

// Tiles that stay in the caches are moved to lines as well: a loop of up to
// three turns, whose tile is there once.
// CHECK-LABEL: func @moved_in_cache
// CHECK: %[[LEAD:.*]] = arith.andi %{{.*}}, %c63{{.*}} : index
// CHECK: %[[FIRST:.*]] = arith.select %{{.*}}, %c0{{.*}}, %c1{{.*}} : index
// CHECK: scf.for %[[TURN:.*]] = %[[FIRST]] to
// CHECK: arith.cmpi eq, %[[TURN]], %c0
// CHECK-COUNT-16: vector.store {{.*}}] : memref<65536xi8>, vector<64xi8>
// CHECK-NOT: vector.store
// CHECK: return
func.func @moved_in_cache(%src: memref<65536xi8>, %dst: memref<65536xi8>) {
  permc.permute %src, %dst : memref<65536xi8>, memref<65536xi8>
    by #permc.problem<element = 4, shape = [128, 128], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16], loops = [1 : 16, 0 : 16],
                       units = 0, vector = 64>
  return
}
