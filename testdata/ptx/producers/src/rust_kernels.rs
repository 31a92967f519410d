// rust_kernels.rs -- compiled by nightly rustc for nvptx64-nvidia-cuda. It brings the few language items that it needs
// itself, so that no core library for the target is required.

#![no_core]
#![crate_type = "lib"]
#![feature(no_core, lang_items, abi_ptx, intrinsics, link_llvm_intrinsics, rustc_attrs)]
#![allow(internal_features)]

#[lang = "pointee_sized"]
pub trait PointeeSized {}
#[lang = "meta_sized"]
pub trait MetaSized: PointeeSized {}
#[lang = "sized"]
pub trait Sized: MetaSized {}
#[lang = "legacy_receiver"]
pub trait LegacyReceiver {}
impl<T: PointeeSized> LegacyReceiver for &T {}
#[lang = "copy"]
pub trait Copy {}
impl Copy for i32 {}
impl Copy for u32 {}
impl Copy for f32 {}
impl Copy for f64 {}
impl Copy for isize {}
impl Copy for bool {}
impl<T: PointeeSized> Copy for *mut T {}
impl<T: PointeeSized> Copy for *const T {}

macro_rules! operator {
    ($lang:literal, $name:ident, $method:ident, $op:tt, $($t:ty)*) => {
        #[lang = $lang]
        pub trait $name<R = Self> { type Output; fn $method(self, r: R) -> Self::Output; }
        $(impl $name for $t { type Output = $t; #[inline(always)] fn $method(self, r: $t) -> $t { self $op r } })*
    };
}
operator!("add", Add, add, +, i32 u32 f32 f64);
operator!("sub", Sub, sub, -, i32 u32 f32 f64);
operator!("mul", Mul, mul, *, i32 u32 f32 f64);

#[lang = "eq"]
pub trait PartialEq<R: PointeeSized = Self>: PointeeSized {
    fn eq(&self, r: &R) -> bool;
    fn ne(&self, r: &R) -> bool;
}
#[lang = "partial_ord"]
pub trait PartialOrd<R: PointeeSized = Self>: PartialEq<R> + PointeeSized {
    fn lt(&self, r: &R) -> bool;
    fn le(&self, r: &R) -> bool;
    fn gt(&self, r: &R) -> bool;
    fn ge(&self, r: &R) -> bool;
}
impl PartialEq for i32 {
    fn eq(&self, r: &i32) -> bool { *self == *r }
    fn ne(&self, r: &i32) -> bool { *self != *r }
}
impl PartialOrd for i32 {
    fn lt(&self, r: &i32) -> bool { *self < *r }
    fn le(&self, r: &i32) -> bool { *self <= *r }
    fn gt(&self, r: &i32) -> bool { *self > *r }
    fn ge(&self, r: &i32) -> bool { *self >= *r }
}

#[rustc_intrinsic]
pub unsafe fn offset<P, D>(p: P, d: D) -> P;

extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
    fn tid_x() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
    fn ctaid_x() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
    fn ntid_x() -> i32;
}

#[inline(never)]
pub unsafe fn horner(x: f32, c: *const f32, degree: i32) -> f32 {
    let mut sum = 0.0f32;
    let mut k = degree;
    while k >= 0 {
        sum = sum * x + *offset(c, k as isize);
        k = k - 1;
    }
    sum
}

#[no_mangle]
pub unsafe extern "ptx-kernel" fn polynomial(v: *mut f32, c: *const f32, degree: i32, n: i32) {
    let i = ctaid_x() * ntid_x() + tid_x();
    if i < n {
        let p = offset(v, i as isize);
        *p = horner(*p, c, degree);
    }
}

#[no_mangle]
pub unsafe extern "ptx-kernel" fn axpy64(a: f64, x: *const f64, y: *mut f64, n: i32) {
    let i = ctaid_x() * ntid_x() + tid_x();
    if i < n {
        let p = offset(y, i as isize);
        *p = a * *offset(x, i as isize) + *p;
    }
}
