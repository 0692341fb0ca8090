#!/usr/bin/env python3
"""Holds the include direction and the file length of dpx; prints each offence as file:line: message.

Usage: scripts/check_includes.py [--root DIR] [--self-test]
Exit codes: 0 nothing found, 1 offences (or, with --self-test, a planted offence that was not caught).
"""
import argparse
import pathlib
import re
import sys
import tempfile

# Part of the tree -> what it may include beside itself: parts, or single headers. The longest matching part owns a file.
SEAMS = ["lib/comm/reducer.hpp", "lib/comm/group.hpp", "lib/comm/schedule.hpp",  # what kernels may know of lib/comm
         "lib/comm/link_model.hpp", "lib/comm/emulated_plan.hpp"]
ALLOWED = {
    "lib/core": [],
    "lib/device": ["lib/core"],
    "lib/comm": ["lib/core", "lib/device"],
    "lib/measure": ["lib/core", "lib/device", "lib/comm"],
    "lib/record": ["lib/core", "lib/device", "lib/comm", "lib/measure"],
    "lib/explain": ["lib/core", "lib/comm", "lib/model"],
    "lib/data": ["lib/core", "lib/device/slice.hpp"],
    "lib/model": ["lib/core", "lib/device"],
    "lib/train": ["lib/core", "lib/device", "lib/comm", "lib/model", "lib/backend", "lib/data", "lib/measure"],
    "lib/backend": ["lib/core", "lib/device", "lib/comm", "lib/model"],
    "kernels/cpu": ["lib/core", "lib/device", "lib/model", "lib/backend", *SEAMS],
    "kernels/cuda": ["lib/core", "lib/device", "lib/model", "lib/backend", *SEAMS,
                     "lib/comm/link.hpp", "lib/comm/device_link.hpp"],
    "kernels": ["lib/core", "lib/device", "lib/model", "lib/comm", "lib/backend", "kernels/cpu", "kernels/cuda"],
    "apps": ["lib", "kernels/backends.hpp"],
    "tests": ["lib", "kernels", "apps"],
}
# Headers of a package that only one part may see, so that everything else builds without it.
CONFINED = [
    (re.compile(r"cuda|cudnn|cublas|curand|cupti|nccl|nvrtc|nvml|nvtx|nv/|cub/|thrust/|cooperative_groups|mma\.h|"
                r"(driver_types|vector_types|vector_functions|device_launch_parameters|host_defines)\.h"),
     ["kernels/cuda", "tests/cuda", "tests/fake_cuda"]),
    (re.compile(r"mpi\.h"), ["lib/comm/mpi", "scripts/mpi", "tests"]),
]
# Sources outside these parts are built without such a package too: no include may lead them to it, over however many headers.
WITHOUT = (CONFINED[0], ["kernels/cuda", "tests/cuda", "tests/fake_cuda", "tests/unit/kernels/cuda/algorithms_test.cpp"])
ROOTS = ("apps", "lib", "kernels", "scripts", "tests")
SOURCES = {".cpp", ".hpp", ".h", ".cu", ".cuh"}
SCRIPTS = {".py", ".sh"}
MAX_LINES = 250

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def inside(path, part):
    return path == part or path.startswith(part + "/")


def part_of(path):
    return max((part for part in ALLOWED if inside(path, part)), key=len, default=None)


def judge(root, path, bracket, target):
    """Says what is wrong with `path` including `target`, or None."""
    if ".." in target.split("/"):
        return f'"{target}": no ".." in includes, write it from the root'
    if inside(target, "apps") or target.split("/")[0] in ("lib", "kernels", "tests"):
        part = part_of(path)
        if bracket == "<":
            return f"<{target}>: project headers are included with quotes"
        if part is None:
            return f'"{target}": {path} is in no part named by this script\'s table'
        if part_of(target) == part or any(inside(target, allowed) for allowed in ALLOWED[part]):
            return None
        return f'"{target}": {part} may include {", ".join([part] + ALLOWED[part])}'
    if bracket == '"' and (root / path).parent.joinpath(target).is_file():
        return f'"{target}": write it from the root, "{(pathlib.PurePosixPath(path).parent / target)}"'
    for pattern, parts in CONFINED:
        if pattern.match(target) and not any(inside(path, part) for part in parts):
            return f"<{target}>: only {', '.join(parts)} may include it"
    return None


def way_to(pattern, path, includes, seen):
    """The headers that lead from `path` to one that `pattern` matches, or None."""
    for target in includes.get(path, []):
        if pattern.match(target):
            return [target]
        if target not in seen:
            seen.add(target)
            way = way_to(pattern, target, includes, seen)
            if way:
                return [target, *way]
    return None


def reached(includes):
    """Offences of files that reach a confined package through headers that may include it."""
    (pattern, _), parts = WITHOUT
    for path in includes:
        way = None if any(inside(path, part) for part in parts) else way_to(pattern, path, includes, {path})
        if way and len(way) > 1:
            yield f"{path}:1: reaches <{way[-1]}> through {', '.join(way[:-1])}, and is built without it too"


def check(root):
    """All offences in the tree at `root`, as printable lines, and the number of files read."""
    offences, count, includes = [], 0, {}
    files = [file for top in ROOTS for file in sorted((root / top).rglob("*"))]
    for file in files:
        if file.suffix not in SOURCES | SCRIPTS or not file.is_file():
            continue
        count += 1
        path = file.relative_to(root).as_posix()
        lines = file.read_text(encoding="utf-8").splitlines()
        if len(lines) > MAX_LINES:
            offences.append(f"{path}:{MAX_LINES + 1}: {len(lines)} lines, at most {MAX_LINES}: split it by topic")
        if file.suffix not in SOURCES:
            continue
        for number, line in enumerate(lines, 1):
            found = INCLUDE.match(line)
            if found:
                includes.setdefault(path, []).append(found.group(2))
            message = found and judge(root, path, *found.groups())
            if message:
                offences.append(f"{path}:{number}: {message}")
    return offences + list(reached(includes)), count


# Planted files: path, text, and how the one offence must begin (None: no offence).
PLANTED = [
    ("lib/core/a.hpp", '#include "lib/device/device.hpp"\n', "lib/core/a.hpp:1: "),
    ("lib/data/b.hpp", '#pragma once\n#include "lib/device/device.hpp"\n', "lib/data/b.hpp:2: "),
    ("lib/data/c.hpp", '#include "lib/device/slice.hpp"\n#include "lib/core/range.hpp"\n', None),
    ("kernels/cpu/d.cpp", '#include "kernels/cuda/d.hpp"\n', "kernels/cpu/d.cpp:1: "),
    ("kernels/cuda/e.cu", '#include "kernels/cpu/d.hpp"\n', "kernels/cuda/e.cu:1: "),
    ("kernels/cuda/f.cu", '#include "kernels/cuda/f.cuh"\n#include <cuda_runtime.h>\n', None),
    ("kernels/cpu/g.cpp", '#include "lib/comm/link.hpp"\n', "kernels/cpu/g.cpp:1: "),
    ("kernels/cpu/h.cpp", '#include "lib/comm/reducer.hpp"\n#include <vector>\n', None),
    ("kernels/backends.cpp", '#include "kernels/cpu/d.hpp"\n#include "kernels/cuda/d.hpp"\n', None),
    ("apps/commands/i.cpp", '#include "lib/train/trainer.hpp"\n#include "kernels/backends.hpp"\n', None),
    ("apps/commands/j.cpp", '#include "kernels/cpu/d.hpp"\n', "apps/commands/j.cpp:1: "),
    ("lib/comm/k.hpp", '#include "lib/model/lenet.hpp"\n', "lib/comm/k.hpp:1: "),
    ("lib/train/l.cpp", '#include "../core/range.hpp"\n', "lib/train/l.cpp:1: "),
    ("lib/train/m.cpp", '  #  include "l.cpp"\n', "lib/train/m.cpp:1: "),
    ("lib/train/n.cpp", "#include <lib/core/range.hpp>\n", "lib/train/n.cpp:1: "),
    ("lib/other/o.cpp", '#include "lib/core/range.hpp"\n', "lib/other/o.cpp:1: "),
    ("lib/device/p.cpp", "#include <cuda_runtime.h>\n", "lib/device/p.cpp:1: "),
    ("tests/unit/w.cpp", "#include <cudnn.h>\n", "tests/unit/w.cpp:1: <cudnn.h>"),
    ("tests/fake_cuda/x.cpp", "#include <nccl.h>\n", None),
    ("kernels/cuda/y.hpp", '#include "kernels/cuda/z.hpp"\n', None),
    ("kernels/cuda/z.hpp", '#include "kernels/cuda/y.hpp"\n#include <driver_types.h>\n', None),
    ("tests/unit/y.cpp", '#include "lib/core/y.hpp"\n#include "kernels/cuda/y.hpp"\n', "tests/unit/y.cpp:1: reaches <driver_types.h>"),
    ("lib/core/q.cpp", '// #include "lib/train/l.hpp"\n', None),
    ("lib/core/r.cpp", "\n" * MAX_LINES, None),
    ("scripts/s.py", "\n" * (MAX_LINES + 1), f"scripts/s.py:{MAX_LINES + 1}: "),
    ("tests/unit/t.cpp", '#include "kernels/cpu/d.hpp"\n#include "apps/commands.hpp"\n', None),
    ("lib/record/u.cpp", '#include "lib/measure/m.hpp"\n', None),
    ("lib/measure/v.cpp", '#include "lib/record/r.hpp"\n', "lib/measure/v.cpp:1: "),
]


def self_test():
    """Plants every fault in a temporary tree; returns what went unnoticed and what was reported without reason."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name)
        for path, text, _ in PLANTED:
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        offences, _ = check(root)
    wanted = [start for _, _, start in PLANTED if start]
    wrong = [f"not caught: {start}" for start in wanted if sum(o.startswith(start) for o in offences) != 1]
    wrong += [f"reported without reason: {o}" for o in offences if not o.startswith(tuple(wanted))]
    return wrong, len(wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parent.parent)
    parser.add_argument("--self-test", action="store_true", help="plant offences in a temporary tree; each must be caught")
    args = parser.parse_args()
    if args.self_test:
        wrong, count = self_test()
        print("\n".join(wrong) or f"all {count} planted offences caught, none reported without reason")
        return 1 if wrong else 0
    offences, count = check(args.root)
    if count == 0:
        offences = [f"{args.root}:0: no source found"]
    print("\n".join(offences) or f"{count} files: includes and lengths in order")
    return 1 if offences else 0


if __name__ == "__main__":
    sys.exit(main())
