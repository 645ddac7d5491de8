"""What a candidate file may import, name and call without computing anything outside its own kernels."""

from __future__ import annotations

from ..verdict import Cause


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


IMPORTS = {
    "__future__",
    "collections",
    "collections.abc",
    "contextlib",
    "dataclasses",
    "enum",
    "functools",
    "itertools",
    "math",
    "operator",
    "typing",
    "warnings",
    "torch",
    "torch.nn",
    "torch.nn.functional",
    "torch.autograd",
    "torch.library",
    "triton",
    "triton.language",
    "triton.language.extra",
    "triton.language.extra.libdevice",
    "triton.language.extra.cuda",
    "triton.language.extra.cuda.libdevice",
    "triton.language.extra.hip",
    "triton.language.extra.hip.libdevice",
    "triton.language.math",
    "triton.tools.tensor_descriptor",
}

IN_PART = {"contextlib": {"nullcontext"}, "warnings": {"warn"}}
"""Modules of which nothing else may be named: `contextlib.suppress` swallows what a kernel raises, and lists
of warnings outlive calls."""

FORBIDDEN_NAMES = {
    "exit",
    "quit",
    "__builtins__",
    "__import__",
    "__loader__",
    "__spec__",
    "breakpoint",
    "compile",
    "delattr",
    "dir",
    "eval",
    "exec",
    "globals",
    "input",
    "locals",
    "memoryview",
    "open",
    "setattr",
    "vars",
}

FORBIDDEN_ATTRIBUTES = {
    "builtins",
    "cache_clear",
    "cache_info",
    "cache_parameters",
    "cr_frame",
    "ctypes",
    "f_back",
    "f_builtins",
    "f_globals",
    "f_locals",
    "gc",
    "gi_frame",
    "importlib",
    "inspect",
    "modules",
    "multiprocessing",
    "nargs",
    "os",
    "register_autograd",
    "register_autocast",
    "register_effect",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
    "set_kernel_enabled",
    "socket",
    "subprocess",
    "sys",
    "tb_frame",
    "threading",
    "tracemalloc",
    "storage",
    "typed_storage",
    "untyped_storage",
    "weakref",
}
"""Ways from an allowed module or object to the interpreter's insides, or to bytes behind a tensor."""

OPERATORS = {"torch.library.triton_op", "torch.library.wrap_triton", "torch.library.custom_op"}
"""How torch documents kernels of one's own as operators; all else of `torch.library` reaches its insides."""

KERNEL_INSIDES = _words("""
    cache_key constexprs create_binder debug device_caches do_not_specialize do_not_specialize_on_alignment
    get_capture_scope hash is_gluon kernel kwargs module noinline launch_metadata params parse preload
    pre_run_hooks raw_src repr rewrite rewriter rewritten_fn signature src starting_line_number
    used_global_vals version
    """)
"""Attributes that a compiled kernel has and an interpreted one has not, or the other way round (3.7)."""

PLAIN_NAMES = {"torch.__version__", "torch.version.cuda", "torch.version.hip"}
"""What a file may read of torch besides functions, classes, dtypes and numbers."""

DUNDERS = {
    "__init__",
    "__name__",
    "__doc__",
    "__version__",
    "__class__",
    "__call__",
    "__len__",
    "__post_init__",
    "__repr__",
    "__annotations__",
}

MODULE_CALLS = {
    f"torch.{name}"
    for name in _words("""
        arange broadcast_shapes broadcast_tensors device empty empty_like empty_strided finfo full full_like
        get_default_dtype iinfo is_grad_enabled is_tensor no_grad numel ones ones_like promote_types
        result_type  tensor zeros zeros_like Size enable_grad inference_mode jit.ignore reshape permute
        transpose squeeze  unsqueeze flatten unbind chunk split narrow movedim t broadcast_to
        moveaxis swapaxes swapdims unflatten ravel tensor_split hsplit vsplit dsplit diagonal select
        cuda.current_device cuda.device cuda.get_device_properties cuda.get_device_capability
        cuda.is_available  version.hip is_floating_point as_strided
        library.triton_op library.wrap_triton library.custom_op
        amp.custom_fwd amp.custom_bwd cuda.amp.custom_fwd cuda.amp.custom_bwd
        """)
}
"""Allocation, views and questions: none of them does arithmetic on a tensor's elements."""

METHODS = _words("""
    add add_ as_strided bfloat16 bool chunk clone contiguous copy_ cpu cuda data_ptr detach dim div div_
    double element_size expand expand_as fill_ flatten float get_device half int is_contiguous
    is_floating_point item long mT movedim mul mul_ narrow ndimension nelement new_empty new_empty_strided
    new_full new_ones new_zeros numel permute  register_buffer register_parameter requires_grad_ reshape
    reshape_as select size split squeeze storage_offset  stride sub sub_ swapaxes swapdims t to transpose
    type type_as unbind unflatten unsqueeze view  view_as zero_ is_complex mH H T apply
    values indices names unfold diagonal tensor_split hsplit vsplit dsplit moveaxis ravel
    """)
"""Tensor methods of the same kind; casts and copies only move data, which is counted, not forbidden. So is
arithmetic that operators spell too: between single numbers it is glue, and every call tells of how many."""

FORBIDDEN_BASES = {"Tensor", "Parameter", "Model"}
"""Classes whose children could hide work or inherit the reference."""

FORBIDDEN_KEYWORDS: dict[str, tuple[Cause, str]] = {
    "do_bench": ("forbidden-code", "it times its configurations by means of its own"),
    "launch_pdl": ("unsupported", "a kernel of it may start before the one before it has ended (launch_pdl)"),
    "launch_cooperative_grid": (
        "unsupported",
        "its programs may wait for all others (launch_cooperative_grid)",
    ),
    **{
        name: ("forbidden-code", f"it has its kernels compiled in another way ({name})")
        for name in (
            "ir_override",
            "extern_libs",
            "ptx_options",
            "arch",
            "backend_name",
            "instrumentation_mode",
        )
    },
}
"""Arguments of Triton's that let other code run where kernels are timed, or that nobody here can follow."""

FORBIDDEN_DEFINITIONS = {
    "__torch_function__",
    "__torch_dispatch__",
    "__getattr__",
    "__getattribute__",
    "__setattr__",
    "__del__",
    "__reduce__",
    "__eq__",
    "__array__",
    "__init_subclass__",
    "__class_getitem__",
    "__new__",
}

FOR_WEIGHTS = ("torch.Generator",)
"""What constructors may take all the same: it draws weights, which the judge replaces."""

MODULE_FORBIDDEN = (
    "operator.attrgetter",
    "operator.methodcaller",
    "operator.call",
    "torch._",
    "torch.ops",
    "torch.classes",
    "torch.Generator",
    "torch.hub",
    "torch.load",
    "torch.save",
    "torch.compile",
    "torch.jit.script",
    "torch.library",
    "torch.multiprocessing",
    "torch.overrides",
    "torch.utils",
    "torch.cuda.Stream",
    "torch.cuda.stream",
    "torch.cuda.CUDAGraph",
    "torch.cuda.graph",
    "torch.cuda.caching_allocator",
    "torch.set_",
    "torch.use_",
    "torch.backends",
    "torch.random",
    "torch.manual_seed",
    "torch.serialization",
    "torch.package",
    "torch.testing",
    "triton.runtime",
    "triton.compiler",
    "triton.backends",
    "triton.knobs",
    "triton.AsyncCompileMode",
    "triton.FutureKernel",
    "triton.InterpreterError",
    "triton.JITFunction",
    "triton.KernelInterface",
    "triton.MockTensor",
    "triton.TensorWrapper",
    "triton.testing",
    "triton._",
)
