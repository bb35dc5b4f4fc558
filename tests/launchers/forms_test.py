#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares the jobs of launchers for clouds with the models of their vendors, field by field.

Needs the packages kubernetes, botocore, google-cloud-batch and google-cloud-run of PyPI.
"""
import pathlib
import sys
import unittest

import botocore.session
import botocore.validate
from google.cloud import batch_v1, run_v2
from google.protobuf import json_format
from kubernetes import client

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "examples" / "launchers"))
import on_aws_batch
import on_cloud_run
import on_google_batch
import on_kubernetes

ENVIRONMENT = {
    "TESSERA_WORKER": "array:TESSERA_INDEX:/data/runs/a/0", "TESSERA_ARRAY_SIZE": "100",
    "TESSERA_ARRAY_WORKERS": "10", "TESSERA_ARRAY_MEMORY": "300", "TESSERA_ARRAY_NAME": "tessera-launcher-a-0",
    "KUBERNETES_IMAGE": "registry/program:1", "KUBERNETES_CLAIM": "data", "KUBERNETES_FOLDER": "/data",
    "AWS_BATCH_QUEUE": "queue", "AWS_BATCH_DEFINITION": "element:1", "GOOGLE_IMAGE": "registry/program:1",
    "GOOGLE_NFS": "10.0.0.2:/exports", "GOOGLE_FOLDER": "/data"}
PROGRAM = ["/app/program", "in.zarr", "out.zarr"]


def problems_of(value, type_name, path=""):
    """Returns the fields of a manifest that the model of a type in `kubernetes.client` lacks."""
    if type_name.startswith("list["):
        return [problem for i, item in enumerate(value)
                for problem in problems_of(item, type_name[5:-1], f"{path}[{i}]")]
    model = getattr(client, type_name, None)
    if model is None or not hasattr(model, "openapi_types"):
        kinds = {"str": str, "int": int, "bool": bool}
        expected = kinds.get(type_name, object)
        return [] if isinstance(value, expected) else [f"{path}: {value!r} is no {type_name}"]
    fields = {json_name: model.openapi_types[name] for name, json_name in model.attribute_map.items()}
    found = [f"{path}.{name} is no field of {type_name}" for name in value if name not in fields]
    for name, item in value.items():
        if name in fields:
            found += problems_of(item, fields[name], f"{path}.{name}")
    return found


class Forms(unittest.TestCase):
    def test_kubernetes(self):
        job = on_kubernetes.manifest(PROGRAM, ENVIRONMENT)
        self.assertEqual(problems_of(job, "V1Job"), [])
        misspelt = dict(job, spec=dict(job["spec"], completionsMode="Indexed"))
        self.assertEqual(problems_of(misspelt, "V1Job"), [".spec.completionsMode is no field of V1JobSpec"])

    def test_aws_batch(self):
        service = botocore.session.get_session().get_service_model("batch")
        shape = service.operation_model("SubmitJob").input_shape
        for size in ("1", "100"):
            request = on_aws_batch.submission(PROGRAM, ENVIRONMENT | {"TESSERA_ARRAY_SIZE": size})
            report = botocore.validate.ParamValidator().validate(request, shape)
            self.assertFalse(report.has_errors(), report.generate_report())
            variables = {each["name"]: each["value"] for each in request["containerOverrides"]["environment"]}
            index = "AWS_BATCH_JOB_ARRAY_INDEX" if size == "100" else "TESSERA_INDEX"
            self.assertEqual(variables["TESSERA_WORKER"], f"array:{index}:/data/runs/a/0")
        misspelt = botocore.validate.ParamValidator().validate(dict(request, jobQuue="queue"), shape)
        self.assertTrue(misspelt.has_errors())

    def test_google_batch(self):
        job = on_google_batch.job(PROGRAM, ENVIRONMENT)
        parsed = json_format.ParseDict(job, batch_v1.Job.pb(batch_v1.Job()))
        self.assertEqual(parsed.task_groups[0].task_count, 100)
        with self.assertRaises(json_format.ParseError):
            json_format.ParseDict(dict(job, taskGroup=[]), batch_v1.Job.pb(batch_v1.Job()))

    def test_cloud_run(self):
        job = on_cloud_run.job(PROGRAM, ENVIRONMENT)
        parsed = json_format.ParseDict(job, run_v2.Job.pb(run_v2.Job()))
        self.assertEqual(parsed.template.task_count, 100)
        self.assertEqual(parsed.template.template.containers[0].resources.limits["memory"], "512Mi")


if __name__ == "__main__":
    unittest.main()
