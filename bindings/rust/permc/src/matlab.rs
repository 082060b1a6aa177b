// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! MATLAB's conventions: arrays are column-major and have two dims at least,
//! orders count from 1 and may be longer than the array has dims, which are of
//! size 1 then. `ipermute` undoes what `permute` did.
//!
//! ```
//! use permc::matlab;
//!
//! let a = [1, 2, 3, 4, 5, 6]; // [1 3 5; 2 4 6]
//! let order = matlab::Order::new(&[2.0, 1.0])?;
//! let result = matlab::permute(&a, &[2, 3], &order)?;
//! assert_eq!(result.shape, [3, 2]);
//! assert_eq!(result.data, [1, 3, 5, 2, 4, 6]); // [1 2; 3 4; 5 6]
//! # Ok::<(), matlab::Error>(())
//! ```

use std::fmt;
use std::mem::MaybeUninit;

/// Why an order is none, or does not suit an array. The texts are MATLAB's
/// rules as RunMat words them, without the name of the function in front.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The order is empty.
    EmptyOrder,
    /// An index is infinite or not a number.
    NotFinite,
    /// An index has a fraction.
    NotInteger,
    /// An index is zero or negative.
    BelowOne,
    /// An index is past the number of indices.
    PastLast { index: f64, length: usize },
    /// An index comes twice.
    Duplicate { index: usize },
    /// The order is shorter than the array has dims.
    TooShort { length: usize, ndims: usize },
    /// What has nothing to do with MATLAB.
    Permute(crate::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::EmptyOrder => f.write_str("order must contain at least one dimension"),
            Error::NotFinite => f.write_str("order indices must be finite"),
            Error::NotInteger => f.write_str("order indices must be integers"),
            Error::BelowOne => f.write_str("order indices must be >= 1"),
            Error::PastLast { index, length } => {
                write!(
                    f,
                    "order indices must lie between 1 and {}, got {}",
                    length, index
                )
            }
            Error::Duplicate { index } => write!(f, "duplicate dimension index {}", index),
            Error::TooShort { length, ndims } => {
                write!(
                    f,
                    "order length ({}) must be at least ndims(A) ({})",
                    length, ndims
                )
            }
            Error::Permute(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<crate::Error> for Error {
    fn from(error: crate::Error) -> Self {
        Error::Permute(error)
    }
}

/// A permutation of 1 to n.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Order {
    /// Counted from 0.
    axes: Vec<usize>,
}

impl Order {
    /// From MATLAB's numbers, which are doubles.
    pub fn new(indices: &[f64]) -> Result<Self, Error> {
        if indices.is_empty() {
            return Err(Error::EmptyOrder);
        }
        let axes = indices
            .iter()
            .map(|&index| Self::read_index(index, indices.len()))
            .collect::<Result<Vec<usize>, Error>>()?;
        for (i, axis) in axes.iter().enumerate() {
            if axes[..i].contains(axis) {
                return Err(Error::Duplicate { index: axis + 1 });
            }
        }
        Ok(Order { axes })
    }

    fn read_index(index: f64, length: usize) -> Result<usize, Error> {
        if !index.is_finite() {
            Err(Error::NotFinite)
        } else if index.fract() != 0.0 {
            Err(Error::NotInteger)
        } else if index < 1.0 {
            Err(Error::BelowOne)
        } else if index > length as f64 {
            Err(Error::PastLast { index, length })
        } else {
            Ok(index as usize - 1)
        }
    }

    /// The order that undoes this one.
    pub fn inverse(&self) -> Self {
        let mut axes = vec![0; self.axes.len()];
        for (to, &from) in self.axes.iter().enumerate() {
            axes[from] = to;
        }
        Order { axes }
    }

    pub fn len(&self) -> usize {
        self.axes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.axes.is_empty()
    }
}

/// An array and its shape, column-major.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Array<T> {
    pub data: Vec<T>,
    /// As long as the order: dims of size 1 at its end are kept. MATLAB drops
    /// them, see [`without_trailing_ones`].
    pub shape: Vec<usize>,
}

/// The shape that MATLAB shows: no dims of size 1 behind the second.
pub fn without_trailing_ones(shape: &[usize]) -> Vec<usize> {
    let mut shape = shape.to_vec();
    while shape.len() > 2 && shape.last() == Some(&1) {
        shape.pop();
    }
    shape.resize(shape.len().max(2), 1);
    shape
}

/// The same bytes seen row-major, as the functions of the crate take them.
struct RowMajor {
    shape: Vec<usize>,
    order: Vec<usize>,
    /// Of the result, column-major.
    result: Vec<usize>,
}

impl RowMajor {
    fn new(shape: &[usize], order: &Order) -> Result<Self, Error> {
        let ndims = shape.len().max(2);
        let rank = order.len();
        if rank < ndims {
            return Err(Error::TooShort {
                length: rank,
                ndims,
            });
        }
        let mut padded = shape.to_vec();
        padded.resize(rank, 1);
        let result = order.axes.iter().map(|&axis| padded[axis]).collect();
        // Every list of dims is reversed, and dim d is called rank - 1 - d.
        padded.reverse();
        let axes = order
            .axes
            .iter()
            .rev()
            .map(|&axis| rank - 1 - axis)
            .collect();
        Ok(RowMajor {
            shape: padded,
            order: axes,
            result,
        })
    }
}

/// `permute(A, order)`.
pub fn permute<T: Copy>(src: &[T], shape: &[usize], order: &Order) -> Result<Array<T>, Error> {
    let problem = RowMajor::new(shape, order)?;
    Ok(Array {
        data: crate::permute_to_vec(src, &problem.shape, &problem.order)?,
        shape: problem.result,
    })
}

/// The same to memory that is there. Returns the shape of the result.
pub fn permute_into<T: Copy>(
    src: &[T],
    shape: &[usize],
    order: &Order,
    dst: &mut [MaybeUninit<T>],
) -> Result<Vec<usize>, Error> {
    let problem = RowMajor::new(shape, order)?;
    crate::permute(src, &problem.shape, &problem.order, dst)?;
    Ok(problem.result)
}

/// The same for elements that own memory.
pub fn permute_owned<T>(src: Vec<T>, shape: &[usize], order: &Order) -> Result<Array<T>, Error> {
    let problem = RowMajor::new(shape, order)?;
    Ok(Array {
        data: crate::permute_owned(src, &problem.shape, &problem.order)?,
        shape: problem.result,
    })
}

/// `ipermute(A, order)`.
pub fn ipermute<T: Copy>(src: &[T], shape: &[usize], order: &Order) -> Result<Array<T>, Error> {
    permute(src, shape, &order.inverse())
}

/// The same for elements that own memory.
pub fn ipermute_owned<T>(src: Vec<T>, shape: &[usize], order: &Order) -> Result<Array<T>, Error> {
    permute_owned(src, shape, &order.inverse())
}
