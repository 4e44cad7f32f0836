"""What the kernels of our own launch and load: counts that follow from their parameters, for a table and a picture on each page of
the course from 13 on. (lessons.py has pages 1 to 12, whose kernels are counted alike.)

The parameters are those that an H200, and two cores of a CPU with AVX-512, take for the products that are counted.
"""
from dataclasses import dataclass, field

from lessons import in_short, lesson


@dataclass
class Counts:
    """One kernel in one size, on one device."""
    launches: list # (what it does, work-groups, work-items of each)
    local_bytes: int
    rows: list # what else is counted: (name, value)
    tile: tuple # of C: its rows and columns, and what is drawn into it
    cuts: tuple = () # where lines divide the tile's rows, its columns
    light: tuple = () # rectangles (row, column, rows, columns) of one warp, or of what is its counterpart
    dark: tuple = () # and of one work-item
    says: str = "" # below the tile


@dataclass
class Lesson:
    """A page: for which product it is counted on each kind of device, with which parameters, and what its picture compares."""
    count: object # makes Counts of a product, parameters
    gpu: dict = field(default_factory=dict) # nothing where the kernel is not for it, or cannot run there
    cpu: dict = field(default_factory=dict)
    gpu_product: tuple = (4096, 4096, 4096)
    cpu_product: tuple = (256, 256, 256)
    where: str = "" # on which device, if on none of those that were measured
    compared: str = "" # above the picture's bars
    bars: object = None # makes them of Counts: [(name, value)]

    def counts(self, on_cpu):
        parameters, product = (self.cpu, self.cpu_product) if on_cpu else (self.gpu, self.gpu_product)
        return self.count(product, parameters, on_cpu) if parameters else None


# Rows that pictures compare.
LOCAL = "loads from local memory for a product, four floats each"
PRODUCTS = "products of floats by an instruction"
CACHES = "floats from caches for a product"
PACKED = "floats that are packed"
MOVED = "bytes that `split` reads and writes for an element"


def up(size, part):
    return -(-size // part)


def whole(value):
    return f"{value:,.0f}"


# ---- FP32 multipliers of a GPU

def warp_tiled(product, p, on_cpu):
    m, n, _ = product
    warps = p["TSM"] // p["WTM"] * (p["TSN"] // p["WTN"])
    items = 32 * warps * p["SLICES"]
    longer = 4 if on_cpu else 0 # a row of B's tile, where B is turned on its way: the CPU's product is NN, the GPU's NT
    lanes_m, lanes_n = p["WTM"] // p["WPTM"], p["WTN"] // p["WPTN"]
    return Counts(
        [("multiply", up(m, p["TSM"]) * up(n, p["TSN"]), items)],
        4 * p["STAGES"] * p["TSK"] * (p["TSM"] + p["TSN"] + longer),
        [("elements of C of a work-item", f"{p['WPTM']} x {p['WPTN']}"),
         ("floats from global memory for a product", in_short(1 / p["TSM"] + 1 / p["TSN"])),
         ("floats from local memory for a product", in_short(1 / p["WPTM"] + 1 / p["WPTN"])),
         (LOCAL, in_short((1 / p["WPTM"] + 1 / p["WPTN"]) / 4)),
         ("different floats that a warp reads for a product", in_short(1 / p["WTM"] + 1 / p["WTN"]))],
        (p["TSM"], p["TSN"]), (range(0, p["TSM"], p["WTM"]), range(0, p["TSN"], p["WTN"])), ((0, 0, p["WTM"], p["WTN"]),),
        tuple((i * 4 * lanes_m, j * 4 * lanes_n, 4, 4) for i in range(p["WPTM"] // 4) for j in range(p["WPTN"] // 4)),
        "light: its first warp's, dark: that warp's first work-item's")


def skinny(product, p, _):
    m, n, _ = product
    items = p["TSM"] // p["ROWS"] * p["PARTS"]
    pitch = p["NR"] + (4 if p["NR"] > 4 else 0)
    columns = p["NR"] # of the sums that local memory takes at the end
    while columns > 1 and p["PARTS"] * p["TSM"] * columns > 5120:
        columns //= 2
    return Counts(
        [("multiply", up(m, p["TSM"]) * up(n, p["NR"]) * p["parts"], items), ("add the parts of K", up(m, 32) * up(n, 8), 256)],
        4 * max(p["TSK"] * pitch, p["PARTS"] * p["TSM"] * columns),
        [("elements of C of a work-item, and its part of K", f"{p['ROWS']} x {p['NR']}, every {p['PARTS']}th"),
         ("floats from global memory for a product", in_short(1 / p["NR"] + 1 / p["TSM"])),
         ("floats from local memory for a product", in_short(1 / p["ROWS"])),
         ("loads of A that a work-item has under way, four floats each", str(p["ROWS"] // 4 * p["UNROLL"]))],
        (p["TSM"], p["NR"]), (range(0, p["TSM"], p["ROWS"]), ()), (), ((0, 0, p["ROWS"], p["NR"]),),
        f"dark: what the first {p['PARTS']} work-items share")


# ---- tensor cores. A warpgroup orders 64 rows of the transposed tile by as many columns as it has, 16 of K at once (wgmma); a warp
# orders 16 by 8, 16 of K (mma). All multiply numbers of 16 bits.

SPLIT_AT_ONCE = 4096 # elements that a work-group of `split` takes


def splitting(rows_a, rows_b, k):
    """The launch of `split`: images have whole blocks of 128 rows."""
    return ("split", (up(rows_a, 128) + up(rows_b, 128)) * 128 * up(k, 32) * 32 // SPLIT_AT_ONCE, 256)


def from_images(pieces, products, by_split=False):
    """Kernels that multiply images of the operands. by_split: which `split` alone has made."""
    def count(product, p, _):
        m, n, k = product
        rows_at_once = p["TSM"] if p["TSM"] <= 128 else p["TSM"] // 2
        order = 64 * rows_at_once * 16
        tiles_m, tiles_n = up(m, p["TSM"]), up(n, p["TSN"])
        launches = [splitting(tiles_m * p["TSM"], tiles_n * p["TSN"], k)] if by_split else []
        return Counts(
            launches + [("multiply", tiles_m * tiles_n, 384)],
            p["STAGES"] * (p["TSM"] + p["TSN"]) * p["TSK"] * 2 * pieces,
            [("products of 16 bits for a product of floats", str(products)),
             (PRODUCTS, whole(order / products)),
             ("bytes of images from global memory for a product", in_short(2 * pieces * (1 / p["TSM"] + 1 / p["TSN"])))] +
            ([(MOVED, str(4 + 2 * pieces))] if by_split else []),
            (p["TSM"], p["TSN"]), ((), range(0, p["TSN"], 64)), ((0, 0, p["TSM"], 64),),
            ((0, 0, rows_at_once, 64),) if rows_at_once < p["TSM"] else (),
            "light: one warpgroup's" + (", dark: by one instruction" if rows_at_once < p["TSM"] else ""))
    return count


def tensor_mma(product, p, _):
    m, n, k = product
    order = 16 * 8 * 16
    matrices = (32 + p["TSM"] // 2) * 16 * 3 / 256 # a load brings 256 numbers
    orders = 6 * 32 * (p["TSM"] // 2) * 16 / order
    return Counts(
        [splitting(m, n, k), ("multiply", up(m, p["TSM"]) * up(n, p["TSN"]), 2 * p["TSN"])],
        p["STAGES"] * (p["TSM"] + p["TSN"]) * p["TSK"] * 6,
        [("products of 16 bits for a product of floats", "6"),
         (PRODUCTS, whole(order / 6)),
         ("orders of a warp for 16 of K", in_short(orders)),
         ("loads from local memory for these orders (`ldmatrix`)", in_short(matrices)),
         ("bytes of images from global memory for a product", in_short(6 * (1 / p["TSM"] + 1 / p["TSN"])))],
        (p["TSM"], p["TSN"]), (range(0, p["TSM"], 32), range(0, p["TSN"], p["TSM"] // 2)), ((0, 0, 32, p["TSM"] // 2),), ((0, 0, 32, 16),),
        "light: its first warp's, dark: one strip of that")


def tensor_direct(product, p, _):
    m, n, _ = product
    tiles_m, tiles_n = up(m, p["TSM"]), up(n, p["TSN"])
    return Counts(
        [("multiply", tiles_m * tiles_n, 384)],
        p["STAGES"] * p["TSM"] * p["TSK"] * 6 + 8 * p["TSM"] * p["TSK"] * 4,
        [("products of 16 bits for a product of floats", "6"),
         (PRODUCTS, whole(64 * p["TSM"] * 16 / 6)),
         ("bytes of floats from global memory for a product", in_short(4 * (1 / p["TSM"] + 1 / p["TSN"]))),
         (MOVED, "0"),
         ("times that an element of A, of B is split", f"{tiles_n}, {tiles_m}")],
        (p["TSM"], p["TSN"]), ((), range(0, p["TSN"], 64)), ((0, 0, p["TSM"], 64),), (), "light: one consumer's")


# ---- CPUs, whose work-group is one work-item

def vectors(p):
    """What kernels 16 and 17 count alike: a tile of vectors."""
    along_m, registers = p["WPTM"] // p["WIDTH"], (p["WPTM"] // p["WIDTH"]) * (p["WPTN"] + 1) + 1
    return [("elements of C at a time; vector registers for them and their operands",
             f"{p['WPTM']} x {p['WPTN']}, {registers}"),
            (CACHES, in_short(1 / p["WPTM"] + 1 / p["WPTN"])),
            ("products by an instruction", str(p["WIDTH"])),
            ("loads for each of these instructions", in_short((along_m + p["WPTN"]) / (along_m * p["WPTN"])))]


def tile_of_vectors(p):
    return {"tile": (4 * p["WPTM"], 8 * p["WPTN"]), "cuts": (range(0, 4 * p["WPTM"], p["WPTM"]), range(0, 8 * p["WPTN"], p["WPTN"])),
            "light": ((0, 0, p["WPTM"], p["WPTN"]),), "dark": ((0, 0, p["WIDTH"], 1),), "says": "light: in registers, dark: one of them"}


def cpu_packed(product, p, _):
    m, n, k = product
    panels_m, panels_n = up(m, p["WPTM"]), up(n, p["WPTN"])
    return Counts(
        [("pack", (panels_m + panels_n) * up(k, p["TSK"]), 1), ("multiply", p["blocks"][0] * p["blocks"][1], 1)], 0,
        vectors(p) + [("bytes of a panel of B, a block of K deep", f"{4 * p['WPTN'] * min(k, p['TSK']):,}"),
                      (PACKED, f"{(panels_m * p['WPTM'] + panels_n * p['WPTN']) * k:,}")], **tile_of_vectors(p))


def cpu_fused(product, p, _):
    m, _, k = product
    return Counts(
        [("multiply", p["blocks"][0] * p["blocks"][1], 1)], 4 * p["TSM"] * p["TSK"],
        vectors(p) + [(PACKED, f"{m * k * p['blocks'][1]:,}")], **tile_of_vectors(p))


def cpu_vector(product, p, _):
    m, n, k = product
    return Counts(
        [("multiply", p["blocks"][0] * p["blocks"][1], 1)], 4 * p["COLUMNS"] * (p["TSM"] + p["TSK"]),
        [("streams of A at a time", str(p["DEPTH"])),
         ("times that an element of A is read", str(up(n, p["COLUMNS"]))),
         ("floats of A from memory for a product", in_short(1 / p["COLUMNS"])),
         ("products by an instruction", str(p["WIDTH"])),
         (PACKED, "0")],
        (8 * p["WIDTH"], p["COLUMNS"]), (range(0, 8 * p["WIDTH"], p["WIDTH"]), ()), ((0, 0, 8 * p["WIDTH"], p["COLUMNS"]),),
        ((0, 0, p["WIDTH"], p["COLUMNS"]),), "dark: the sums of one vector of A's rows")


def cpu_amx(_, p, __):
    return Counts(
        [], 9 * p["TSK"] * 32 * 6,
        [("products of 16 bits for a product of floats", "6"),
         (PRODUCTS, whole(16 * 16 * 32 / 6)),
         ("loads of AMX tiles for each of these instructions", in_short(14 / 24))],
        (32, 32), (range(0, 32, 16), range(0, 32, 16)), ((0, 0, 16, 16),), (), "light: the sums of one AMX tile")


def value(counts, name):
    """A row's number, for a bar."""
    return float(dict(counts.rows)[name].replace(",", ""))


HIDDEN = ("blocks", "parts") # of C and K: what the library chose with the parameters, but is none
FEW = (4096, 16, 4096)
IMAGES = {"TSM": 256, "TSN": 128, "TSK": 32}

OWN = {
    "13": Lesson(warp_tiled,
                 {"TSM": 128, "TSN": 128, "TSK": 16, "STAGES": 2, "WTM": 64, "WTN": 32, "WPTM": 8, "WPTN": 8, "SLICES": 1},
                 {"TSM": 64, "TSN": 64, "TSK": 16, "STAGES": 2, "WTM": 32, "WTN": 64, "WPTM": 8, "WPTN": 8, "SLICES": 1},
                 compared="loads from local memory for each product",
                 bars=lambda counts: [("kernel 10", lesson(10, False).from_local), ("kernel 13", value(counts, LOCAL))]),
    "14": Lesson(from_images(3, 6, by_split=True), {**IMAGES, "TSM": 112, "STAGES": 3}, compared="products of floats by one instruction",
                 bars=lambda counts: [("kernel 13", 32), ("kernel 14", value(counts, PRODUCTS))]),
    "15": Lesson(skinny, {"NR": 16, "TSM": 128, "ROWS": 8, "PARTS": 8, "LANES": 8, "UNROLL": 2, "TSK": 256, "parts": 8}, gpu_product=FEW,
                 compared="floats from local memory for each product",
                 bars=lambda counts: [("kernel 13, 32 x 16", 1 / 4 + 1 / 4),
                                      ("kernel 15", value(counts, "floats from local memory for a product"))]),
    "16": Lesson(cpu_packed, cpu={"WIDTH": 16, "WPTM": 48, "WPTN": 8, "TSK": 384, "blocks": (1, 4)},
                 compared="floats from caches for each product",
                 bars=lambda counts: [("kernel 13", 1 / 8 + 1 / 8), ("kernel 16", value(counts, CACHES))]),
    "17": Lesson(cpu_fused, cpu={"WIDTH": 16, "WPTM": 64, "WPTN": 4, "TSM": 192, "TSK": 384, "blocks": (4, 1)},
                 compared="floats that are packed for a product of 256",
                 bars=lambda counts: [("kernel 16", value(OWN["16"].counts(True), PACKED)), ("kernel 17", value(counts, PACKED))]),
    "18": Lesson(cpu_vector, cpu={"WIDTH": 16, "COLUMNS": 16, "TSM": 1024, "TSK": 512, "DEPTH": 16, "ROWS": 4, "blocks": (4, 1)},
                 cpu_product=FEW, compared="floats that are packed for 4096 x 16 x 4096",
                 bars=lambda counts: [("kernel 17", 4096 * 4096), ("kernel 18", value(counts, PACKED))]),
    "19": Lesson(tensor_mma, {"TSM": 128, "TSN": 64, "TSK": 16, "STAGES": 2}, compared="products of floats by one instruction",
                 bars=lambda counts: [("kernel 14", value(OWN["14"].counts(False), PRODUCTS)), ("kernel 19", value(counts, PRODUCTS)),
                                      ("kernel 13", 32)]),
    "20": Lesson(tensor_direct, {"TSM": 64, "TSN": 128, "TSK": 32, "STAGES": 4}, gpu_product=(1024, 1024, 1024),
                 compared="bytes that split moves for each element",
                 bars=lambda counts: [("kernel 14", value(OWN["14"].counts(False), MOVED)), ("kernel 20", value(counts, MOVED))]),
    "tensor_tf32": Lesson(from_images(1, 1), {**IMAGES, "STAGES": 6}, compared="products of 16 bits for each product",
                          bars=lambda _: [("kernel 14", 6), ("tensor_fast", 3), ("tensor_tf32", 1)]),
    "tensor_fast": Lesson(from_images(2, 3), {**IMAGES, "STAGES": 4}, compared="products of 16 bits for each product",
                          bars=lambda _: [("kernel 14", 6), ("tensor_fast", 3), ("tensor_tf32", 1)]),
    "cpu_amx": Lesson(cpu_amx, cpu={"TSK": 512}, compared="products of floats by one instruction", where="a CPU with AMX tiles",
                      bars=lambda counts: [("kernel 16", 16), ("cpu_amx", value(counts, PRODUCTS))]),
}


def size_in_words(product):
    return str(product[0]) if len(set(product)) == 1 else "x".join(map(str, product))


def parameters_in_words(parameters):
    return ", ".join(f"{name}={value}" for name, value in parameters.items() if name not in HIDDEN)


def rows_of(name, kinds_and_units):
    """Of each device (on a CPU or not, compute units) for which the kernel is counted: a row's name and cells."""
    page = OWN[name]
    columns = [(page.counts(on_cpu), page.cpu if on_cpu else page.gpu, units) for on_cpu, units in kinds_and_units]
    first = columns[0][0]
    rows = [["parameters"] + [parameters_in_words(parameters) for _, parameters, _ in columns]]
    for place, (what, _, _) in enumerate(first.launches):
        rows.append([f"{what}: work-groups x work-items"] + ["{:,} x {}".format(*counts.launches[place][1:]) for counts, _, _ in columns])
    multiplying = [place for place, (what, _, _) in enumerate(first.launches) if what == "multiply"]
    for place in multiplying:
        rows.append(["work-groups for each compute unit"] +
                    [in_short(counts.launches[place][1] / units) for counts, _, units in columns])
    rows.append(["local memory of a work-group, bytes"] +
                [f"{counts.local_bytes:,}" if counts.local_bytes else "-" for counts, _, _ in columns])
    return rows + [[row] + [counts.rows[place][1] for counts, _, _ in columns] for place, (row, _) in enumerate(first.rows)]
