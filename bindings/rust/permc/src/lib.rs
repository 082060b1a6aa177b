// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Permutes tensors at the speed of memory, by the kernels of libpermc_rt.
//!
//! Output dim `i` is input dim `order[i]`; tensors are dense and row-major.
//! [`matlab`] has MATLAB's conventions instead.
//!
//! ```
//! let src = [1, 2, 3, 4, 5, 6]; // 2 x 3
//! assert_eq!(permc::permute_to_vec(&src, &[2, 3], &[1, 0])?, [1, 4, 2, 5, 3, 6]);
//! # Ok::<(), permc::Error>(())
//! ```
//!
//! Elements that are `Copy` are moved as bytes. Elements that own memory are
//! moved one by one, to where the library says: [`permute_owned`].

mod error;
pub mod matlab;

pub use error::Error;

use permc_sys as sys;
use std::mem::{size_of, MaybeUninit};
use std::ptr;

/// More dims than this no tensor may have.
pub const MAX_RANK: usize = 64;

/// A shape and an order that were checked, as the library takes them.
struct Problem {
    shape: Vec<i64>,
    order: Vec<i64>,
    /// Elements of the tensor.
    count: usize,
}

impl Problem {
    fn new(shape: &[usize], order: &[usize]) -> Result<Self, Error> {
        let rank = shape.len();
        if rank > MAX_RANK {
            return Err(Error::TooManyDims { rank });
        }
        check_order(order, rank)?;
        // Zeros do not excuse the rest: strides would overflow all the same.
        let all = shape
            .iter()
            .try_fold(1i64, |product, &size| {
                i64::try_from(size.max(1))
                    .ok()
                    .and_then(|size| product.checked_mul(size))
            })
            .ok_or(Error::SizeOverflow)?;
        let count = if shape.contains(&0) { 0 } else { all as usize };
        Ok(Problem {
            shape: shape.iter().map(|&size| size as i64).collect(),
            order: order.iter().map(|&axis| axis as i64).collect(),
            count,
        })
    }

    fn rank(&self) -> u32 {
        self.shape.len() as u32
    }

    fn check_length(&self, what: &'static str, length: usize) -> Result<(), Error> {
        if length == self.count {
            return Ok(());
        }
        Err(Error::BufferLength {
            what,
            length,
            expected: self.count,
        })
    }
}

fn check_order(order: &[usize], rank: usize) -> Result<(), Error> {
    if order.len() != rank {
        return Err(Error::OrderLength {
            length: order.len(),
            rank,
        });
    }
    let mut seen = [false; MAX_RANK];
    for &axis in order {
        if axis >= rank {
            return Err(Error::AxisOutOfRange { axis, rank });
        }
        if seen[axis] {
            return Err(Error::DuplicateAxis { axis });
        }
        seen[axis] = true;
    }
    Ok(())
}

/// The shape of the result: dim `i` is dim `order[i]` of the input.
pub fn permuted_shape(shape: &[usize], order: &[usize]) -> Result<Vec<usize>, Error> {
    Problem::new(shape, order)?;
    Ok(order.iter().map(|&axis| shape[axis]).collect())
}

/// Permutes `src` to `dst`. Both have as many elements as the shape; all of
/// `dst` is initialised when the function returns without an error, and none is
/// touched when it returns one.
pub fn permute<T: Copy>(
    src: &[T],
    shape: &[usize],
    order: &[usize],
    dst: &mut [MaybeUninit<T>],
) -> Result<(), Error> {
    permute_by_threads(src, shape, order, dst, 0)
}

/// The same by so many threads at most, the calling one included; 0: as many as
/// [`set_threads`] says.
pub fn permute_by_threads<T: Copy>(
    src: &[T],
    shape: &[usize],
    order: &[usize],
    dst: &mut [MaybeUninit<T>],
    threads: u32,
) -> Result<(), Error> {
    let problem = Problem::new(shape, order)?;
    problem.check_length("src", src.len())?;
    problem.check_length("dst", dst.len())?;
    if problem.count == 0 || size_of::<T>() == 0 {
        return Ok(());
    }
    // Slices that exist together never overlap, and hold what was checked.
    let status = unsafe {
        sys::permc_rt_permute(
            src.as_ptr().cast(),
            dst.as_mut_ptr().cast(),
            problem.rank(),
            problem.shape.as_ptr(),
            problem.order.as_ptr(),
            ptr::null(),
            ptr::null(),
            size_of::<T>() as u64,
            threads,
        )
    };
    Error::check(status)
}

/// The same to a new vector.
pub fn permute_to_vec<T: Copy>(
    src: &[T],
    shape: &[usize],
    order: &[usize],
) -> Result<Vec<T>, Error> {
    let mut result = Vec::with_capacity(src.len());
    permute(
        src,
        shape,
        order,
        &mut result.spare_capacity_mut()[..src.len()],
    )?;
    // All of them are initialised now.
    unsafe { result.set_len(src.len()) };
    Ok(result)
}

/// Where each element of the output is in the input.
pub fn permuted_indices(shape: &[usize], order: &[usize]) -> Result<Vec<usize>, Error> {
    let problem = Problem::new(shape, order)?;
    let mut indices = vec![0u64; problem.count];
    let status = unsafe {
        sys::permc_rt_permute_indices(
            problem.rank(),
            problem.shape.as_ptr(),
            problem.order.as_ptr(),
            indices.as_mut_ptr(),
            indices.len() as u64,
        )
    };
    Error::check(status)?;
    Ok(indices.into_iter().map(|index| index as usize).collect())
}

/// Permutes elements that own memory: each is moved, none is cloned.
pub fn permute_owned<T>(src: Vec<T>, shape: &[usize], order: &[usize]) -> Result<Vec<T>, Error> {
    Problem::new(shape, order)?.check_length("src", src.len())?;
    let mut elements: Vec<Option<T>> = src.into_iter().map(Some).collect();
    Ok(permuted_indices(shape, order)?
        .into_iter()
        .map(|index| elements[index].take().expect("each index comes once"))
        .collect())
}

/// How many threads a call uses at most where it does not say; 0: all CPUs.
pub fn set_threads(threads: u32) {
    unsafe { sys::permc_rt_set_threads(threads) }
}
