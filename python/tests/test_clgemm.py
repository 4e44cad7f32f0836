"""The Python module, against NumPy's product in double precision and the error bound that clgemm.h states."""

import copy as copies
import ctypes
import gc
import itertools
import logging
import os
import pickle
import subprocess
import sys

import clgemm
import numpy
import pytest

random = numpy.random.default_rng(1)


def matrix(rows, columns):
    return random.uniform(-1, 1, (rows, columns)).astype(numpy.float32)


def assert_right(result, a, b, alpha=1.0, beta=0.0, c=None):
    a, b = a.astype(float), b.astype(float)
    old = numpy.zeros(result.shape) if c is None else c.astype(float)
    exact = alpha * (a @ b) + beta * old
    bound = 2.0**-24 * (a.shape[-1] + 3) * (abs(alpha) * (abs(a) @ abs(b)) + abs(beta * old)) + 2.0**-149
    assert result.dtype == numpy.float32
    assert (abs(result - exact) <= bound).all()


def test_a_new_array():
    a, b = matrix(37, 41), matrix(41, 29)
    assert_right(clgemm.sgemm(a, b), a, b)


def views(rows, columns):
    """Arrays of that shape that lie in memory in all the ways that NumPy has."""
    yield matrix(rows, columns)
    yield matrix(columns, rows).T
    yield matrix(rows + 3, columns + 5)[2:-1, 4:-1]
    yield matrix(columns + 5, rows + 3).T[2:-1, 4:-1]
    yield matrix(2 * rows, 3 * columns)[::2, ::3]
    yield matrix(rows, columns)[::-1, ::-1]
    yield numpy.broadcast_to(matrix(1, columns), (rows, columns))
    yield off_alignment(matrix(rows, columns))


def off_alignment(array):
    """The same numbers one byte behind an address that floats have, as fields of packed records may lie."""
    room = numpy.zeros(array.nbytes + 1, numpy.uint8)
    result = room[1:].view(numpy.float32).reshape(array.shape)
    result[...] = array
    assert result.size == 0 or not result.flags.aligned
    return result


@pytest.mark.parametrize("m, n, k", [(5, 7, 6), (1, 7, 6), (5, 1, 6), (5, 7, 1), (1, 1, 1)])
def test_arrays_that_lie_in_any_way(m, n, k):
    for a, b in itertools.product(views(m, k), views(k, n)):
        assert_right(clgemm.sgemm(a, b), a, b)


def test_in_place_and_only_there():
    a, b = matrix(6, 9), matrix(9, 5)
    for around in (matrix(10, 11), matrix(11, 10).T):
        before = around.copy()
        c = around[1:7, 3:8]
        assert clgemm.sgemm(a, b, c, alpha=0.5, beta=-2) is c
        assert_right(c, a, b, 0.5, -2, before[1:7, 3:8])
        outside = numpy.ones(around.shape, bool)
        outside[1:7, 3:8] = False
        assert (around[outside] == before[outside]).all()


def counted_calls(monkeypatch):
    """The counts of the batches that the library is asked for from now on."""
    counts = []
    whole = clgemm._library.clgemm_sgemm_host_strided_batched_ex
    monkeypatch.setattr(clgemm._library, "clgemm_sgemm_host_strided_batched_ex",
                        lambda *arguments: counts.append(arguments[-3]) or whole(*arguments))
    return counts


def array(*shape):
    return random.uniform(-1, 1, shape).astype(numpy.float32)


@pytest.mark.parametrize("of_a, of_b", [
    ((6,), (6,)), ((6,), ()), ((), (6,)), ((1,), (6,)), ((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 1), (1, 3)), ((2, 1, 4), (5, 1)),
    ((1, 1), (1,)), ((0,), (0,)), ((3, 0), (1,))])
def test_batches_are_broadcast_as_numpy_does(of_a, of_b):
    a, b = array(*of_a, 5, 7), array(*of_b, 7, 4)
    result = clgemm.sgemm(a, b)
    assert result.shape == (a @ b).shape
    assert_right(result, a, b)
    c = array(*result.shape)
    before = c.copy()
    assert clgemm.sgemm(a, b, c, alpha=0.5, beta=-2) is c
    assert_right(c, a, b, 0.5, -2, before)


def batched_views(batch, rows, columns):
    """Arrays of batch matrices that lie in memory in all the ways that NumPy has."""
    yield array(batch, rows, columns)
    yield array(batch, columns, rows).swapaxes(1, 2)
    yield array(rows, batch, columns).swapaxes(0, 1)
    yield array(columns, batch, rows).transpose(1, 2, 0)
    yield array(rows, columns, batch).transpose(2, 0, 1)
    yield array(batch, rows, columns)[::-1]
    yield array(2 * batch, rows + 2, columns + 3)[::2, 1:-1, 3:]
    yield array(batch, rows, columns)[:, ::-1, ::-1]
    yield numpy.broadcast_to(array(rows, columns), (batch, rows, columns))
    yield numpy.broadcast_to(array(1, columns), (batch, rows, columns))
    yield numpy.lib.stride_tricks.as_strided(array(batch + rows * columns), (batch, rows, columns), (4, 4 * columns, 4))


def test_batches_that_lie_in_any_way():
    for a, b in itertools.product(batched_views(3, 5, 7), batched_views(3, 7, 4)):
        assert_right(clgemm.sgemm(a, b), a, b)
    a, b = array(3, 5, 7), array(3, 7, 4)
    for c in batched_views(3, 5, 4):
        if c.flags.writeable and clgemm._place(c) and not clgemm._overlaps_itself(c):
            before = c.copy()
            clgemm.sgemm(a, b, c, beta=1)
            assert_right(c, a, b, 1, 1, before)


def test_a_batch_is_one_call_where_it_can_be(monkeypatch):
    counts = counted_calls(monkeypatch)
    weights, heads = array(7, 4), array(2, 6, 3, 7)  # 2 sequences of 6 positions with 3 heads of 7 elements
    for a, b, expected in [
            (array(9, 5, 7), array(9, 7, 4), [9]),
            (array(9, 5, 7), weights, [9]),
            (array(2, 9, 5, 7), array(2, 9, 7, 4), [18]),
            (array(2, 9, 5, 7), weights, [18]),
            (array(2, 9, 5, 7), array(9, 7, 4), [9, 9]),
            (heads.swapaxes(1, 2), heads.transpose(0, 2, 3, 1), [3, 3]),
            (array(5, 7), weights, [1])]:
        counts.clear()
        assert_right(clgemm.sgemm(a, b), a, b)
        assert counts == expected
    # The heads of the result lie side by side, as those that went in.
    counts.clear()
    scores, result = array(2, 3, 6, 6), numpy.zeros_like(heads)
    clgemm.sgemm(scores, heads.swapaxes(1, 2), result.swapaxes(1, 2))
    assert_right(result.swapaxes(1, 2), scores, heads.swapaxes(1, 2))
    assert counts == [3, 3]


@pytest.mark.parametrize("of_a, of_b", [
    ((), ()), ((6,), ()), ((2, 3), ()), ((6,), (6,)), ((2, 3), (2, 3)), ((1, 6), (6,)), ((), (6,)), ((1,), (2, 3)),
    ((0,), (0,)), ((), (0,)), ((1,), (1,))])
def test_prepared_operands(of_a, of_b):
    a, b = array(*of_a, 5, 7), array(*of_b, 7, 4)
    with clgemm.prepare(b, lines=5) as kept_b:
        assert kept_b.shape == b.shape
        assert_right(clgemm.sgemm(a, kept_b), a, b)
        with clgemm.prepare(a, operand="a") as kept_a:
            assert_right(clgemm.sgemm(kept_a, kept_b), a, b)
    with clgemm.prepare(b.swapaxes(-1, -2), operand="a") as kept: # as A, by columns of the product's transpose
        assert_right(clgemm.sgemm(kept, a.swapaxes(-1, -2)), b.swapaxes(-1, -2), a.swapaxes(-1, -2))


def test_prepared_operands_that_lie_in_any_way():
    for b in views(6, 7):
        kept = clgemm.prepare(b)
        for a in views(5, 6):
            assert_right(clgemm.sgemm(a, kept), a, b)
    heads = array(3, 7, 4, 6)
    for b in (heads.swapaxes(1, 2), heads.transpose(0, 2, 3, 1), heads[::-1], numpy.broadcast_to(array(6, 7), (3, 4, 6, 7))):
        a = array(*b.shape[:-2], 5, b.shape[-2])
        kept = clgemm.prepare(b)
        for of_a in (a, a.swapaxes(0, 1).copy().swapaxes(0, 1), numpy.broadcast_to(a[:, :1], a.shape)):
            assert_right(clgemm.sgemm(of_a, kept), of_a, b)


def test_prepared_operands_have_the_bits_of_others():
    a, b = array(3, 33, 40), array(3, 40, 21)
    for kernel in ("02_tiled", "13_warp_tiled"):
        with clgemm.prepare(a, operand="a") as kept_a, clgemm.prepare(b) as kept_b:
            expected = clgemm.sgemm(a, b, kernel=kernel)
            assert (clgemm.sgemm(kept_a, b, kernel=kernel) == expected).all()
            assert (clgemm.sgemm(kept_a, kept_b, kernel=kernel) == expected).all()


def test_a_prepared_array_may_change():
    a, b = matrix(5, 6), matrix(6, 7)
    kept, before = clgemm.prepare(b), b.copy()
    b[:] = 7
    c = numpy.ones((5, 7), numpy.float32)
    assert_right(clgemm.sgemm(a, kept, c, alpha=2, beta=-1), a, before, 2, -1, numpy.ones((5, 7)))


def test_prepared_operands_are_freed_with_the_object(monkeypatch):
    handles = []
    whole = clgemm._library.clgemm_release_prepared
    monkeypatch.setattr(clgemm._library, "clgemm_release_prepared", lambda handle: handles.append(handle) or whole(handle))
    kept = clgemm.prepare(matrix(6, 7))
    handle = kept._handle
    del kept
    gc.collect()
    assert handles == [handle]
    with clgemm.prepare(matrix(6, 7)) as kept:
        pass
    kept.release()
    assert handles == [handle, kept._handle]
    with pytest.raises(ValueError, match="b was released"):
        clgemm.sgemm(matrix(5, 6), kept)


def test_wrong_prepared_operands_are_named():
    kept = clgemm.prepare(array(3, 6, 7))
    for message, call in (
            ("b was prepared for products in the shape \\(3,\\), but these are in \\(2, 3\\)",
             lambda: clgemm.sgemm(array(2, 3, 5, 6), kept)),
            ("a has 5 columns, but b has 6 rows", lambda: clgemm.sgemm(matrix(4, 5), kept)),
            ("cannot be broadcast", lambda: clgemm.sgemm(array(2, 5, 6), kept)),
            ("c's matrices must lie at equal distances",
             lambda: clgemm.sgemm(array(3, 5, 6), kept, numpy.zeros((3, 5, 7), numpy.float32)[::-1])),
            ("operand is 'c', but must be 'a' or 'b'", lambda: clgemm.prepare(matrix(2, 3), operand="c")),
            ("lines is negative: -1", lambda: clgemm.prepare(matrix(2, 3), lines=-1)),
            ("math is 'exact'", lambda: clgemm.prepare(matrix(2, 3), math="exact"))):
        with pytest.raises(ValueError, match=message):
            call()
    for wrong in (None, [[1.0]], numpy.ones((2, 3))):
        with pytest.raises(TypeError, match="array must be a NumPy array of float32 in two or more dimensions"):
            clgemm.prepare(wrong)


def test_nothing_in_it():
    assert clgemm.sgemm(matrix(0, 3), matrix(3, 4)).shape == (0, 4)
    assert (clgemm.sgemm(matrix(2, 0), matrix(0, 4)) == 0).all()
    # NumPy leaves such arrays their strides, whatever these are.
    b = numpy.zeros((3, 5, 6, 4), numpy.float32)[:, ::2, :, :0]
    assert clgemm.sgemm(matrix(2, 6), clgemm.prepare(b)).shape == (3, 3, 2, 0)
    a = numpy.zeros((4, 0, 6), numpy.float32)[::-1]
    b = clgemm.prepare(random.uniform(-1, 1, (4, 6, 3)).astype(numpy.float32))
    assert clgemm.sgemm(a, b).shape == (4, 0, 3)


@pytest.mark.parametrize("error, call", [
    (TypeError, lambda a: clgemm.sgemm(a.astype(float), a)),
    (TypeError, lambda a: clgemm.sgemm(a[0], a)),
    (TypeError, lambda a: clgemm.sgemm(a.tolist(), a)),
    (ValueError, lambda a: clgemm.sgemm(a, a[1:])),
    (ValueError, lambda a: clgemm.sgemm(a, a, beta=1)),
    (ValueError, lambda a: clgemm.sgemm(a, a, matrix(4, 5))),
    (ValueError, lambda a: clgemm.sgemm(a, a, matrix(8, 8)[::2, ::2])),
    (ValueError, lambda a: clgemm.sgemm(a, a, numpy.broadcast_to(matrix(1, 4), (4, 4)))),
    (ValueError, lambda a: clgemm.sgemm(a, matrix(4, 4), a)),
])
def test_what_cannot_be_computed(error, call):
    with pytest.raises(error):
        call(matrix(4, 4))


@pytest.mark.parametrize("error, message, call", [
    (TypeError, "a must be a NumPy array of float32 in two or more dimensions, not an array of float64 in 2 dimensions",
     lambda a: clgemm.sgemm(a.astype(float), a)),
    (TypeError, "b must be a NumPy array of float32 in two or more dimensions, not an array of float32 in 1 dimension",
     lambda a: clgemm.sgemm(a, a[0])),
    (TypeError, "c must be a NumPy array of float32 in two or more dimensions, not list", lambda a: clgemm.sgemm(a, a, a.tolist())),
    (ValueError, "a has matrices in the shape (3,), and b in (2,), which cannot be broadcast",
     lambda a: clgemm.sgemm(array(3, 4, 4), array(2, 4, 4))),
    (ValueError, "c is 4 x 4, but must be 3 x 4 x 4", lambda a: clgemm.sgemm(array(3, 4, 4), a, a.copy())),
    (ValueError, "c has elements that share memory",
     lambda a: clgemm.sgemm(array(3, 4, 4), a, numpy.lib.stride_tricks.as_strided(array(20), (3, 4, 4), (4, 16, 4)))),
    (ValueError, "c cannot be written in place: it must be writable and aligned, and its elements must lie next to each other",
     lambda a: clgemm.sgemm(a, a, off_alignment(a))),
    (ValueError, "c overlaps a or b", lambda a: (lambda x: clgemm.sgemm(x, a, x))(array(3, 4, 4))),
    (TypeError, "a is a masked array, whose mask would be lost: a.filled(0) is a plain one",
     lambda a: clgemm.sgemm(numpy.ma.masked_less(a, 0), a)),
    (TypeError, "alpha must be a real number, not str", lambda a: clgemm.sgemm(a, a, alpha="2")),
    (TypeError, "beta must be a real number, not complex", lambda a: clgemm.sgemm(a, a, a.copy(), beta=1j)),
    (ValueError, "beta is too large", lambda a: clgemm.sgemm(a, a, a.copy(), beta=10**400)),
    (ValueError, "max_error is too large", lambda a: clgemm.sgemm(a, a, max_error=10**400)),
    (ValueError, "math is ['strict'], but must be one of: default, strict, tf32, fast, reproducible",
     lambda a: clgemm.sgemm(a, a, math=["strict"])),
    (ValueError, "operand is ['a'], but must be 'a' or 'b'", lambda a: clgemm.prepare(a, operand=["a"])),
    (TypeError, "kernel must be a name or a number, not float", lambda a: clgemm.sgemm(a, a, kernel=3.0)),
    (ValueError, "kernel has a null character in it", lambda a: clgemm.sgemm(a, a, kernel="3\0")),
    (TypeError, "queue must be an integer, not str", lambda a: clgemm.sgemm(a, a, queue="first")),
    (ValueError, "m is too large: 18446744073709551621", lambda a: clgemm.explain(2**64 + 5, 2, 3)),
    (ValueError, "n is negative: -1", lambda a: clgemm.explain(2, -1, 3)),
    (TypeError, "k must be an integer, not float", lambda a: clgemm.explain(2, 2, 3.0)),
    (ValueError, "device is too large: 18446744073709551616", lambda a: clgemm.explain(2, 2, 2, device=2**64)),
    (ValueError, "k is negative: -3", lambda a: clgemm.enqueue_sgemm(1, 2, 2, -3, 1, 1, 1)),
    (ValueError, "off_b is negative: -4", lambda a: clgemm.enqueue_sgemm(1, 2, 2, 2, 1, 1, 1, off_b=-4)),
    (ValueError, "ldc is too large: 18446744073709551618", lambda a: clgemm.enqueue_sgemm(1, 2, 2, 2, 1, 1, 1, ldc=2**64 + 2)),
    (ValueError, "an event in wait_for is negative: -1", lambda a: clgemm.enqueue_sgemm(1, 2, 2, 2, 1, 1, 1, wait_for=[-1])),
    (TypeError, "wait_for must be a list of events, not int",
     lambda a: clgemm.enqueue_sgemm(1, 2, 2, 2, 1, 1, 1, wait_for=5)),
    (TypeError, "alpha must be a real number, not NoneType", lambda a: clgemm.enqueue_sgemm(1, 2, 2, 2, 1, 1, 1, alpha=None)),
    (TypeError, "sizes[1] must be (m, n, k), not 7", lambda a: clgemm.warm_up((1, 2, 3), 7)),
    (TypeError, "sizes[0] must be (m, n, k), not (1, 2)", lambda a: clgemm.warm_up((1, 2))),
    (ValueError, "n in sizes[1] is negative: -2", lambda a: clgemm.warm_up((1, 2, 3), (1, -2, 3))),
    (TypeError, "context must be an integer, not str", lambda a: clgemm.warm_up((1, 2, 3), context="first")),
    (TypeError, "alignment must be an integer, not float", lambda a: clgemm.warm_up((1, 2, 3), alignment=4.0)),
])
def test_wrong_arguments_are_named(error, message, call):
    with pytest.raises(error) as caught:
        call(matrix(4, 4))
    assert str(caught.value) == message


def test_numbers_of_any_kind():
    a, b = matrix(4, 4), matrix(4, 4)
    for two in (2, 2.0, numpy.float32(2), numpy.float64(2), numpy.int8(2), numpy.array(2.0), True + True):
        assert_right(clgemm.sgemm(a, b, alpha=two), a, b, 2)
    assert clgemm.explain(numpy.int64(5), 6, 7) == clgemm.explain(5, 6, 7)


def test_the_librarys_errors():
    with pytest.raises(clgemm.Error, match="no_such_kernel") as caught:
        clgemm.sgemm(matrix(2, 2), matrix(2, 2), kernel="no_such_kernel")
    assert caught.value.status == -3072
    with pytest.raises(clgemm.Error, match="max_error"):
        clgemm.sgemm(matrix(2, 2), matrix(2, 2), max_error=1e-9)
    # As it comes from another process, long after other errors.
    for copy in (pickle.loads(pickle.dumps(caught.value)), copies.copy(caught.value)):
        assert (copy.status, str(copy)) == (caught.value.status, str(caught.value))


NAMES_A_DEVICE = """
import clgemm
try:
    clgemm.explain(2, 2, 2)
except clgemm.Error as error:
    print(ascii(str(error)))
"""


def test_an_error_that_quotes_what_is_no_utf8():
    environment = {**os.environb, b"CLGEMM_DEVICE": b"caf\xe9"}
    done = subprocess.run([sys.executable, "-c", NAMES_A_DEVICE], capture_output=True, text=True, timeout=120, env=environment)
    assert "CLGEMM_DEVICE is 'caf\\ufffd', which is part of no device's name" in done.stdout, done.stderr


def test_options_and_questions():
    assert clgemm.version().count(".") == 2
    assert clgemm.__version__ == clgemm.version()
    name = clgemm.kernel_names()[0]
    a, b = matrix(4, 4), matrix(4, 4)
    assert_right(clgemm.sgemm(a, b, kernel=name, strict=True), a, b)
    assert name in clgemm.explain(4, 4, 4, kernel=name)
    assert clgemm.explain(4, 4, 4, kernel=3) == clgemm.explain(4, 4, 4, kernel="3")


def test_other_accuracies():
    a, b = matrix(4, 4), matrix(4, 4)
    for math in ("default", "strict"):
        assert_right(clgemm.sgemm(a, b, math=math), a, b)
    for math in ("tf32", "fast"):
        assert numpy.allclose(clgemm.sgemm(a, b, math=math), a @ b, rtol=0, atol=2e-3 * (abs(a) @ abs(b)).max())
    assert clgemm._options(None, False, "tf32", None).math == 2
    assert clgemm._options(None, True, "strict", None).math == 1
    assert clgemm._options(None, False, None, 1e-3).max_error == 1e-3
    assert "promise:" in clgemm.explain(4, 4, 4, max_error=1e-3)
    with pytest.raises(ValueError, match="math is 'exact', but must be one of: default, strict, tf32"):
        clgemm.sgemm(a, b, math="exact")
    with pytest.raises(ValueError, match="strict is set, but math is 'fast'"):
        clgemm.sgemm(a, b, strict=True, math="fast")
    with pytest.raises(clgemm.Error, match="max_error is 1e-09") as caught:
        clgemm.sgemm(a, b, max_error=1e-9)
    assert caught.value.status == -3079


def test_warming_up(monkeypatch):
    calls = []
    whole = clgemm._library.clgemm_warm_up
    monkeypatch.setattr(clgemm._library, "clgemm_warm_up", lambda *arguments: calls.append(arguments) or whole(*arguments))
    clgemm.warm_up()
    clgemm.warm_up((5, 6, 7), [8, 9, 10], trans_b=True, beta=1, strict=True)
    context, device, count, (first, second), options = calls[-1]
    assert (context, device, count) == (None, None, 2)
    assert (first.m, first.n, first.k, first.lda, first.ldb, first.ldc) == (5, 6, 7, 7, 7, 6)
    assert (second.m, second.lda, second.trans_a, second.trans_b, second.alpha, second.beta) == (8, 10, 111, 112, 1, 1)
    assert options._obj.alignment == 16 and options._obj.math == 1
    a, b = matrix(5, 7), matrix(7, 6)
    assert_right(clgemm.sgemm(a, b), a, b)
    with pytest.raises(clgemm.Error, match="no OpenCL|without a context"):
        clgemm.warm_up((1, 2, 3), device=1)


def test_device_buffers():
    """By the integers that pyopencl would give, from OpenCL itself."""
    opencl = ctypes.CDLL("libOpenCL.so.1")
    for function in ("clCreateContextFromType", "clCreateCommandQueue", "clCreateBuffer"):
        getattr(opencl, function).restype = ctypes.c_void_p
    pointer, size, bits = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint64
    platform, device = pointer(), pointer()
    assert opencl.clGetPlatformIDs(1, ctypes.byref(platform), None) == 0
    every_type = bits(0xFFFFFFFF)
    assert opencl.clGetDeviceIDs(platform, every_type, 1, ctypes.byref(device), None) == 0
    opencl.clCreateContext.restype = pointer
    context = pointer(opencl.clCreateContext(None, 1, ctypes.byref(device), None, None, None))
    queue = pointer(opencl.clCreateCommandQueue(context, device, bits(0), None))
    read_write_copy = bits(1 | 32)

    a, b, c = matrix(6, 9), matrix(9, 5), matrix(6, 5)
    result = c.copy()
    buffers = [opencl.clCreateBuffer(context, read_write_copy, size(x.nbytes), pointer(x.ctypes.data), None) for x in (a, b, c)]
    first = clgemm.enqueue_sgemm(queue.value, 6, 5, 9, *buffers, alpha=2, beta=1)
    second = clgemm.enqueue_sgemm(queue.value, 6, 5, 9, *buffers, alpha=2, beta=1, wait_for=[first])
    events = (pointer * 1)(second)
    assert opencl.clEnqueueReadBuffer(queue, pointer(buffers[2]), 1, size(0), size(c.nbytes), pointer(result.ctypes.data), 1,
                                      events, None) == 0
    half = clgemm.sgemm(a, b, c.copy(), alpha=2, beta=1, queue=queue.value)
    assert_right(half, a, b, 2, 1, c)
    assert (result == clgemm.sgemm(a, b, half.copy(), alpha=2, beta=1, queue=queue.value)).all()
    for event in (first, second):
        opencl.clReleaseEvent(pointer(event))
    for buffer in buffers:
        opencl.clReleaseMemObject(pointer(buffer))
    opencl.clReleaseCommandQueue(queue)
    opencl.clReleaseContext(context)


@pytest.fixture
def log_as_before():
    yield
    clgemm.set_log(None)


def test_the_log_goes_to_a_function(log_as_before):
    lines = []
    clgemm.set_log(lines.append)
    clgemm.sgemm(matrix(6, 4), matrix(4, 5))
    gc.collect() # nothing but the module holds what the library calls
    clgemm.sgemm(matrix(6, 4), matrix(4, 5))
    clgemm.set_log(None)
    count = len(lines)
    clgemm.sgemm(matrix(6, 4), matrix(4, 5))
    assert len([line for line in lines if line.startswith("sgemm NN 6x5x4 ")]) == 2
    assert len(lines) == count


def test_the_log_goes_to_a_logger(log_as_before, caplog):
    clgemm.set_log(logging.getLogger("clgemm").info)
    with caplog.at_level(logging.INFO, "clgemm"):
        clgemm.sgemm(matrix(6, 4), matrix(4, 5))
    assert any(record.name == "clgemm" and record.getMessage().startswith("sgemm NN 6x5x4 ") for record in caplog.records)


def test_a_log_function_that_raises(log_as_before, monkeypatch):
    said = []
    monkeypatch.setattr("sys.unraisablehook", lambda unraisable: said.append(str(unraisable.exc_value)))
    clgemm.set_log(lambda line: {}["made up"])
    a, b = matrix(6, 4), matrix(4, 5)
    assert_right(clgemm.sgemm(a, b), a, b)
    assert "'made up'" in said


def test_a_log_function_that_is_none():
    with pytest.raises(TypeError, match="function must be callable or None, not str"):
        clgemm.set_log("file.txt")


ENDS_WHILE_OTHERS_LOG = """
import threading, numpy, clgemm
ones = numpy.ones((40, 40), numpy.float32)
lines, some = [], threading.Event()
def add(line):
    lines.append(line)
    some.set()
def multiply():
    while True:
        clgemm.sgemm(ones, ones)
clgemm.sgemm(ones, ones)  # PoCL cannot compile while the process ends
clgemm.set_log(add)
for _ in range(3):
    threading.Thread(target=multiply, daemon=True).start()
assert some.wait(60)
print("it ends")
"""


def test_the_interpreter_ends_while_others_log():
    done = subprocess.run([sys.executable, "-c", ENDS_WHILE_OTHERS_LOG], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout, done.stderr) == (0, "it ends\n", "")
