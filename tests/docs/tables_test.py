#!/usr/bin/env python3
"""Checks what bench/plot/measure asks for, and the tables that bench/plot makes of measurements: of made-up ones, whose means can be
told by heart, and of those that `measure --smoke` wrote.

    MEASURED=FOLDER BUILD=FOLDER tables_test.py
"""
import copy
import ctypes
import importlib.machinery
import importlib.util
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.dont_write_bytecode = True
PLOT = pathlib.Path(__file__).resolve().parents[2] / "bench" / "plot"
sys.path.insert(0, str(PLOT))
import lessons
import own_lessons
import results
import single_numbers
import tables

measure = importlib.util.module_from_spec(importlib.util.spec_from_loader(
    "measure", importlib.machinery.SourceFileLoader("measure", str(PLOT / "measure"))))
measure.__loader__.exec_module(measure)
BUILD = pathlib.Path(os.environ["BUILD"])
MEASURED = pathlib.Path(os.environ["MEASURED"])


class Call(ctypes.Structure):
    """clgemm_call of include/clgemm/clgemm.h."""
    _fields_ = [(name, {"i": ctypes.c_int, "z": ctypes.c_size_t, "f": ctypes.c_float}[kind]) for name, kind in (
        ("size", "z"), ("layout", "i"), ("transA", "i"), ("transB", "i"), ("m", "z"), ("n", "z"), ("k", "z"), ("alpha", "f"), ("offA", "z"),
        ("lda", "z"), ("offB", "z"), ("ldb", "z"), ("beta", "f"), ("offC", "z"), ("ldc", "z"), ("batch", "z"), ("distA", "z"),
        ("distB", "z"), ("distC", "z"), ("indirect", "z"))]


class Options(ctypes.Structure):
    """clgemm_options."""
    _fields_ = [("size", ctypes.c_size_t), ("kernel", ctypes.c_char_p), ("math", ctypes.c_int), ("workspace", ctypes.c_void_p),
                ("workspace_limit", ctypes.c_size_t), ("alignment", ctypes.c_size_t), ("max_error", ctypes.c_double)]


def explained(product, kernel):
    """What the library says that this product, or batch, would do by column-major matrices without gaps."""
    library = ctypes.CDLL(str(BUILD / "src" / "libclgemm.so"))
    library.clgemm_last_error.restype = ctypes.c_char_p
    *count, m, n, k = product
    call = Call(size=ctypes.sizeof(Call), layout=102, transA=111, transB=111, m=m, n=n, k=k, alpha=1, lda=m, ldb=k, ldc=m,
                batch=count[0] if count else 0, distA=m * k, distB=k * n, distC=m * n)
    options, text = Options(size=ctypes.sizeof(Options), kernel=kernel.encode()), ctypes.create_string_buffer(1 << 14)
    if library.clgemm_call_explain(ctypes.byref(call), None, ctypes.byref(options), text, ctypes.c_size_t(len(text)), None) != 0:
        raise RuntimeError(library.clgemm_last_error().decode())
    return text.value.decode()


def made_up(kind, contenders, products, others=0.0):
    """A result of sgemm_bench. products: (suite, size, transposes, GFLOP/s of each contender, None for a wrong result)."""
    suites = {}
    for suite, shape, transposes, speeds in products:
        m, n, k = shape
        gflops = dict(zip(contenders, speeds))
        suites.setdefault(suite, []).append({"m": m, "n": n, "k": k, "transposes": transposes, "gflops": gflops,
                                             "best_gflops": gflops})
    return {"command": "sgemm_bench --json", "date": "a day", "clgemm": "1.2.3",
            "device": {"platform": "P", "name": "Card", "type": kind, "driver": "7"},
            "host": {"processor": "Core", "processors": 2, "load": 9, "others": others},
            "contenders": [{"name": name, "description": f"about {name}"} for name in contenders] +
                          [{"name": "clblas", "absent": "not here"}],
            "suites": [{"name": name, "products": of} for name, of in suites.items()]}


def filled(name, *devices):
    return tables.written(f"<!-- table: {name} -->\nas it was\n<!-- end of table -->",
                          [{"name": "made_up", **device} for device in devices])


def cells(text, first):
    """The cells of the row that begins so."""
    row = next(line for line in text.splitlines() if line.startswith(f"| {first} |"))
    return [cell.strip() for cell in row.strip("|").split("|")]


GPU = made_up("GPU", ["clgemm", "cublas", "clblast"], [
    ("one", (64, 64, 64), "NN", (4000, 2000, 1000)), ("one", (64, 64, 64), "TT", (8000, 1000, None)),
    ("two", (8, 16, 32), "NN", (3000, 4000, 1000)), ("two", (8, 16, 32), "TT", (None, 4000, 1000))])
CPU = made_up("CPU", ["clgemm", "openblas", "blis"], [
    ("one", (64, 64, 64), "NN", (200, 50, 100)), ("one", (64, 64, 64), "TT", (400, 50, 20)),
    ("two", (8, 8, 8), "NN", (1, 2, 4)), ("two", (8, 8, 8), "TT", (1, 4, None))])
CLBLAST = made_up("CPU", ["clgemm", "clblast"], [("shapes", (64, 64, 64), "NN", (200, 20))])
HOST = made_up("GPU", ["clgemm-host", "cublas-host"], [
    ("host", (100, 100, 100), "NN", (2, 1)), ("host", (10, 100, 1000), "NN", (4, 8))])


class Tables(unittest.TestCase):
    def test_next_to_others_on_a_gpu(self):
        text = filled("gpu", {"shapes": GPU})
        self.assertEqual(cells(text, "one"), ["one", "2", "4.00", "2.00 (64 NN)", "4.00", "4.00 (64 NN)"]) # 2 and 8; 4, and one wrong
        self.assertEqual(cells(text, "two"), ["two", "2", "0.75", "0.75 (8x16x32 NN)", "3.00", "3.00 (8x16x32 NN)"])
        self.assertEqual(cells(text, "all")[:2], ["all", "4"])
        self.assertEqual(cells(text, "64x64x64"), ["64x64x64", "4 / 2 = 2.00", "8 / 1 = 8.00"])
        self.assertEqual(cells(text, "8x16x32"), ["8x16x32", "3 / 4 = **0.75**", "failed / 4"])
        for part in ("Card, driver 7, on 2 cores of a Core; clgemm 1.2.3; a day;", "    sgemm_bench --json", "- about cublas",
                     "**two**, TFLOP/s, clgemm / cuBLAS in FP32:"):
            self.assertIn(part, text)
        self.assertNotIn("as it was", text)

    def test_strict_on_a_gpu_is_a_measurement_of_its_own(self):
        self.assertIn("as it was", filled("gpu strict", {"shapes": GPU}))
        strict = {**copy.deepcopy(GPU), "command": "CLGEMM_MATH=strict sgemm_bench"}
        self.assertIn("    CLGEMM_MATH=strict sgemm_bench", filled("gpu strict", {"shapes": GPU, "strict_shapes": strict}))

    def test_batches_say_how_many_products_they_have(self):
        batches = copy.deepcopy(GPU)
        for product in batches["suites"][0]["products"]:
            product["count"] = 1000
        shape = results.shape_of(batches["suites"][0]["products"][0])
        self.assertTrue(shape.startswith("1000*"))
        self.assertEqual(cells(filled("batches", {"batches": batches}), shape)[0], shape)
        self.assertEqual(results.short("5*8x8x8"), "5*8")
        self.assertEqual(results.short("5*8x8x9"), "5*8x8x9")

    def test_next_to_others_on_a_cpu(self):
        text = filled("cpu", {"shapes": CPU, "clblast": CLBLAST})
        self.assertEqual(cells(text, "64x64x64"),
                         ["64x64x64", "200, 400", "50, 50", "100, 20", "2.00, 8.00", "10.00, -"]) # by the fastest; not measured
        self.assertEqual(cells(text, "8x8x8"), ["8x8x8", "1, 1", "2, 4", "4, failed", "**0.25**, **0.25**", "-, -"])
        self.assertEqual(cells(text, "one"), ["one", "2", "4.00", "2.00 (64 NN)", "10.00", "10.00 (64 NN)"])
        self.assertEqual(cells(text, "two"), ["two", "2", "0.25", "0.25 (8 NN)", "", ""])
        self.assertEqual(cells(text, "all")[2], "1.00") # of 2, 8, 1/4, 1/4
        self.assertIn("the fastest of OpenBLAS, BLIS", text)
        self.assertIn("others used 0.00 processors meanwhile", text)
        self.assertNotIn("CLBlast", filled("cpu", {"shapes": CPU}))

    def test_on_a_busy_cpu_nothing_is_compared(self):
        busy, quiet = copy.deepcopy(CPU), copy.deepcopy(CPU)
        busy["host"]["others"] = 1.0
        self.assertIn("as it was", filled("cpu", {"shapes": busy}))
        busy_clblast = copy.deepcopy(CLBLAST)
        busy_clblast["host"]["others"] = 1.0
        self.assertNotIn("CLBlast", filled("cpu", {"shapes": quiet, "clblast": busy_clblast}))
        del quiet["host"]["others"] # by the load, which is high
        self.assertIn("as it was", filled("cpu", {"shapes": quiet}))

    def test_on_host_memory(self):
        text = filled("host", {"shapes": GPU, "host": HOST})
        self.assertEqual(cells(text, "100 NN"), ["100 NN", "1,000", "2,000", "2.00"])
        self.assertEqual(cells(text, "10x100x1000 NN"), ["10x100x1000 NN", "500", "250", "**0.50**"])
        self.assertIn("as it was", filled("host", {"shapes": GPU}))

    def test_of_kernels_in_all_sizes(self):
        result = {**copy.deepcopy(GPU), "peak_gflops": 50000, "kernels": [
            {"name": "01_one", "transposes": "NN", "gflops": {"64": 100, "1024": 4000}},
            {"name": "02_two", "transposes": "TN", "gflops": {"64": 50, "1024": None}},
            {"name": "16_cpu", "runs_here": False}]}
        for row in result["kernels"][:2]:
            row["best_gflops"] = {size: 2 * (speed or 0) for size, speed in row["gflops"].items()}
        text = filled("kernel sizes", {"kernels": result})
        self.assertEqual(cells(text, "kernel"), ["kernel", "operands", "64", "1024"])
        self.assertEqual(cells(text, "01_one"), ["01_one", "NN", "0.1", "4"])
        self.assertEqual(cells(text, "02_two"), ["02_two", "TN", "0.05", "failed"])
        self.assertNotIn("16_cpu", text)
        self.assertIn("measured peak 50; clgemm 1.2.3; a day; TFLOP/s:", text)

    def test_of_some_kernels_at_all_sizes(self):
        result = {**copy.deepcopy(GPU), "kernels": [
            {"name": "14_one", "gflops": {"64": 100, "1024": 4000}}, {"name": "tensor_fast", "gflops": {"64": 50, "1024": 8000}},
            {"name": "tensor_tf32", "runs_here": False}]}
        text = filled("at all sizes 14_one, tensor_fast", {"kernels": result})
        self.assertEqual(cells(text, "Card, driver 7, TFLOP/s"), ["Card, driver 7, TFLOP/s", "64", "1024"])
        self.assertEqual(cells(text, "kernel 14"), ["kernel 14", "0.1", "4"])
        self.assertEqual(cells(text, "`tensor_fast`"), ["`tensor_fast`", "0.05", "8"])
        self.assertEqual(cells(text, "`tensor_fast` / kernel 14"), ["`tensor_fast` / kernel 14", "**0.50**", "2.00"])
        self.assertIn("as it was", filled("at all sizes 14_one, tensor_tf32", {"kernels": result}))

    def test_of_a_kernel_by_its_name(self):
        result = {**copy.deepcopy(GPU), "kernels": [
            {"name": "13_one", "gflops": {"64": 4000}}, {"name": "shallow", "gflops": {"64": 1000}}]}
        self.assertEqual(cells(filled("kernel shallow", {"kernels": result}), "measured by `bench/plot/measure`"),
                         ["measured by `bench/plot/measure`", "kernel 13", "`shallow`", "ratio"])
        self.assertEqual(cells(filled("kernel 24", {"kernels": result}), "Card, driver 7, TFLOP/s at 64")[1:], ["4", "1", "0.25"])

    def test_of_errors(self):
        result = {**copy.deepcopy(GPU), "size": 256, "products": [
            {"input": "positive", "k": 64, "errors": {"clgemm": {"mean": 0.123456, "max": 1.5}, "cublas": None,
                                                      "clblast": {"mean": 2, "max": 40}}}]}
        text = filled("accuracy", {"accuracy": result}, {"shapes": GPU})
        self.assertEqual(cells(text, "input"), ["input", "K", "clgemm", "cuBLAS in FP32", "CLBlast, tuned"])
        self.assertEqual(cells(text, "positive"), ["positive", "64", "0.123 / 1.5", "failed", "2 / 40"])
        self.assertIn("M = N = 256, mean / largest error:", text)
        self.assertIn("as it was", filled("accuracy", {"shapes": GPU}))

    def test_each_device_has_its_tables_and_those_of_the_other_type_none(self):
        self.assertEqual(filled("gpu", {"shapes": GPU}, {"shapes": CPU}, {"shapes": GPU}).count("**one**"), 2)
        self.assertIn("as it was", filled("gpu", {"shapes": CPU}))
        self.assertIn("as it was", filled("cpu", {"shapes": GPU}))

    def test_a_table_that_nobody_knows_is_refused(self):
        for name in ("nonsense", "kernel nonsense"):
            with self.assertRaises(SystemExit):
                filled(name, {"shapes": GPU})

    def test_of_what_measure_wrote(self):
        """As if this device were a GPU, or a CPU, that nobody else used, and clgemm on host memory another library."""
        for kind, name, table in (("GPU", "shapes", "gpu"), ("GPU", "strict_shapes", "gpu strict"), ("CPU", "shapes", "cpu"),
                                  ("GPU", "host", "host")):
            data = results.load(MEASURED)
            if name != "host":
                data[name] = json.loads(json.dumps(data[name]).replace('"clgemm-host"', '"openblas"'))
            for one in ("shapes", name):
                data[one]["device"]["type"] = kind
                data[one]["host"]["others"] = 0
            text = filled(table, data)
            self.assertIn(f"    {data[name]['command']}\n", text)
            ours = data[name]["suites"][0]["products"][0]["gflops"]["clgemm-host" if name == "host" else "clgemm"]
            scale = 1000 if "TFLOP/s" in text else 1
            shown = cells(text, "64x16x64 NN" if name == "host" else "64x16x64")[1]
            self.assertTrue(shown.startswith(tables.three_digits(2e-3 * 64 * 16 * 64 / ours if name == "host" else ours / scale)), shown)


class Lessons(unittest.TestCase):
    def test_counts_are_those_that_can_be_told_by_heart(self):
        one = lessons.lesson(6, on_cpu=False) # tiles of 128 x 128 x 32, 8 x 8 elements for each work-item
        self.assertEqual(one.items, (16, 16))
        self.assertEqual(one.groups(4096), 1024)
        self.assertEqual(one.groups(4097), 1089)
        self.assertEqual(one.local_bytes, 4 * (128 * 32 + 128 * 34)) # with two floats more in each row of B's tile
        self.assertEqual((one.from_global, one.from_local), (2 / 128, 2 / 8))
        naive = lessons.lesson(1, on_cpu=False)
        self.assertEqual((naive.local_bytes, naive.from_global, naive.from_local), (0, 2, 0))
        self.assertEqual(lessons.lesson(9, on_cpu=False).local_bytes, 2 * 4 * 2 * 128 * 16) # two buffers

    def test_a_cpu_takes_the_parameters_that_are_counted(self):
        measured = json.loads((MEASURED / "kernels.json").read_text())
        if measured["device"]["type"] != "CPU":
            self.skipTest("measured on another device")
        for row in measured["kernels"]:
            number = results.number_of(row["name"]) if row["name"][:2].isdigit() else 0
            if number in lessons.PARAMETERS and row["runs_here"]:
                printed = next(iter(row["parameters"].values()))
                for name, value in lessons.lesson(number, on_cpu=True).parameters.items():
                    self.assertIn(f"{name}={value}", printed.split(", "), row["name"])


class OwnLessons(unittest.TestCase):
    """Of the kernels from 13 on."""
    def row(self, name, row, on_cpu=False):
        return dict(own_lessons.OWN[name].counts(on_cpu).rows)[row]

    def launches(self, name, on_cpu=False):
        return own_lessons.OWN[name].counts(on_cpu).launches

    def test_counts_are_those_that_can_be_told_by_heart(self):
        self.assertEqual(self.launches("13"), [("multiply", 32 * 32, 8 * 32)]) # eight warps
        self.assertEqual(own_lessons.OWN["13"].counts(False).local_bytes, 2 * 16 * (128 + 128) * 4) # two stages, 16 deep
        self.assertEqual(self.row("13", own_lessons.LOCAL), "0.0625") # (8 + 8) / 4 for 64
        self.assertEqual(self.row("13", "different floats that a warp reads for a product"), f"{(64 + 32) / (64 * 32):.3g}")
        self.assertEqual(self.row("14", own_lessons.PRODUCTS), f"{64 * 112 * 16 / 6:,.0f}")
        self.assertEqual(self.row("14", own_lessons.MOVED), "10") # 4 bytes read, three pieces of two bytes written
        self.assertEqual(self.row("19", "orders of a warp for 16 of K"), "96") # as docs/notes/kernels.md counted in machine code
        self.assertEqual(self.row("20", "times that an element of A, of B is split"), "8, 16") # 1024 / 128, 1024 / 64
        self.assertEqual(self.row("tensor_fast", "products of 16 bits for a product of floats"), "3")
        self.assertEqual(self.row("cpu_amx", own_lessons.PRODUCTS, on_cpu=True), "1,365") # 16 x 16 x 32 / 6
        self.assertEqual(self.row("16", own_lessons.PACKED, on_cpu=True), f"{(6 * 48 + 32 * 8) * 256:,}") # whole panels
        self.assertEqual(self.row("17", own_lessons.PACKED, on_cpu=True), f"{256 * 256:,}") # A once, B never
        self.assertEqual(self.row("cpu_amx", own_lessons.PACKED, on_cpu=True), f"{(1 + 4) * 1024 * 1024:,}") # A once, B four times
        self.assertEqual(self.row("15", "floats from local memory for a product", on_cpu=True), "0.25") # one of B for four rows of A
        self.assertEqual(own_lessons.OWN["15"].counts(True).local_bytes, 4 * 1024) # a column of B, 1024 deep

    def test_counts_before_the_multiplication(self):
        for name, pieces in (("tensor_tf32", 1), ("tensor_fast", 2)):
            self.assertEqual(self.row(name, own_lessons.MOVED), str(4 + 2 * pieces)) # a float read, its pieces written
            self.assertEqual(self.row(name, "bytes that `largest` reads for an element"), "4")
            # 8192 rows in both images: 32 of them and 256 of K for a work-group of `largest`, 128 and 32 for one of `split`
            self.assertEqual(self.launches(name)[:2], [("find the largest", 256 * 16, 256), ("split", 64 * 128, 256)])
        self.assertEqual([own_lessons.stretches(k) for k in (1, 128, 129, 2048, 2049, 4096)], [1, 1, 2, 16, 13, 16])

    def test_counts_of_batches(self):
        self.assertEqual(self.launches("small_batch"), [("multiply", 100_000 // 16, 64)]) # 4 work-items for each of 16 products
        self.assertEqual(self.launches("small_batch", on_cpu=True), [("multiply", 20_000 // 16, 128)]) # 8 for each
        self.assertEqual(self.row("small_batch", "floats of local memory that their operands take"),
                         f"{16 * (64 + 16 + 8 * 12 + 16):,}") # of A 8 x 8, of B 8 columns of 12, to odd multiples of 16
        self.assertEqual(self.row("small_batch", "vectors that a work-item copies, four floats each"), "8") # 16 * 128 / 4 / 64
        self.assertEqual(self.row("small_batch", "floats from local memory for a product of floats"), "0.5") # 8 for 16
        with self.assertRaises(AssertionError):
            own_lessons.small_batch((10, 64, 64, 64), own_lessons.OWN["small_batch"].gpu, False) # too large for this size

    def test_counts_of_a_shallow_k(self):
        self.assertEqual(self.launches("shallow"), [("multiply", 256 * 128, 128)]) # 32 x 64 elements of 8192 x 8192
        self.assertEqual(self.row("shallow", "columns of C that it computes, one after the other"), "16") # every fourth of 64
        self.assertEqual(self.row("shallow", "floats of A that it keeps in registers", on_cpu=True), "8") # 2 rows, 4 deep
        self.assertEqual(self.row("shallow", "floats from global memory for a product"),
                         f"{(4 * 32 + 64) * 4 / (32 * 64 * 4):.3g}") # A by each of four strands, B once
        self.assertEqual(self.row("shallow", "floats of C for a product"), "0.25")

    def test_launches_on_a_gpu_are_those_that_clgemm_info_told_of_an_h200(self):
        self.assertEqual([launch[1:] for launch in self.launches("14")], [(8320, 256), (37 * 32, 384)])
        self.assertEqual([launch[1:] for launch in self.launches("15")], [(32 * 1 * 8, 128), (128 * 2, 256)])
        self.assertEqual([launch[1:] for launch in self.launches("19")], [(8192, 256), (32 * 64, 128)])
        self.assertEqual(self.launches("tensor_tf32")[-1][1:], (16 * 32, 384))

    def test_launches_on_a_cpu_are_those_of_the_library(self):
        if json.loads((MEASURED / "kernels.json").read_text())["device"]["type"] != "CPU":
            self.skipTest("measured on another device")
        for name, page in own_lessons.OWN.items():
            if not page.cpu:
                continue
            parameters = ",".join(f"{one}={value}" for one, value in page.cpu.items() if one not in own_lessons.HIDDEN)
            with unittest.mock.patch.dict(os.environ, CLGEMM_AMX="model"): # so that CPUs without tiles plan as those with them do
                try:
                    told = explained(page.cpu_product, f"{name}:{parameters}")
                except RuntimeError as error:
                    if "bytes of local memory, of which the device has" not in str(error):
                        raise
                    continue # another CPU than the one that was measured
            if "(CPU, 2 compute units)" not in told and any(one in page.cpu for one in own_lessons.HIDDEN):
                continue # blocks of C, and parts of K, are as many as the units want
            launches = re.findall(r"cl, (\d+(?: x \d+)*) work-groups of (\d+) x (\d+)$", told, re.MULTILINE)
            self.assertEqual([(math.prod(map(int, groups.split(" x "))), int(items_m) * int(items_n))
                              for groups, items_m, items_n in launches],
                             [launch[1:] for launch in self.launches(name, on_cpu=True)], told)

    def test_a_table_has_the_devices_that_the_kernel_is_for(self):
        gpu, cpu = ({"name": kind, "kernels": {**made_up(kind, [], []), "kernels": []}} for kind in ("GPU", "CPU"))
        for device in (gpu, cpu):
            device["kernels"]["device"]["compute_units"] = 2
        self.assertEqual(cells(filled("counts 17", gpu, cpu), "multiply: work-groups x work-items")[1:], ["4 x 1"])
        self.assertEqual(cells(filled("counts 13", gpu, cpu), "work-groups for each compute unit")[1:], ["512", "8"])
        self.assertIn("as it was", filled("counts 17", gpu))
        self.assertEqual(cells(filled("counts 15", gpu, cpu), "add the parts of K: work-groups x work-items")[1:], ["256 x 256", "-"])
        self.assertEqual(cells(filled("counts small_batch", gpu), "counted")[1:], ["Card, at 100000*8x8x8"])
        self.assertEqual(cells(filled("counts cpu_amx", gpu), "counted")[1:], ["2 cores of a CPU with AMX tiles, at 1024"])


class Numbers(unittest.TestCase):
    """Single numbers in prose, of the same made-up measurements."""
    KERNELS = {**copy.deepcopy(GPU), "peak_gflops": 50000, "kernels": [
        {"name": "01_one", "transposes": "NN", "gflops": {"64": 100, "1024": 4000}, "best_gflops": {"64": 200, "1024": 8000}},
        {"name": "02_two", "transposes": "TN", "gflops": {"64": 50, "1024": 10000}, "best_gflops": {"64": 100, "1024": 20000}},
        {"name": "shallow", "transposes": "NN", "gflops": {"64": 10, "1024": 1000}, "best_gflops": {"64": 20, "1024": 2000}},
        {"name": "16_cpu", "runs_here": False}]}
    ACCURACY = {**copy.deepcopy(GPU), "products": [{"input": "positive", "k": 64, "errors": {
        "clgemm": {"mean": 0.123456, "max": 1.5}, "clgemm strict": {"mean": 1, "max": 2}, "cublas": {"mean": 0.5, "max": 6}}}]}
    BATCHES = made_up("GPU", ["clgemm", "cublas"], [("batched", (8, 8, 8), "NN", (3000, 500))])
    BATCHES["suites"][0]["products"][0]["count"] = 1000
    DEVICES = [{"name": "card", "shapes": GPU, "kernels": KERNELS, "host": HOST, "accuracy": ACCURACY, "batches": BATCHES},
               {"name": "core", "shapes": CPU}]

    def test_each_kind(self):
        for name, value in [
                ("card peak", "50 TFLOP/s"), ("card kernel 2", "10 TFLOP/s"), ("card kernel 1 at 64", "100 GFLOP/s"),
                ("card kernel 2 / 1", "2.50"), ("card kernel 2 / 1 at 64", "0.50"), ("card kernel 2 / peak", "0.20"),
                ("card kernel shallow", "1,000 GFLOP/s"), ("card kernel shallow / 2 at 64", "0.20"),
                ("card batches clgemm at 1000*8 NN", "3 TFLOP/s"), ("card batches clgemm / cublas at 1000*8 NN", "6.00"),
                ("card shapes count", "4"), ("card shapes setting clblast", "CLBlast, tuned"),
                ("card shapes one / cublas", "4.00"), ("card shapes one / cublas range", "2 to 8"), # 4000 / 2000 and 8000 / 1000
                ("card shapes one lowest / cublas", "2.00 (64 NN)"), ("card shapes from 64 / cublas", "4.00"),
                ("core shapes one / openblas,blis", "4.00"), ("core shapes clgemm at 64 NN", "200 GFLOP/s"),
                ("core shapes clgemm / openblas,blis at 64 TT", "8.00"), # 400 / 50
                ("card host 100", "1 ms"), ("card host 100 / cublas-host", "2.00"), ("card host 100 speed", "2 GFLOP/s"),
                ("card accuracy positive 64 clgemm", "0.123"), ("card accuracy positive 64 clgemm largest", "1.5"),
                ("card accuracy positive 64 strict / cublas", "2.00")]:
            self.assertEqual(single_numbers.number(name, self.DEVICES), value, name)

    def test_in_a_text(self):
        text = "It has <!-- n: card kernel 2 / 1 -->0.1<!-- /n --> times\nand <!-- n: card host 100 -->9 s<!-- /n -->."
        self.assertEqual(tables.written(text, self.DEVICES),
                         "It has <!-- n: card kernel 2 / 1 -->2.50<!-- /n --> times\nand <!-- n: card host 100 -->1 ms<!-- /n -->.")

    def test_a_marker_without_an_end_is_refused(self):
        with self.assertRaises(SystemExit) as refused:
            tables.written("<!-- n: card peak -->50\nand <!-- n: card peak -->50 TFLOP/s<!-- /n -->", self.DEVICES)
        self.assertIn("has no end", str(refused.exception))

    def test_what_nobody_measured_is_refused(self):
        for name in ["nobody peak", "core peak", "card kernel 3", "card kernel 16", "card kernel 1 at 32", "card shapes three / cublas",
                     "card shapes / nobody", "card shapes from 65 / cublas", "card host 101", "card accuracy positive 65 clgemm",
                     "card accuracy positive 64 blis", "card shapes setting clblas", "card nonsense", "card kernel skinny",
                     "card kernel 1 / shallow at 32", "card batches clgemm at 1000*9 NN", "card strict_batches clgemm at 1000*8 NN"]:
            with self.assertRaises(SystemExit, msg=name) as refused:
                single_numbers.number(name, self.DEVICES)
            self.assertIn(f"'{name}'", str(refused.exception))

    def test_a_failed_product_is_refused(self):
        with self.assertRaises(SystemExit):
            single_numbers.number("card shapes two / cublas", self.DEVICES)

    def test_a_race_on_a_busy_cpu_is_refused(self):
        busy = copy.deepcopy(self.DEVICES[1])
        busy["shapes"]["host"]["others"] = 1.0
        for name in ["core shapes one / openblas", "core shapes clgemm / openblas at 64 NN"]:
            with self.assertRaises(SystemExit) as refused:
                single_numbers.number(name, [busy])
            self.assertIn("others used meanwhile", str(refused.exception))


class Figures(unittest.TestCase):
    def shown(self, name, *devices):
        return re.findall(r"!\[([^]]*)\]\(([^)]*)\)", tables.written(f"<!-- figure: {name} -->\nas it was\n<!-- end of figure -->",
                                                                  list(devices), "../pictures"))

    def test_of_each_device(self):
        card, core = {"name": "card", "shapes": GPU}, {"name": "core", "shapes": CPU}
        self.assertEqual([file for _, file in self.shown("gpu ratios", card, core)], ["../pictures/card-ratios.svg"])
        self.assertEqual([file for _, file in self.shown("cpu ratios", card, core)], ["../pictures/core-ratios.svg"])
        poor = copy.deepcopy(CPU)
        poor["device"]["name"] = "cpu-skylake-avx512-AMD EPYC"
        self.assertEqual(self.shown("maps", {"name": "core", "map": poor}),
                         [("Which kernel is chosen, over M and N: AMD EPYC", "../pictures/core-map.svg")])

    def test_what_was_measured_nowhere_stays(self):
        self.assertIn("as it was", tables.written("<!-- figure: accuracy -->\nas it was\n<!-- end of figure -->", [{"name": "x"}]))

    def test_a_figure_that_nobody_knows_is_refused(self):
        with self.assertRaises(SystemExit):
            self.shown("nonsense")


class Measure(unittest.TestCase):
    def run_measure(self, folder, *arguments):
        return subprocess.run([sys.executable, str(PLOT / "measure"), "--smoke", "--build", str(BUILD), folder, *arguments],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)

    def test_one_part_alone(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_measure(folder, "--only", "map")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(os.listdir(folder), ["map.json"])

    def test_a_part_that_there_is_not(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.run_measure(folder, "--only", "map,nonsense")
            self.assertEqual(done.returncode, 2)
            self.assertIn("nonsense", done.stdout)
            self.assertEqual(os.listdir(folder), [])

    def test_the_benchmarks_understand_what_they_are_asked(self):
        """Also where no device of that kind is at hand: a device that there is not is found out after the options were read."""
        lines = [line for plan in measure.PLANS.values() for name, line in plan.items() if name != "map"]
        self.assertGreater(len(lines), 15)
        for line in [*lines, "sgemm_bench --suite nonsense"]:
            program, *arguments = re.sub(r"^\S+=\S+ ", "", line).split()
            done = subprocess.run([str(BUILD / "bench" / program), "--json", *arguments], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, check=False, env={**os.environ, "CLGEMM_DEVICE": "no such device"})
            self.assertEqual(done.returncode, 2 if "nonsense" in line else 3, f"{line}: {done.stdout}")

    def test_what_the_benchmarks_use_is_not_what_others_use(self):
        if measure.seconds_of_all() == 0:
            self.skipTest("/proc/stat does not say what processors do")
        of_all, of_ours = measure.seconds_of_all(), measure.seconds_of_ours()
        subprocess.run([sys.executable, "-c", "import time\nwhile time.process_time() < 0.5: pass"], check=True)
        of_all, of_ours = measure.seconds_of_all() - of_all, measure.seconds_of_ours() - of_ours
        self.assertGreaterEqual(of_ours, 0.5)
        self.assertGreaterEqual(of_all, of_ours - 0.1) # /proc counts in hundredths, on each processor


if __name__ == "__main__":
    unittest.main()
