# SPDX-License-Identifier: Apache-2.0
"""Compares decoded times, and the groups that they fall into, with cftime's.

usage: times.py <time_exchange> [<seed>]
"""

import random
import subprocess
import sys

import cftime

CALENDARS = ["standard", "gregorian", "proleptic_gregorian", "julian", "noleap", "365_day",
             "all_leap", "366_day", "360_day"]
UNITS = {"days": 86400, "d": 86400, "hours": 3600, "hrs": 3600, "minutes": 60, "seconds": 1, "s": 1,
         "milliseconds": 1e-3, "microseconds": 1e-6}
ZONES = ["", "", "Z", " UTC", " +01:00", " -05:30", "+0200"]


def random_origin():
    year = random.choice([1, 4, 100, 400, 1500, 1582, 1583, 1600, 1900, 1950, 1970, 2000, 2024])
    date = f"{year:04}-{random.randint(1, 12)}-{random.randint(1, 28)}"
    if date.startswith("1582-10"):
        date = "1582-10-4"
    if random.random() < 0.5:
        date += random.choice([" ", "T"]) + f"{random.randint(0, 23):02}:{random.randint(0, 59):02}"
        if random.random() < 0.5:
            date += f":{random.randint(0, 59):02}" + random.choice(["", ".5", ".123456"])
        date += random.choice(ZONES)
    return date


def random_values(unit):
    # Within some 500 years of the origin: cftime takes no year before 1 in real calendars.
    far = int(500 * 365 * 86400 / UNITS[unit])
    near = random.choice([100, far // 100 + 1, far])
    if random.random() < 0.5:
        return [random.randint(0, near) for _ in range(5)]
    # Halves, quarters and eighths are exact.
    return [random.randint(0, near) + random.randint(0, 7) / 8 for _ in range(5)]


def expected(calendar, units, values):
    for when in cftime.num2date(values, units, calendar):
        text = when.strftime("%Y-%m-%d %H:%M:%S")
        year, rest = text.split("-", 1)
        text = f"{int(year):04}-{rest}"
        if when.microsecond:
            text += f".{when.microsecond:06}"
        yield f"{text} {when.month - 1} {when.month % 12 // 3} {when.dayofyr - 1} {when.hour}"


def main():
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else random.randrange(1 << 32)
    print("seed", seed)
    random.seed(seed)
    lines, results = [], []
    for _ in range(2000):
        calendar, unit = random.choice(CALENDARS), random.choice(list(UNITS))
        units = f"{unit} since {random_origin()}"
        values = random_values(unit)
        lines.append(f"{calendar}|{units}|{' '.join(map(repr, values))}")
        results.extend((lines[-1], line) for line in expected(calendar, units, values))
    done = subprocess.run([sys.argv[1]], input="\n".join(lines), capture_output=True, text=True,
                          check=True, timeout=300)
    answers = done.stdout.splitlines()
    assert len(answers) == len(results) == 10000, (len(answers), len(results))
    for (line, theirs), ours in zip(results, answers):
        assert ours == theirs, f"{line}: {ours}, cftime: {theirs}"


main()
