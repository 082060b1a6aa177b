// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

use permc_sys as sys;
use std::ffi::CStr;
use std::fmt;

/// Why a permutation could not be carried out.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// The order has not one axis for each dim.
    OrderLength { length: usize, rank: usize },
    /// An axis is past the last dim.
    AxisOutOfRange { axis: usize, rank: usize },
    /// An axis is named twice.
    DuplicateAxis { axis: usize },
    /// More than [`crate::MAX_RANK`] dims.
    TooManyDims { rank: usize },
    /// The bytes of the tensor do not fit 63 bits.
    SizeOverflow,
    /// A slice has not as many elements as the shape.
    BufferLength {
        what: &'static str,
        length: usize,
        expected: usize,
    },
    /// Anything else that the library refuses, in its own words.
    Library { status: i32, message: String },
}

impl Error {
    /// The error for a status of the library.
    pub(crate) fn check(status: sys::permc_status) -> Result<(), Error> {
        match status {
            sys::PERMC_OK => Ok(()),
            sys::PERMC_SIZE_OVERFLOW => Err(Error::SizeOverflow),
            _ => {
                // Valid until the next call of this thread that fails.
                let message = unsafe { CStr::from_ptr(sys::permc_rt_last_error()) };
                Err(Error::Library {
                    status,
                    message: message.to_string_lossy().into_owned(),
                })
            }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::OrderLength { length, rank } => {
                write!(
                    f,
                    "an order of {} axes; expected {}, one for each dim",
                    length, rank
                )
            }
            Error::AxisOutOfRange { axis, rank } => {
                write!(
                    f,
                    "axis {} of a tensor of rank {}; expected less",
                    axis, rank
                )
            }
            Error::DuplicateAxis { axis } => {
                write!(
                    f,
                    "axis {} twice in the order; expected each axis once",
                    axis
                )
            }
            Error::TooManyDims { rank } => {
                write!(
                    f,
                    "a shape of {} dims; expected at most {}",
                    rank,
                    crate::MAX_RANK
                )
            }
            Error::SizeOverflow => write!(f, "the bytes of the shape do not fit in 63 bits"),
            Error::BufferLength {
                what,
                length,
                expected,
            } => {
                write!(f, "{} has {} elements; expected {}", what, length, expected)
            }
            Error::Library { message, .. } => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {}
