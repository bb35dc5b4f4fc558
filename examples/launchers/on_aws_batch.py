#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for AWS Batch: the copies of the program are an array job, by the command `aws`,
https://docs.aws.amazon.com/batch/latest/userguide/array_jobs.html.

AWS_BATCH_QUEUE is a queue; the image of the job definition AWS_BATCH_DEFINITION has the program under its
path on this host, and mounts the run's folder (`directory=`, on EFS) under the same name. An array has 2 to
10,000 elements: a single copy is a job of its own. Each copy is started again, twice, but not after
exit code 78. Its memory is limited by a control group.

    ./program --tessera-executor=launcher:command=examples/launchers/on_aws_batch.py,workers=16
"""

import json
import os
import subprocess
import sys
import time

UNFIT = 78
INDEX = "AWS_BATCH_JOB_ARRAY_INDEX"


def submission(program, environment):
    """Returns the request `SubmitJob` of a launch."""
    size = int(environment["TESSERA_ARRAY_SIZE"])
    variables = {name: value for name, value in environment.items() if name.startswith("TESSERA_")}
    variables["TESSERA_INDEX"] = "0"  # of a single copy
    if size > 1:
        variables["TESSERA_WORKER"] = variables["TESSERA_WORKER"].replace(":TESSERA_INDEX:", f":{INDEX}:")
    request = {
        "jobName": environment["TESSERA_ARRAY_NAME"], "jobQueue": environment["AWS_BATCH_QUEUE"],
        "jobDefinition": environment["AWS_BATCH_DEFINITION"],
        "containerOverrides": {
            "command": program,
            "environment": [{"name": name, "value": value} for name, value in variables.items()],
            "resourceRequirements": [{"type": "MEMORY", "value": environment["TESSERA_ARRAY_MEMORY"]},
                                     {"type": "VCPU", "value": "1"}]},
        "retryStrategy": {"attempts": 3, "evaluateOnExit": [
            {"action": "EXIT", "onExitCode": str(UNFIT)}, {"action": "RETRY", "onExitCode": "*"}]}}
    return request | ({"arrayProperties": {"size": size}} if size > 1 else {})


def batch(*words):
    answer = subprocess.run(["aws", "batch", *words], stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(answer.stdout)


def main():
    job = batch("submit-job", "--cli-input-json", json.dumps(submission(sys.argv[1:], os.environ)))["jobId"]
    while (state := batch("describe-jobs", "--jobs", job)["jobs"][0])["status"] not in ("SUCCEEDED", "FAILED"):
        time.sleep(5)
    print(state.get("statusReason", ""), file=sys.stderr)
    unfit = batch("list-jobs", "--array-job-id", job, "--job-status", "FAILED")["jobSummaryList"] if (
        "arrayProperties" in state) else [state]
    codes = [element.get("container", {}).get("exitCode") for element in unfit]
    return UNFIT if UNFIT in codes else int(state["status"] == "FAILED")


if __name__ == "__main__":
    sys.exit(main())
