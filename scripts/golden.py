#!/usr/bin/env python3
"""Writes tests/golden/: values that an independent float64 reference (golden_reference.py) computes for dpx.

    python3 scripts/golden.py            write the files
    python3 scripts/golden.py --check    recompute, compare with the committed files, check the gradients' slopes

Needs numpy (Debian: python3-numpy; run it with /usr/bin/python3 if your python3 is another one).
"""
import argparse
import json
import math
import sys
import zlib
from pathlib import Path

import golden_reference as ref
from golden_reference import TENSORS, np

GOLDEN = Path(__file__).resolve().parent.parent / "tests" / "golden"
SEED, N_GRADIENT, N_STEP, STEPS = 0, 7, 32, 3
# At He-like weights 0.2 diverges, and a diverging run compares rounding errors.
LEARNING_RATE = {False: 0.2, True: 0.02}
# Another processor's BLAS and libm may differ in the last places, so --check allows for that and no more.
RELATIVE_TOLERANCE = {".json": 1e-9, ".f32": 1e-6}


def flatten(tensors):
    return np.concatenate([t.ravel() for t in tensors])


def samples(values, indices):
    return [{"index": int(i), "value": float(values[i])} for i in indices]


def make_case(he):
    """Returns {file name: content} of one case."""
    name, lr = f"lenet_seed{SEED}" + ("_he" if he else ""), LEARNING_RATE[he]
    params = ref.initial_params(SEED, he)
    images, labels = ref.normal_examples(N_STEP * STEPS, SEED)
    logits, losses, grads = ref.forward_backward(params, images[:N_GRADIENT], labels[:N_GRADIENT])
    gradients = flatten(grads).astype("<f4").tobytes()
    firsts = np.cumsum([0] + [math.prod(s) for _, s in TENSORS])
    picks = [int(f) + d for f, (_, s) in zip(firsts, TENSORS) if len(s) > 1 for d in (0, 1, math.prod(s) - 1)]
    case = {
        "seed": SEED, "n": N_GRADIENT, "labels": labels[:N_GRADIENT].tolist(),
        "weight_scale": "float32(float64(initial) * sqrt(2/fan_in)/0.01)" if he else "none",
        "logits": logits.tolist(), "losses": losses.tolist(),
        "gradients": {"of": "sum of losses", "file": name + "_gradients.f32", "count": len(gradients) // 4,
                      "crc32": f"{zlib.crc32(gradients):#010x}"},
        "tensors": [{"name": t, "shape": list(s), "first": int(f), "fan_in": ref.fan_in(s) if len(s) > 1 else None,
                     "gradient_norm": float(np.linalg.norm(g))} for (t, s), f, g in zip(TENSORS, firsts, grads)],
        "sgd": {"batch": N_STEP, "lr": lr, "order": "0, 1, 2, ...",
                "mean_losses": ref.sgd_losses(params, images, labels, N_STEP, STEPS, lr)},
        "samples": {
            "philox": [{"seed": s, "stream": t, "index": i, "substream": u,
                        "words": ref.philox(s, t, i, u)[:, 0].tolist()}
                       for s, t, i, u in [(0, 0, 0, 0), (1, 33, 783, 0), (2**63 + 5, 35, 2**40 + 3, 7)]],
            "params": samples(flatten(params), picks),
            "pixels": samples(images.ravel(), [0, 1, 783, 784, 7 * 784 - 1, 96 * 784 - 1]),
            "labels": labels.tolist(),
            "shuffle": {"n": 10, "epoch": 3, "order": ref.shuffled(10, SEED, 3)}}}
    return {name + ".json": (json.dumps(case, indent=1) + "\n").encode(), name + "_gradients.f32": gradients}


def differs(found, expected, tolerance, where=""):
    """The first difference of two JSON values in words, or None. A crc of gradients is not compared: the file is."""
    if isinstance(expected, float) and isinstance(found, (int, float)):
        close = math.isclose(found, expected, rel_tol=tolerance, abs_tol=1e-15)
        return None if close else f"{where}: {found} instead of {expected}"
    if isinstance(expected, (dict, list)) and type(found) is type(expected) and len(found) == len(expected):
        keys = expected if isinstance(expected, dict) else range(len(expected))
        if isinstance(expected, dict) and found.keys() != expected.keys():
            return f"{where}: other keys"
        results = (differs(found[k], expected[k], tolerance, f"{where}.{k}") for k in keys if k != "crc32")
        return next((r for r in results if r), None)
    return None if found == expected else f"{where}: {found!r} instead of {expected!r}"


def check(path, expected):
    if not path.exists():
        return "missing"
    found, tolerance = path.read_bytes(), RELATIVE_TOLERANCE[path.suffix]
    if path.suffix == ".json":
        return differs(json.loads(found), json.loads(expected), tolerance)
    a, b = np.frombuffer(found, "<f4"), np.frombuffer(expected, "<f4")
    if a.shape != b.shape:
        return f"{a.size} values instead of {b.size}"
    # Small elements are sums that cancel: judged against the largest of the file.
    bad = np.flatnonzero(~np.isclose(a, b, rtol=tolerance, atol=tolerance * np.abs(b).max() * 1e-3))
    return f"element {bad[0]}: {a[bad[0]]} instead of {b[bad[0]]}" if bad.size else None


def check_slopes():
    """At He-like weights only: gradients at 0.01 are so small that steps cross kinks of ReLU or drown in rounding."""
    error = ref.slope_error(ref.initial_params(SEED, he=True), *ref.normal_examples(N_GRADIENT, SEED))
    print(f"gradients against central differences: relative error {error:.1e}, allowed 1e-8")
    return error <= 1e-8


def main():
    parser = argparse.ArgumentParser(description="Float64 reference of dpx.")
    parser.add_argument("--check", action="store_true", help="compare with the committed files, write nothing")
    args = parser.parse_args()
    failed = args.check and not check_slopes()
    for name, content in {**make_case(he=False), **make_case(he=True)}.items():
        path = GOLDEN / name
        if args.check:
            fault = check(path, content)
            failed |= fault is not None
            print(f"{name}: {fault or 'ok'}", file=sys.stderr if fault else sys.stdout)
        else:
            GOLDEN.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            print(f"wrote {path}")
    return 4 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
