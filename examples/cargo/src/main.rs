//! Changes a layout with a kernel that was compiled with the program.

mod layouts {
    #![allow(dead_code)]
    include!(concat!(env!("OUT_DIR"), "/layouts.rs"));
}

const SIZE: usize = 224 * 224;

/// Colour planes of an image of interleaved pixels.
fn planes_of(image: &[u8; SIZE * 3]) -> Box<[u8; SIZE * 3]> {
    let mut planes = Box::new([0; SIZE * 3]);
    // SAFETY: the kernel reads and writes 224 x 224 x 3 bytes.
    unsafe { layouts::image_to_planes(image.as_ptr().cast(), planes.as_mut_ptr().cast()) };
    planes
}

fn main() {
    let mut image = Box::new([0; SIZE * 3]);
    for (i, byte) in image.iter_mut().enumerate() {
        *byte = (i * 31 + i / 1000) as u8;
    }
    let planes = planes_of(&image);
    let right = (0..SIZE).all(|i| (0..3).all(|c| planes[c * SIZE + i] == image[i * 3 + c]));
    println!("{}", if right { "right" } else { "WRONG" });
    std::process::exit(i32::from(!right));
}
