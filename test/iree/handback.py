#!/usr/bin/env python3
"""Runs what orzo hands back in IREE: does it compile, are the numbers right, is it faster than what it replaces?

usage: handback.py --orzo PROGRAM [--junit FILE] [numbers | routes | inputs | strided | posted]...

numbers   small problems in every form (lowered linalg, source linalg, torch), against exact sums
routes    modules as two front ends make them, handed back at their own border
inputs    torch modules as IREE's own input phase lowers them: read as the problem that they are
strided   strided input backwards: the lowered form against the source form, timed in turns
posted    the modules of the report that orzo was started for, at full size: right, and at least ten times as fast as
          they are themselves. They are not part of the repository: ORZO_SEED names a folder that holds them. Takes
          minutes

Without a part, all of them; posted only where ORZO_SEED is set. Needs a Python with iree-base-compiler, iree-base-runtime and numpy; says what is missing and exits with 77 otherwise.
"""

import argparse
import contextlib
import os
import re
import subprocess
import sys
import tempfile
import traceback
import xml.etree.ElementTree as ElementTree

import iree_tools as iree


def orzo(program, *words):
    result = subprocess.run([program, *words], capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise AssertionError(f"orzo {' '.join(words)} ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    return result.stdout


def views_of(problem, data, names):
    return [iree.Function.view(problem.lay(data[name]), problem.element) for name in names]


def check_values(problem, data, values):
    """Integers: equal to the sum, rounded once."""
    expected = problem.lay(problem.expected(data))
    rounded = iree.from_bits(iree.to_bits(expected, problem.element), problem.element)
    values = values.reshape(rounded.shape)
    wrong = int((values != rounded).sum())
    assert wrong == 0, f"{wrong} of {rounded.size} elements are wrong: {problem}"


def run_linalg(problem, text, data):
    call = iree.Function(iree.compile_module(text), "main")
    view = call(*views_of(problem, data, problem.arguments()))
    check_values(problem, data, iree.Function.values(view, problem.element))


def run_torch(problem, text, data):
    call = iree.Function(iree.compile_module(text), "main")
    nan = dict(data, **{problem.result(): data[problem.result()] * float("nan")})
    result, = views_of(problem, nan, [problem.result()])
    call(result, *views_of(problem, data, problem.torch_arguments()))
    check_values(problem, data, iree.Function.values(result, problem.element))


def numbers(program, report):
    import numpy
    import problem as problems
    random = numpy.random.default_rng(7)
    for index, problem in enumerate(problems.small_problems()):
        command, data = problem.command(), problem.data(random)
        report(f"numbers.{index}.lowered", lambda: run_linalg(
            problem, orzo(program, "compile", "--emit=iree", command), data))
        report(f"numbers.{index}.source", lambda: run_linalg(
            problem, orzo(program, "convert", "--to=linalg", command), data))
        report(f"numbers.{index}.torch", lambda: run_torch(
            problem, orzo(program, "convert", "--to=torch", command), data))


def routes(program, report):
    """The two routes of one problem, and the one that forgets to mirror the filter: as they are, and handed back."""
    import numpy
    import problem as problems
    import routes as spellings
    random = numpy.random.default_rng(11)

    def check(text, name, returns, problem, data):
        call = iree.Function(iree.compile_module(text), name)
        # The unit H is before W in the driver's layouts, behind it in the graph's.
        dx, dy, w = (iree.Function.view(numpy.expand_dims(problem.lay(values), 1 if returns else 2), "bf16")
                     for values in (data["x"] * float("nan"), data["y"], data["w"]))
        result = call(dy, dx, w) if returns else (call(dx, dy, w), dx)[1]
        check_values(problem, data, iree.Function.values(result, "bf16"))

    def one(spelling, returns, mirrors, product, n, c, k, out, taps, stride):
        name, text = spelling
        problem = problems.Problem("dgrad", n, c, k, ((out - 1) * stride + taps,), (taps,), (stride,), (0,), (1,), element="bf16")
        data = problem.data(random)
        # Without the mirror it is the input backward of the mirrored filter.
        meant = data if mirrors else dict(data, w=data["w"][..., ::-1])

        class Expected(problems.Problem):
            def expected(self, _):
                return problem.expected(meant)
        expecting = Expected(**vars(problem))
        check(text, name, returns, expecting, data)
        with module_file(text) as path:
            emitted = orzo(program, "compile", "--emit=iree", path)
        assert ("linalg.matmul" in emitted) == product, emitted
        for gone in ["linalg.transpose", "tensor.extract %"] + (["insert_slice"] if product else []):
            assert gone not in emitted, emitted
        check(emitted, name, returns, expecting, data)

    for label, shape in (("product", (2, 12, 16, 8, 2, 2)), ("phases", (2, 12, 16, 8, 3, 2))):
        product = label == "product"
        report(f"routes.{label}.driver", lambda: one(spellings.driver_route(*shape), True, True, product, *shape))
        report(f"routes.{label}.graph",
               lambda: one(spellings.graph_route(*shape, mirrors=True), False, True, product, *shape))
        report(f"routes.{label}.unmirrored",
               lambda: one(spellings.graph_route(*shape, mirrors=False), False, False, False, *shape))


def strided(program, report):
    import numpy
    import problem as problems
    random = numpy.random.default_rng(9)
    phases = []

    def one(problem):
        command, data = problem.command(), problem.data(random)
        text = orzo(program, "compile", "--emit=iree", command)
        form = text.split("written as ", 1)[1].split(":", 1)[0]
        lowered = iree.Function(iree.compile_module(text), "main")
        source = iree.Function(iree.compile_module(orzo(program, "convert", "--to=linalg", command)), "main")
        views = views_of(problem, data, problem.arguments())
        check_values(problem, data, iree.Function.values(lowered(*views), problem.element))
        a, b, median, low, high = iree.ratio(lambda: source(*views), lambda: lowered(*views), 30, 4)
        phases.append(form == "phases")
        print(f"  {form:11} source {a * 1e3:9.3f} ms, handed back {b * 1e3:9.3f} ms, ratio {median:6.2f} "
              f"[{low:.2f}, {high:.2f}]  {command}", flush=True)
        assert high >= 1, f"the source form is faster: {a * 1e3:.3f} ms against {b * 1e3:.3f} ms"

    for index, problem in enumerate(problems.strided_dgrads()):
        report(f"strided.{index}", lambda: one(problem))

    def enough():
        assert sum(phases) >= 12, f"{sum(phases)} of {len(phases)} are written as phases"
    report("strided.phases", enough)


def inputs(program, report):
    """What IREE's input phase makes of a torch module is the same problem to orzo as the command."""
    import problem as problems

    def one(problem):
        command = problem.command()
        lowered = iree.lower_to_input(orzo(program, "convert", "--to=torch", command))
        assert "torch." not in lowered, lowered
        with module_file(lowered) as path:
            read = orzo(program, "compile", "--stop-after=conv", path)
        assert "linalg." not in read and read.count(" = conv.") == 1, f"{command}:\n{read}"
        meant = orzo(program, "compile", "--stop-after=conv", command)
        assert read == meant, f"{command}:\n{read}\n{meant}"

    for index, problem in enumerate([*problems.small_problems(), *problems.strided_dgrads()]):
        report(f"inputs.{index}", lambda: one(problem))


def posted(program, report):
    """At full size: the report's modules as posted and as handed back, under the same flags."""
    import numpy
    folder = os.environ.get("ORZO_SEED")
    assert folder, "ORZO_SEED must name the folder of the report's modules"
    random = numpy.random.default_rng(13)
    n, c, k, q, s = 16, 2048, 2048, 256, 2
    dy = random.integers(-2, 3, (n, q, k)).astype(numpy.float32)
    w = random.integers(-2, 3, (k, s, c)).astype(numpy.float32)
    # dx[n, 2q + s, c] = sum over k: exact in f32, then rounded once.
    product = {mirrored: (dy.reshape(n * q, k) @ (w[:, ::-1] if mirrored else w).reshape(k, s * c))
               for mirrored in (False, True)}

    def one(file, entry, returns, mirrored):
        path = os.path.join(folder, file)
        with open(path, encoding="utf-8") as source:
            text = source.read()
        emitted = orzo(program, "compile", "--emit=iree", path)
        if not mirrored:
            assert emitted.count("linalg.matmul") == 1, emitted
            for gone in ("insert_slice", "linalg.transpose", "tensor.extract"):
                assert gone not in emitted, emitted
        expected = iree.from_bits(iree.to_bits(product[mirrored], "bf16"), "bf16").reshape(-1)
        shape = (lambda a: a[:, None]) if returns else (lambda a: a[:, :, None])
        views = [iree.Function.view(shape(a), "bf16") for a in
                 (numpy.full((n, s * q, c), numpy.nan, numpy.float32), dy, w)]

        def check(call, what):
            dx, gradient, filter_ = views
            call_once = (lambda: call(gradient, dx, filter_)) if returns else (lambda: call(dx, gradient, filter_))
            results = []
            time = iree.seconds(lambda: results.append(call_once()))
            values = iree.Function.values(results[0] if returns else dx, "bf16").reshape(-1)
            wrong = int((values != expected).sum())
            assert wrong == 0, f"{file} {what}: {wrong} of {expected.size} elements are wrong"
            return time

        own, better = (iree.Function(iree.compile_module(t), entry(t)) for t in (text, emitted))
        after = [check(better, "as handed back") for _ in range(2)]
        before = check(own, "as posted")
        after.append(check(better, "as handed back"))
        ratio = before / sorted(after)[1]
        print(f"  {file:20} as posted {before:7.2f} s, handed back {', '.join(f'{t:.2f}' for t in after)} s, ratio "
              f"{ratio:.1f}; load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores", flush=True)
        assert ratio >= 10, f"{file}: {before:.2f} s as posted, {sorted(after)[1]:.2f} s as handed back"

    def public(text):
        """The entry that waits by itself: the first public function whose name does not end in $async."""
        return next(name for name in re.findall(r"func public @([\w$]+)\(", text) if not name.endswith("$async"))

    report("posted.driver", lambda: one("boo_input.mlir", public, True, False))
    report("posted.graph", lambda: one("fusilli_input.mlir", public, False, True))
    report("posted.torch", lambda: one("fusilli_torch.mlir", lambda _: "main", False, False))


@contextlib.contextmanager
def module_file(text):
    """The path of a file that holds `text`."""
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/module.mlir"
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        yield path


class Report:
    """Runs cases and keeps what became of them."""

    def __init__(self):
        self.suite, self.failed, self.passed = ElementTree.Element("testsuite", name="iree"), 0, 0

    def __call__(self, name, case):
        element = ElementTree.SubElement(self.suite, "testcase", classname="iree", name=name)
        try:
            case()
            self.passed += 1
        except Exception as error:  # pylint: disable=broad-except
            self.failed += 1
            ElementTree.SubElement(element, "failure", message=str(error)[:200]).text = traceback.format_exc()
            print(f"FAIL {name}: {str(error)[:1500]}", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--orzo", required=True)
    parser.add_argument("--junit")
    parser.add_argument("parts", nargs="*", default=[])
    arguments = parser.parse_args()
    if why := iree.missing():
        print(f"skipped: {why}")
        return 77
    report = Report()
    known = {"numbers": numbers, "routes": routes, "inputs": inputs, "strided": strided, "posted": posted}
    every = [part for part in known if part != "posted" or os.environ.get("ORZO_SEED")]
    if "posted" not in (arguments.parts or every):
        print("posted: not run; ORZO_SEED does not name a folder of the report's modules")
    for part in arguments.parts or every:
        known[part](arguments.orzo, report)
    if arguments.junit:
        ElementTree.ElementTree(report.suite).write(arguments.junit)
    print(f"iree: {report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
