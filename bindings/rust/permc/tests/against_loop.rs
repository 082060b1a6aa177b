// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! The crate against a loop over the indices of the output.

use permc::{matlab, Error};
use std::mem::MaybeUninit;

/// A small generator of numbers: the tests draw the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % limit
    }

    fn problem(&mut self) -> (Vec<usize>, Vec<usize>) {
        let rank = self.below(6);
        let shape = (0..rank).map(|_| 1 + self.below(9)).collect();
        let mut order: Vec<usize> = (0..rank).collect();
        for i in (1..rank).rev() {
            order.swap(i, self.below(i + 1));
        }
        (shape, order)
    }
}

/// Where each element of the output comes from, one index after the other.
fn sources(shape: &[usize], order: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for dim in (1..shape.len()).rev() {
        strides[dim - 1] = strides[dim] * shape[dim];
    }
    let mut places = vec![0];
    for &axis in order {
        places = places
            .iter()
            .flat_map(|&place| (0..shape[axis]).map(move |i| (place, i)))
            .map(|(place, i)| place + i * strides[axis])
            .collect();
    }
    places
}

fn check<T: Copy + PartialEq + std::fmt::Debug>(make: impl Fn(usize) -> T, seed: u64) {
    let mut random = Random(seed);
    for _ in 0..200 {
        let (shape, order) = random.problem();
        let count = shape.iter().product();
        let src: Vec<T> = (0..count).map(&make).collect();
        let expected: Vec<T> = sources(&shape, &order).iter().map(|&i| src[i]).collect();
        assert_eq!(
            permc::permute_to_vec(&src, &shape, &order),
            Ok(expected),
            "{:?} by {:?}",
            shape,
            order
        );
    }
}

#[test]
fn elements_of_all_sizes() {
    check(|i| i as u8, 1);
    check(|i| i as u16, 2);
    check(|i| [i as u8; 3], 3);
    check(|i| i as f32, 4);
    check(|i| i as f64, 5);
    check(|i| [i as f64; 2], 6);
    check(|i| [i as u64; 5], 7);
    check(|_| (), 8);
}

#[test]
fn elements_that_own_memory() {
    let mut random = Random(9);
    for _ in 0..200 {
        let (shape, order) = random.problem();
        let src: Vec<String> = (0..shape.iter().product())
            .map(|i: usize| i.to_string())
            .collect();
        let expected: Vec<String> = sources(&shape, &order)
            .iter()
            .map(|&i| src[i].clone())
            .collect();
        assert_eq!(permc::permute_owned(src, &shape, &order), Ok(expected));
    }
}

#[test]
fn into_memory_that_is_there() {
    let mut dst = [MaybeUninit::uninit(); 6];
    permc::permute(&[1u8, 2, 3, 4, 5, 6], &[2, 3], &[1, 0], &mut dst).unwrap();
    let dst: Vec<u8> = dst
        .iter()
        .map(|each| unsafe { each.assume_init() })
        .collect();
    assert_eq!(dst, [1, 4, 2, 5, 3, 6]);
}

#[test]
fn threads_share_a_large_tensor() {
    let src: Vec<u32> = (0..1 << 20).collect();
    let mut dst = vec![MaybeUninit::new(0); src.len()];
    permc::permute_by_threads(&src, &[1024, 1024], &[1, 0], &mut dst, 2).unwrap();
    for (i, each) in dst.iter().enumerate() {
        assert_eq!(
            unsafe { each.assume_init() },
            src[(i % 1024) * 1024 + i / 1024]
        );
    }
}

#[test]
fn errors() {
    let src = [0u8; 6];
    let permute = |shape: &[usize], order: &[usize]| permc::permute_to_vec(&src, shape, order);
    assert_eq!(
        permute(&[2, 3], &[0]),
        Err(Error::OrderLength { length: 1, rank: 2 })
    );
    assert_eq!(
        permute(&[2, 3], &[0, 2]),
        Err(Error::AxisOutOfRange { axis: 2, rank: 2 })
    );
    assert_eq!(
        permute(&[2, 3], &[1, 1]),
        Err(Error::DuplicateAxis { axis: 1 })
    );
    assert_eq!(permute(&[0, usize::MAX], &[1, 0]), Err(Error::SizeOverflow));
    let wrong = Error::BufferLength {
        what: "src",
        length: 6,
        expected: 8,
    };
    assert_eq!(permute(&[2, 4], &[1, 0]), Err(wrong.clone()));
    assert_eq!(wrong.to_string(), "src has 6 elements; expected 8");
    assert_eq!(
        permute(&[1; 65], &[0; 65]),
        Err(Error::TooManyDims { rank: 65 })
    );
    // The bytes overflow though the elements do not: only the library sees it.
    assert_eq!(
        permc::permuted_shape(&[2, 3, 4], &[2, 0, 1]),
        Ok(vec![4, 2, 3])
    );
}

#[test]
fn matlab_pads_and_inverts() {
    let order = matlab::Order::new(&[3.0, 1.0, 2.0]).unwrap();
    let there = matlab::permute(&[1, 2, 3, 4, 5, 6], &[2, 3], &order).unwrap();
    assert_eq!(there.shape, [1, 2, 3]);
    let back = matlab::ipermute(&there.data, &there.shape, &order).unwrap();
    assert_eq!(
        (back.shape, back.data),
        (vec![2, 3, 1], vec![1, 2, 3, 4, 5, 6])
    );
    assert_eq!(matlab::without_trailing_ones(&[5, 1, 1]), [5, 1]);
}

#[test]
fn matlab_errors() {
    let order = |indices: &[f64]| matlab::Order::new(indices).unwrap_err().to_string();
    assert_eq!(order(&[]), "order must contain at least one dimension");
    assert_eq!(order(&[1.0, f64::NAN]), "order indices must be finite");
    assert_eq!(order(&[1.0, 1.5]), "order indices must be integers");
    assert_eq!(order(&[1.0, 0.0]), "order indices must be >= 1");
    assert_eq!(
        order(&[1.0, 3.0]),
        "order indices must lie between 1 and 2, got 3"
    );
    assert_eq!(order(&[2.0, 2.0]), "duplicate dimension index 2");
    let short = matlab::permute(
        &[0u8; 8],
        &[2, 2, 2],
        &matlab::Order::new(&[2.0, 1.0]).unwrap(),
    );
    assert_eq!(
        short.unwrap_err().to_string(),
        "order length (2) must be at least ndims(A) (3)"
    );
}
