"""What bench/plot/measure wrote, and how it is put into words: devices, contenders, units."""
import json
import math


def load(folder):
    """A device's measurements by name (PLANS in bench/plot/measure has the names), as far as they are there."""
    data = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    data["name"] = folder.name
    return data


def processors(result):
    host = result["host"]
    article = "an" if host["processor"][0] in "AEIOU" else "a"
    return f"{host['processors']} cores of {article} {host['processor']}"


def device_in_words(result):
    device = result["device"]
    if device["type"] == "CPU":
        platform = device["platform"].replace("Portable Computing Language", "PoCL")
        return f"{processors(result)}, {platform} {device['driver'].removesuffix('+debian')}"
    return f"{device['name']}, driver {device['driver']}"


def used_by_others(result):
    """How many processors others used meanwhile; where that was not measured, the load before."""
    return result["host"].get("others", result["host"]["load"])


def was_busy(result):
    """Whether others used the processors that were measured. Then a call's median says more of them than of the library."""
    return result["device"]["type"] == "CPU" and used_by_others(result) > 0.25 * result["host"]["processors"]


def compares(result):
    """On a CPU on which others compute, libraries whose threads wait for each other lose more than those whose do not: the
    fastest call says what each of them can do, but not the ratio of two."""
    return not was_busy(result)


def how_in_short(result):
    return ", the fastest of many calls" if was_busy(result) else ""


def speeds_of(result, row):
    return row["best_gflops" if was_busy(result) else "gflops"]


def footnote(result):
    """What is said below each picture: where, when and how."""
    what = ""
    if "kernels" in result or "suites" in result:
        what = " Medians of whole calls."
        if was_busy(result):
            what = f" The fastest of many calls, since others used this virtual machine (load {used_by_others(result):.0f})."
    return f"{device_in_words(result)}. clgemm {result['clgemm']}, {result['date']}.{what} {result['command']}"


def flops_unit(largest):
    return (1000, "TFLOP/s") if largest >= 2000 else (1, "GFLOP/s")


def three_digits(value):
    return f"{value:.3g}" if value < 999.5 else f"{value:,.0f}"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


# Measurements tell kernels apart by number. These have a name alone, and keep the number that was in it, or their lesson's. The
# last one shares tensor_fast's lesson.
NUMBERS = {"skinny": 15, "cpu_packed": 16, "cpu_fused": 17, "cpu_vector": 18, "tensor_mma": 19, "tensor_direct": 20, "tensor_fast": 21,
           "cpu_amx": 22, "small_batch": 23, "shallow": 24, "tensor_rounded": 25, "tensor_tf32": 26}
LAST_CALLED_BY_NUMBER = 20 # those after it are known by their names alone


def number_of(kernel):
    return NUMBERS[kernel] if kernel in NUMBERS else int(kernel[:2])


def in_prose(number):
    """What pages call a kernel."""
    return f"kernel {number}" if number <= LAST_CALLED_BY_NUMBER else next(f"`{name}`" for name, its in NUMBERS.items() if its == number)


def without_number(kernel):
    return kernel if kernel in NUMBERS else kernel[3:]


def is_usual(row):
    """Is the kernel as accurate as what callers get who ask for nothing? (Older measurements have no others.)"""
    return row.get("math", "default") == "default"


def kernels_of(data):
    """The largest size, and the speed there of each kernel that runs and is no less accurate: [(number, name, GFLOP/s)]."""
    rows = [(row["name"], speeds_of(data["kernels"], row)) for row in data["kernels"]["kernels"] if row.get("gflops") and is_usual(row)]
    largest = max((size for _, speeds in rows for size in speeds), key=int)
    return largest, [(number_of(name), without_number(name), speeds[largest]) for name, speeds in rows if speeds.get(largest)]


# What the libraries are called, and how they were set.
IN_WORDS = {"cublas": "cuBLAS in FP32", "cublas-host": "cudaMemcpy and cuBLAS in FP32", "clblas": "clBLAS", "openblas": "OpenBLAS",
            "blis": "BLIS", "mkl": "MKL", "clgemm-host": "clgemm on host memory"}


def in_words(contender, result):
    if contender == "clblast":
        description = next(one["description"] for one in result["contenders"] if one["name"] == "clblast")
        return "CLBlast, untuned" if "NOT tuned" in description else "CLBlast, tuned"
    return IN_WORDS.get(contender, contender)


def contenders_of(result):
    """Names in order, clgemm first."""
    return [one["name"] for one in result["contenders"] if "absent" not in one]


def others_of(result):
    return [name for name in contenders_of(result) if not name.startswith("clgemm")]


def shape_of(product):
    batch = f"{product['count']}*" if "count" in product else ""
    return f"{batch}{product['m']}x{product['n']}x{product['k']}"


def short(shape):
    """A square by one number."""
    batch, star, sizes = shape.rpartition("*")
    m, n, k = sizes.split("x")
    return f"{batch}{star}{m}" if m == n == k else shape


def ratios_of(result):
    """clgemm's speed divided by each other's: {contender: {shape: geometric mean over transposes}}."""
    ratios = {}
    for product in (product for suite in result["suites"] for product in suite["products"]):
        speeds = speeds_of(result, product)
        ours = speeds.get("clgemm")
        for name, theirs in speeds.items():
            if name not in ("clgemm", "clgemm-host") and ours and theirs:
                ratios.setdefault(name, {}).setdefault(shape_of(product), []).append(ours / theirs)
    return {name: {shape: geometric_mean(values) for shape, values in of.items()} for name, of in ratios.items()}
