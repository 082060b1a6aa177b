fn main() {
    if let Err(error) = permc_build::manifest("layouts.yaml").compile("layouts") {
        eprintln!("{error}");
        std::process::exit(1);
    }
}
