// Part of permc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

//! Finds libpermc_rt: in the folder that PERMC_RT_LIB_DIR names, where
//! pkg-config says it is, or where the linker looks anyway. PERMC_RT_STATIC=1
//! puts the library into the program.

use std::env;
use std::process::Command;

/// What pkg-config answers, if it knows the library.
fn ask_pkg_config(variable: &str) -> Option<String> {
    let argument = format!("--variable={}", variable);
    let output = Command::new("pkg-config")
        .args([argument.as_str(), "permc_rt"])
        .output()
        .ok()?;
    let answer = String::from_utf8(output.stdout).ok()?.trim().to_string();
    if output.status.success() && !answer.is_empty() {
        Some(answer)
    } else {
        None
    }
}

fn main() {
    println!("cargo:rerun-if-env-changed=PERMC_RT_LIB_DIR");
    println!("cargo:rerun-if-env-changed=PERMC_RT_STATIC");
    let folder = env::var("PERMC_RT_LIB_DIR")
        .ok()
        .or_else(|| ask_pkg_config("libdir"));
    match folder {
        Some(folder) => println!("cargo:rustc-link-search=native={}", folder),
        None => println!(
            "cargo:warning=libpermc_rt: neither PERMC_RT_LIB_DIR nor pkg-config says where it \
             is; the linker looks where it always does"
        ),
    }
    if env::var("PERMC_RT_STATIC").map_or(false, |value| value == "1") {
        println!("cargo:rustc-link-lib=static=permc_rt");
        println!("cargo:rustc-link-lib=stdc++");
    } else {
        println!("cargo:rustc-link-lib=permc_rt");
    }
}
