#!/usr/bin/env python3
"""Checks and times orzo's artifacts beside PyTorch's cuDNN and cuBLAS, in one process, on a CUDA device.

usage: bench.py INDEX OUT [--rounds N] [--only TEXT] [--no-time] [--seconds S]

INDEX is the index.json that scripts/gpu_artifacts wrote. Every artifact with "check": "device" is checked against
PyTorch in f64; those with "time" are then timed: cuDNN with its autotuner on and off (the better counts), cuBLAS where
the problem is one GEMM - beside a fused graph PyTorch eager, compiled, and cuDNN's fused op -, and orzo, as CUDA graphs
over rotating buffers larger than L2, in turns. OUT/bench.csv has a row for each problem,
OUT/verdict.txt the table of what was asked for and what was found. Exit status 1 when a result is
wrong; a missed speed is in the verdict only."""

import argparse
import csv
import json
import math
import os
import statistics
import sys
import time

import torch

import graph
import orzo
import verdict
from bound import Bound, conforms, random_tensor
from fused import FusedProblem
from problem import Problem
from timing import capture, interleaved, ratio

FIELDS = ["name", "family", "direction", "status", "message", "problem", "lowering", "plan", "dispatches", "fills", "copies",
          "workspace_bytes", "flops", "bytes", "floor_us", "orzo_us", "cudnn_us", "cudnn_on_us", "cudnn_off_us", "cublas_us",
          "orzo_tflops", "of_floor", "vs_cudnn", "vs_cudnn_low", "vs_cudnn_high", "vs_cublas", "vs_cublas_low",
          "vs_cublas_high", "eager_us", "inductor_us", "inductor_max_us", "cudnn_fused_us", "vs_inductor", "vs_inductor_low",
          "vs_inductor_high", "vs_cudnn_fused", "vs_cudnn_fused_low", "vs_cudnn_fused_high", "vs_eager", "vs_eager_low",
          "vs_eager_high", "rounds", "sets", "calls"]
L2_BYTES = 63e6


def buffer_sets(problem):
    """So many that they exceed L2 twice over, at least 4, within a tenth of the device's memory."""
    needed = math.ceil(2 * L2_BYTES / problem.bytes())
    fits = int(torch.cuda.get_device_properties(0).total_memory / 10 / problem.bytes())
    return max(2, min(max(4, needed), 64, fits))


def candidates(problem, bound, sets):
    found = problem.peers(sets)
    if bound:
        calls = [bound.call(tensors) for tensors in sets]
        found["orzo"] = lambda index: calls[index].run(torch.cuda.current_stream().cuda_stream)
    return found


def time_problem(problem, bound, rounds):
    """Columns of the CSV."""
    generator = torch.Generator("cuda").manual_seed(7)
    count = buffer_sets(problem)
    sets = [{name: random_tensor(problem, name, "random", generator) for name in problem.shapes} for _ in range(count)]
    calls = count * max(1, round(1500 / max(problem.floor_us(), 3) / count))
    graphs, notes = {}, []
    for name, function in candidates(problem, bound, sets).items():
        try:
            graphs[name] = capture(function, count, calls)
        except RuntimeError as error:
            if name == "orzo":
                raise
            notes.append(f"{name}: {str(error)[:80]}")
    interleaved(graphs, calls, 2)
    times = interleaved(graphs, calls, rounds)
    medians = {name: statistics.median(values) for name, values in times.items()}
    row = {f"{name}_us": round(value, 2) for name, value in medians.items()}
    row |= {"rounds": rounds, "sets": count, "calls": calls, "message": "; ".join(notes)}
    best = min((name for name in medians if name in ("cudnn_on", "cudnn_off")), key=medians.get, default=None)
    compiled = min((name for name in medians if name.startswith("inductor")), key=medians.get, default=None)
    if best:
        row["cudnn_us"] = round(medians[best], 2)
    if "orzo" in medians:
        row["orzo_tflops"] = round(problem.flops() / medians["orzo"] / 1e6, 1)
        row["of_floor"] = round(problem.floor_us() / medians["orzo"], 3)
        for peer, key in (("cudnn", best), ("cublas", "cublas"), ("inductor", compiled), ("cudnn_fused", "cudnn_fused"),
                          ("eager", "eager")):
            if key in times:
                found = ratio(times[key], times["orzo"])
                row |= {f"vs_{peer}{end}": round(value, 4) for end, value in zip(("", "_low", "_high"), found)}
    return row


def problem_of(entry):
    """None for a graph that is only checked."""
    if "command" not in entry:
        return None
    return FusedProblem(entry["command"], entry["tensors"]) if "graph" in entry else Problem(entry["command"])


def describe(entry, problem):
    if problem is None:
        return {"name": entry["name"], "family": entry["family"], "direction": entry["direction"]}
    return {"name": entry["name"], "family": entry["family"], "direction": entry["direction"], "flops": problem.flops(),
            "bytes": problem.bytes(), "floor_us": round(problem.floor_us(), 2)}


def measure(entry, folder, runtime, options):
    problem = problem_of(entry)
    row, bound = describe(entry, problem), None
    if "file" in entry:
        module = runtime.load(os.path.join(folder, entry["file"]))
        counters = module.counters
        row |= {"problem": module.problem, "lowering": module.lowering, "plan": module.plan, "dispatches": counters.dispatches,
                "fills": counters.fills, "copies": counters.copies, "workspace_bytes": module.workspace_bytes()}
        bound = Bound(module, problem) if problem else None
        fault = conforms(bound, 11) if problem else graph.conforms(module, graph.Graph(entry["graph"]), 11)
        if fault:
            return row | {"status": "wrong", "message": fault}
        row["status"] = "ok"
    else:
        row |= {"status": "not compiled", "message": entry.get("error", "")}
    torch.cuda.empty_cache()
    if entry["time"] and not options.no_time:
        row |= {key: value for key, value in time_problem(problem, bound, options.rounds).items() if value != ""}
    return row


def line(row):
    pieces = [f"{row['name']:32s}", row["status"]]
    for label, key in (("orzo", "orzo_us"), ("cudnn", "cudnn_us"), ("cublas", "cublas_us"), ("eager", "eager_us"),
                       ("torch.compile", "inductor_us"), ("its max-autotune", "inductor_max_us"),
                       ("cudnn's fused op", "cudnn_fused_us"), ("floor", "floor_us")):
        if row.get(key):
            pieces.append(f"{label} {row[key]:.1f}")
    if row.get("vs_cudnn"):
        pieces.append(f"cudnn/orzo {row['vs_cudnn']:.3f} [{row['vs_cudnn_low']:.3f}, {row['vs_cudnn_high']:.3f}]")
    if row.get("vs_cublas"):
        pieces.append(f"cublas/orzo {row['vs_cublas']:.3f} [{row['vs_cublas_low']:.3f}, {row['vs_cublas_high']:.3f}]")
    for peer in ("inductor", "cudnn_fused"):
        if row.get(f"vs_{peer}"):
            pieces.append(f"{peer}/orzo {row[f'vs_{peer}']:.3f} [{row[f'vs_{peer}_low']:.3f}, {row[f'vs_{peer}_high']:.3f}]")
    return "  ".join(pieces + [row.get("message", "")])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("index")
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--only", default="", help="only names that contain this")
    parser.add_argument("--no-time", action="store_true")
    parser.add_argument("--seconds", type=float, default=1e9, help="begin no further problem after so long")
    options = parser.parse_args()
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    with open(options.index) as file:
        entries = [entry for entry in json.load(file)["artifacts"]
                   if entry["check"] == "device" and options.only in entry["name"]]
    os.makedirs(options.out, exist_ok=True)
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, cuDNN {torch.backends.cudnn.version()}", flush=True)
    runtime, rows, begin = orzo.Runtime(), [], time.time()
    with open(os.path.join(options.out, "bench.csv"), "w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        for entry in entries:
            if time.time() - begin > options.seconds:
                row = describe(entry, problem_of(entry)) | {"status": "not run", "message": "out of time"}
            else:
                try:
                    row = measure(entry, os.path.dirname(os.path.abspath(options.index)), runtime, options)
                except (orzo.Error, RuntimeError) as error:
                    row = describe(entry, problem_of(entry)) | {"status": "error", "message": str(error)[:300]}
            torch.cuda.empty_cache()
            rows.append(row)
            writer.writerow(row)
            file.flush()
            print(line(row), flush=True)
            if "CUDA error" in row.get("message", "") or "error 7" in row.get("message", ""):
                print("the device's context is broken; the rest is not run", flush=True)
                break
    text = verdict.table(rows)
    with open(os.path.join(options.out, "verdict.txt"), "w") as file:
        file.write(text)
    print(text)
    return 1 if any(row["status"] in ("wrong", "error") for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
