#!/usr/bin/env python3
"""Puts what a run of gpu_check.sh measured beside what was predicted, as a table.

Usage: scripts/gpu_report.py FOLDER     the folder with summary.txt and the records that it names

A record that is not there, or whose run failed, is "not measured"; so is a number taken at another size than the
prediction's. Rows whose GPU was throttled meanwhile are marked. Exit codes: 0 the table was printed, 2 wrong usage.
"""
import json
import pathlib
import re
import statistics
import sys

MIB = 1 << 20
NOT_MEASURED = "not measured"


class Results:
    """The records of one run, by name; only those that summary.txt calls ok."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.records = {}
        summary = (self.folder / "summary.txt").read_text(encoding="utf-8")
        self.quick = summary.startswith("quick:")
        for line in summary.splitlines():
            named = re.match(r"ok\s+(\S+):", line)
            path = named and self.folder / f"{named.group(1)}.json"
            if path and path.is_file():
                self.records[named.group(1)] = json.loads(path.read_text(encoding="utf-8"))

    def like(self, pattern):
        """Records whose whole name matches, as (name, record)."""
        return [(name, record) for name, record in self.records.items() if re.fullmatch(pattern, name)]

    def log(self, name):
        return (self.folder / f"{name}.txt").read_text(encoding="utf-8", errors="replace")


class Row:
    """One line of the table. `met` is None where nothing was predicted or measured."""

    def __init__(self, name, predicted, measured=None, met=None, records=(), remark=""):
        self.name, self.predicted, self.measured, self.met, self.remark = name, predicted, measured, met, remark
        self.throttled = any(case["metrics"].get("throttled") for record in records for case in record["cases"])

    def cells(self):
        if self.measured is None:
            verdict = ": ".join(filter(None, (NOT_MEASURED, self.remark)))
            return self.name, self.predicted, "-", verdict
        verdict = {True: "as predicted", False: "NOT as predicted", None: "-"}[self.met]
        remarks = [verdict, self.remark, "while throttled" if self.throttled else ""]
        return self.name, self.predicted, self.measured, ", ".join(part for part in remarks if part)


def cases(record, **key):
    """Cases that ran and whose key has all of `key`."""
    return [case for case in record["cases"]
            if case["status"] == "ok" and all(case["key"].get(name) == value for name, value in key.items())]


def gpu_names(record):
    return sorted({device["description"] for device in record["environment"]["devices"]})


def ceilings(results):
    """Check 1: what the GPU can do, and how that compares with data sheets is for the reader."""
    wanted = [("device copy", "device memory, copied", "read_and_written_GBps", "GB/s read and written"),
              ("sgemm fp32", "matrix product, fp32", "TFLOPs", "TFLOP/s"),
              ("sgemm tf32", "matrix product, tf32", "TFLOPs", "TFLOP/s")]
    record = results.records.get("ceilings")
    for what, name, metric, unit in wanted:
        found = cases(record, what=what) if record else []
        yield Row(name, "-", found and f"{found[0]['metrics'][metric]:.4g} {unit}" or None,
                  records=[record] if found else [])
    found = cases(record, what="graph node") if record else []
    node_us = 1e6 / found[0]["metrics"]["nodes_per_s"] if found else None
    yield Row("node of a graph, next to empty", "1.0 to 1.5 us", found and f"{node_us:.2f} us" or None,
              found and node_us <= 1.5, [record] if found else [])
    record = results.records.get("host-links")
    for direction, name in (("one way", "pinned copies, one way"), ("both ways", "pinned copies, both at once")):
        found = cases(record, direction=direction) if record else []
        largest = max((case["key"]["bytes"] for case in found), default=0)
        rates = [case["metrics"]["rate_GBps"] for case in found if case["key"]["bytes"] == largest]
        yield Row(name, "-", " and ".join(f"{rate:.2f}" for rate in rates) + " GB/s" if rates else None,
                  records=[record] if rates else [])


def determinism(results):
    records = [record for _, record in results.like(r"determinism-(on|off)-[12]")]
    hashes = {tuple(record["verdict"]["replica_hashes_end"]) for record in records}
    complete = len(records) == 4
    yield Row("100 steps twice, graph on and off: different results", "1", str(len(hashes)) if complete else None,
              len(hashes) == 1, records)


def parity(results):
    found = [record for _, record in results.like(r"parity-.*")]
    metrics = [case["metrics"] for record in found for case in cases(record, batch=256)]
    replicas = [m["max_abs_diff"] for m in metrics]
    cpu = [m["cpu_engine"]["max_abs_diff"] for m in metrics if "cpu_engine" in m]
    for name, limit, runs in (("update on k replicas against one: largest difference", 2 ** -29, replicas),
                              ("update against the CPU engine's: largest difference", 2 ** -27, cpu)):
        yield Row(name, f"<= {limit:.1e}", f"{max(runs):.1e} in {len(runs)} runs" if runs else None,
                  runs and max(runs) <= limit, found, "no batch of 256" if found and not metrics else "")
    record = results.records.get("mutations")
    planted, caught = (record["verdict"][name] for name in ("faults_planted", "faults_caught")) if record else (0, 0)
    yield Row("planted faults caught", "all", record and f"{caught} of {planted}", planted == caught,
              [record] if record else [])


def epoch_rows(results):
    """Check 6. The prediction is for one H200, 60000 examples and batches of 256."""
    for math, graph in (("fp32", "on"), ("fp32", "off"), ("tf32", "on"), ("tf32", "off")):
        records = [record for _, record in results.like(rf"epoch-{math}-graph-{graph}-\d+")]
        times = [record["verdict"]["sec_per_epoch"] for record in records if full_epoch(record)]
        predicted = "<= 0.060 s (floor 0.012)" if (math, graph) == ("fp32", "on") else "-"
        other = [name for record in records for name in gpu_names(record) if "H200" not in name]
        met = statistics.median(times) <= 0.060 if times and predicted != "-" and not other else None
        spread = f", {min(times):.4f} to {max(times):.4f} in {len(times)} runs" if times else ""
        yield Row(f"one epoch, {math}, graph {graph}", predicted,
                  f"{statistics.median(times):.4f} s{spread}" if times else None, met, records,
                  "no 60000 examples in batches of 256" if records and not times else
                  f"predicted for an H200, this is {other[0].split(',')[0]}" if other and predicted != "-" else "")


def full_epoch(record):
    return record["config"].get("batch") == 256 and all(case["metrics"]["examples"] == 60000 for case in record["cases"])


def graph_nodes(results):
    """From the record where it has the number, else from the log."""
    counts, records = [], []
    for name, record in results.like(r"epoch-fp32-graph-on-\d+"):
        recorded = record["verdict"].get("graph_nodes_per_step")
        logged = re.findall(r"graph of (\d+) nodes", results.log(name))
        counts += [recorded] if recorded else [int(number) for number in logged]
        records.append(record)
    yield Row("nodes of a step's graph", "<= 30", str(max(counts)) if counts else None, counts and max(counts) <= 30)


def device_memory(results):
    peaks = [bytes_ for _, record in results.like(r"epoch-fp32-graph-on-\d+") if full_epoch(record)
             for bytes_ in record["verdict"].get("device_memory_bytes", {}).values()]
    yield Row("device memory beside the libraries'", "<= 300 MB", f"{max(peaks) * 1e-6:.0f} MB" if peaks else None,
              peaks and max(peaks) <= 300e6)


def scaling(results):
    record = results.records.get("scaling")
    fits = record["verdict"]["fit"]["by_width"] if record else {"1": None}
    for width, fit in fits.items():
        name = f"t = t0 + c b at width {width}: largest residual"
        if fit is None:
            yield Row(name, "< 10 %")
            continue
        measured = (f"{fit['max_residual'] * 100:.1f} % (t0 {fit['t0_s']['value'] * 1e6:.1f} us, "
                    f"c {fit['c_s_per_example']['value'] * 1e6:.4f} us)")
        yield Row(name, "< 10 %", measured, fit["max_residual"] < 0.1, [record])


def allreduce(results):
    """Check 8: shares of what the links carry both ways at once."""
    record = results.records.get("allreduce-2")
    found = cases(record, algo="star", bytes=256 * MIB, gpus=2) if record else []
    share = found and found[0]["metrics"].get("of_duplex_bound")
    yield Row("star of 256 MiB on 2 GPUs, of the duplex link rate", ">= 90 %", f"{share * 100:.0f} %" if share else None,
              share and share >= 0.9, [record] if record else [],
              "" if share else "needs two GPUs and 256 MiB")
    record, links = results.records.get("allreduce-shared-staged"), results.records.get("host-links")
    found = cases(record, algo="star", bytes=256 * MIB, gpus=2) if record else []
    both = [case["metrics"]["rate_GBps"] for case in cases(links, direction="both ways")] if links else []
    share = None
    if found and both:  # each of two replicas sends and receives N, all over the one link to the host
        share = 4 * 256 * MIB / found[0]["summary"]["median"] * 1e-9 / max(both)
    yield Row("star of 256 MiB, staged, one GPU: of pinned copies both at once", ">= 85 %",
              f"{share * 100:.0f} %" if share else None, share and share >= 0.85, [record] if record else [])


def step_s(record):
    """Seconds of a step in the last epoch, and those from the end of the backward pass to the sum."""
    metrics, time = record["cases"][-1]["metrics"], record["cases"][-1]["samples_s"][0]
    return time / metrics["steps"], metrics["allreduce_s"] / metrics["steps"]


def overlap(results):
    two = [record for _, record in results.like(r"overlap-two-\d+")]
    one = [record for _, record in results.like(r"overlap-one-\d+")]
    alone = results.records.get("overlap-alone")
    us = "{:.1f} us".format
    longer = statistics.median(step_s(r)[0] for r in two) - statistics.median(step_s(r)[0] for r in one) if one and two else None
    exposed = statistics.median(step_s(r)[1] for r in two) if two else None
    found = cases(alone, algo="star") if alone else []
    yield Row("(a) step on 2 devices minus step on 1 with half the batch", "within 15 % of (b)",
              None if longer is None else us(longer * 1e6),
              longer is not None and exposed > 0 and abs(longer - exposed) <= 0.15 * exposed, two + one,
              "" if longer is not None else "needs two GPUs: replicas on one share its multiprocessors")
    yield Row("(b) end of backward pass to the sum (one bucket behind it, no overlap)", "-",
              None if exposed is None else us(exposed * 1e6), records=two)
    yield Row("(c) the same allreduce alone", "-", us(found[0]["summary"]["median"] * 1e6) if found else None,
              records=[alone] if found else [])


CHECKS = (ceilings, determinism, parity, epoch_rows, graph_nodes, device_memory, scaling, allreduce, overlap)


def table(results):
    rows = [("name", "predicted", "measured", "verdict")] + [row.cells() for check in CHECKS for row in check(results)]
    widths = [max(len(row[column]) for row in rows) for column in range(3)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)) + "  " + row[3] for row in rows]


def main(arguments):
    if len(arguments) != 1 or not (pathlib.Path(arguments[0]) / "summary.txt").is_file():
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    results = Results(arguments[0])
    gpus = sorted({name for record in results.records.values() for name in gpu_names(record)})
    head = f"predicted and measured on {'; '.join(gpus) or 'no GPU'}"
    print("\n".join([head + (" (quick: times mean nothing)" if results.quick else "")] + table(results)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
