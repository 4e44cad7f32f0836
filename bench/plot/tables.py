"""README and docs as the measurements have them: the tables that stand between markers, and single numbers and pictures."""
import re
import sys

from results import (NUMBERS, compares, contenders_of, device_in_words, flops_unit, geometric_mean, how_in_short, in_prose, in_words,
                     is_usual, kernels_of, number_of, others_of, processors, ratios_of, shape_of, short, speeds_of, three_digits, used_by_others)
from lessons import PARAMETERS, rows_of
from own_lessons import OWN, rows_of as own_rows_of, size_in_words
from single_numbers import with_numbers


def table(head, rows):
    return "\n".join(["| " + " | ".join(head) + " |", "|" + "|".join(["---"] + ["--:"] * (len(head) - 1)) + "|"] +
                     ["| " + " | ".join(row) + " |" for row in rows])


# The kernel that each one continues, if it is not the one before.
PREDECESSORS = {5: 3, 9: 7, 11: 2, 12: 9, 13: 10, 15: 13, 16: 13, 19: 14, 20: 14, 23: 13, 24: 13}


def table_of_kernel(devices, number):
    """A course page's table: this kernel and the one that it continues, on each device."""
    before = PREDECESSORS.get(number, number - 1)
    rows = []
    for data in devices:
        size, kernels = kernels_of(data)
        scale, unit = flops_unit(max(speed for _, _, speed in kernels))
        speed = {kernel: gflops / scale for kernel, _, gflops in kernels}
        if number not in speed:
            continue
        row = [f"{device_in_words(data['kernels'])}, {unit} at {size}{how_in_short(data['kernels'])}"]
        if before > 0:
            row += [f"{speed[before]:.3g}", f"{speed[number]:.3g}", f"{speed[number] / speed[before]:.2f}"]
        else:
            row += [f"{speed[number]:.3g}"]
        rows.append(row)
    if not rows:
        return "(Not run on a device whose measurements are in bench/results.)"
    head = ["measured by `bench/plot/measure`"] + ([in_prose(before)] if before > 0 else []) + [in_prose(number)] + \
        (["ratio"] if before > 0 else [])
    return table(head, rows)


def table_at_all_sizes(devices, names):
    """A course page's table of kernels that compute less accurately than others: each size's speeds, and their ratios to the first
    one's, on the devices that run them all."""
    parts = []
    for data in devices:
        result = data["kernels"]
        speeds = {row["name"]: speeds_of(result, row) for row in result["kernels"] if row.get("gflops")}
        if any(name not in speeds for name in names):
            continue
        sizes = sorted(speeds[names[0]], key=int)
        scale, unit = flops_unit(max(speeds[name][size] for name in names for size in sizes))
        called = {name: in_prose(number_of(name)) for name in names}
        rows = [[called[name]] + [speed(speeds[name][size], scale) for size in sizes] for name in names]
        rows += [[f"{called[name]} / {called[names[0]]}"] +
                 [with_bold_losses(speeds[name][size] / speeds[names[0]][size]) for size in sizes] for name in names[1:]]
        parts.append(table([f"{device_in_words(result)}, {unit}{how_in_short(result)}", *sizes], rows))
    return "\n\n".join(parts)


def table_of_own_counts(devices, name):
    """A course page's table of a kernel of our own: what it launches and loads, on each kind of device that it is for."""
    page = OWN[name]
    if page.where:
        size = size_in_words(page.gpu_product if page.gpu else page.cpu_product)
        return table(["counted", f"{page.where}, at {size}"], own_rows_of(name, [(not page.gpu, page.units)]))
    known = [(data["kernels"], data["kernels"]["device"]["type"] == "CPU") for data in devices]
    known = [(result, on_cpu) for result, on_cpu in known if page.counts(on_cpu)]
    if not known:
        return ""
    sizes = [size_in_words(page.cpu_product if on_cpu else page.gpu_product) for _, on_cpu in known]
    return table(["counted"] + [f"{device_in_words(result).split(', ')[0]}, at {size}" for (result, _), size in zip(known, sizes)],
                 own_rows_of(name, [(on_cpu, result["device"]["compute_units"]) for result, on_cpu in known]))


def table_of_counts(devices, name):
    """A course page's table: what this kernel launches and loads, where its speed was measured."""
    if name in OWN:
        return table_of_own_counts(devices, name)
    number = int(name)
    known = [(data["kernels"], kernels_of(data)[0]) for data in devices]
    return table(["counted"] + [f"{device_in_words(result).split(', ')[0]}, at {size}" for result, size in known],
                 rows_of(number, [(result["device"]["type"] == "CPU", int(size), result["device"]["compute_units"])
                                  for result, size in known]))


def table_of_kernels(devices):
    """All kernels on all devices."""
    columns = [kernels_of(data) for data in devices]
    head, speeds = ["kernel"], []
    for data, (size, rows) in zip(devices, columns):
        scale, unit = flops_unit(max(speed for _, _, speed in rows))
        head.append(f"{device_in_words(data['kernels'])}, {unit} at {size}{how_in_short(data['kernels'])}")
        speeds.append({number: speed / scale for number, _, speed in rows})
    names = sorted({row["name"] for data in devices for row in data["kernels"]["kernels"]}, key=number_of)
    return table(head, [[name] + [f"{of[number_of(name)]:.3g}" if number_of(name) in of else "" for of in speeds] for name in names])


def table_of_kernel_sizes(devices):
    """All kernels in all sizes, a table for each device."""
    parts = []
    for data in devices:
        result = data["kernels"]
        rows = [row for row in result["kernels"] if row.get("gflops")]
        sizes = sorted({size for row in rows for size in row["gflops"]}, key=int)
        scale, unit = flops_unit(max(gflops or 0 for row in rows for gflops in speeds_of(result, row).values()))
        parts.append(f"{device_in_words(result)}; measured peak {three_digits(result['peak_gflops'] / scale)}; clgemm {result['clgemm']}; "
                     f"{result['date']}; {unit}{how_in_short(result)}:\n\n    {result['command']}")
        parts.append(table(["kernel", "operands", *sizes], [
            [row["name"] + ("" if is_usual(row) else f" ({row['math']})"), row["transposes"]] +
            [speed(speeds_of(result, row).get(size), scale) for size in sizes] for row in rows]))
    return "\n\n".join(parts)


def tables_of_accuracy(devices):
    """Mean and largest errors of each kind of input, for each depth; a table for each device."""
    parts = []
    for result in (data["accuracy"] for data in devices if "accuracy" in data):
        parts.append(setting(result).replace("medians of whole calls", f"M = N = {result['size']}, mean / largest error"))
        who = contenders_of(result)
        parts.append(table(["input", "K", *(in_words(one, result) for one in who)], [
            [product["input"], str(product["k"])] +
            [f"{errors['mean']:.3g} / {errors['max']:.3g}" if (errors := product["errors"].get(one)) else "failed" for one in who]
            for product in result["products"]]))
    return "\n\n".join(parts)


def table_of_ideas(devices, rows):
    """All kernels on all devices, beside what is said of each: the first two cells of the rows that are there stay."""
    head, _, *lines = table_of_kernels(devices).splitlines()
    speeds = {line.split(" | ")[0].removeprefix("| "): line.split(" | ", 1)[1] for line in lines}
    kept = [re.match(r"(\| \[(\w+)\]\([^)]*\) \| .*?) \|", row) for row in rows.splitlines()]
    kept = [(match.group(1), speeds[match.group(2)]) for match in kept if match]
    return "\n".join([head.replace("| kernel |", "| kernel | idea |"), "|---|---|" + "--:|" * len(devices)] +
                     [f"{cells} | {of}" for cells, of in kept])


def table_of_ratios(devices):
    rows = []
    for data in devices:
        if "shapes" not in data or not compares(data["shapes"]):
            continue
        for name, of in ratios_of(data["shapes"]).items():
            lowest = min(of, key=of.get)
            rows.append([f"{device_in_words(data['shapes'])}, to {in_words(name, data['shapes'])}", str(len(of)), f"{geometric_mean(list(of.values())):.2f}",
                         f"{of[lowest]:.2f} ({lowest})"])
    if not rows:
        return ""
    return "From the short runs of `bench/plot/measure`, of which the pictures are made:\n\n" + \
        table(["clgemm's speed divided by another's", "shapes", "geometric mean", "lowest"], rows)


# ---- next to other libraries, product by product

def setting(result):
    """Above a table: where, when and how, and who took part."""
    where = device_in_words(result)
    how = "medians of whole calls"
    if result["device"]["type"] == "CPU":
        how += f"; others used {used_by_others(result):.2f} processors meanwhile"
    else:
        where += f", on {processors(result)}"
    took_part = [f"- {one['description']}" for one in result["contenders"] if "description" in one]
    return "\n".join([f"{where}; clgemm {result['clgemm']}; {result['date']}; {how}:", "", f"    {result['command']}", "", *took_part])


def speed(gflops, scale):
    return three_digits(gflops / scale) if gflops else "failed"


def with_bold_losses(ratio):
    text = f"{ratio:.2f}"
    return f"**{text}**" if float(text) < 1 else text


def by_shape(suites):
    """{shape: {transposes: product}}, in the order in which they were measured."""
    shapes = {}
    for product in (product for suite in suites for product in suite["products"]):
        shapes.setdefault(shape_of(product), {})[product["transposes"]] = product
    return shapes


def transposes_of(suites):
    return list(dict.fromkeys(product["transposes"] for suite in suites for product in suite["products"]))



def unit_of(result):
    return flops_unit(max(gflops or 0 for suite in result["suites"] for product in suite["products"]
                          for gflops in product["gflops"].values()))


def ratios_to(result, others):
    """clgemm's speed divided by that of the fastest of the others: {(shape, transposes): ratio}."""
    ratios = {}
    for shape, products in by_shape(result["suites"]).items():
        for transposes, product in products.items():
            ours, theirs = product["gflops"]["clgemm"], max(product["gflops"][name] or 0 for name in others)
            if ours and theirs:
                ratios[shape, transposes] = ours / theirs
    return ratios


def table_of_suites(result, ratios):
    """Means and lowest ratios: a row for each suite and one for all, two columns for each of the ratios, which have names."""
    rows = []
    every = {"name": "all", "products": [product for suite in result["suites"] for product in suite["products"]]}
    for suite in [*result["suites"], every]:
        keys = [(shape_of(product), product["transposes"]) for product in suite["products"]]
        row = [suite["name"], str(len(keys))]
        for of in ratios.values():
            known = {key: of[key] for key in keys if key in of}
            lowest = min(known, key=known.get, default=None)
            row += [f"{geometric_mean(list(known.values())):.2f}", f"{known[lowest]:.2f} ({short(lowest[0])} {lowest[1]})"] if known \
                else ["", ""]
        rows.append(row)
    return table(["clgemm's speed divided by another's", "products"] +
                 [words for name in ratios for words in (f"{name}: geometric mean", "lowest")], rows)


def tables_of_gpu(result):
    """A summary, and a table for each suite."""
    others = others_of(result)
    if not others:
        return ""
    parts = [setting(result), table_of_suites(result, {in_words(name, result): ratios_to(result, [name]) for name in others})]
    scale, unit = unit_of(result)
    for suite in result["suites"]:
        transposes = transposes_of([suite])
        rows = []
        for shape, products in by_shape([suite]).items():
            row = [shape]
            for product in (products[one] for one in transposes):
                ours, theirs = product["gflops"]["clgemm"], product["gflops"][others[0]]
                row.append(f"{speed(ours, scale)} / {speed(theirs, scale)}" +
                           (f" = {with_bold_losses(ours / theirs)}" if ours and theirs else ""))
            rows.append(row)
        parts.append(f"**{suite['name']}**, {unit}, clgemm / {in_words(others[0], result)}:")
        parts.append(table(["M x N x K", *transposes], rows))
    return "\n\n".join(parts)


def tables_of_cpu(result, clblast):
    """A summary, and a table of all products. CLBlast's race is one of its own, and may not have been run."""
    others = others_of(result)
    if not others:
        return ""
    names = [in_words(name, result) for name in others]
    ratios = {names[0] if len(names) == 1 else f"the fastest of {', '.join(names)}": ratios_to(result, others)}
    if clblast:
        ratios[in_words("clblast", clblast)] = ratios_to(clblast, ["clblast"])
    transposes = transposes_of(result["suites"])
    scale, unit = unit_of(result)
    rows = []
    for shape, products in by_shape(result["suites"]).items():
        row = [shape] + [", ".join(speed(products[one]["gflops"][name], scale) for one in transposes) for name in ["clgemm", *others]]
        for of in ratios.values():
            row.append(", ".join(with_bold_losses(of[shape, one]) if (shape, one) in of else "-" for one in transposes))
        rows.append(row)
    head = [f"M x N x K, {unit}", f"clgemm {', '.join(transposes)}", *names, *(f"clgemm / {name}" for name in ratios)]
    return "\n\n".join([setting(result)] + ([setting(clblast)] if clblast else []) +
                       [table_of_suites(result, ratios), table(head, rows)])


def table_of_host(result):
    """Microseconds of calls on host memory."""
    others = [name for name in contenders_of(result) if name != "clgemm-host"]
    rows = []
    for shape, products in by_shape(result["suites"]).items():
        for transposes, product in products.items():
            m, n, k = map(int, shape.split("x"))
            speeds = product["gflops"]
            rows.append([f"{short(shape)} {transposes}"] +
                        [three_digits(2e-3 * m * n * k / speeds[name]) if speeds[name] else "failed" for name in ["clgemm-host", *others]] +
                        [with_bold_losses(speeds["clgemm-host"] / speeds[name]) if speeds["clgemm-host"] and speeds[name] else ""
                         for name in others])
    head = ["M x N x K, microseconds", "clgemm"] + [in_words(name, result) for name in others] + ["how many times as fast"] * len(others)
    return setting(result) + "\n\n" + table(head, rows)


def races(devices, on_cpus):
    """Of each device what sgemm_bench measured there, as far as libraries can be compared by it."""
    return [{name: result for name, result in data.items() if isinstance(result, dict) and "suites" in result and
             (result["device"]["type"] == "CPU") == on_cpus and compares(result)} for data in devices]


def for_each(devices, needs, make):
    """What is made of each device for which that was measured."""
    return "\n\n".join(filter(None, [make(data) for data in devices if needs in data]))


def tables_next_to_others(devices):
    """By the names in the markers."""
    gpus, cpus = races(devices, on_cpus=False), races(devices, on_cpus=True)
    return {
        "gpu": lambda _: for_each(gpus, "shapes", lambda data: tables_of_gpu(data["shapes"])),
        "gpu strict": lambda _: for_each(gpus, "strict_shapes", lambda data: tables_of_gpu(data["strict_shapes"])),
        "batches": lambda _: for_each(gpus, "batches", lambda data: tables_of_gpu(data["batches"])),
        "strict batches": lambda _: for_each(gpus, "strict_batches", lambda data: tables_of_gpu(data["strict_batches"])),
        "cpu batches": lambda _: for_each(cpus, "batches", lambda data: tables_of_cpu(data["batches"], None)),
        "cpu": lambda _: for_each(cpus, "shapes", lambda data: tables_of_cpu(data["shapes"], data.get("clblast"))),
        "host": lambda _: for_each(gpus, "host", lambda data: table_of_host(data["host"])),
    }


# Pictures of all devices at once: what each needs, and what it says to those who do not see it.
FIGURES = {"kernels": (["kernels"], "Speed of each kernel, from the simplest to the fastest"),
           "sizes": (["kernels", "sizes"], "Speed over size, next to other libraries, up to the measured peak")}


def pictures_of_each(devices, ending, data, words, shown=lambda _: True):
    """Pictures that each device has one of: their files, and what they say to those who do not see them."""
    def name(result): # without PoCL's words for the kind of processor
        return re.sub(r"^(?:pthread|cpu)-(?:[a-z0-9]+-)*", "", result["device"]["name"])
    return [(f"{one['name']}-{ending}", f"{words}: {name(one[data])}") for one in devices if data in one and shown(one[data])]


def figures(devices):
    """By the names in the markers: files in docs/pictures, and what they say to those who do not see them."""
    def compared(kind):
        return lambda result: (result["device"]["type"] == "CPU") == (kind == "cpu") and compares(result) and others_of(result)
    ratios = {f"{kind} ratios": pictures_of_each(devices, "ratios", "shapes", "clgemm's speed divided by others', for each shape",
                                                 compared(kind)) for kind in ("gpu", "cpu")}
    return {**{name: [(name, words)] for name, (needs, words) in FIGURES.items()
               if any(all(part in data for part in needs) for data in devices)},
            **{f"lesson {number}": [(f"lesson-{number:02}", f"Who computes what in kernel {number}, and how much it loads")]
               for number in PARAMETERS},
            **{f"lesson {name}": [(f"lesson-{name}", f"Who computes what in kernel {name}, and a count beside another kernel's")]
               for name in OWN},
            "maps": pictures_of_each(devices, "map", "map", "Which kernel is chosen, over M and N"),
            "accuracy": pictures_of_each(devices, "accuracy", "accuracy", "Largest errors over K", others_of), **ratios}


def written(text, devices, pictures="docs/pictures"):
    """A document's text with its tables as the data has them. pictures: their folder, as seen from the document."""
    makers = {"kernels": lambda _: table_of_kernels(devices), "ratios": lambda _: table_of_ratios(devices),
              "ideas": lambda rows: table_of_ideas(devices, rows),
              "kernel sizes": lambda _: table_of_kernel_sizes(devices), "accuracy": lambda _: tables_of_accuracy(devices),
              **tables_next_to_others(devices)}

    def fill(match):
        name = match.group(1)
        if name in makers:
            content = makers[name](match.group(2))
        elif of_kernel := re.fullmatch(rf"kernel (\d+|{'|'.join(NUMBERS)})", name):
            kernel = of_kernel.group(1)
            content = table_of_kernel(devices, NUMBERS[kernel] if kernel in NUMBERS else int(kernel))
        elif of_counts := re.fullmatch(r"counts (\w+)", name):
            content = table_of_counts(devices, of_counts.group(1))
        elif of_several := re.fullmatch(r"at all sizes (.+)", name):
            content = table_at_all_sizes(devices, of_several.group(1).split(", "))
        else:
            sys.exit(f"draw: there is no table '{name}'")
        if not content:
            return match.group(0) # what it needs was measured nowhere yet
        return f"<!-- table: {name} -->\n{content}\n<!-- end of table -->"

    def picture(match):
        name = match.group(1)
        if name not in {*FIGURES, *known}:
            sys.exit(f"draw: there is no figure '{name}'")
        if not known.get(name):
            return match.group(0) # what it needs was measured nowhere yet
        shown = "\n\n".join(f"![{words}]({pictures}/{file}.svg)" for file, words in known[name])
        return f"<!-- figure: {name} -->\n{shown}\n<!-- end of figure -->"

    known = figures(devices)
    text = with_numbers(text, devices)
    text = re.sub(r"<!-- figure: ([^\n]*?) -->\n.*?<!-- end of figure -->", picture, text, flags=re.DOTALL)
    return re.sub(r"<!-- table: ([^\n]*?) -->\n(.*?)<!-- end of table -->", fill, text, flags=re.DOTALL)
