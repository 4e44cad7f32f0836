"""What the kernels of our own launch and load: counts that follow from their parameters, for a table and a picture on each page of
the course from 13 on. (lessons.py has pages 1 to 12, whose kernels are counted alike.)

The parameters are those that an H200, and two cores of a CPU with AVX-512, take for the products that are counted. A product is
(M, N, K), or a batch's (how many products, M, N, K).
"""
import math
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
    title: str = "" # of what is drawn, if it is no tile of C with its rows and columns


@dataclass
class Lesson:
    """A page: for which product it is counted on each kind of device, with which parameters, and what its picture compares."""
    count: object # makes Counts of a product, parameters
    gpu: dict = field(default_factory=dict) # nothing where the kernel is not for it, or cannot run there
    cpu: dict = field(default_factory=dict)
    gpu_product: tuple = (4096, 4096, 4096)
    cpu_product: tuple = (256, 256, 256)
    where: str = "" # on which device, if on none of those that were measured; and how many compute units it has
    units: int = 0
    compared: str = "" # above the picture's bars
    bars: object = None # makes them of Counts: [(name, value)]

    def counts(self, on_cpu):
        parameters, product = (self.cpu, self.cpu_product) if on_cpu else (self.gpu, self.gpu_product)
        return self.count(product, parameters, on_cpu) if parameters else None


# Rows that pictures compare.
LOCAL = "loads from local memory for a product, four floats each"
AT_A_TIME = "elements of C that a work-item has at a time"
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
    adding = [("add the parts of K", up(m, 32) * up(n, 8), 256)] if p["parts"] > 1 else []
    return Counts(
        [("multiply", up(m, p["TSM"]) * up(n, p["NR"]) * p["parts"], items)] + adding,
        4 * max(p["TSK"] * pitch, p["PARTS"] * p["TSM"] * columns),
        [("elements of C of a work-item, and its part of K", f"{p['ROWS']} x {p['NR']}, every {p['PARTS']}th"),
         ("floats from global memory for a product", in_short(1 / p["NR"] + 1 / p["TSM"])),
         ("floats from local memory for a product", in_short(1 / p["ROWS"])),
         ("loads of A that a work-item has under way, four floats each", str(p["ROWS"] // 4 * p["UNROLL"]))],
        (p["TSM"], p["NR"]), (range(0, p["TSM"], p["ROWS"]), ()), (), ((0, 0, p["ROWS"], p["NR"]),),
        f"dark: what the first {p['PARTS']} work-items share")


def small_batch(product, p, _):
    """Products of one block, NN, with all of K in one step, whose operands are copied as vectors."""
    count, m, n, k = product
    tiles_m, tiles_n = up(m, p["WPTM"]), up(n, p["WPTN"])
    together = min(p["ITEMS"] // (tiles_m * tiles_n), count)
    depth = 4 * up(k, 4)
    of_a = depth * 4 * up(tiles_m * p["WPTM"], 4) # as it lies, in columns
    of_b = tiles_n * p["WPTN"] * (8 * up(depth, 8) + 4) # runs along K, four floats longer than a multiple of eight
    taken = together * sum(16 * up(floats, 16) | 16 for floats in (of_a, of_b)) # an odd multiple of 16 floats for each
    assert 0 < together and taken <= p["FLOATS"] and m % 4 == 0 and k % 4 == 0, "other counts hold for others"
    side = min(p["WPTM"], 4) # neighbouring rows, which lie tiles apart from the next ones; columns lie tiles apart alone
    wide = math.isqrt(together - 1) + 1 # products beside one another in the picture
    return Counts(
        [("multiply", up(count, together), p["ITEMS"])], 4 * p["FLOATS"],
        [("products of a work-group", str(together)),
         ("work-items of each, elements of C of each of these", f"{tiles_m * tiles_n}, {p['WPTM']} x {p['WPTN']}"),
         ("floats of local memory that their operands take", whole(taken)),
         ("vectors that a work-item copies, four floats each", in_short(together * (m * k + k * n) / 4 / p["ITEMS"])),
         ("floats from global memory for a product of floats", in_short(1 / m + 1 / n)),
         ("floats from local memory for a product of floats", in_short(1 / p["WPTM"] + 1 / p["WPTN"])),
         ("floats of C for a product of floats", in_short(1 / k))],
        (up(together, wide) * m, wide * n), (range(0, up(together, wide) * m, m), range(0, wide * n, n)), ((0, 0, m, n),),
        tuple((i * tiles_m * side, j * tiles_n, side, 1) for i in range(p["WPTM"] // side) for j in range(p["WPTN"])),
        "light: the first one, dark: its first work-item's", f"C of a work-group's {together} products, {m} x {n} each")


def shallow(product, p, _):
    m, n, k = product
    rows, strands, depth = p["LANES"] * p["ROWS"], p["ITEMS"] // p["LANES"], min(4 * up(k, 4), 32)
    return Counts(
        [("multiply", up(m, rows) * up(n, p["TSN"]), p["ITEMS"])], 4 * p["TSN"] * depth,
        [(AT_A_TIME, str(p["ROWS"])),
         ("columns of C that it computes, one after the other", str(p["TSN"] // strands)),
         ("floats of A that it keeps in registers", str(p["ROWS"] * depth)),
         ("floats from global memory for a product", in_short(strands / p["TSN"] + 1 / rows)),
         ("floats from local memory for a product", in_short(1 / p["ROWS"])),
         ("floats of C for a product", in_short(1 / k)),
         ("share of C in all elements of A, B and C", f"{m * n / (m * n + (m + n) * k):.3f}")],
        (rows, p["TSN"]), (range(0, rows, p["LANES"]), ()), tuple((0, column, rows, 1) for column in range(0, p["TSN"], strands)),
        tuple((i * p["LANES"], column, 1, 1) for i in range(p["ROWS"]) for column in range(0, p["TSN"], strands)),
        "light: its first strand's, dark: a lane's of it")


# ---- tensor cores. A warpgroup orders 64 rows of the transposed tile by as many columns as it has, 16 of K at once (wgmma); a warp
# orders 16 by 8, 16 of K (mma). All multiply numbers of 16 bits.

SPLIT_AT_ONCE = 4096 # elements that a work-group of `split` takes


def splitting(rows_a, rows_b, k):
    """The launch of `split`: images have whole blocks of 128 rows."""
    return ("split", (up(rows_a, 128) + up(rows_b, 128)) * 128 * up(k, 32) * 32 // SPLIT_AT_ONCE, 256)


def stretches(k):
    """The number of parts of K in which `largest` looks for the largest magnitudes."""
    return up(k, max(128, up(up(k, 16), 32) * 32))


def finding_the_largest(rows_a, rows_b, k):
    """The launch of `largest`: a work-group takes 32 rows of an image, and a stretch of K."""
    return ("find the largest", (up(rows_a, 32) + up(rows_b, 32)) * stretches(k), 256)


def from_images(pieces, products, scaled=False):
    """Kernels that multiply images of the operands. scaled: by powers of two, which follow from what `largest` finds."""
    def count(product, p, _):
        m, n, k = product
        rows_at_once = p["TSM"] if p["TSM"] <= 128 else p["TSM"] // 2
        order = 64 * rows_at_once * 16
        tiles_m, tiles_n = up(m, p["TSM"]), up(n, p["TSN"])
        image = tiles_m * p["TSM"], tiles_n * p["TSN"], k
        return Counts(
            ([finding_the_largest(*image)] if scaled else []) + [splitting(*image), ("multiply", tiles_m * tiles_n, 384)],
            p["STAGES"] * (p["TSM"] + p["TSN"]) * p["TSK"] * 2 * pieces,
            [("products of 16 bits for a product of floats", str(products)),
             (PRODUCTS, whole(order / products)),
             ("bytes of images from global memory for a product", in_short(2 * pieces * (1 / p["TSM"] + 1 / p["TSN"])))] +
            ([("bytes that `largest` reads for an element", "4")] if scaled else []) + [(MOVED, str(4 + 2 * pieces))] +
            ([("words that `largest` writes for a row, of which `split` takes the largest", str(stretches(k)))] if scaled else []),
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


LAUNCHES = "launches for a product"


def tensor_rounded(product, p, _):
    """With 128 columns: each consumer has 64 of them."""
    m, n, _ = product
    return Counts(
        [("multiply", up(m, p["TSM"]) * up(n, p["TSN"]), 384)],
        p["STAGES"] * (p["TSM"] + p["TSN"]) * p["TSK"] * 4,
        [(LAUNCHES, "1"),
         ("products of TF32 numbers for a product of floats", "1"),
         (PRODUCTS, whole(64 * min(p["TSM"], 128) * 8)),
         ("bytes of floats from global memory for a product", in_short(4 * (1 / p["TSM"] + 1 / p["TSN"]))),
         ("orders that bring a stage of both operands along K", "2")],
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


def cpu_amx(product, p, _):
    """In one launch, in which each work-group packs its own panels."""
    m, n, k = product
    blocks_m, blocks_n = p["blocks"]
    return Counts(
        [("multiply", blocks_m * blocks_n, 1)], 10 * p["TSK"] * 32 * 6,
        [("products of 16 bits for a product of floats", "6"),
         (PRODUCTS, whole(16 * 16 * 32 / 6)),
         ("loads of AMX tiles for each of these instructions", in_short(14 / 24)),
         (PACKED, whole(32 * (up(m, 32) * blocks_n + up(n, 32) * blocks_m) * k))],
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
    "14": Lesson(from_images(3, 6), {**IMAGES, "TSM": 112, "STAGES": 3}, compared="products of floats by one instruction",
                 bars=lambda counts: [("kernel 13", 32), ("kernel 14", value(counts, PRODUCTS))]),
    "15": Lesson(skinny, {"NR": 16, "TSM": 128, "ROWS": 8, "PARTS": 8, "LANES": 8, "UNROLL": 2, "TSK": 256, "parts": 8},
                 {"NR": 1, "TSM": 128, "ROWS": 4, "PARTS": 8, "LANES": 8, "UNROLL": 4, "TSK": 1024, "parts": 1},
                 gpu_product=FEW, cpu_product=FEW,
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
    "tensor_tf32": Lesson(from_images(1, 1, scaled=True), {**IMAGES, "STAGES": 6}, compared="products of 16 bits for each product",
                          bars=lambda _: [("kernel 14", 6), ("tensor_fast", 3), ("tensor_tf32", 1)]),
    "tensor_fast": Lesson(from_images(2, 3, scaled=True), {**IMAGES, "STAGES": 4}, compared="products of 16 bits for each product",
                          bars=lambda _: [("kernel 14", 6), ("tensor_fast", 3), ("tensor_tf32", 1)]),
    "tensor_rounded": Lesson(tensor_rounded, {**IMAGES, "STAGES": 4}, gpu_product=(2048, 2048, 2048), compared=LAUNCHES,
                             bars=lambda counts: [("tensor_tf32", 3), ("tensor_rounded", value(counts, LAUNCHES))]),
    "cpu_amx": Lesson(cpu_amx, cpu={"TSK": 512, "blocks": (4, 1)}, cpu_product=(1024, 1024, 1024),
                      compared="products of floats by one instruction", where="2 cores of a CPU with AMX tiles", units=2,
                      bars=lambda counts: [("kernel 16", 16), ("cpu_amx", value(counts, PRODUCTS))]),
    "small_batch": Lesson(small_batch, {"WPTM": 4, "WPTN": 4, "ITEMS": 64, "FLOATS": 4608},
                          {"WPTM": 4, "WPTN": 2, "ITEMS": 128, "FLOATS": 9216}, (100_000, 8, 8, 8), (20_000, 8, 8, 8),
                          compared="work-groups for 100,000 products of 8 x 8 x 8", # kernel 13 has one for a tile of a product
                          bars=lambda counts: [("kernel 13", 100_000), ("small_batch", counts.launches[0][1])]),
    "shallow": Lesson(shallow, {"TSN": 64, "LANES": 32, "ROWS": 1, "ITEMS": 128}, {"TSN": 64, "LANES": 32, "ROWS": 2, "ITEMS": 64},
                      (8192, 8192, 4), (1024, 1024, 4), compared=AT_A_TIME,
                      bars=lambda counts: [("kernel 13, 128 x 128", 8 * 8), ("shallow", value(counts, AT_A_TIME))]),
}


def size_in_words(product):
    """A square by one number; a batch with how many products it has."""
    *count, m, n, k = product
    return f"{count[0]}*{m}x{n}x{k}" if count else str(m) if m == n == k else f"{m}x{n}x{k}"


def parameters_in_words(parameters):
    return ", ".join(f"{name}={value}" for name, value in parameters.items() if name not in HIDDEN)


def rows_of(name, kinds_and_units):
    """Rows of a name and cells, for devices given as (on a CPU or not, compute units) for which the kernel is counted."""
    page = OWN[name]
    columns = [(page.counts(on_cpu), page.cpu if on_cpu else page.gpu, units) for on_cpu, units in kinds_and_units]
    first = columns[0][0]
    launched = [{what: numbers for what, *numbers in counts.launches} for counts, _, _ in columns]
    rows = [["parameters"] + [parameters_in_words(parameters) for _, parameters, _ in columns]]
    for what in dict.fromkeys(what for launches in launched for what in launches):
        rows.append([f"{what}: work-groups x work-items"] +
                    ["{:,} x {}".format(*launches[what]) if what in launches else "-" for launches in launched])
    rows.append(["work-groups for each compute unit"] +
                [in_short(launches["multiply"][0] / units) for launches, (_, _, units) in zip(launched, columns)])
    rows.append(["local memory of a work-group, bytes"] +
                [f"{counts.local_bytes:,}" if counts.local_bytes else "-" for counts, _, _ in columns])
    return rows + [[row] + [counts.rows[place][1] for counts, _, _ in columns] for place, (row, _) in enumerate(first.rows)]
