# NumPy's matrix products in float32, against float64: contiguous, transposed, sliced, strided, reversed and stacked.
#   python3 blas_numpy.py SIZE
import sys

import numpy

size = int(sys.argv[1])
random = numpy.random.default_rng(5)
big_a, big_b = (random.uniform(-1, 1, (2 * size + 3, 2 * size + 5)).astype(numpy.float32) for _ in range(2))


def check(what, a, b):
    product = a @ b
    exact = a.astype(numpy.float64) @ b.astype(numpy.float64)
    magnitude = abs(a).astype(numpy.float64) @ abs(b).astype(numpy.float64)
    assert product.dtype == numpy.float32, what
    assert (abs(product - exact) <= (a.shape[-1] + 3) * 2.0**-24 * magnitude).all(), what


views = {
    "contiguous": lambda x: numpy.ascontiguousarray(x[:size, :size]),
    "transposed": lambda x: numpy.ascontiguousarray(x[:size, :size]).T,
    "Fortran's order": lambda x: numpy.asfortranarray(x[:size, :size]),
    "sliced": lambda x: x[3:3 + size, 5:5 + size],
    "sliced and transposed": lambda x: x[3:3 + size, 5:5 + size].T,
    "every other row": lambda x: x[:2 * size:2, :size],
    "every other column": lambda x: x[:size, :2 * size:2],
    "backwards": lambda x: x[size - 1::-1, :size],
    "broadcast": lambda x: numpy.broadcast_to(x[0, :size], (size, size)),
}
for name_a, view_a in views.items():
    for name_b, view_b in views.items():
        check(f"{name_a} @ {name_b}", view_a(big_a), view_b(big_b))
check("wide @ tall", big_a[:7, :2 * size], big_b[:2 * size, :9])
check("stacked", random.uniform(-1, 1, (3, size, 20)).astype(numpy.float32), big_b[:20, :size])
assert (big_a[:size, :0] @ big_b[:0, :size] == 0).all(), "nothing in between"
assert (big_a[:0, :size] @ big_b[:size, :size]).shape == (0, size), "no rows"
print("right")
