#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for Cloud Run: the copies of the program are the tasks of a job, by `gcloud` and its REST
interface, https://cloud.google.com/run/docs/create-jobs.

GOOGLE_IMAGE has the program under its path on this host; GOOGLE_PROJECT and GOOGLE_LOCATION name the place
of the job. The folder GOOGLE_FOLDER is on the server GOOGLE_NFS ("10.0.0.2:/data"), here as there. Each copy is started
again, twice, whatever its exit code. Its memory is limited by a control group, at least 512 MiB; files in
memory count.

    ./program --tessera-executor=launcher:command=examples/launchers/on_cloud_run.py,workers=16
"""

import json
import os
import subprocess
import sys
import urllib.request

LEAST_MEMORY = 512


def job(program, environment):
    """Returns the job of a launch, as in version 2 of the interface."""
    server, path = environment["GOOGLE_NFS"].split(":")
    variables = {name: value for name, value in environment.items() if name.startswith("TESSERA_")}
    variables["TESSERA_WORKER"] = variables["TESSERA_WORKER"].replace(":TESSERA_INDEX:",
                                                                      ":CLOUD_RUN_TASK_INDEX:")
    memory = max(LEAST_MEMORY, int(environment["TESSERA_ARRAY_MEMORY"]))
    container = {"image": environment["GOOGLE_IMAGE"], "command": program[:1], "args": program[1:],
                 "env": [{"name": name, "value": value} for name, value in variables.items()],
                 "resources": {"limits": {"cpu": "1", "memory": f"{memory}Mi"}},
                 "volumeMounts": [{"name": "folder", "mountPath": environment["GOOGLE_FOLDER"]}]}
    return {"template": {
        "taskCount": int(environment["TESSERA_ARRAY_SIZE"]),
        "parallelism": int(environment["TESSERA_ARRAY_WORKERS"]),
        "template": {"containers": [container], "maxRetries": 2, "timeout": "604800s",
                     "volumes": [{"name": "folder", "nfs": {"server": server, "path": path}}]}}}


def main():
    name = os.environ["TESSERA_ARRAY_NAME"].replace("_", "-").lower()[-49:].lstrip("-0123456789")
    project, location = os.environ["GOOGLE_PROJECT"], os.environ["GOOGLE_LOCATION"]
    token = subprocess.run(["gcloud", "auth", "print-access-token"], stdout=subprocess.PIPE, text=True,
                           check=True).stdout.strip()
    request = urllib.request.Request(
        f"https://run.googleapis.com/v2/projects/{project}/locations/{location}/jobs?jobId={name}",
        json.dumps(job(sys.argv[1:], os.environ)).encode(),
        {"Authorization": f"Bearer {token}", "Content-Type": "application/json"})
    urllib.request.urlopen(request).close()
    place = ["--quiet", f"--project={project}", f"--region={location}"]
    code = subprocess.run(["gcloud", "run", "jobs", "execute", name, "--wait", *place]).returncode
    subprocess.run(["gcloud", "run", "jobs", "delete", name, *place])
    return code


if __name__ == "__main__":
    sys.exit(main())
