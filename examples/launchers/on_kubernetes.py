#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A launcher for Kubernetes: the copies of the program are an Indexed Job, by `kubectl`,
https://kubernetes.io/docs/concepts/workloads/controllers/job.

KUBERNETES_IMAGE has the program under its path on this host, and the claim KUBERNETES_CLAIM is the folder
KUBERNETES_FOLDER, here as there. Each copy is started again, twice, but not after exit code 78. Its memory
is limited by a control group.

    ./program --tessera-executor=launcher:command=examples/launchers/on_kubernetes.py,workers=16
"""

import json
import os
import subprocess
import sys

UNFIT = 78


def manifest(program, environment):
    """Returns the Indexed Job of a launch."""
    folder = environment["KUBERNETES_FOLDER"]
    variables = [{"name": name, "value": value} for name, value in environment.items()
                 if name.startswith("TESSERA_")]
    variables.append({"name": "TESSERA_INDEX", "valueFrom": {"fieldRef": {
        "fieldPath": "metadata.annotations['batch.kubernetes.io/job-completion-index']"}}})
    memory = f"{environment['TESSERA_ARRAY_MEMORY']}Mi"
    container = {
        "name": "element", "image": environment["KUBERNETES_IMAGE"], "command": program, "env": variables,
        "workingDir": os.getcwd(), "volumeMounts": [{"name": "folder", "mountPath": folder}],
        "resources": {"requests": {"cpu": "1", "memory": memory}, "limits": {"memory": memory}}}
    pod = {"restartPolicy": "Never", "containers": [container], "volumes": [
        {"name": "folder", "persistentVolumeClaim": {"claimName": environment["KUBERNETES_CLAIM"]}}]}
    unfit = {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [UNFIT]}}
    size = int(environment["TESSERA_ARRAY_SIZE"])
    return {
        "apiVersion": "batch/v1", "kind": "Job",
        "metadata": {"name": environment["TESSERA_ARRAY_NAME"].replace("_", "-").lower()},
        "spec": {"completionMode": "Indexed", "completions": size, "backoffLimitPerIndex": 2,
                 "maxFailedIndexes": size, "parallelism": int(environment["TESSERA_ARRAY_WORKERS"]),
                 "podFailurePolicy": {"rules": [unfit]}, "template": {"spec": pod}}}


def main():
    job = manifest(sys.argv[1:], os.environ)
    name = f"job/{job['metadata']['name']}"
    subprocess.run(["kubectl", "create", "-f", "-"], input=json.dumps(job), text=True, check=True)
    ends = [subprocess.Popen(["kubectl", "wait", f"--for=condition={end}", "--timeout=-1s", name])
            for end in ("complete", "failed")]
    os.wait()
    for end in ends:
        end.kill()
    reason = subprocess.run(
        ["kubectl", "get", name, "-o", "jsonpath={.status.conditions[?(@.type=='Failed')].reason}"],
        capture_output=True, text=True, check=True).stdout
    subprocess.run(["kubectl", "delete", name], check=True)
    print(reason, file=sys.stderr)
    return UNFIT if reason == "PodFailurePolicy" else int(reason != "")


if __name__ == "__main__":
    sys.exit(main())
