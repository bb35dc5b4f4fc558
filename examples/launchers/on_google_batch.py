#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for Google Batch: the copies of the program are the tasks of a job, by `gcloud`,
https://cloud.google.com/batch/docs/get-started.

GOOGLE_IMAGE has the program under its path on this host; GOOGLE_LOCATION is a region. The folder
GOOGLE_FOLDER is on the server GOOGLE_NFS ("10.0.0.2:/data"), here as there. Each copy is started again,
twice, but not after exit code 78. Its memory is that of its share of a machine.

    ./program --tessera-executor=launcher:command=examples/launchers/on_google_batch.py,workers=16
"""

import json
import os
import subprocess
import sys
import time

UNFIT = 78


def job(program, environment):
    """Returns the job of a launch."""
    server, path = environment["GOOGLE_NFS"].split(":")
    folder = environment["GOOGLE_FOLDER"]
    variables = {name: value for name, value in environment.items() if name.startswith("TESSERA_")}
    variables["TESSERA_WORKER"] = variables["TESSERA_WORKER"].replace(":TESSERA_INDEX:", ":BATCH_TASK_INDEX:")
    container = {"imageUri": environment["GOOGLE_IMAGE"], "commands": program[1:], "entrypoint": program[0],
                 "volumes": [f"{folder}:{folder}"]}
    unfit = {"action": "FAIL_TASK", "actionCondition": {"exitCodes": [UNFIT]}}
    task = {"runnables": [{"container": container}], "environment": {"variables": variables},
            "computeResource": {"cpuMilli": "1000", "memoryMib": environment["TESSERA_ARRAY_MEMORY"]},
            "maxRetryCount": 2, "lifecyclePolicies": [unfit],
            "volumes": [{"nfs": {"server": server, "remotePath": path}, "mountPath": folder}]}
    return {"taskGroups": [{"taskSpec": task, "taskCount": environment["TESSERA_ARRAY_SIZE"],
                            "parallelism": environment["TESSERA_ARRAY_WORKERS"]}],
            "logsPolicy": {"destination": "CLOUD_LOGGING"}}


def gcloud(*words, text=None):
    answer = subprocess.run(["gcloud", "batch", "jobs", *words, "--format=json",
                             f"--location={os.environ['GOOGLE_LOCATION']}"],
                            input=text, stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(answer.stdout or "{}")


def main():
    name = os.environ["TESSERA_ARRAY_NAME"].replace("_", "-").lower()[-63:].lstrip("-0123456789")
    gcloud("submit", name, "--config=-", text=json.dumps(job(sys.argv[1:], os.environ)))
    while (status := gcloud("describe", name)["status"])["state"] not in ("SUCCEEDED", "FAILED"):
        time.sleep(5)
    words = " ".join(event.get("description", "") for event in status.get("statusEvents", []))
    print(words, file=sys.stderr)
    return UNFIT if f"exit code {UNFIT}" in words else int(status["state"] == "FAILED")


if __name__ == "__main__":
    sys.exit(main())
