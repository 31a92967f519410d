"""The structures and functions of ptxlint.h that the package uses, as ctypes has them.

tests/test_abi.py compares every field with the header.
"""
import ctypes
from ctypes import (CFUNCTYPE, POINTER, Structure, c_char, c_char_p, c_double, c_int, c_int64,
                    c_size_t, c_uint, c_uint32, c_uint64, c_void_p)

UNKNOWN = -(1 << 63)
NO_LIMIT = (1 << 63) - 1
JSON = 2
PART_KERNEL, PART_PARAM, PART_TRIP = range(3)
SPILLS = (None, "unlikely", "possible", "likely")
CERTAINTIES = (None, "exact", "bound", "estimate", "unknown")
LIMITERS = ("warps", "registers", "shared", "blocks", "barriers")

Write = CFUNCTYPE(c_int, c_void_p, POINTER(c_char), c_size_t)


class GpuInfo(Structure):
    _fields_ = [("name", c_char_p), ("product", c_char_p), ("architecture", c_char_p),
                ("sm", c_char_p)]


class Occupancy(Structure):
    _fields_ = [("size", c_size_t), ("blocks_per_sm", c_int64), ("warps_per_sm", c_int64),
                ("threads_per_sm", c_int64), ("blocks_at_least", c_int64),
                ("blocks_at_most", c_int64), ("percent", c_double), ("limiter", c_char_p),
                ("limiters", c_char_p * 5), ("limiter_count", c_size_t), ("error", c_char_p),
                ("limits", c_int64 * 5), ("registers_allocated_per_block", c_int64),
                ("shared_allocated_per_block", c_int64), ("registers_to_free", c_int64),
                ("registers_free", c_int64), ("shared_to_free", c_int64),
                ("shared_free", c_int64), ("carveout_bytes", c_int64),
                ("clusters_at_most", c_int64)]


class Covered(Structure):
    _fields_ = [("part", c_uint), ("kernel", c_char_p), ("name", c_char_p), ("matches", c_int),
                ("misfit", c_char_p), ("misfit_bytes", c_uint64), ("param_count", c_uint32),
                ("line", c_uint32), ("near_line", c_uint32), ("is_overruled", c_int)]


class Options(Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("gpus", POINTER(c_void_p)),
                ("gpu_count", c_size_t), ("launches", c_void_p), ("ptxas", c_void_p),
                ("config", c_void_p), ("baseline", c_void_p), ("budget", c_void_p),
                ("profile", c_void_p), ("max_memory_bytes", c_size_t), ("syntax_only", c_int),
                ("findings_only", c_int), ("jobs", c_uint), ("estimates_only", c_int),
                ("is_unfolded", c_int), ("has_symbols", c_int), ("metadata_path", c_char_p),
                ("sources", c_void_p), ("launch_number", c_uint32),
                ("has_each_launch", c_int), ("generated_config", c_void_p), ("generated_context", c_void_p),
                ("has_instructions", c_int), ("history", c_void_p),
                ("is_stopped", c_void_p), ("stop_context", c_void_p),
                ("take_kernel", c_void_p), ("take_context", c_void_p),
                ("overview_only", c_int), ("take_same", c_void_p)]


class ModuleInfo(Structure):
    _fields_ = [("size", c_size_t), ("path", c_char_p), ("text", c_void_p), ("length", c_size_t),
                ("target", c_char_p), ("gpus", POINTER(c_void_p)), ("gpu_count", c_size_t),
                ("version_major", c_int), ("version_minor", c_int), ("address_size", c_int),
                ("memory_bytes", c_size_t), ("min_gain_percent", c_double),
                ("metadata", c_char_p), ("metadata_error", c_char_p), ("is_generated", c_int),
                ("unchanged_count", c_size_t)]


class Span(Structure):
    _fields_ = [("begin", c_uint32), ("end", c_uint32)]


class Place(Structure):
    _fields_ = [("line", c_uint32), ("column", c_uint32), ("line_begin", c_uint32),
                ("line_end", c_uint32)]


class Mix(Structure):
    _fields_ = [("classes", c_void_p), ("class_count", c_size_t),
                ("instruction_count", c_uint64), ("fused_count", c_uint64),
                ("fusable_count", c_uint64), ("fma_fraction", c_double),
                ("weighted_fma_fraction", c_double), ("weighted_instruction_count", c_double),
                ("flops_fp32", c_double), ("flops_fp64", c_double), ("flops_fp16", c_double),
                ("flops_tensor", c_double), ("global_bytes", c_double),
                ("has_assumed_trips", c_int), ("has_assumed_branches", c_int),
                ("stops", c_double), ("has_unknown_shapes", c_int)]


class Pressure(Structure):
    _fields_ = [("max_live", c_int64), ("max_live_predicates", c_int64), ("where", Span),
                ("live", POINTER(c_char_p)), ("live_count", c_size_t), ("max_live_64", c_int64),
                ("max_live_16", c_int64)]


class Launch(Structure):
    _fields_ = [("grid", c_int64 * 3), ("block", c_int64 * 3), ("dynamic_shared_bytes", c_int64),
                ("source", c_uint), ("block_is_assumed", c_int), ("cluster", c_int64 * 3),
                ("blocks", c_int64), ("threads_per_block", c_int64),
                ("warps_per_block", c_int64), ("warps", c_int64), ("idle_lanes", c_int64),
                ("error", c_char_p), ("assumed", POINTER(c_char_p)), ("assumed_count", c_size_t),
                ("assumed_options", c_char_p)]


class SourcePlace(Structure):
    _fields_ = [("path", c_char_p), ("line", c_uint32), ("column", c_uint32)]


class Param(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("type", c_char_p), ("bytes", c_int64),
                ("offset", c_int64), ("align", c_uint32), ("source_name", c_char_p)]


class Kernel(Structure):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("span", Span), ("name_span", Span),
                ("is_entry", c_int), ("is_recursive", c_int), ("has_syntax_error", c_int),
                ("block_count", c_uint64), ("edge_count", c_uint64),
                ("unreachable_block_count", c_uint64), ("static_shared_bytes", c_int64),
                ("local_bytes", c_int64), ("param_bytes", c_int64), ("barriers", c_int64),
                ("maxntid", c_uint32 * 3), ("reqntid", c_uint32 * 3), ("minnctapersm", c_uint32),
                ("maxnreg", c_uint32), ("launch", Launch), ("pressure", Pressure), ("mix", Mix),
                ("loops", c_void_p), ("loop_count", c_size_t), ("accesses", c_void_p),
                ("access_count", c_size_t), ("branches", c_void_p), ("branch_count", c_size_t),
                ("projections", c_void_p), ("projection_count", c_size_t), ("params", c_void_p),
                ("param_count", c_size_t), ("demangled", c_char_p),
                ("launch_number", c_uint32), ("launch_count", c_uint32),
                ("hot_lines", c_void_p), ("hot_line_count", c_size_t),
                ("source", SourcePlace), ("live_source", SourcePlace),
                ("same_count", c_size_t)]


class TimePart(Structure):
    _fields_ = [("part", c_char_p), ("us", c_double)]


class Time(Structure):
    _fields_ = [("dram_bytes", c_double), ("bound_us", c_double), ("predicted_us", c_double),
                ("low_us", c_double), ("high_us", c_double), ("why", c_char_p),
                ("band", c_char_p), ("band_is_measured", c_int), ("bound_why", c_char_p),
                ("bound_by", c_char_p), ("limiter", c_char_p), ("parts", TimePart * 11),
                ("part_count", c_size_t), ("bytes_certainty", c_uint),
                ("bound_certainty", c_uint), ("certainty", c_uint)]


class Bottleneck(Structure):
    _fields_ = [("compute_percent", c_double), ("memory_percent", c_double),
                ("issue_percent", c_double), ("relieved_us", c_double), ("next", c_char_p),
                ("advice", c_char_p), ("wave_us", c_double), ("tail_us", c_double),
                ("verdict", c_char_p), ("replays", c_double)]


class Trial(Structure):
    _fields_ = [("size", c_size_t), ("grid", c_int64 * 3), ("block", c_int64 * 3),
                ("dynamic_shared_bytes", c_int64), ("max_registers", c_int64),
                ("params", POINTER(c_void_p)), ("param_count", c_size_t), ("steps", c_int64)]


class Estimated(Structure):
    _fields_ = [("size", c_size_t), ("occupancy", Occupancy), ("waves", c_double),
                ("warp_instructions", c_double), ("sectors_per_request", c_double),
                ("ideal_sectors_per_request", c_double), ("wavefronts_per_request", c_double),
                ("ideal_wavefronts_per_request", c_double), ("thread_accesses", c_double),
                ("knows_params", c_int), ("spills", c_uint), ("time", Time),
                ("bottleneck", Bottleneck), ("registers", c_int64), ("registers_low", c_int64),
                ("registers_high", c_int64), ("lines_per_request", c_double)]


class Measurement(Structure):
    _fields_ = [("size", c_size_t), ("kernel", c_char_p), ("path", c_char_p), ("gpu", c_char_p),
                ("grid", c_int64 * 3), ("block", c_int64 * 3), ("dynamic_shared_bytes", c_int64),
                ("us", c_double), ("resolution_us", c_double)]


class VerifyOptions(Structure):
    _fields_ = [("size", c_size_t), ("gpu", c_size_t), ("is_warm", c_int), ("clock_mhz", c_double), ("is_quick", c_int)]


class Verified(Structure):
    _fields_ = [("size", c_size_t), ("verdict", c_uint), ("measured_us", c_double),
                ("time", Time), ("bottleneck", Bottleneck), ("least_us", c_double),
                ("least_warm_us", c_double), ("least_by", c_char_p), ("clock_mhz", c_double),
                ("memory_gb_per_s", c_double), ("least_bytes", c_double),
                ("slowdown", c_double), ("reason", c_char * 480)]


Progress = CFUNCTYPE(None, c_void_p, c_size_t, c_size_t)
Stop = CFUNCTYPE(c_int, c_void_p)


class CalibrateOptions(Structure):
    _fields_ = [("size", c_size_t), ("gpu", c_void_p), ("kernel_glob", c_char_p),
                ("clock_mhz", c_double), ("max_rows", c_size_t), ("progress", Progress),
                ("progress_context", c_void_p), ("is_stopped", Stop), ("stop_context", c_void_p)]


class CalibrationInfo(Structure):
    _fields_ = [("size", c_size_t), ("rows", c_size_t), ("kernels", c_size_t),
                ("foreign", c_size_t), ("unknown", c_size_t), ("impossible", c_size_t),
                ("beyond", c_size_t), ("constants", c_size_t), ("fitted", c_size_t),
                ("folds", c_size_t), ("is_by_kernel", c_int), ("steps", c_uint),
                ("has_converged", c_int), ("error_percent", c_double),
                ("left_out_error_percent", c_double), ("fitted_error_percent", c_double),
                ("reason", c_char_p), ("gpu", c_void_p)]


class Calibrated(Structure):
    _fields_ = [("size", c_size_t), ("key", c_char_p), ("verdict", c_uint),
                ("same_as", c_char_p), ("was", c_double), ("is", c_double), ("low", c_double),
                ("high", c_double)]


class WriteOptions(Structure):
    _fields_ = [("size", c_size_t), ("format", c_uint), ("color", c_int),
                ("kernel_glob", c_char_p), ("groups", POINTER(c_char_p)),
                ("group_count", c_size_t), ("rules", c_void_p), ("no_summary", c_int),
                ("primary", c_uint), ("show_all", c_int), ("min_gain_percent", c_double),
                ("verbose", c_int), ("source_root", c_char_p), ("docs_url", c_char_p),
                ("has_details", c_int), ("is_by_source", c_int), ("width", c_size_t)]


# by name in the header
STRUCTS = {
    "ptxlint_gpu_info": GpuInfo, "ptxlint_occupancy": Occupancy, "ptxlint_covered": Covered,
    "ptxlint_options": Options, "ptxlint_module_info": ModuleInfo, "ptxlint_span": Span,
    "ptxlint_place": Place, "ptxlint_mix": Mix, "ptxlint_pressure": Pressure,
    "ptxlint_launch": Launch, "ptxlint_param": Param, "ptxlint_source_place": SourcePlace,
    "ptxlint_kernel": Kernel,
    "ptxlint_time_part": TimePart, "ptxlint_time": Time, "ptxlint_bottleneck": Bottleneck,
    "ptxlint_trial": Trial, "ptxlint_estimated": Estimated,
    "ptxlint_measurement": Measurement, "ptxlint_verify_options": VerifyOptions,
    "ptxlint_verified": Verified, "ptxlint_calibrate_options": CalibrateOptions,
    "ptxlint_calibration_info": CalibrationInfo, "ptxlint_calibrated": Calibrated,
    "ptxlint_write_options": WriteOptions,
}

_HANDLES = POINTER(c_void_p)        # an array of handles, or where one is to be put
# what a function returns, then its parameters
FUNCTIONS = {
    "ptxlint_status_text": (c_char_p, c_uint),
    "ptxlint_version": (c_char_p,),
    "ptxlint_gpu_find": (c_void_p, c_char_p),
    "ptxlint_gpu_at": (c_void_p, c_size_t),
    "ptxlint_gpu_new": (c_uint, c_char_p, c_char_p, c_size_t, _HANDLES, c_char_p, c_size_t),
    "ptxlint_gpu_copy": (c_uint, c_void_p, c_char_p, c_char_p, _HANDLES),
    "ptxlint_gpu_with": (c_uint, c_void_p, c_char_p, _HANDLES, c_char_p, c_size_t),
    "ptxlint_gpu_set": (c_uint, c_void_p, c_char_p, c_double, c_char_p, c_char_p, c_size_t),
    "ptxlint_gpu_write": (c_uint, c_void_p, Write, c_void_p),
    "ptxlint_gpu_free": (None, c_void_p),
    "ptxlint_gpu_value": (c_double, c_void_p, c_char_p),
    "ptxlint_gpu_figure_kind": (c_uint, c_char_p),
    "ptxlint_gpu_get_info": (POINTER(GpuInfo), c_void_p),
    "ptxlint_launches_new": (c_uint, c_char_p, c_size_t, _HANDLES, c_char_p, c_size_t),
    "ptxlint_launches_free": (None, c_void_p),
    "ptxlint_coverage_new": (c_uint, c_void_p, _HANDLES),
    "ptxlint_coverage_add": (c_uint, c_void_p, c_void_p, c_char_p),
    "ptxlint_coverage_at": (c_int, c_void_p, c_size_t, POINTER(Covered)),
    "ptxlint_coverage_suggest": (c_char_p, c_void_p, c_size_t),
    "ptxlint_coverage_suggest_kernel": (c_char_p, c_void_p, c_char_p),
    "ptxlint_coverage_free": (None, c_void_p),
    "ptxlint_config_new": (c_uint, c_void_p, _HANDLES),
    "ptxlint_config_read": (c_uint, c_void_p, c_char_p, c_char_p, c_size_t, c_char_p, c_size_t),
    "ptxlint_config_value": (c_char_p, c_void_p, c_char_p, c_size_t),
    "ptxlint_config_free": (None, c_void_p),
    "ptxlint_baseline_new": (c_uint, _HANDLES),
    "ptxlint_baseline_read": (c_uint, c_void_p, c_char_p, c_char_p, c_size_t, c_char_p, c_size_t),
    "ptxlint_baseline_free": (None, c_void_p),
    "ptxlint_options_init": (None, POINTER(Options)),
    "ptxlint_module_new": (c_uint, c_char_p, c_size_t, POINTER(Options), _HANDLES),
    "ptxlint_module_open": (c_uint, c_char_p, POINTER(Options), _HANDLES),
    "ptxlint_module_free": (None, c_void_p),
    "ptxlint_module_get_info": (POINTER(ModuleInfo), c_void_p),
    "ptxlint_name_fits": (c_int, c_char_p, c_char_p),
    "ptxlint_module_place": (Place, c_void_p, c_uint32),
    "ptxlint_module_kernels": (c_void_p, c_void_p, POINTER(c_size_t)),
    "ptxlint_trial_init": (None, POINTER(Trial)),
    "ptxlint_estimate": (c_uint, c_void_p, c_void_p, c_size_t, POINTER(Trial),
                         POINTER(Estimated)),
    "ptxlint_measurements_new": (c_uint, c_char_p, c_size_t, c_char_p, _HANDLES, c_char_p,
                                 c_size_t),
    "ptxlint_measurements_free": (None, c_void_p),
    "ptxlint_measurement_at": (c_int, c_void_p, c_size_t, POINTER(Measurement)),
    "ptxlint_measurement_is_of": (c_int, c_void_p, c_size_t, c_void_p, c_void_p),
    "ptxlint_verify_options_init": (None, POINTER(VerifyOptions)),
    "ptxlint_verify": (c_uint, c_void_p, c_char_p, c_void_p, c_size_t,
                       POINTER(VerifyOptions), POINTER(Verified)),
    "ptxlint_calibrate_options_init": (None, POINTER(CalibrateOptions)),
    "ptxlint_calibrate": (c_uint, _HANDLES, c_size_t, c_void_p, POINTER(CalibrateOptions),
                          _HANDLES),
    "ptxlint_calibration_free": (None, c_void_p),
    "ptxlint_calibration_get_info": (c_int, c_void_p, POINTER(CalibrationInfo)),
    "ptxlint_calibration_at": (c_int, c_void_p, c_size_t, POINTER(Calibrated)),
    "ptxlint_calibrate_verdict_name": (c_char_p, c_uint),
    "ptxlint_write_options_init": (None, POINTER(WriteOptions)),
    "ptxlint_write_diagnostics": (c_uint, _HANDLES, c_size_t, POINTER(WriteOptions), Write,
                                  c_void_p),
    "ptxlint_write_report": (c_uint, _HANDLES, c_size_t, POINTER(WriteOptions), Write, c_void_p),
}


def declare(library: ctypes.CDLL) -> None:
    """Gives each function its types. AttributeError: the library has no such function."""
    for name, (result, *parameters) in FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, parameters
