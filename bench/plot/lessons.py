"""What the course's kernels launch and load: counts that follow from their parameters, for a table and a picture on each page.

The parameters are those that a GPU as large as an H200 takes at 4096, and a CPU with AVX-512 (`kernels_bench --kernel=N` prints them).
"""
from dataclasses import dataclass

# By kernel: the parameters of the GPU, and those of the CPU.
PARAMETERS = {
    1: ({"TSM": 128, "TSN": 4}, {"TSM": 32, "TSN": 4}),
    2: ({"TS": 32}, {"TS": 32}),
    3: ({"TS": 64, "WPT": 32}, {"TS": 8, "WPT": 8}),
    4: ({"TS": 64, "WIDTH": 4}, {"TS": 32, "WIDTH": 16}),
    5: ({"TSM": 128, "TSN": 128, "TSK": 32, "WPTN": 32}, {"TSM": 32, "TSN": 32, "TSK": 16, "WPTN": 8}),
    6: ({"TSM": 128, "TSN": 128, "TSK": 32, "WPTM": 8, "WPTN": 8}, {"TSM": 64, "TSN": 64, "TSK": 16, "WPTM": 8, "WPTN": 8}),
    7: ({"TSM": 128, "TSN": 128, "TSK": 32, "WPTM": 8, "WPTN": 8, "WIDTH": 4},
        {"TSM": 64, "TSN": 64, "TSK": 16, "WPTM": 8, "WPTN": 8, "WIDTH": 4}),
    9: ({"TSM": 128, "TSN": 128, "TSK": 16, "WPTM": 8, "WPTN": 8, "WIDTH": 4},
        {"TSM": 64, "TSN": 64, "TSK": 16, "WPTM": 8, "WPTN": 8, "WIDTH": 4}),
    10: ({"TSM": 128, "TSN": 128, "TSK": 8, "WPTM": 16, "WPTN": 8, "WIDTH": 4},
         {"TSM": 64, "TSN": 32, "TSK": 16, "WPTM": 8, "WPTN": 8, "WIDTH": 4}),
    11: ({"TS": 16, "TSK": 32}, {"TS": 16, "TSK": 32}),
    12: ({"TSM": 64, "TSN": 64, "TSK": 16, "WPTM": 4, "WPTN": 4}, {"TSM": 32, "TSN": 64, "TSK": 8, "WPTM": 4, "WPTN": 4}),
}
PARAMETERS[8] = PARAMETERS[7]

BUFFERS = {1: 0, 9: 2, 10: 2, 12: 2}  # copies of each operand's tile in local memory, where it is not one
PADDING = {5: 2, 6: 2}  # floats that a row of B's tile is longer
VECTOR = 8  # of kernel 11, whose tiles' rows are a vector longer


@dataclass
class Lesson:
    """One kernel in one size."""
    parameters: dict
    m: int  # the tile of C that a work-group computes
    n: int
    k: int  # the depth of a step
    item_m: int  # the elements of C that a work-item computes
    item_n: int
    local_bytes: int
    from_global: float  # floats that are loaded for each product, caches aside
    from_local: float

    @property
    def items(self):
        return self.m // self.item_m, self.n // self.item_n

    def groups(self, size):
        return -(-size // self.m) * -(-size // self.n)


def lesson(number, on_cpu):
    parameters = PARAMETERS[number][1 if on_cpu else 0]
    side = parameters.get("TS", 1)
    m, n = parameters.get("TSM", side), parameters.get("TSN", side)
    k = 1 if number == 1 else parameters.get("TSK", side)
    item_m = parameters.get("WPTM", parameters["WIDTH"] if number == 4 else 1)
    item_n = parameters.get("WPTN", parameters.get("WPT", 1))
    buffers = BUFFERS.get(number, 1)
    rows = k + VECTOR if number == 11 else k
    local_bytes = 4 * buffers * (m * rows + n * (rows + PADDING.get(number, 0)))
    in_items = 1 / item_m + 1 / item_n
    return Lesson(parameters, m, n, k, item_m, item_n, local_bytes, in_items if buffers == 0 else 1 / m + 1 / n,
                  0 if buffers == 0 else in_items)


def in_short(value):
    return f"{value:.3g}"


def rows_of(number, sizes_and_units):
    """Rows of a name and cells, for devices given as (on a CPU or not, size, compute units)."""
    lessons = [(lesson(number, on_cpu), size, units) for on_cpu, size, units in sizes_and_units]
    return [
        ["parameters"] + [", ".join(f"{name}={value}" for name, value in one.parameters.items()) for one, _, _ in lessons],
        ["launch: work-groups x work-items"] + [f"{one.groups(size)} x ({one.items[0]} x {one.items[1]})" for one, size, _ in lessons],
        ["work-groups for each compute unit"] + [in_short(one.groups(size) / units) for one, size, units in lessons],
        ["local memory of a work-group, bytes"] + [f"{one.local_bytes:,}" for one, _, _ in lessons],
        ["elements of C of a work-item"] + [f"{one.item_m} x {one.item_n}" for one, _, _ in lessons],
        ["floats from global memory for a product"] + [in_short(one.from_global) for one, _, _ in lessons],
        ["floats from local memory for a product"] + [in_short(one.from_local) if one.from_local else "-" for one, _, _ in lessons],
    ]
