"""Single numbers in the prose of README and docs, which stand between markers:

    <!-- n: h200 kernel 13 -->51.7 TFLOP/s<!-- /n -->

The name says which number. Its first word is a device, a folder of bench/results. What may follow, with an example of each:

    peak                                      the FP32 peak that was measured
    kernel 13 [at 1024]                       a kernel's speed, at the largest size that was measured or at this one; like all that
                                              follow also by name, `kernel shallow`
    kernel 13 / 10 [at 1024]                  how many times as fast as another kernel it is
    kernel 13 / peak [at 1024]                which part of the peak it reaches
    sizes clgemm at 4096                      the speed of one that takes part in `sizes` (also `strict`, and by shapes and transposes
                                              `shapes clgemm at 8192x1x8192 NN`, `strict_shapes`, and for `batches` and
                                              `strict_batches` `at 1000*64 NN`)
    sizes clgemm / cublas at 4096             how many times as fast as another
    shapes count                              how many products `shapes` has (also `strict_shapes`, `clblast`)
    shapes / cublas                           clgemm's speed divided by another's: the geometric mean of all products
    shapes squares from 1536 / cublas range   the same of one suite, of sizes from 1536 on: the lowest and the highest
    shapes lowest / cublas                    the lowest ratio, and of which product it is. A suite's name may stand before it
    shapes setting clblast                    how that library was set: "CLBlast, tuned"
    host 16384                                how long a call on host memory takes
    host 16384 / cublas-host                  how many times as fast as another it is
    host 16384 speed                          its speed
    accuracy uniform 4096 clgemm              a mean error, or with `largest` after it the largest one; `strict`: clgemm's in
                                              strict mode
    accuracy uniform 4096 clgemm / cublas     how many times as large as another's it is

Several names with commas between them stand for the fastest of these: `shapes cpu-squares / openblas,blis`.
"""
import re
import sys

from results import (compares, contenders_of, flops_unit, geometric_mean, in_words, kernels_of, number_of, shape_of, short, speeds_of,
                     three_digits)


class Unknown(Exception):
    """There is no number of that name."""


class Busy(Exception):
    """Libraries were raced on a CPU while others computed there, so that their ratio says nothing."""


def in_flops(gflops):
    scale, unit = flops_unit(gflops)
    return f"{three_digits(gflops / scale)} {unit}"


def ratio(value):
    return f"{value:.2f}"


def in_time(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3)):
        if seconds >= scale:
            return f"{three_digits(seconds / scale)} {unit}"
    return f"{three_digits(seconds / 1e-6)} us"


def speed_of_kernel(data, number, size):
    size = size or kernels_of(data)[0]
    for row in data["kernels"]["kernels"]:
        if row["name"] == number or (number.isdigit() and number_of(row["name"]) == int(number)):
            return speeds_of(data["kernels"], row)[size]
    raise Unknown


def products_of(result, suite=None, least=0):
    """Those of one suite, or all; with no side under `least`."""
    products = [product for one in result["suites"] if suite in (None, one["name"]) for product in one["products"]
                if min(product["m"], product["n"], product["k"]) >= least]
    if not products:
        raise Unknown
    return products


def raced(data, part):
    if not compares(data[part]):
        raise Busy
    return data[part]


def fastest(result, product, names):
    speeds = speeds_of(result, product)
    return max(speeds[name] for name in names.split(","))


def in_shapes(data, part, suite, least, what, others, as_range):
    result = raced(data, part)
    ratios = {f"{short(shape_of(product))} {product['transposes']}":
              speeds_of(result, product)["clgemm"] / fastest(result, product, others)
              for product in products_of(result, suite, int(least or 0))}
    if as_range:
        return f"{min(ratios.values()):.2g} to {max(ratios.values()):.2g}"
    if what:
        which = min(ratios, key=ratios.get)
        return f"{ratio(ratios[which])} ({which})"
    return ratio(geometric_mean(list(ratios.values())))


def product_at(result, size, transposes=None):
    return next(product for product in products_of(result)
                if short(shape_of(product)) == size and transposes in (None, product["transposes"]))


def in_sizes(data, part, names, others, size, transposes):
    product = product_at(data[part], size, transposes)
    ours = fastest(data[part], product, names)
    return ratio(ours / fastest(raced(data, part), product, others)) if others else in_flops(ours)


def on_host(data, size, others, as_speed):
    product = product_at(data["host"], size)
    ours = product["gflops"]["clgemm-host"]
    if others:
        return ratio(ours / fastest(data["host"], product, others))
    return in_flops(ours) if as_speed else in_time(2e-9 * product["m"] * product["n"] * product["k"] / ours)


def error_of(data, kind, depth, who, other, largest):
    of = "max" if largest else "mean"
    who = {"strict": "clgemm strict"}.get(who, who)
    errors = next(product["errors"] for product in data["accuracy"]["products"]
                  if product["input"] == kind and product["k"] == int(depth))
    return ratio(errors[who][of] / errors[other][of]) if other else f"{errors[who][of]:.3g}"


def setting_of(data, part, who):
    if who not in contenders_of(data[part]):
        raise Unknown
    return in_words(who, data[part])


AT = r"(?: at (\d+))?"
RACE = r"(shapes|strict_shapes|clblast)"
NUMBERS = [ # what follows the device's name, and what makes the number of its parts
    (r"peak", lambda data: in_flops(data["kernels"]["peak_gflops"])),
    (rf"kernel (\w+){AT}", lambda data, number, size: in_flops(speed_of_kernel(data, number, size))),
    (rf"kernel (\w+) / peak{AT}",
     lambda data, number, size: ratio(speed_of_kernel(data, number, size) / data["kernels"]["peak_gflops"])),
    (rf"kernel (\w+) / (\w+){AT}",
     lambda data, one, other, size: ratio(speed_of_kernel(data, one, size) / speed_of_kernel(data, other, size))),
    (r"(sizes|strict|shapes|strict_shapes|batches|strict_batches) (\S+)(?: / (\S+))? at (\S+)(?: ([NT]{2}))?", in_sizes),
    (rf"{RACE} count", lambda data, part: str(len(products_of(data[part])))),
    (rf"{RACE} setting (\S+)", setting_of),
    (rf"{RACE}(?: (?!lowest)([\w-]+))?(?: from (\d+))?( lowest)? / (\S+)( range)?", in_shapes),
    (r"host (\S+)(?: / (\S+))?( speed)?", on_host),
    (r"accuracy (\S+) (\d+) (\S+)(?: / (\S+))?( largest)?", error_of),
]


def number(name, devices):
    """The number of that name, as text. Where it was not measured, the error says so."""
    device, _, rest = name.partition(" ")
    data = next((one for one in devices if one["name"] == device), None)
    for pattern, make in NUMBERS:
        match = re.fullmatch(pattern, rest)
        if data and match:
            try:
                return make(data, *match.groups())
            except Busy:
                sys.exit(f"draw: '{name}' compares libraries on a CPU that others used meanwhile: measure them again")
            except (KeyError, TypeError, StopIteration, Unknown):
                break
    sys.exit(f"draw: there is no number '{name}' in bench/results; bench/plot/single_numbers.py says how they are named")


BEGIN = "<!-- n: "
MARKER = re.compile(BEGIN + r"([^\n]*?) -->((?:(?!<!--).)*?)<!-- /n -->", re.DOTALL)


def with_numbers(text, devices):
    if len(MARKER.findall(text)) != text.count(BEGIN):
        sys.exit("draw: a number's marker has no end")
    return MARKER.sub(lambda match: f"{BEGIN}{match.group(1)} -->{number(match.group(1), devices)}<!-- /n -->", text)
