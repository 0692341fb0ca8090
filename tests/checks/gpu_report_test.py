#!/usr/bin/env python3
"""Tests scripts/gpu_report.py on made-up results: what is there is judged, what is missing is said to be missing."""
import contextlib
import importlib.util
import io
import json
import pathlib
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/gpu_report.py"
spec = importlib.util.spec_from_file_location("gpu_report", SCRIPT)
gpu_report = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(gpu_report)


def case(key=None, median=None, samples=(), **metrics):
    return {"key": key or {}, "status": "ok", "reason": None, "samples_s": list(samples), "summary": {"median": median},
            "metrics": metrics}


def record(cases=(), config=None, gpu="NVIDIA H200, sm_90", **verdict):
    return {"config": config or {}, "environment": {"devices": [{"description": gpu}]}, "cases": list(cases),
            "verdict": verdict}


def epoch(seconds, examples=60000, gpu="NVIDIA H200, sm_90", throttled=False, memory=187_000_000, nodes=None):
    more = {} if nodes is None else {"graph_nodes_per_step": nodes}
    return record([case(samples=[seconds], examples=examples, throttled=throttled)], {"batch": 256}, gpu,
                  sec_per_epoch=seconds, device_memory_bytes={"cuda:0": memory}, **more)


class Report(unittest.TestCase):
    def report(self, records, logs=None, failed=()):
        """The printed rows, by what they begin with."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for known, content in records.items():
                (folder / f"{known}.json").write_text(json.dumps(content), encoding="utf-8")
                (folder / f"{known}.txt").write_text((logs or {}).get(known, ""), encoding="utf-8")
            lines = [f"{'FAILED   ' if known in failed else 'ok       '} {known}: exit 0 (expected 0), 3 s so far"
                     for known in records]
            (folder / "summary.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                self.assertEqual(gpu_report.main([name]), 0)
        return out.getvalue().splitlines()

    def row(self, lines, start):
        found = [line for line in lines if line.startswith(start)]
        self.assertEqual(len(found), 1, f"{start} in {lines}")
        return found[0]

    def test_nothing_measured_is_said_of_every_row(self):
        lines = self.report({})
        self.assertIn("no GPU", lines[0])
        self.assertGreater(len(lines), 15)
        for line in lines[2:]:
            self.assertIn(gpu_report.NOT_MEASURED, line)
            self.assertNotIn("as predicted", line)

    def test_epochs_are_judged_by_their_median(self):
        fast = {f"epoch-fp32-graph-on-{i}": epoch(0.04 + 0.01 * i) for i in (1, 2, 3)}
        self.assertRegex(self.row(self.report(fast), "one epoch, fp32, graph on"), r"0\.0600 s.*3 runs  as predicted")
        slow = {"epoch-fp32-graph-on-1": epoch(0.061)}
        self.assertIn("NOT as predicted", self.row(self.report(slow), "one epoch, fp32, graph on"))

    def test_throttled_rows_are_marked(self):
        records = {"epoch-fp32-graph-on-1": epoch(0.05), "epoch-fp32-graph-on-2": epoch(0.05, throttled=True)}
        self.assertIn("while throttled", self.row(self.report(records), "one epoch, fp32, graph on"))
        self.assertNotIn("throttled", self.row(self.report(records), "one epoch, tf32, graph on"))

    def test_another_gpu_or_size_is_no_test_of_the_prediction(self):
        row = self.row(self.report({"epoch-fp32-graph-on-1": epoch(0.05, gpu="NVIDIA A100, sm_80")}), "one epoch, fp32, graph on")
        self.assertIn("this is NVIDIA A100", row)
        self.assertNotIn("as predicted", row)
        lines = self.report({"epoch-fp32-graph-on-1": epoch(0.0001, examples=64)})
        self.assertIn(gpu_report.NOT_MEASURED, self.row(lines, "one epoch, fp32, graph on"))
        self.assertIn(gpu_report.NOT_MEASURED, self.row(lines, "device memory beside"))

    def test_failed_runs_count_as_not_measured(self):
        lines = self.report({"epoch-fp32-graph-on-1": epoch(0.05)}, failed=["epoch-fp32-graph-on-1"])
        self.assertIn(gpu_report.NOT_MEASURED, self.row(lines, "one epoch, fp32, graph on"))

    def test_graph_nodes_come_from_record_or_log(self):
        name = "epoch-fp32-graph-on-1"
        log = "cuda:0: the step on 256 examples is a graph of 22 nodes\nthe step on 96 examples is a graph of 23 nodes\n"
        self.assertRegex(self.row(self.report({name: epoch(0.05)}, {name: log}), "nodes of a step"), r" 23 +as predicted")
        self.assertRegex(self.row(self.report({name: epoch(0.05, nodes=31)}), "nodes of a step"), r" 31 +NOT as predicted")

    def test_memory(self):
        for memory, verdict in ((299_000_000, "  as predicted"), (301_000_000, "NOT as predicted")):
            self.assertIn(verdict, self.row(self.report({"epoch-fp32-graph-on-1": epoch(0.05, memory=memory)}), "device memory beside"))

    def test_determinism_needs_all_four_runs(self):
        runs = {f"determinism-{graph}-{i}": record(replica_hashes_end=["aa"]) for graph in ("on", "off") for i in (1, 2)}
        self.assertRegex(self.row(self.report(runs), "100 steps twice"), r" 1 +as predicted")
        runs["determinism-off-2"] = record(replica_hashes_end=["bb"])
        self.assertRegex(self.row(self.report(runs), "100 steps twice"), r" 2 +NOT as predicted")
        del runs["determinism-off-2"]
        self.assertIn(gpu_report.NOT_MEASURED, self.row(self.report(runs), "100 steps twice"))

    def test_parity_and_planted_faults(self):
        lines = self.report({"parity-2": record([case({"batch": 256}, max_abs_diff=9.3e-10, cpu_engine={"max_abs_diff": 9e-9})]),
                             "mutations": record(faults_planted=6, faults_caught=5)})
        self.assertRegex(self.row(lines, "update against the CPU"), r"9\.0e-09 in 1 runs +NOT as predicted")
        self.assertRegex(self.row(lines, "update on k replicas"), r"9\.3e-10 in 1 runs +as predicted")
        self.assertRegex(self.row(lines, "planted faults caught"), r"5 of 6 +NOT as predicted")

    def test_shares_of_the_link(self):
        key = {"algo": "star", "bytes": 256 << 20, "gpus": 2}
        records = {"allreduce-2": record([case(key, 0.01, of_duplex_bound=0.93)]),
                   "allreduce-shared-staged": record([case(key, 0.0268435456)]),
                   "host-links": record([case({"direction": "both ways", "bytes": 64 << 20}, rate_GBps=50.0)])}
        lines = self.report(records)
        self.assertRegex(self.row(lines, "star of 256 MiB on 2 GPUs"), r"93 % +as predicted")
        self.assertRegex(self.row(lines, "star of 256 MiB, staged"), r"80 % +NOT as predicted")
        self.assertRegex(self.row(lines, "pinned copies, both"), r"50\.00 GB/s")

    def test_fits_of_every_width(self):
        fit = {"max_residual": 0.04, "t0_s": {"value": 5e-5}, "c_s_per_example": {"value": 2e-7}}
        lines = self.report({"scaling": record(fit={"by_width": {"1": fit, "16": {**fit, "max_residual": 0.12}}})})
        self.assertRegex(self.row(lines, "t = t0 + c b at width 1:"), r"4\.0 % \(t0 50\.0 us, c 0\.2000 us\) +as predicted")
        self.assertIn("NOT as predicted", self.row(lines, "t = t0 + c b at width 16:"))

    def test_three_numbers_of_overlap(self):
        two = record([case(samples=[0.030], steps=100, allreduce_s=0.004)])
        one = record([case(samples=[0.026], steps=100, allreduce_s=0.0)])
        alone = record([case({"algo": "star"}, 0.000038)])
        lines = self.report({"overlap-two-1": two, "overlap-one-1": one, "overlap-alone": alone})
        self.assertRegex(self.row(lines, "(a) step on 2"), r"40\.0 us +as predicted")
        self.assertRegex(self.row(lines, "(b) end of backward"), r"40\.0 us")
        self.assertRegex(self.row(lines, "(c) the same"), r"38\.0 us")
        self.assertIn("needs two GPUs", self.row(self.report({"overlap-two-1": two}), "(a) step on 2"))

    def test_wrong_usage(self):
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(gpu_report.main(["/nonexistent"]), 2)
        self.assertIn("Usage", err.getvalue())


if __name__ == "__main__":
    unittest.main()
