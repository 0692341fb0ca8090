#!/usr/bin/env python3
"""Checks records of dpx against configs/schema/result.schema.json, as written: bare NaN and repeated keys are faults.

Usage: scripts/validate_record.py RECORD.json...
Exit codes: 0 all valid, 1 a record is not, 2 a file cannot be read or wrong usage, 3 python3-jsonschema is missing.
"""
import argparse
import json
import pathlib
import sys

SCHEMA = pathlib.Path(__file__).resolve().parent.parent / "configs/schema/result.schema.json"


def refuse_constant(name):
    raise ValueError(f"{name} is not JSON")


def refuse_repeated(pairs):
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f'key "{key}" appears twice')
    return dict(pairs)


def parse(text):
    return json.loads(text, parse_constant=refuse_constant, object_pairs_hook=refuse_repeated)


def faults(validator, text):
    """Yields what is wrong with one record, a line each."""
    try:
        record = parse(text)
    except ValueError as error:
        yield str(error)
        return
    for error in sorted(validator.iter_errors(record), key=lambda e: [str(part) for part in e.absolute_path]):
        place = "/".join(str(part) for part in error.absolute_path) or "top level"
        yield f"{place}: {error.message[:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("records", nargs="+", metavar="RECORD.json")
    arguments = parser.parse_args()
    try:
        import jsonschema
    except ImportError:
        print("validate_record.py: Python's jsonschema is missing: apt-get install python3-jsonschema", file=sys.stderr)
        return 3
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    result = 0
    for path in arguments.records:
        try:
            text = pathlib.Path(path).read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            print(f"{path}: {error}", file=sys.stderr)
            return 2
        for fault in faults(validator, text):
            print(f"{path}: {fault}", file=sys.stderr)
            result = 1
    return result


if __name__ == "__main__":
    sys.exit(main())
