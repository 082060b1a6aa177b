//! Compiles kernels with permc when a crate is built. In `build.rs`:
//!
//! ```no_run
//! permc_build::manifest("layouts.yaml").compile("layouts").unwrap();
//! ```
//!
//! and in the crate:
//!
//! ```ignore
//! include!(concat!(env!("OUT_DIR"), "/layouts.rs"));
//! ```
//!
//! gives `unsafe extern "C"` functions `NAME` and `NAME_part` for each kernel of
//! the manifest; `model("net.onnx")` in its place takes those of a model. permc
//! runs again when what it has read has changed: the manifest and schedules that
//! it names, the model and its data in other files. It is on PATH, or the
//! variable PERMC says where it is.

use std::env;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Why no library was made: what permc said, or which file failed.
#[derive(Debug)]
pub struct Error(String);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

/// What to compile, and how.
pub struct Kernels {
    input: PathBuf,
    is_manifest: bool,
    targets: Vec<String>,
    options: Vec<String>,
}

/// All kernels of a manifest; its path is relative to the crate.
pub fn manifest(path: impl AsRef<Path>) -> Kernels {
    Kernels {
        input: path.as_ref().to_path_buf(),
        is_manifest: true,
        targets: Vec::new(),
        options: Vec::new(),
    }
}

/// All kernels of a model (`.xml`, `.onnx`, `.mlir`); its path is relative to the
/// crate. The names of kernels begin with that of the library: after
/// `compile("net")`, `permc explain --name net` says which layer is which.
pub fn model(path: impl AsRef<Path>) -> Kernels {
    Kernels { is_manifest: false, ..manifest(path) }
}

impl Kernels {
    /// A target as `permc targets` lists them, in place of the one that Cargo's
    /// target tells of; several levels of one machine give kernels that take
    /// the best that the CPU has.
    pub fn target(mut self, name: &str) -> Self {
        self.targets.push(name.to_string());
        self
    }

    /// One more word for `permc compile`.
    pub fn option(mut self, word: &str) -> Self {
        self.options.push(word.to_string());
        self
    }

    /// Makes libNAME.a, tells Cargo to link it, and writes NAME.rs; both are in
    /// OUT_DIR.
    pub fn compile(self, name: &str) -> Result<(), Error> {
        let folder = PathBuf::from(variable("OUT_DIR")?);
        let machine = variable("CARGO_CFG_TARGET_ARCH")?;
        let permc = env::var("PERMC").unwrap_or_else(|_| "permc".to_string());
        let library = folder.join(format!("lib{name}.a"));
        let dep_file = folder.join(format!("{name}.d"));
        let targets = if self.targets.is_empty() {
            vec!["--default-target".to_string(), default_target(&machine)?]
        } else {
            vec!["--target".to_string(), self.targets.join(",")]
        };
        let common = |command: &mut Command| {
            command.arg("compile");
            if self.is_manifest {
                command.arg("--manifest");
            }
            command.arg(&self.input);
            if !self.is_manifest {
                command.arg("--name").arg(identifier(name));
            }
            command.args(&targets).arg("--processor").arg(&machine);
        };
        println!("cargo:rerun-if-env-changed=PERMC");
        println!("cargo:rerun-if-changed={}", self.input.display());

        let mut compile = Command::new(&permc);
        common(&mut compile);
        compile.arg("-o").arg(&library).arg("--depfile").arg(&dep_file);
        run(compile.args(&self.options), &permc)?;
        let mut check = Command::new(&permc);
        common(&mut check);
        let checked = run(check.arg("--check"), &permc)?;
        let mut header = Command::new(&permc);
        common(&mut header);
        let header = run(header.args(["--emit", "header", "-o", "-"]), &permc)?;

        write(&folder.join(format!("{name}.rs")), &declare(&checked, &header))?;
        for input in inputs(&read(&dep_file)?) {
            println!("cargo:rerun-if-changed={input}");
        }
        println!("cargo:rustc-link-search=native={}", folder.display());
        println!("cargo:rustc-link-lib=static={name}");
        Ok(())
    }
}

fn variable(name: &str) -> Result<String, Error> {
    env::var(name).map_err(|_| Error(format!("{name} is not set; expected to be called by a build script")))
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(|error| Error(format!("{}: {error}", path.display())))
}

fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|error| Error(format!("{}: {error}", path.display())))
}

/// What a command prints.
fn run(command: &mut Command, permc: &str) -> Result<String, Error> {
    let output = command.output().map_err(|error| {
        Error(format!("{permc} does not run: {error}; expected permc on PATH, or PERMC to name it"))
    })?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(Error(String::from_utf8_lossy(&output.stderr).trim_end().to_string()))
    }
}

/// The name of a library as the beginning of C's names.
fn identifier(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// This machine's, or the least that all machines of the family have.
fn default_target(machine: &str) -> Result<String, Error> {
    if variable("HOST")? == variable("TARGET")? {
        return Ok("native".to_string());
    }
    match machine {
        "x86_64" => Ok("x86-64".to_string()),
        "aarch64" => Ok("aarch64".to_string()),
        _ => Err(Error(format!(
            "which machine is '{machine}'? Expected target() with one that `permc targets` lists"
        ))),
    }
}

/// The kernels as Rust declares them. `checked` has a line "NAME TARGETS KIND"
/// for each; those whose sizes come with the call are told by the C header.
fn declare(checked: &str, header: &str) -> String {
    let mut text = String::from("extern \"C\" {\n");
    for name in checked.lines().filter_map(|line| line.split(' ').next()) {
        let dims = if header.contains(&format!("void {name}(const void *src, void *dst, const int64_t *dims")) {
            ", dims: *const i64"
        } else {
            ""
        };
        let buffers = "src: *const core::ffi::c_void, dst: *mut core::ffi::c_void";
        text += &format!("    pub fn {name}({buffers}{dims});\n");
        text += &format!("    pub fn {name}_part({buffers}{dims}, part: u32, parts: u32);\n");
    }
    text + "}\n"
}

/// The inputs of a rule as permc writes it: one a line, after the outputs.
fn inputs(rule: &str) -> Vec<String> {
    rule.split("\n\n")
        .next()
        .unwrap_or("")
        .lines()
        .skip(1)
        .map(|line| {
            line.trim_start()
                .trim_end_matches(" \\")
                .replace("\\ ", " ")
                .replace("\\#", "#")
                .replace("$$", "$")
        })
        .filter(|path| !path.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rules() {
        let rule = "a.a: \\\n  net.yaml \\\n  odd\\ $$name\\#.schedule\n\nnet.yaml:\n\nodd:\n";
        assert_eq!(inputs(rule), ["net.yaml", "odd $name#.schedule"]);
        assert!(inputs("a.o:\n").is_empty());
    }

    #[test]
    fn declares_kernels() {
        let header = "void b(const void *src, void *dst, const int64_t *dims);";
        let text = declare("a native object\nb native object\n", header);
        assert!(text.contains("pub fn a(src: *const core::ffi::c_void, dst: *mut core::ffi::c_void);"));
        assert!(text.contains("pub fn b(src: *const core::ffi::c_void, dst: *mut core::ffi::c_void, dims: *const i64);"));
        assert!(text.contains("pub fn b_part("));
    }
}
