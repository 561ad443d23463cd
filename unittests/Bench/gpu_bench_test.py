#!/usr/bin/env python3
"""bench/gpu without a GPU: its problems, its verdict, the C interface through ctypes, and run.sh's checks."""

import ctypes
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
BENCH = os.path.join(ROOT, "bench", "gpu")
BUILD = os.environ["ORZO_BUILD"]
sys.path.insert(0, BENCH)
import graphs
import orzo
import shapes
import verdict


def write_artifact(kernel, path):
    subprocess.run([os.path.join(BUILD, "bin", "orzo-write-fake-artifact"), kernel, path], check=True)


class Shapes(unittest.TestCase):
    def test_names_are_unique_also_as_files(self):
        names = [entry["name"] for entry in [*graphs.graphs(), *shapes.fused(), *shapes.layers(), *shapes.small(300)]]
        self.assertEqual(len(names), len({re.sub(r"\W+", "_", name) for name in names}))
        self.assertEqual(names, [entry["name"] for entry in [*graphs.graphs(), *shapes.fused(), *shapes.layers(), *shapes.small(300)]])

    def test_small_problems_are_in_scope(self):
        directions = set()
        for entry in shapes.small(300):
            words = entry["command"].split()
            flags = dict(zip(words[1::2], words[2::2]))
            directions.add(entry["direction"])
            self.assertEqual(int(flags["-c"]) % 8, 0)
            self.assertEqual(int(flags["-k"]) % 8, 0)
            for size, window, pad, dilation in (("-H", "-y", "-p", "-l"), ("-W", "-x", "-q", "-j")):
                covered = int(flags[dilation]) * (int(flags[window]) - 1) + 1
                self.assertGreaterEqual(int(flags[size]) + 2 * int(flags[pad]), covered, entry["command"])
        self.assertEqual(directions, {"F", "D", "W"})

    def test_the_seed_is_the_seed(self):
        seed = next(entry for entry in shapes.layers() if entry["name"] == "seed D")
        self.assertIn("-n 16 -c 2048 -H 1 -W 512 -k 2048 -y 1 -x 2 -p 0 -q 0 -u 1 -v 2", seed["command"])


    def test_fused_graphs_name_their_tensors(self):
        for entry in shapes.fused():
            inputs = re.findall(r"^(%\d+) = input ", entry["graph"], re.M)
            output = re.search(r"^output (%\d+)$", entry["graph"], re.M)[1]
            self.assertEqual(sorted(entry["tensors"]), sorted([*inputs, output]))
            self.assertEqual(entry["tensors"][output], "y")
            self.assertEqual("r" in entry["tensors"].values(), "residual" in entry["name"])


def row(name, direction, family, ratio=None, **more):
    found = {"name": name, "direction": direction, "family": family, "status": "ok", "message": ""}
    if ratio:
        found |= {"orzo_us": 1.0, "vs_cudnn": ratio, "vs_cudnn_low": ratio, "vs_cudnn_high": ratio, "dispatches": 1,
                  "fills": 0, "copies": 0}
    return found | more


class Verdict(unittest.TestCase):
    def outcomes(self, *rows):
        return {line[9:81].strip(): line[:8].strip() for line in verdict.table(list(rows)).split("\n")[1:] if line}

    def test_bars_of_the_seed(self):
        good = self.outcomes(row("seed D", "D", "seed", 1.09, vs_cublas=1.0, vs_cublas_low=0.99, vs_cublas_high=1.01))
        self.assertEqual(good["seed D: cuDNN / orzo at least 1.08"], "met")
        self.assertEqual(good["seed D: cuBLAS / orzo at least 0.98, interval at most 0.04"], "met")
        self.assertEqual(good["seed D: one launch, no fill, no copy"], "met")
        bad = self.outcomes(row("seed D", "D", "seed", 1.07, vs_cublas=1.0, vs_cublas_low=0.9, vs_cublas_high=1.1, fills=1))
        self.assertEqual({bad[key] for key in bad if key.startswith("seed D")}, {"missed"})

    def test_families_need_mean_and_least(self):
        key = "dense 3x3: geometric mean cuDNN / orzo at least 1.0, least 0.85"
        self.assertEqual(self.outcomes(row("a", "F", "dense3x3", 1.2), row("b", "F", "dense3x3", 0.9))[key], "met")
        self.assertEqual(self.outcomes(row("a", "F", "dense3x3", 1.5), row("b", "F", "dense3x3", 0.8))[key], "missed")
        self.assertEqual(self.outcomes(row("a", "F", "dense3x3", 1.0), row("b", "F", "dense3x3", 0.9))[key], "missed")
        self.assertEqual(self.outcomes(row("a", "F", "dense3x3", 1.2), row("b", "F", "dense3x3"))[key], "missed")
        self.assertEqual(self.outcomes(row("a", "F", "dense3x3"))[key], "not run")

    def test_fused_rows_beat_the_compiler(self):
        key = "fused a: faster than torch.compile"
        ratios = lambda low: {"vs_inductor": low + 0.02, "vs_inductor_low": low, "vs_inductor_high": low + 0.04,
                              "dispatches": 1, "fills": 0, "copies": 0}
        self.assertEqual(self.outcomes(row("fused a", "F", "fused", **ratios(1.01)))[key], "met")
        self.assertEqual(self.outcomes(row("fused a", "F", "fused", **ratios(0.99)))[key], "missed")
        self.assertEqual(self.outcomes(row("fused a", "F", "fused"))["fused a: all bars"], "not run")

    def test_wrong_results_are_named(self):
        text = verdict.table([row("a", "F", "1x1", 1.2), row("b", "F", "1x1", status="wrong")])
        self.assertRegex(text, r"missed +right.* 1 of 2; not: b")


class CInterface(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.runtime = orzo.Runtime(os.path.join(BUILD, "lib", "liborzo-runtime.so"))

    def test_runs_an_artifact(self):
        path = os.path.join(self.folder, "a.orzo")
        write_artifact("fake_matmul", path)
        module = self.runtime.load(path)
        self.assertTrue(module.is_cuda)
        self.assertEqual(module.isa, "sm_90a")
        self.assertEqual([(b.name, b.shape, b.type, b.is_result) for b in module.bindings],
                         [("x", (5, 16), "bf16", False), ("w", (8, 16), "bf16", False), ("y", (5, 8), "bf16", True)])
        self.assertEqual((module.counters.dispatches, module.counters.fills, module.workspace_bytes()), (1, 0, 0))
        tensors = []
        for binding, value in zip(module.bindings, (0x3F80, 0x4000, 0)):  # 1, 2, 0 in bf16.
            memory = (ctypes.c_uint16 * (binding.bytes // 2 + 8))()
            begin = (ctypes.addressof(memory) + 15) // 16 * 16
            tensor = (ctypes.c_uint16 * (binding.bytes // 2)).from_address(begin)
            tensor[:] = [value] * len(tensor)
            tensors.append((memory, tensor, begin))
        module.bind([begin for _, _, begin in tensors]).run(stream=1)
        self.assertEqual(set(tensors[2][1]), {0x4200}, "16 * 1 * 2 = 32")

    def test_errors_are_exceptions(self):
        with self.assertRaisesRegex(orzo.Error, "cannot be read") as caught:
            self.runtime.load("/nonexistent.orzo")
        self.assertEqual(caught.exception.status, 4)


class RunScript(unittest.TestCase):
    """run.sh up to where PyTorch begins."""

    def verdict_of(self, kernels):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("bin", "lib", "artifacts", "bench"):
                os.makedirs(os.path.join(folder, name))
            shutil.copy(os.path.join(BUILD, "bin", "orzo-run"), os.path.join(folder, "bin"))
            shutil.copy(os.path.join(BENCH, "run.sh"), folder)
            entries = []
            for index, kernel in enumerate(kernels):
                write_artifact(kernel, os.path.join(folder, "artifacts", f"small_{index:03d}_F.orzo"))
                entries.append({"name": f"small {index}", "check": "oracle", "file": f"artifacts/small_{index:03d}_F.orzo"})
            with open(os.path.join(folder, "index.json"), "w") as file:
                json.dump({"artifacts": entries}, file)
            done = subprocess.run([os.path.join(folder, "run.sh"), os.path.join(folder, "out")], capture_output=True, text=True)
            self.assertNotEqual(done.returncode, 0, "there is no bench.py to run")
            return done.stdout

    def test_checks_small_artifacts(self):
        text = self.verdict_of(["fake_matmul"] * 23)
        self.assertIn("met      small problems on integer data: 23 of 23 ok", text)
        self.assertIn("met      small problems on random data: 23 of 23 ok", text)
        self.assertRegex(text, "not run  compute-sanitizer memcheck|met      compute-sanitizer memcheck")

    def test_wrong_ones_are_missed(self):
        text = self.verdict_of(["fake_matmul", "fake_matmul_overrun", "fake_matmul_unsteady"])
        self.assertIn("missed   small problems on integer data: 1 of 3 ok", text)


if __name__ == "__main__":
    unittest.main()
