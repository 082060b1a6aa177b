// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! The builtins `permute` and `ipermute` of a MATLAB runtime such as RunMat: the
//! host's part, which is also what arrays of a GPU without a kernel of its own
//! are gathered for.
//!
//! As a program it answers one call a line, for the conformance tests:
//!
//!     permute f64 2x3 2,1 1x2 f64 HEX  ->  ok 3x2 HEX, or: error MESSAGE

use permc::matlab::{self, Array, Order};
use std::io::{self, BufRead};

/// A value of the language. Data is column-major.
enum Value {
    /// Numbers of any class, logical values and complex numbers: elements that
    /// are so many bytes.
    Bytes1(Array<u8>),
    Bytes2(Array<[u8; 2]>),
    Bytes4(Array<[u8; 4]>),
    Bytes8(Array<[u8; 8]>),
    Bytes16(Array<[u8; 16]>),
    /// Character arrays have two dims.
    Chars(Array<char>),
    /// Strings own memory.
    Strings(Array<String>),
}

/// What a program gives as the order.
struct OrderValue {
    numbers: Vec<f64>,
    shape: Vec<usize>,
    is_real: bool,
}

fn read_order(value: &OrderValue) -> Result<Order, String> {
    if !value.is_real {
        return Err("order vector must be numeric".into());
    }
    if value.shape.iter().filter(|&&size| size != 1).count() > 1 || value.shape.len() > 2 {
        return Err("order must be a row or column vector".into());
    }
    Order::new(&value.numbers).map_err(|error| error.to_string())
}

fn permute(value: Value, order: &OrderValue, inverse: bool) -> Result<Value, String> {
    let mut order = read_order(order)?;
    if inverse {
        order = order.inverse();
    }
    fn copy<T: Copy>(array: Array<T>, order: &Order) -> Result<Array<T>, String> {
        matlab::permute(&array.data, &array.shape, order).map_err(|error| error.to_string())
    }
    Ok(match value {
        Value::Bytes1(array) => Value::Bytes1(copy(array, &order)?),
        Value::Bytes2(array) => Value::Bytes2(copy(array, &order)?),
        Value::Bytes4(array) => Value::Bytes4(copy(array, &order)?),
        Value::Bytes8(array) => Value::Bytes8(copy(array, &order)?),
        Value::Bytes16(array) => Value::Bytes16(copy(array, &order)?),
        Value::Chars(array) => {
            if order.len() != 2 {
                return Err("character arrays only support 2-D permutations".into());
            }
            Value::Chars(copy(array, &order)?)
        }
        Value::Strings(array) => Value::Strings(
            matlab::permute_owned(array.data, &array.shape, &order)
                .map_err(|error| error.to_string())?,
        ),
    })
}

//===----------------------------------------------------------------------===//
// One call a line
//===----------------------------------------------------------------------===//

fn bytes_of(hex: &str) -> Vec<u8> {
    (0..hex.len() / 2)
        .map(|i| u8::from_str_radix(&hex[2 * i..2 * i + 2], 16).expect("two digits"))
        .collect()
}

fn array_of<const N: usize>(bytes: &[u8], shape: Vec<usize>) -> Array<[u8; N]> {
    let data = bytes
        .chunks_exact(N)
        .map(|chunk| chunk.try_into().expect("N bytes"))
        .collect();
    Array { data, shape }
}

fn read_shape(text: &str) -> Vec<usize> {
    text.split('x')
        .map(|size| size.parse().expect("a size"))
        .collect()
}

fn read_value(class: &str, shape: &str, hex: &str) -> Value {
    let (bytes, shape) = (bytes_of(hex), read_shape(shape));
    match class {
        "f64" | "i64" | "u64" | "c64" => Value::Bytes8(array_of(&bytes, shape)),
        "f32" | "i32" | "u32" => Value::Bytes4(array_of(&bytes, shape)),
        "i16" | "u16" | "f16" => Value::Bytes2(array_of(&bytes, shape)),
        "c128" => Value::Bytes16(array_of(&bytes, shape)),
        "char32" => {
            let words: Array<[u8; 4]> = array_of(&bytes, shape);
            let read = |word: &[u8; 4]| char::from_u32(u32::from_le_bytes(*word));
            Value::Chars(Array {
                data: words
                    .data
                    .iter()
                    .map(|word| read(word).expect("a char"))
                    .collect(),
                shape: words.shape,
            })
        }
        "string" => {
            let text = String::from_utf8(bytes).expect("UTF-8");
            let data = text.split('\0').map(String::from).collect();
            Value::Strings(Array { data, shape })
        }
        _ => Value::Bytes1(Array { data: bytes, shape }),
    }
}

fn spell(shape: &[usize], bytes: &[u8]) -> String {
    let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let hex: String = bytes.iter().map(|byte| format!("{:02x}", byte)).collect();
    format!("ok {} {}", sizes.join("x"), hex)
}

fn spell_value(value: Value) -> String {
    match value {
        Value::Bytes1(array) => spell(&array.shape, &array.data),
        Value::Bytes2(array) => spell(&array.shape, &array.data.concat()),
        Value::Bytes4(array) => spell(&array.shape, &array.data.concat()),
        Value::Bytes8(array) => spell(&array.shape, &array.data.concat()),
        Value::Bytes16(array) => spell(&array.shape, &array.data.concat()),
        Value::Chars(array) => {
            let words: Vec<[u8; 4]> = array
                .data
                .iter()
                .map(|&each| (each as u32).to_le_bytes())
                .collect();
            spell(&array.shape, &words.concat())
        }
        Value::Strings(array) => spell(&array.shape, array.data.join("\0").as_bytes()),
    }
}

fn main() {
    for line in io::stdin().lock().lines() {
        let line = line.expect("a line");
        let fields: Vec<&str> = line.split(' ').collect();
        let order = OrderValue {
            numbers: fields[3]
                .split(',')
                .filter(|number| !number.is_empty())
                .map(|number| number.parse().expect("a number"))
                .collect(),
            shape: read_shape(fields[4]),
            is_real: fields[5] == "f64",
        };
        let value = read_value(fields[1], fields[2], fields.get(6).unwrap_or(&""));
        match permute(value, &order, fields[0] == "ipermute") {
            Ok(result) => println!("{}", spell_value(result)),
            Err(message) => println!("error {}: {}", fields[0], message),
        }
    }
}
