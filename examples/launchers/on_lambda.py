#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for AWS Lambda: each copy of the program is an invocation of the function LAMBDA_FUNCTION,
whose image has the program and lambda_bootstrap.sh, https://docs.aws.amazon.com/lambda.

A copy is invoked again, twice, if it was lost. Lambda ends a copy after at most 15 minutes, and at the
memory of the function: at least TESSERA_ARRAY_MEMORY.

    ./program --tessera-executor=launcher:command=examples/launchers/on_lambda.py,workers=16
"""

import concurrent.futures
import json
import os
import sys

import botocore.session
from botocore.config import Config

UNFIT = 78
LONGEST = 900
ATTEMPTS = 3

at_once = int(os.environ["TESSERA_ARRAY_WORKERS"])
functions = botocore.session.get_session().create_client("lambda", config=Config(
    max_pool_connections=at_once, read_timeout=LONGEST + 10, retries={"total_max_attempts": 1}))


def element(index):
    """Invokes the function, and returns the exit code of the program and its last words."""
    event = json.dumps({"index": str(index), "worker": os.environ["TESSERA_WORKER"]})
    for _ in range(ATTEMPTS):
        answer = functions.invoke(FunctionName=os.environ["LAMBDA_FUNCTION"], Payload=event)
        outcome = json.load(answer["Payload"])
        if "FunctionError" not in answer:
            return outcome["code"], outcome["words"]
    return 1, f"element {index}: {outcome}"


if __name__ == "__main__":
    with concurrent.futures.ThreadPoolExecutor(at_once) as threads:
        outcomes = list(threads.map(element, range(int(os.environ["TESSERA_ARRAY_SIZE"]))))
    code, words = max(outcomes)
    if code != 0:
        print(words, file=sys.stderr)
    sys.exit(code)
