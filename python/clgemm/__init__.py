"""SGEMM on OpenCL devices: clgemm's C API for Python.

NumPy arrays go in and come out. Device buffers, queues and events are the integers that pyopencl calls `int_ptr`.
clgemm.h documents what each call does, and which errors it returns.
"""

import atexit
import ctypes
import itertools
import operator
import os
import threading
import weakref

import numpy

__all__ = ["Error", "Prepared", "enqueue_sgemm", "explain", "kernel_names", "prepare", "set_log", "sgemm", "version",
           "warm_up"]

_ROW_MAJOR, _COLUMN_MAJOR = 101, 102
_NO_TRANS, _TRANS = 111, 112
_OPERANDS = {"a": 161, "b": 162}
_MATH = {"default": 0, "strict": 1, "tf32": 2, "fast": 3, "reproducible": 4}


class _Options(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("kernel", ctypes.c_char_p),
        ("math", ctypes.c_int),
        ("workspace", ctypes.c_void_p),
        ("workspace_limit", ctypes.c_size_t),
        ("alignment", ctypes.c_size_t),
        ("max_error", ctypes.c_double),
    ]


class _Call(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_size_t),
        ("layout", ctypes.c_int),
        ("trans_a", ctypes.c_int),
        ("trans_b", ctypes.c_int),
        ("m", ctypes.c_size_t),
        ("n", ctypes.c_size_t),
        ("k", ctypes.c_size_t),
        ("alpha", ctypes.c_float),
        ("off_a", ctypes.c_size_t),
        ("lda", ctypes.c_size_t),
        ("off_b", ctypes.c_size_t),
        ("ldb", ctypes.c_size_t),
        ("beta", ctypes.c_float),
        ("off_c", ctypes.c_size_t),
        ("ldc", ctypes.c_size_t),
    ]


_LogFunction = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)


def _load():
    """The library of the wheel, which lies beside this file; else the one that the loader finds."""
    name = "libclgemm.so.0"
    beside = os.path.join(os.path.dirname(__file__), name)
    library = ctypes.CDLL(beside if os.path.exists(beside) else name)
    integer, size, real, pointer, text = (
        ctypes.c_int, ctypes.c_size_t, ctypes.c_float, ctypes.c_void_p, ctypes.c_char_p)
    options = ctypes.POINTER(_Options)
    product = [integer, integer, integer, size, size, size, real]
    library.clgemm_sgemm_host_ex.argtypes = product + [
        pointer, size, pointer, size, real, pointer, size, pointer, options]
    library.clgemm_sgemm_host_strided_batched_ex.argtypes = product + [
        pointer, size, size, pointer, size, size, real, pointer, size, size, size, pointer, options]
    library.clgemm_prepare_host_strided_batched.argtypes = [
        integer, integer, integer, size, size, size, pointer, size, size, size, pointer, options, ctypes.POINTER(pointer)]
    library.clgemm_release_prepared.argtypes = [pointer]
    library.clgemm_sgemm_host_prepared_strided_batched.argtypes = product + [
        pointer, size, size, pointer, pointer, size, size, pointer, real, pointer, size, size, size, pointer, options]
    library.clgemm_sgemm_ex.argtypes = product + [
        pointer, size, size, pointer, size, size, real, pointer, size, size,
        pointer, ctypes.c_uint, ctypes.POINTER(pointer), ctypes.POINTER(pointer), options]
    library.clgemm_explain.argtypes = product + [
        size, size, size, size, real, size, size, pointer, options, text, size, ctypes.POINTER(size)]
    library.clgemm_warm_up.argtypes = [pointer, pointer, size, ctypes.POINTER(_Call), options]
    library.clgemm_set_log.argtypes = [_LogFunction, pointer]
    library.clgemm_kernel_count.restype = size
    library.clgemm_kernel_name.argtypes = [size]
    for function in (library.clgemm_kernel_name, library.clgemm_last_error, library.clgemm_version):
        function.restype = text
    return library


_library = _load()


def _text(told):
    """What the library says. Names that it quotes, such as those of devices, need not be UTF-8."""
    return told.decode(errors="replace")


class Error(RuntimeError):
    """A call that failed: the library's sentence on this very case, and `status`, one of clgemm.h's or OpenCL's codes."""

    def __init__(self, status, message=None):
        super().__init__(_text(_library.clgemm_last_error()) if message is None else message)
        self.status = status

    def __reduce__(self): # A copy, or what comes from another process, has the message of this error.
        return type(self), (self.status, str(self))


def _check(status):
    if status != 0:
        raise Error(status)


# ctypes takes integers of any size and cuts them to 64 bits, and speaks of arguments by number; so all are looked at before.

def _integer(value, name):
    """A size, or a handle of OpenCL's."""
    try:
        integer = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {type(value).__name__}") from None
    if integer < 0:
        raise ValueError(f"{name} is negative: {integer}")
    if integer > ctypes.c_size_t(-1).value:
        raise ValueError(f"{name} is too large: {integer}")
    return integer


def _integers(**values):
    return [_integer(value, name) for name, value in values.items()]


def _handle(value, name):
    return None if value is None else _integer(value, name)


def _real(value, name, kind=ctypes.c_float):
    try:
        return kind(value)
    except TypeError:
        raise TypeError(f"{name} must be a real number, not {type(value).__name__}") from None
    except OverflowError: # of an integer
        raise ValueError(f"{name} is too large") from None


def _options(kernel, strict, math, max_error, alignment=0):
    if kernel is not None and not isinstance(kernel, str):
        try:
            kernel = str(operator.index(kernel))
        except TypeError:
            raise TypeError(f"kernel must be a name or a number, not {type(kernel).__name__}") from None
    if kernel and "\0" in kernel:
        raise ValueError("kernel has a null character in it")
    if math is None:
        math = "strict" if strict else "default"
    elif strict and math != "strict":
        raise ValueError(f"strict is set, but math is {math!r}")
    if not isinstance(math, str) or math not in _MATH:
        raise ValueError(f"math is {math!r}, but must be one of: {', '.join(_MATH)}")
    max_error = 0.0 if max_error is None else _real(max_error, "max_error", ctypes.c_double).value
    return _Options(ctypes.sizeof(_Options), kernel.encode() if kernel else None, _MATH[math], None, 0, alignment, max_error)


def _transpose(transposed):
    return _TRANS if transposed else _NO_TRANS


def _place(array):
    """Whether BLAS finds the matrices of the last two dimensions transposed, and their leading dimension. None: it cannot
    read them where they lie."""
    rows, columns = array.shape[-2:]
    if array.size == 0: # whose steps say nothing
        return False, max(1, columns)
    for transposed, lines, length, far, near in (
            (False, rows, columns, -2, -1), (True, columns, rows, -1, -2)):
        step, rest = divmod(array.strides[far], 4)
        if (length <= 1 or array.strides[near] == 4) and (lines <= 1 or (rest == 0 and step >= max(1, length))):
            return transposed, step if lines > 1 else max(1, length)
    return None


def _operand(array, name):
    """A matrix of float32 that BLAS can read, or an array of such matrices, with its _place(). (Fields of packed records may
    lie between the addresses that floats have.)"""
    wanted = f"{name} must be a NumPy array of float32 in two or more dimensions, not "
    if not isinstance(array, numpy.ndarray):
        raise TypeError(wanted + type(array).__name__)
    if array.dtype != numpy.float32 or array.ndim < 2:
        raise TypeError(wanted + f"an array of {array.dtype} in {array.ndim} dimension{'' if array.ndim == 1 else 's'}")
    if isinstance(array, numpy.ma.MaskedArray):
        raise TypeError(f"{name} is a masked array, whose mask would be lost: {name}.filled(0) is a plain one")
    place = _place(array) if array.flags.aligned else None
    if place is None: # of what is there several times, one is copied
        one_of_each = tuple(slice(1) if step == 0 else slice(None) for step in array.strides[:-2])
        array = numpy.broadcast_to(numpy.array(array[one_of_each], order="C"), array.shape)
        place = _place(array)
    return array, *place


def _overlaps_itself(array):
    """Whether elements may share memory. (Views of plain arrays never do, unless they are broadcast.)"""
    end = 4
    for step, length in sorted((abs(step), length) for step, length in zip(array.strides, array.shape)):
        if length > 1 and array.size > 0:
            if step < end:
                return True
            end += step * (length - 1)
    return False


def _batch_dimensions(*arrays):
    """The dimensions before the last two, which all arrays have: the length of each and its step in each array, in bytes.
    Those that one step can run through are one."""
    result = []
    for dimension, length in enumerate(arrays[0].shape[:-2]):
        steps = tuple(array.strides[dimension] for array in arrays)
        if length == 1:
            continue
        if result and result[-1][1] == tuple(length * step for step in steps):
            result[-1] = (result[-1][0] * length, steps)
        else:
            result.append((length, steps))
    return result


def _is_strided_batch(length, steps, c, trans_c, ldc):
    """Whether the library computes the products along this dimension in one call."""
    if any(step < 0 or step % 4 for step in steps):
        return False
    rows, columns = c.shape[-2:]
    run, runs = (rows, columns) if trans_c else (columns, rows)
    distance = steps[2] // 4
    return distance >= (runs - 1) * ldc + run or distance >= run and (length - 1) * distance + run <= ldc


class Prepared:
    """A matrix, or one for each product of a batch, that the library keeps on a device: what prepare() returns.

    sgemm() takes it as a or b. It is freed with the object, at the end of a `with` block, or by release(); calls under way
    in other threads finish. `shape` is the array's.
    """

    def __init__(self, shape, handle):
        self.shape = shape
        self._handle = handle
        self._release = weakref.finalize(self, _library.clgemm_release_prepared, handle)
        self._release.atexit = False # The process's end frees it, too.

    @property
    def _has_one_for_each(self):
        return numpy.prod(self.shape[:-2], dtype=int) > 1

    def release(self):
        """Frees what is kept. Then no call takes the object. A second time does nothing."""
        self._release()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.release()


def _contiguous(array):
    """A copy without gaps. (NumPy takes an array without elements for one, whatever its strides are.)"""
    return numpy.ascontiguousarray(array) if array.size else numpy.zeros(array.shape, numpy.float32)


def prepare(array, *, operand="b", lines=0, queue=None, kernel=None, strict=False, math=None, max_error=None):
    """Keeps an array of float32 on a device as products there want it, for many calls of sgemm(). Returns a Prepared.

    The array may be changed afterwards. One of two dimensions serves products and batches of any number; one of more has a
    matrix for each product of a batch in that shape. operand: "b" or "a", as which it will mostly be used; lines: how many
    rows a has then (or columns b), so that what these products want is made now instead of by the first of them. queue,
    kernel, strict, math and max_error are those of the calls, as sgemm() takes them.
    """
    if not isinstance(operand, str) or operand not in _OPERANDS:
        raise ValueError(f"operand is {operand!r}, but must be 'a' or 'b'")
    lines, options, queue = _integer(lines, "lines"), _options(kernel, strict, math, max_error), _handle(queue, "queue")
    array, transposed, ld = _operand(array, "array")
    dimensions = _batch_dimensions(array)
    if len(dimensions) > 1 or any(step < 0 or step % 4 for _, (step,) in dimensions):
        array, transposed, ld = _operand(_contiguous(array), "array")
        dimensions = _batch_dimensions(array)
    count, (step,) = dimensions[0] if dimensions else (1, (0,))
    if 0 in array.shape[:-2]:
        count = 0
    rows, columns = array.shape[-2:]
    sizes = (rows, lines, columns) if operand == "a" else (lines, columns, rows)
    handle = ctypes.c_void_p()
    _check(_library.clgemm_prepare_host_strided_batched(
        _ROW_MAJOR, _OPERANDS[operand], _transpose(transposed), *sizes, array.ctypes.data, ld, step // 4, count,
        queue, ctypes.byref(options), ctypes.byref(handle)))
    return Prepared(array.shape, handle.value)


def _place_holder(prepared, name, batch=()):
    """An array that lies as the prepared one does for products in the shape `batch`. Nobody reads its elements."""
    if not prepared._release.alive:
        raise ValueError(f"{name} was released")
    element, of_each = numpy.zeros((), numpy.float32), prepared.shape[:-2]
    if not prepared._has_one_for_each:
        return numpy.broadcast_to(element, prepared.shape)
    if batch and numpy.prod(of_each) != numpy.prod(batch):
        raise ValueError(f"{name} was prepared for products in the shape {of_each}, but these are in {batch}")
    steps = [4 * int(numpy.prod(of_each[dimension + 1:], dtype=int)) for dimension in range(len(of_each))]
    return numpy.lib.stride_tricks.as_strided(element, prepared.shape, (*steps, 0, 0), writeable=False)


def _divided(a, b, c, trans_c, ldc):
    """The dimensions of a batch for which there are several calls, and the one that is a call."""
    dimensions = _batch_dimensions(a, b, c)
    # The longest dimension that can be is one call; for all others there are several.
    of_a_call = max((each for each in dimensions if _is_strided_batch(*each, c, trans_c, ldc)), default=(1, (0, 0, 0)))
    if of_a_call in dimensions:
        dimensions.remove(of_a_call)
    return dimensions, of_a_call


def _result(c, shape, beta):
    """c, or a new array without one, with its _place()."""
    if c is None:
        if beta != 0:
            raise ValueError("beta is not 0, but there is no c")
        c = numpy.empty(shape, numpy.float32)
    there, *place = _operand(c, "c")
    if c.shape != shape:
        raise ValueError(f"c is {' x '.join(map(str, c.shape))}, but must be {' x '.join(map(str, shape))}")
    if there is not c or not c.flags.writeable:
        raise ValueError("c cannot be written in place: it must be writable and aligned, and its elements must lie next to each "
                         "other")
    if c.ndim > 2 and _overlaps_itself(c):
        raise ValueError("c has elements that share memory")
    return c, *place


def sgemm(a, b, c=None, *, alpha=1.0, beta=0.0, queue=None, kernel=None, strict=False, math=None, max_error=None):
    """alpha * a @ b + beta * c on NumPy arrays of float32, written to c, or to a new array without one. Returns it.

    Arrays of more than two dimensions are batches of matrices, as for numpy.matmul: the dimensions before the last two are
    broadcast to one another. Transposed, sliced and broadcast arrays need no copies: clgemm.sgemm(a.T, b[:, 2:5]). The
    matrices in c must lie by rows or by columns, and must not overlap a, b or one another. a or b, or both, may be what
    prepare() returned. queue: where to compute, as an integer; without one it is the default device. kernel: a name or a
    number. math: "default", "strict" (the same as strict=True), "tf32", "fast" or "reproducible", as clgemm.h's clgemm_math;
    max_error: instead, the largest error that will do, as a part of sum |a||b|.
    """
    prepared = [each if isinstance(each, Prepared) else None for each in (a, b)]
    a, trans_a, lda = (_place_holder(a, "a"), False, 0) if prepared[0] else _operand(a, "a")
    b, trans_b, ldb = (_place_holder(b, "b"), False, 0) if prepared[1] else _operand(b, "b")
    (m, k), n = a.shape[-2:], b.shape[-1]
    if b.shape[-2] != k:
        raise ValueError(f"a has {k} columns, but b has {b.shape[-2]} rows")
    try:
        batch = numpy.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    except ValueError:
        raise ValueError(
            f"a has matrices in the shape {a.shape[:-2]}, and b in {b.shape[:-2]}, which cannot be broadcast") from None
    c, trans_c, ldc = _result(c, batch + (m, n), beta)
    if any(numpy.may_share_memory(c, array) and numpy.shares_memory(c, array)
           for array, kept in zip((a, b), prepared) if not kept):
        raise ValueError("c overlaps a or b")
    beta, queue, options = _real(beta, "beta"), _handle(queue, "queue"), _options(kernel, strict, math, max_error)

    a, b = (_place_holder(each, name, batch) if each else array
            for each, name, array in ((prepared[0], "a", a), (prepared[1], "b", b)))
    a, b = (numpy.broadcast_to(operand, batch + operand.shape[-2:]) for operand in (a, b))
    dimensions, of_a_call = _divided(a, b, c, trans_c, ldc)
    if dimensions and any(each and each._has_one_for_each for each in prepared):
        # By its place in the call each product takes its own matrix. What else there is can be copied to lie as they do.
        if not prepared[0]:
            a, trans_a, lda = _operand(_contiguous(a), "a")
        if not prepared[1]:
            b, trans_b, ldb = _operand(_contiguous(b), "b")
        dimensions, of_a_call = _divided(a, b, c, trans_c, ldc)
        if dimensions:
            raise ValueError("c's matrices must lie at equal distances, since an operand was prepared for each product")
    layout = _COLUMN_MAJOR if trans_c else _ROW_MAJOR
    product = [layout, *(_transpose(transposed != trans_c) for transposed in (trans_a, trans_b)),
               m, n, k, _real(alpha, "alpha")]
    count, steps = of_a_call
    distances = [step // 4 for step in steps]
    if 0 in batch:
        count, dimensions = 0, []
    for place in itertools.product(*(range(length) for length, _ in dimensions)):
        at_a, at_b, at_c = (array.ctypes.data + sum(index * of_each[which] for index, (_, of_each) in zip(place, dimensions))
                            for which, array in enumerate((a, b, c)))
        if any(prepared):
            kept_a, kept_b = (each._handle if each else None for each in prepared)
            _check(_library.clgemm_sgemm_host_prepared_strided_batched(
                *product, at_a, lda, distances[0], kept_a, at_b, ldb, distances[1], kept_b, beta, at_c, ldc, distances[2],
                count, queue, ctypes.byref(options)))
        else:
            _check(_library.clgemm_sgemm_host_strided_batched_ex(
                *product, at_a, lda, distances[0], at_b, ldb, distances[1], beta, at_c, ldc, distances[2], count, queue,
                ctypes.byref(options)))
    return c


def enqueue_sgemm(queue, m, n, k, a, b, c, *, alpha=1.0, beta=0.0, trans_a=False, trans_b=False, off_a=0, off_b=0, off_c=0,
                  lda=None, ldb=None, ldc=None, wait_for=(), kernel=None, strict=False, math=None, max_error=None):
    """C = alpha * op(A) * op(B) + beta * C on device buffers, by rows, asynchronously. Returns an event as an integer.

    queue, a, b, c and the events in wait_for are integers (pyopencl's int_ptr); offsets and leading dimensions count
    elements. The event is complete when the whole product is, and is the caller's to release:
    pyopencl.Event.from_int_ptr(event, retain=False).
    """
    m, n, k, off_a, off_b, off_c = _integers(m=m, n=n, k=k, off_a=off_a, off_b=off_b, off_c=off_c)
    if lda is None:
        lda = max(1, m if trans_a else k)
    if ldb is None:
        ldb = max(1, k if trans_b else n)
    if ldc is None:
        ldc = max(1, n)
    lda, ldb, ldc = _integers(lda=lda, ldb=ldb, ldc=ldc)
    a, b, c = _handle(a, "a"), _handle(b, "b"), _handle(c, "c")
    try:
        wait_for = list(wait_for)
    except TypeError:
        raise TypeError(f"wait_for must be a list of events, not {type(wait_for).__name__}") from None
    events = (ctypes.c_void_p * len(wait_for))(*(_integer(event, "an event in wait_for") for event in wait_for))
    event = ctypes.c_void_p()
    options = _options(kernel, strict, math, max_error)
    _check(_library.clgemm_sgemm_ex(
        _ROW_MAJOR, _transpose(trans_a), _transpose(trans_b), m, n, k, _real(alpha, "alpha"),
        a, off_a, lda, b, off_b, ldb, _real(beta, "beta"), c, off_c, ldc,
        _handle(queue, "queue"), len(wait_for), events if wait_for else None, ctypes.byref(event), ctypes.byref(options)))
    return event.value


def explain(m, n, k, *, device=None, kernel=None, strict=False, math=None, max_error=None):
    """What a product of these sizes would do, as text for people. device: an integer; without one the default device."""
    options, needed = _options(kernel, strict, math, max_error), ctypes.c_size_t()
    m, n, k = _integers(m=m, n=n, k=k)
    arguments = (_ROW_MAJOR, _NO_TRANS, _NO_TRANS, m, n, k, 1.0, 0, max(1, k), 0, max(1, n), 0.0, 0, max(1, n),
                 _handle(device, "device"), ctypes.byref(options))
    _check(_library.clgemm_explain(*arguments, None, 0, ctypes.byref(needed)))
    text = ctypes.create_string_buffer(needed.value)
    _check(_library.clgemm_explain(*arguments, text, needed, None))
    return _text(text.value)


def warm_up(*sizes, context=None, device=None, trans_a=False, trans_b=False, alpha=1.0, beta=0.0, kernel=None, strict=False,
            math=None, max_error=None, alignment=None):
    """Builds beforehand what products of these sizes will need, so that the first of them takes no longer than others.

    sizes: each (m, n, k), by rows and without gaps: clgemm.warm_up((64, 64, 64), (1000, 500, 200), trans_b=True). Without a
    context it is for sgemm() without a queue; with one, for enqueue_sgemm() there (context and device as integers; without a
    device, each of the context). alignment: bytes that the addresses of all arrays are multiples of; NumPy promises 16, which
    is taken without a context.
    """
    calls = (_Call * len(sizes))()
    trans_a, trans_b = bool(trans_a), bool(trans_b)
    for index, of_one in enumerate(sizes):
        try:
            m, n, k = of_one
        except (TypeError, ValueError):
            raise TypeError(f"sizes[{index}] must be (m, n, k), not {of_one!r}") from None
        m, n, k = _integers(**{f"m in sizes[{index}]": m, f"n in sizes[{index}]": n, f"k in sizes[{index}]": k})
        calls[index] = _Call(
            ctypes.sizeof(_Call), _ROW_MAJOR, _transpose(trans_a), _transpose(trans_b), m, n, k,
            _real(alpha, "alpha").value, 0, max(1, m if trans_a else k), 0, max(1, k if trans_b else n),
            _real(beta, "beta").value, 0, max(1, n))
    context, device = _handle(context, "context"), _handle(device, "device")
    if alignment is None:
        alignment = 16 if context is None else 0
    options = _options(kernel, strict, math, max_error, _integer(alignment, "alignment"))
    _check(_library.clgemm_warm_up(context, device, len(calls), calls, ctypes.byref(options)))


_log = None # what the library calls, which must live as long as it may do so
_log_lock = threading.Lock()


def _renew_log_lock():
    global _log_lock
    _log_lock = threading.Lock()


os.register_at_fork(after_in_child=_renew_log_lock) # A thread that held it is not in the child.


def set_log(function):
    """Sends the log to `function`, which takes a line, instead of standard error; None: as before.

    The lines are those that CLGEMM_LOG=1 prints, which are then written whatever that variable says, and warnings:
    clgemm.set_log(logging.getLogger("clgemm").info). The function is called by the thread whose call the line is about, or by
    one that builds a program for it, so by several at once if calls are made at once. It must not call clgemm. If it
    raises, Python says so (sys.unraisablehook), and the call that is logged goes on. When set_log() returns, nobody is in the
    former function any more. When the interpreter ends, the log goes to standard error again.
    """
    global _log
    if function is not None and not callable(function):
        raise TypeError(f"function must be callable or None, not {type(function).__name__}")
    log = _LogFunction() if function is None else _LogFunction(lambda line, _: function(_text(line)))
    with _log_lock:
        _check(_library.clgemm_set_log(log, None))
        _log = log # Only now may the former one go: the library waits until nobody is in it.


atexit.register(set_log, None) # A thread that still multiplies must not call an interpreter that ends.


def kernel_names():
    """All kernels' names, as `kernel` takes them."""
    return [_library.clgemm_kernel_name(index).decode() for index in range(_library.clgemm_kernel_count())]


def version():
    """The library's version, "major.minor.patch"."""
    return _library.clgemm_version().decode()


__version__ = version()
