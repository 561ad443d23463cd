"""What was asked of the GPU kernels, and what a bench found: a table of lines "met", "missed" or "not run"."""

import math

# cuDNN's time over orzo's, at least.
SEED_BARS = {"F": 1.9, "D": 1.08, "W": 1.05}
# cuBLAS's time over orzo's on the seed, at least, and the widest interval that counts.
GEMM_RATIO, GEMM_WIDTH = 0.98, 0.04


def _line(what, outcome, found):
    return f"{outcome:8s} {what:72s} {found}\n"


def _bar(what, found, met):
    return _line(what, "met" if met else "missed", found)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def _family(rows, what, least_mean, least):
    timed = [row for row in rows if row.get("vs_cudnn")]
    if not timed:
        return _line(what, "not run", f"{len(rows)} rows, none timed")
    ratios = [row["vs_cudnn"] for row in timed]
    mean, worst = geometric_mean(ratios), min(timed, key=lambda row: row["vs_cudnn"])
    missing = f"; {len(rows) - len(timed)} of {len(rows)} rows not timed" if len(timed) < len(rows) else ""
    return _bar(what, f"{mean:.3f}, least {worst['vs_cudnn']:.3f} ({worst['name']}){missing}",
                mean >= least_mean and worst["vs_cudnn"] >= least and not missing)


def table(rows):
    """The verdict of `rows` (dicts of bench.csv's columns)."""
    text = ""
    for status in sorted({row["status"] for row in rows}):
        text += f"{sum(row['status'] == status for row in rows)} {status}; "
    text = f"{len(rows)} problems: {text.rstrip('; ')}\n"
    checked = [row for row in rows if row["status"] in ("ok", "wrong", "error")]
    wrong = [row["name"] for row in checked if row["status"] != "ok"]
    what = "right: exact integers, random in bounds, zones, equal bits"
    text += _bar(what, f"{len(checked) - len(wrong)} of {len(checked)}" + (f"; not: {', '.join(wrong)}" if wrong else ""),
                 not wrong) if checked else _line(what, "not run", "no artifact was checked")
    for row in rows:
        if row["family"] != "seed":
            continue
        if not row.get("orzo_us"):
            text += _line(f"{row['name']}: all bars", "not run", row.get("message", ""))
            continue
        bar = SEED_BARS[row["direction"]]
        text += _bar(f"{row['name']}: one launch, no fill, no copy",
                     f"{row['dispatches']} launches, {row['fills']} fills, {row['copies']} copies",
                     (row["dispatches"], row["fills"], row["copies"]) == (1, 0, 0))
        if row.get("vs_cudnn"):
            text += _bar(f"{row['name']}: cuDNN / orzo at least {bar}",
                         f"{row['vs_cudnn']:.3f} [{row['vs_cudnn_low']:.3f}, {row['vs_cudnn_high']:.3f}]",
                         row["vs_cudnn"] >= bar)
        if row.get("vs_cublas"):
            width = row["vs_cublas_high"] - row["vs_cublas_low"]
            text += _bar(f"{row['name']}: cuBLAS / orzo at least {GEMM_RATIO}, interval at most {GEMM_WIDTH}",
                         f"{row['vs_cublas']:.3f}, width {width:.3f}",
                         row["vs_cublas"] >= GEMM_RATIO and width <= GEMM_WIDTH)
    for row in rows:
        if row["family"] != "fused":
            continue
        if not row.get("vs_inductor"):
            text += _line(f"{row['name']}: all bars", "not run", row.get("message", ""))
            continue
        text += _bar(f"{row['name']}: one launch", f"{row['dispatches']} launches, {row['fills']} fills, "
                     f"{row['copies']} copies", (row["dispatches"], row["fills"], row["copies"]) == (1, 0, 0))
        text += _bar(f"{row['name']}: faster than torch.compile",
                     f"{row['vs_inductor']:.3f} [{row['vs_inductor_low']:.3f}, {row['vs_inductor_high']:.3f}]",
                     row["vs_inductor_low"] > 1)
    text += _family([row for row in rows if row["family"] == "dense3x3"],
                    "dense 3x3: geometric mean cuDNN / orzo at least 1.0, least 0.85", 1.0, 0.85)
    text += _family([row for row in rows if row["direction"] == "D" and row["family"] in ("3x3s2", "1x1s2", "2x2s2", "seed")
                     or row["direction"] == "D" and " s2 " in row["name"]],
                    "strided dgrad: geometric mean cuDNN / orzo at least 1.1, least 0.9", 1.1, 0.9)
    return text
