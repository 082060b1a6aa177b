// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! The C API of libpermc_rt, as `permc-rt/permc_rt.h` has it. The crate `permc`
//! is the one to use.

#![allow(non_camel_case_types)]

use std::os::raw::{c_char, c_void};

pub type permc_status = i32;

pub const PERMC_OK: permc_status = 0;
pub const PERMC_BAD_RANK: permc_status = 1;
pub const PERMC_DUPLICATE_AXIS: permc_status = 2;
pub const PERMC_AXIS_OUT_OF_RANGE: permc_status = 3;
pub const PERMC_BAD_SIZE: permc_status = 4;
pub const PERMC_SIZE_OVERFLOW: permc_status = 5;
pub const PERMC_BAD_ELEMENT: permc_status = 6;
pub const PERMC_BAD_STRIDE: permc_status = 7;
pub const PERMC_BAD_SYNTAX: permc_status = 8;
pub const PERMC_OVERLAPPING_BUFFERS: permc_status = 9;
pub const PERMC_NULL_POINTER: permc_status = 10;
pub const PERMC_BAD_SCHEDULE: permc_status = 11;
pub const PERMC_UNKNOWN_TARGET: permc_status = 12;
pub const PERMC_UNSUPPORTED: permc_status = 13;
pub const PERMC_BAD_FILE: permc_status = 14;
pub const PERMC_VERIFY_FAILED: permc_status = 15;
pub const PERMC_INTERNAL: permc_status = 16;

extern "C" {
    pub fn permc_rt_version() -> u32;
    pub fn permc_rt_version_string() -> *const c_char;
    pub fn permc_rt_status_name(status: permc_status) -> *const c_char;
    pub fn permc_rt_last_error() -> *const c_char;

    /// `src` and `dst` are where the first elements are; strides are in
    /// elements, null for dense and row-major.
    pub fn permc_rt_permute(
        src: *const c_void,
        dst: *mut c_void,
        rank: u32,
        shape: *const i64,
        perm: *const i64,
        src_strides: *const i64,
        dst_strides: *const i64,
        element_bytes: u64,
        threads: u32,
    ) -> permc_status;

    pub fn permc_rt_set_threads(threads: u32);

    /// `indices[i]` becomes the place in the input of element i of the output.
    pub fn permc_rt_permute_indices(
        rank: u32,
        shape: *const i64,
        perm: *const i64,
        indices: *mut u64,
        count: u64,
    ) -> permc_status;

    pub fn permc_rt_permute_elements(
        rank: u32,
        shape: *const i64,
        perm: *const i64,
        move_element: extern "C" fn(context: *mut c_void, to: u64, from: u64),
        context: *mut c_void,
    ) -> permc_status;

    pub fn permc_rt_enable_jit(threshold: u32, library: *const c_char) -> permc_status;
}
