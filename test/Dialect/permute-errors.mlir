// RUN: %permc-opt %s --split-input-file --verify-diagnostics

// Problems that do not exist.

func.func @element(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{an element of 0 bytes; expected 1 or more}}
    by #permc.problem<element = 0, shape = [8], perm = [0]>
  return
}

// -----

func.func @rank(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{the order [0] has 1 axes; expected 2, one for each dim}}
    by #permc.problem<element = 1, shape = [2, 4], perm = [0]>
  return
}

// -----

func.func @axis(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{axis 2 in the order [0, 2]; expected 0 to 1}}
    by #permc.problem<element = 1, shape = [2, 4], perm = [0, 2]>
  return
}

// -----

func.func @duplicate(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{axis 1 twice in the order [1, 1]; expected each axis once}}
    by #permc.problem<element = 1, shape = [2, 4], perm = [1, 1]>
  return
}

// -----

func.func @size(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{dim 1 has the size -4; expected 0 or more}}
    by #permc.problem<element = 1, shape = [2, -4], perm = [0, 1]>
  return
}

// -----

func.func @overflow(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{the bytes of the shape 4294967296x4294967296 do not fit in 63 bits}}
    by #permc.problem<element = 1, shape = [4294967296, 4294967296], perm = [0, 1]>
  return
}

// -----

func.func @stride_rank(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{1 input strides for a tensor of rank 2}}
    by #permc.problem<element = 1, shape = [2, 4], perm = [0, 1], src_strides = [1]>
  return
}

// -----

func.func @stride_zero(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{the output stride of dim 1 is 0 bytes, less than the 1 bytes that the faster dims span: elements of the output would overlap}}
    by #permc.problem<element = 1, shape = [2, 4], perm = [0, 1], dst_strides = [4, 0]>
  return
}

// -----

func.func @stride_overlap(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{the output stride of dim 0 is 3 bytes, less than the 4 bytes that the faster dims span: elements of the output would overlap}}
    by #permc.problem<element = 1, shape = [2, 4], perm = [0, 1], dst_strides = [3, 1]>
  return
}

// -----

// Spelling.

func.func @unknown_key(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{expected 'src_strides' or 'dst_strides'}}
    by #permc.problem<element = 1, shape = [8], perm = [0], strides = [1]>
  return
}

// -----

func.func @strides_twice(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{'src_strides' is given twice}}
    by #permc.problem<element = 1, shape = [8], perm = [0], src_strides = [1], src_strides = [2]>
  return
}

// -----

func.func @missing_key(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{expected 'perm'}}
    by #permc.problem<element = 1, shape = [8], order = [0]>
  return
}

// -----

func.func @too_large_a_number(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    // expected-error@+1 {{integer value too large}}
    by #permc.problem<element = 1, shape = [99999999999999999999], perm = [0]>
  return
}

// -----

func.func @unknown_kind(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    by #permc.problem<element = 1, shape = [8], perm = [0]>
    // expected-error@+1 {{unknown kernel kind 'fast'; expected copy, block_copy, tile_transpose, shuffle, wide_shuffle, scalar, word_transpose, interleave or gather}}
    as #permc.schedule<fast, tile = [8], loops = [], units = 0, vector = 8>
  return
}

// -----

func.func @unknown_schedule_key(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    by #permc.problem<element = 1, shape = [8], perm = [0]>
    // expected-error@+1 {{unknown key 'fast'; expected 'last_tile', 'scalable', 'pairs', 'vector_pairs', 'stepping', 'tables', 'lookups_at_once', 'vectors_per_load', 'vectors_per_store', 'last_lane', 'structures_step', 'src_reach', 'dst_reach', 'step_reach', 'panel', 'whole_lines', 'streaming', 'prefetch', 'prefetch_to_l2', 'prefetch_panel' or 'prefetch_dst'}}
    as #permc.schedule<copy, tile = [8], loops = [], units = 0, vector = 8, fast>
  return
}

// -----

func.func @whole_lines_without_a_panel(%src: memref<8xi8>, %dst: memref<8xi8>) {
  permc.permute %src, %dst : memref<8xi8>, memref<8xi8>
    by #permc.problem<element = 1, shape = [8], perm = [0]>
    // expected-error@+1 {{'whole_lines' or 'prefetch_panel' without a 'panel'}}
    as #permc.schedule<copy, tile = [8], loops = [], units = 0, vector = 8,
                       whole_lines>
  return
}

// -----

// Buffers.

func.func @src_too_small(%src: memref<31xi8>, %dst: memref<32xi8>) {
  // expected-error@+1 {{'permc.permute' op src holds 31 bytes, but the problem spans 32}}
  permc.permute %src, %dst : memref<31xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
  return
}

// -----

func.func @dst_too_small(%src: memref<32xi8>, %dst: memref<38xi8>) {
  // expected-error@+1 {{'permc.permute' op dst holds 38 bytes, but the problem spans 39}}
  permc.permute %src, %dst : memref<32xi8>, memref<38xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0], dst_strides = [5, 1]>
  return
}

// -----

func.func @words(%src: memref<8xi32>, %dst: memref<32xi8>) {
  // expected-error@+1 {{operand #0 must be 1D memref of 8-bit signless integer values, but got 'memref<8xi32>'}}
  permc.permute %src, %dst : memref<8xi32>, memref<32xi8>
    by #permc.problem<element = 4, shape = [8], perm = [0]>
  return
}

// -----

func.func @layout(%src: memref<32xi8, strided<[2]>>, %dst: memref<32xi8>) {
  // expected-error@+1 {{'permc.permute' op src is 'memref<32xi8, strided<[2]>>'; expected contiguous bytes in the default memory space}}
  permc.permute %src, %dst : memref<32xi8, strided<[2]>>, memref<32xi8>
    by #permc.problem<element = 1, shape = [32], perm = [0]>
  return
}

// -----

func.func @memory_space(%src: memref<32xi8>, %dst: memref<32xi8, 3>) {
  // expected-error@+1 {{'permc.permute' op dst is 'memref<32xi8, 3>'; expected contiguous bytes in the default memory space}}
  permc.permute %src, %dst : memref<32xi8>, memref<32xi8, 3>
    by #permc.problem<element = 1, shape = [32], perm = [0]>
  return
}

// -----

func.func @one_buffer(%both: memref<32xi8>) {
  // expected-error@+1 {{'permc.permute' op reads and writes the same buffer; expected src and dst not to overlap}}
  permc.permute %both, %both : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
  return
}

// -----

// Boxes and schedules.

func.func @one_bound(%src: memref<32xi8>, %dst: memref<32xi8>, %begin: index) {
  // expected-error@+1 {{'permc.permute' op has 1 box operands along 1 dims; expected a begin and an end for each}}
  permc.permute %src, %dst box(%begin) along [0] : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
  return
}

// -----

func.func @box_of_nothing(%src: memref<32xi8>, %dst: memref<32xi8>, %begin: index, %end: index) {
  // expected-error@+1 {{'permc.permute' op has a box but no schedule}}
  permc.permute %src, %dst box(%begin, %end) along [0] : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
  return
}

// -----

// No loop goes through dim 1 that the box could be the range of.
func.func @box_of_tile(%src: memref<32xi8>, %dst: memref<32xi8>, %begin: index, %end: index) {
  // expected-error@+1 {{'permc.permute' op has a box along dim 1; expected different dims that the schedule has loops through}}
  permc.permute %src, %dst box(%begin, %end) along [1] : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [0, 1]>
    as #permc.schedule<block_copy, tile = [1, 8], loops = [0 : 1], units = 0,
                       vector = 8>
  return
}

// -----

func.func @box_twice(%src: memref<32xi8>, %dst: memref<32xi8>, %begin: index, %end: index) {
  // expected-error@+1 {{'permc.permute' op has a box along dim 0; expected different dims that the schedule has loops through}}
  permc.permute %src, %dst box(%begin, %end, %begin, %end) along [0, 0] : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [0, 1]>
    as #permc.schedule<block_copy, tile = [1, 8], loops = [0 : 1], units = 0,
                       vector = 8>
  return
}

// -----

func.func @schedule_rank(%src: memref<32xi8>, %dst: memref<32xi8>) {
  // expected-error@+1 {{'permc.permute' op schedule does not fit the problem: a tile of rank 1 for a problem of rank 2}}
  permc.permute %src, %dst : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
    as #permc.schedule<scalar, tile = [1], loops = [], units = 0, vector = 8>
  return
}

// -----

func.func @schedule_misses_a_dim(%src: memref<32xi8>, %dst: memref<32xi8>) {
  // expected-error@+1 {{'permc.permute' op schedule does not fit the problem: the last step along dim 1 of size 4 is 4; expected the tile 1}}
  permc.permute %src, %dst : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [4, 8], perm = [1, 0]>
    as #permc.schedule<scalar, tile = [1, 1], loops = [0 : 1], units = 0, vector = 8>
  return
}

// -----

func.func @schedule_without_moves(%src: memref<32xi8>, %dst: memref<32xi8>) {
  // expected-error@+1 {{'permc.permute' op schedule does not fit the problem: vectors of 0 bytes; expected a power of two from 1 to 64}}
  permc.permute %src, %dst : memref<32xi8>, memref<32xi8>
    by #permc.problem<element = 1, shape = [32], perm = [0]>
    as #permc.schedule<copy, tile = [32], loops = [], units = 0, vector = 0>
  return
}

// -----

func.func @interleave(%src: memref<100xi8>, %dst: memref<100xi8>) {
  // expected-error@+1 {{an interleave tile that is not two to four streams of elements of 1, 2, 4 or 8 bytes, or 8, 16 or 32 that are joined of up to 4 bytes}}
  permc.permute %src, %dst : memref<100xi8>, memref<100xi8>
    by #permc.problem<element = 1, shape = [20, 5], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [5, 20], loops = [], units = 0,
                       vector = 16>
  return
}

// -----

func.func @short_interleave(%src: memref<24xi8>, %dst: memref<24xi8>) {
  // expected-error@+1 {{with 8 elements of a stream; expected 16 bytes of them or more}}
  permc.permute %src, %dst : memref<24xi8>, memref<24xi8>
    by #permc.problem<element = 1, shape = [8, 3], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [3, 8], loops = [], units = 0,
                       vector = 16>
  return
}

// -----

func.func @scalable_kind(%src: memref<64xi8>, %dst: memref<64xi8>) {
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 4, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4], loops = [], units = 0,
                       // expected-error@+1 {{the key 'scalable' in a schedule of the kind tile_transpose; expected the kind copy, block_copy or interleave}}
                       vector = 16, scalable>
  return
}

// -----

func.func @scalable_rows(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{a scalable tile along dim 0, which is not contiguous on both sides}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 4, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<block_copy, tile = [4, 4], loops = [], units = 0,
                       vector = 16, scalable>
  return
}

// -----

func.func @nothing_to_l2(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{a prefetch to the second cache without a distance}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 4, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4], loops = [], units = 0,
                       vector = 16, prefetch_to_l2>
  return
}

// -----

func.func @runs_to_l2(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{a prefetch of runs to the second cache; expected one of tiles}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 4, shape = [4, 4], perm = [0, 1]>
    as #permc.schedule<block_copy, tile = [4, 4], loops = [], units = 0,
                       vector = 16, prefetch = 64, prefetch_to_l2>
  return
}

// -----

func.func @last_lane_of_pairs(%src: memref<99xi8>, %dst: memref<99xi8>) {
  // expected-error@+1 {{a last lane; expected two to four streams that are joined, of whole 16-byte vectors and one element each}}
  permc.permute %src, %dst : memref<99xi8>, memref<99xi8>
    by #permc.problem<element = 1, shape = [3, 33], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [33, 3], loops = [], units = 0,
                       vector = 32, last_lane>
  return
}

// -----

func.func @streamed_words(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{a word_transpose that streams without a panel}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 1, shape = [8, 8], perm = [1, 0]>
    as #permc.schedule<word_transpose, tile = [4, 8], loops = [0 : 4],
                       units = 0, vector = 4, streaming>
  return
}

// -----

func.func @gather_of_three_dims(%src: memref<128xi8>, %dst: memref<128xi8>) {
  // expected-error@+1 {{a gather tile of more than rows and columns}}
  permc.permute %src, %dst : memref<128xi8>, memref<128xi8>
    by #permc.problem<element = 1, shape = [8, 4, 4], perm = [2, 1, 0]>
    as #permc.schedule<gather, tile = [4, 4, 8], loops = [], units = 0,
                       vector = 16>
  return
}

// -----

func.func @gather_of_few_rows(%src: memref<16xi8>, %dst: memref<16xi8>) {
  // expected-error@+1 {{a gather tile of 4 rows contiguous in dst; expected 8 or more}}
  permc.permute %src, %dst : memref<16xi8>, memref<16xi8>
    by #permc.problem<element = 1, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<gather, tile = [4, 4], loops = [], units = 0,
                       vector = 16>
  return
}

// -----

func.func @pairs_of_zips(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{pairs aligned to 8 in a tile_transpose of 16 bytes; expected a copy, block_copy, scalar, tile_transpose or word_transpose of twice the alignment, a tile_transpose of 16 bytes or a word_transpose of 32, that does not stream}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 4, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4], loops = [], units = 0,
                       vector = 16, pairs = 8>
  return
}

// -----

// Four words are loaded at once only to be stored as they are, and of whole
// rows.
func.func @four_words_of_halves(%src: memref<128xi8>, %dst: memref<128xi8>) {
  // expected-error@+1 {{vector pairs in a tile of elements of 2 bytes by vectors of 4; expected whole pairs of 16-byte vectors along rows and columns, or whole blocks of words}}
  permc.permute %src, %dst : memref<128xi8>, memref<128xi8>
    by #permc.problem<element = 2, shape = [8, 8], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 8], loops = [], units = 0,
                       vector = 16, pairs = 4>
  return
}

// -----

func.func @four_words_of_six(%src: memref<96xi8>, %dst: memref<96xi8>) {
  // expected-error@+1 {{vector pairs in a tile of elements of 4 bytes by vectors of 4; expected whole pairs of 16-byte vectors along rows and columns, or whole blocks of words}}
  permc.permute %src, %dst : memref<96xi8>, memref<96xi8>
    by #permc.problem<element = 4, shape = [4, 6], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [6, 4], loops = [], units = 0,
                       vector = 16, pairs = 4>
  return
}

// -----

func.func @half_word_pairs(%src: memref<48xi8>, %dst: memref<48xi8>) {
  // expected-error@+1 {{vector pairs in a tile of elements of 2 bytes by vectors of 4; expected whole pairs of 16-byte vectors along rows and columns, or whole blocks of words}}
  permc.permute %src, %dst : memref<48xi8>, memref<48xi8>
    by #permc.problem<element = 2, shape = [6, 4], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 6], loops = [], units = 0,
                       vector = 8, pairs = 4>
  return
}

// -----

func.func @pairs_of_other_width(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{pairs aligned to 9223372036854775807 in a copy of 8 bytes}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 1, shape = [64], perm = [0]>
    as #permc.schedule<copy, tile = [64], loops = [], units = 0, vector = 8,
                       pairs = 9223372036854775807>
  return
}

// -----

// The second row starts 18 bytes further.
func.func @pairs_that_start_elsewhere(%src: memref<36xi8>, %dst: memref<36xi8>) {
  // expected-error@+1 {{pairs aligned to 4 in tiles that may start elsewhere}}
  permc.permute %src, %dst : memref<36xi8>, memref<36xi8>
    by #permc.problem<element = 1, shape = [2, 18], perm = [0, 1]>
    as #permc.schedule<block_copy, tile = [1, 18], loops = [0 : 1], units = 0,
                       vector = 8, pairs = 4>
  return
}

// -----

// The last step of 8 is moved back to start at 10.
func.func @pairs_that_are_moved_back(%src: memref<18xi8>, %dst: memref<18xi8>) {
  // expected-error@+1 {{pairs aligned to 4 in tiles that may start elsewhere}}
  permc.permute %src, %dst : memref<18xi8>, memref<18xi8>
    by #permc.problem<element = 1, shape = [18], perm = [0]>
    as #permc.schedule<copy, tile = [8], loops = [0 : 8], units = 0, vector = 8,
                       pairs = 4>
  return
}

// -----

func.func @reach_of_one_side(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{addresses of a limited reach on one side only}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 4, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4], loops = [], units = 0,
                       vector = 16, src_reach = 0 : 64>
  return
}

// -----

func.func @reach_back_to_front(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{addresses that reach -8 bytes back and 64 ahead; expected 0 to 1048576}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 4, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4], loops = [], units = 0,
                       vector = 16, src_reach = -8 : 64, dst_reach = 0 : 64>
  return
}

// -----

func.func @reach_of_unknown_length(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{addresses of a limited reach in a scalable copy; expected a fixed network of another kind}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 1, shape = [64], perm = [0]>
    as #permc.schedule<copy, tile = [64], loops = [], units = 0, vector = 16,
                       scalable, src_reach = 0 : 64, dst_reach = 0 : 64>
  return
}

// -----

func.func @steps_of_vectors(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{stores that step in a tile_transpose of 16 bytes; expected a tile_transpose of 16 in pairs of words}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 4, shape = [4, 4], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4], loops = [], units = 0,
                       vector = 16, step_reach = 0 : 64>
  return
}

// -----

func.func @vector_pairs_out_of_reach(%src: memref<256xi8>, %dst: memref<256xi8>) {
  // expected-error@+1 {{vector pairs in a tile_transpose whose addresses reach anywhere; expected a tile_transpose of limited reach}}
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 4, shape = [8, 8], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 8], loops = [], units = 0,
                       vector = 16, vector_pairs>
  return
}

// -----

func.func @half_vector_pairs(%src: memref<128xi8>, %dst: memref<128xi8>) {
  // expected-error@+1 {{vector pairs in a tile of elements of 4 bytes by vectors of 16; expected whole pairs of 16-byte vectors along rows and columns}}
  permc.permute %src, %dst : memref<128xi8>, memref<128xi8>
    by #permc.problem<element = 4, shape = [4, 8], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 4], loops = [], units = 0,
                       vector = 16, vector_pairs, src_reach = 1024 : 1008,
                       dst_reach = 1024 : 1008>
  return
}

// -----

func.func @tables_of_a_tile(%src: memref<256xi8>, %dst: memref<256xi8>) {
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 1, shape = [16, 16], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16], loops = [], units = 0,
                       // expected-error@+1 {{the key 'tables' in a schedule of the kind tile_transpose; expected the kind interleave}}
                       vector = 16, tables = 4>
  return
}

// -----

func.func @tables_of_one_in_pairs(%src: memref<256xi8>, %dst: memref<256xi8>) {
  // expected-error@+1 {{vector pairs of 16 streams and tables of 1; expected 16 and tables of 4}}
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 1, shape = [16, 16], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [16, 16], loops = [], units = 0,
                       vector = 16, vector_pairs, tables = 1>
  return
}

// -----

func.func @tables_of_two(%src: memref<256xi8>, %dst: memref<256xi8>) {
  // expected-error@+1 {{tables of 2 vectors; expected 1 or 4, and no scalable vectors}}
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 1, shape = [16, 16], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [16, 16], loops = [], units = 0,
                       vector = 16, tables = 2>
  return
}

// -----

func.func @tables_for_few(%src: memref<128xi8>, %dst: memref<128xi8>) {
  // expected-error@+1 {{tables of 4 vectors for 8 streams; expected 16 or more that are joined, of 1 or 2 bytes, or of one vector each without a gap}}
  permc.permute %src, %dst : memref<128xi8>, memref<128xi8>
    by #permc.problem<element = 1, shape = [8, 16], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [16, 8], loops = [], units = 0,
                       vector = 16, tables = 4>
  return
}

// -----

func.func @blocks_with_gaps(%src: memref<512xi8>, %dst: memref<512xi8>) {
  // expected-error@+1 {{tables of 1 vectors for 16 streams; expected}}
  permc.permute %src, %dst : memref<512xi8>, memref<512xi8>
    by #permc.problem<element = 1, shape = [16, 32], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [16, 16], loops = [0 : 16], units = 0,
                       vector = 16, tables = 1>
  return
}

// -----

func.func @last_tile_of_rank_one(%src: memref<1696xi8>, %dst: memref<1696xi8>) {
  // expected-error@+1 {{a last tile of rank 1 for a problem of rank 2}}
  permc.permute %src, %dst : memref<1696xi8>, memref<1696xi8>
    by #permc.problem<element = 1, shape = [32, 53], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16], loops = [0 : 16, 1 : 16],
                       units = 0, vector = 16, last_tile = [8]>
  return
}

// -----

func.func @last_tile_too_short(%src: memref<1696xi8>, %dst: memref<1696xi8>) {
  // expected-error@+1 {{a last tile of 4 along dim 0 of size 53; expected 5 to 16}}
  permc.permute %src, %dst : memref<1696xi8>, memref<1696xi8>
    by #permc.problem<element = 1, shape = [32, 53], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16], loops = [0 : 16, 1 : 16],
                       units = 0, vector = 16, last_tile = [4, 16]>
  return
}

// -----

func.func @last_tile_of_nothing(%src: memref<1696xi8>, %dst: memref<1696xi8>) {
  // expected-error@+1 {{a last tile of 8 along dim 1 of size 32; expected 16}}
  permc.permute %src, %dst : memref<1696xi8>, memref<1696xi8>
    by #permc.problem<element = 1, shape = [32, 53], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [16, 16], loops = [0 : 16, 1 : 16],
                       units = 0, vector = 16, last_tile = [8, 8]>
  return
}

// -----

func.func @last_tile_of_elements(%src: memref<1696xi8>, %dst: memref<1696xi8>) {
  permc.permute %src, %dst : memref<1696xi8>, memref<1696xi8>
    by #permc.problem<element = 1, shape = [32, 53], perm = [1, 0]>
    as #permc.schedule<scalar, tile = [16, 1], loops = [0 : 16, 1 : 1],
                       // expected-error@+1 {{the key 'last_tile' in a schedule of the kind scalar; expected the kind tile_transpose}}
                       units = 0, vector = 8, last_tile = [5, 1]>
  return
}

// -----

func.func @lookups_without_tables(%src: memref<256xi8>, %dst: memref<256xi8>) {
  // expected-error@+1 {{tables of 0 vectors; expected 1 or 4, and no scalable vectors}}
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 1, shape = [16, 16], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [16, 16], loops = [], units = 0,
                       vector = 16, lookups_at_once>
  return
}

// -----

func.func @lookups_in_one_vector(%src: memref<256xi8>, %dst: memref<256xi8>) {
  // expected-error@+1 {{lookups at once in tables of one vector; expected tables of 4}}
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 1, shape = [16, 16], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [16, 16], loops = [], units = 0,
                       vector = 16, tables = 1, lookups_at_once>
  return
}

// -----

func.func @loads_of_two(%src: memref<256xi8>, %dst: memref<256xi8>) {
  // expected-error@+1 {{loads of 2 vectors; expected all of 3 or 4 streams, or 4 of 8 or 16 that are joined, of one vector each without a gap}}
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 1, shape = [16, 16], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [16, 16], loops = [], units = 0,
                       vector = 16, vectors_per_load = 2>
  return
}

// -----

func.func @loads_across_gaps(%src: memref<512xi8>, %dst: memref<512xi8>) {
  // expected-error@+1 {{loads of 4 vectors; expected all of 3 or 4 streams}}
  permc.permute %src, %dst : memref<512xi8>, memref<512xi8>
    by #permc.problem<element = 1, shape = [16, 32], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [16, 16], loops = [0 : 16], units = 0,
                       vector = 16, vectors_per_load = 4>
  return
}

// -----

func.func @loads_of_more(%src: memref<512xi8>, %dst: memref<512xi8>) {
  // expected-error@+1 {{loads of 4 vectors; expected all of 3 or 4 streams}}
  permc.permute %src, %dst : memref<512xi8>, memref<512xi8>
    by #permc.problem<element = 1, shape = [32, 16], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [16, 32], loops = [], units = 0,
                       vector = 16, vectors_per_load = 4>
  return
}

// -----

func.func @loads_of_a_copy(%src: memref<64xi8>, %dst: memref<64xi8>) {
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 1, shape = [64], perm = [0]>
    as #permc.schedule<copy, tile = [64], loops = [], units = 0,
                       // expected-error@+1 {{the key 'vectors_per_load' in a schedule of the kind copy; expected the kind interleave}}
                       vector = 16, vectors_per_load = 4>
  return
}

// -----

func.func @stores_across_gaps(%src: memref<128xi8>, %dst: memref<128xi8>) {
  // expected-error@+1 {{stores of 4 vectors; expected all of 3 or 4 streams}}
  permc.permute %src, %dst : memref<128xi8>, memref<128xi8>
    by #permc.problem<element = 4, shape = [8, 4], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [4, 4], loops = [1 : 4], units = 0,
                       vector = 16, vectors_per_store = 4>
  return
}

// -----

func.func @stores_of_joined(%src: memref<64xi8>, %dst: memref<64xi8>) {
  // expected-error@+1 {{stores of 4 vectors; expected all of 3 or 4 streams}}
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 1, shape = [4, 16], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [16, 4], loops = [], units = 0,
                       vector = 16, vectors_per_store = 4>
  return
}

// -----

func.func @lanes_of_two(%src: memref<72xi8>, %dst: memref<72xi8>) {
  // expected-error@+1 {{a last lane; expected two to four streams that are joined, of whole 16-byte vectors and one element each}}
  permc.permute %src, %dst : memref<72xi8>, memref<72xi8>
    by #permc.problem<element = 4, shape = [3, 6], perm = [1, 0]>
    as #permc.schedule<interleave, tile = [6, 3], loops = [], units = 0,
                       vector = 16, last_lane>
  return
}

// -----

func.func @structures_of_a_copy(%src: memref<64xi8>, %dst: memref<64xi8>) {
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 1, shape = [64], perm = [0]>
    as #permc.schedule<copy, tile = [64], loops = [], units = 0, vector = 16,
                       // expected-error@+1 {{the key 'structures_step' in a schedule of the kind copy; expected the kind interleave}}
                       structures_step>
  return
}

// -----

func.func @stepping_copy(%src: memref<64xi8>, %dst: memref<64xi8>) {
  permc.permute %src, %dst : memref<64xi8>, memref<64xi8>
    by #permc.problem<element = 1, shape = [64], perm = [0]>
    as #permc.schedule<copy, tile = [64], loops = [], units = 0, vector = 16,
                       // expected-error@+1 {{the key 'stepping' in a schedule of the kind copy; expected the kind tile_transpose}}
                       stepping = 2>
  return
}

// -----

func.func @stepping_pairs(%src: memref<256xi8>, %dst: memref<256xi8>) {
  // expected-error@+1 {{up to 3 at a time; expected 1 to 4 at a time, as many of 16 bytes in a column, and more or whole ones in a row; of pairs two and two}}
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 4, shape = [8, 8], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 8], loops = [], units = 0,
                       vector = 16, vector_pairs, stepping = 3>
  return
}

// -----

func.func @long_steps(%src: memref<256xi8>, %dst: memref<256xi8>) {
  // expected-error@+1 {{addresses that step along in a tile of elements of 4 bytes by vectors of 16, up to 5 at a time; expected 1 to 4 at a time, as many of 16 bytes in a column, and more or whole ones in a row}}
  permc.permute %src, %dst : memref<256xi8>, memref<256xi8>
    by #permc.problem<element = 4, shape = [8, 8], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 8], loops = [], units = 0,
                       vector = 16, stepping = 5>
  return
}

// -----

func.func @steps_of_parts(%src: memref<280xi8>, %dst: memref<280xi8>) {
  // expected-error@+1 {{up to 3 at a time; expected 1 to 4 at a time}}
  permc.permute %src, %dst : memref<280xi8>, memref<280xi8>
    by #permc.problem<element = 4, shape = [8, 7], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [7, 8], loops = [], units = 0,
                       vector = 16, stepping = 3>
  return
}

// -----

func.func @steps_unknown(%src: memref<?xi8>, %dst: memref<?xi8>, %c: index,
                         %r: index, %sr: index, %dr: index) {
  %e = arith.constant 4 : index
  // expected-error@+1 {{schedule does not fit the problem: a schedule of the kind tile_transpose, stepping, for dynamic dims; expected one of fixed networks}}
  permc.permute %src, %dst dims(%c, %e, %dr, %r, %sr, %e) : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [80, 100], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [12, 8], loops = [1 : 8, 0 : 12],
                       units = 0, vector = 16, stepping = 3>
  return
}

// -----

// Where the last panel of unknown rows would find its line is not known.
func.func @lines_unknown(%src: memref<?xi8>, %dst: memref<?xi8>, %c: index,
                         %r: index, %sr: index, %dr: index) {
  %e = arith.constant 4 : index
  // expected-error@+1 {{schedule does not fit the problem: a schedule of the kind tile_transpose, in whole lines, for dynamic dims; expected one of fixed networks}}
  permc.permute %src, %dst dims(%c, %e, %dr, %r, %sr, %e) : memref<?xi8>, memref<?xi8>
    by #permc.problem<element = 4, shape = [1001, 507], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [4, 4],
                       loops = [0 : 32, 1 : 128, 1 : 4, 0 : 4], units = 0,
                       vector = 16, panel = [32, 128], whole_lines, streaming>
  return
}

// -----

func.func @unaligned_to_nothing(%src: memref<8192xi8>, %dst: memref<8192xi8>) {
  // expected-error@+1 {{has a schedule for a dst that is not aligned; expected one before it that streams tiles of whole lines}}
  permc.permute %src, %dst : memref<8192xi8>, memref<8192xi8>
    by #permc.problem<element = 1, shape = [16, 4, 128], perm = [1, 0, 2]>
    as #permc.schedule<block_copy, tile = [1, 1, 128], loops = [1 : 1, 0 : 1],
                       units = 0, vector = 64>
    unaligned
       #permc.schedule<block_copy, tile = [1, 1, 128], loops = [1 : 1, 0 : 1],
                       units = 0, vector = 64>
  return
}

// -----

func.func @unaligned_of_another(%src: memref<8192xi8>, %dst: memref<8192xi8>) {
  // expected-error@+1 {{schedule does not fit the problem}}
  permc.permute %src, %dst : memref<8192xi8>, memref<8192xi8>
    by #permc.problem<element = 1, shape = [16, 4, 128], perm = [1, 0, 2]>
    as #permc.schedule<block_copy, tile = [1, 1, 128], loops = [1 : 1, 0 : 1],
                       units = 0, vector = 64, streaming>
    unaligned
       #permc.schedule<block_copy, tile = [1, 1, 128], loops = [1 : 1],
                       units = 0, vector = 64>
  return
}

// -----

func.func @unaligned_tiles(%src: memref<16384xi8>, %dst: memref<16384xi8>) {
  // expected-error@+1 {{schedule for a dst that is not aligned does not fit the problem: it does not stream; expected panels or runs that are streamed wherever dst begins}}
  permc.permute %src, %dst : memref<16384xi8>, memref<16384xi8>
    by #permc.problem<element = 4, shape = [64, 64], perm = [1, 0]>
    as #permc.schedule<tile_transpose, tile = [8, 16], loops = [0 : 8, 1 : 16],
                       units = 0, vector = 32, streaming>
    unaligned
       #permc.schedule<tile_transpose, tile = [8, 16], loops = [0 : 8, 1 : 16],
                       units = 0, vector = 32>
  return
}

// -----

func.func @unaligned_box(%src: memref<8192xi8>, %dst: memref<8192xi8>,
                         %from: index, %to: index) {
  // expected-error@+1 {{has a box along dim 0; expected different dims that the schedule has loops through}}
  permc.permute %src, %dst box(%from, %to) along [0]
    : memref<8192xi8>, memref<8192xi8>
    by #permc.problem<element = 1, shape = [16, 4, 128], perm = [1, 0, 2]>
    as #permc.schedule<block_copy, tile = [1, 1, 128], loops = [1 : 1, 0 : 1],
                       units = 0, vector = 64, streaming>
    unaligned
       #permc.schedule<block_copy, tile = [1, 1, 128],
                       loops = [1 : 4, 0 : 1, 1 : 1], units = 0, vector = 64,
                       panel = [4, 4, 128], streaming>
  return
}
