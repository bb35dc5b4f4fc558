#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The `bootstrap` of an AWS Lambda function that runs copies of a program, for on_lambda.py. Runtime
# provided.al2023, https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html. The program has the
# name of the handler and lies beside this file; the folder of runs is on a file system of the function.
api=http://$AWS_LAMBDA_RUNTIME_API/2018-06-01/runtime/invocation
answer=$(mktemp -d)
value() { sed -n "s/.*\"$1\": *\"\([^\"]*\)\".*/\1/p" "$answer/event"; }
while curl -sSf -D "$answer/headers" -o "$answer/event" "$api/next"; do
  id=$(tr -d '\r' <"$answer/headers" | sed -n 's/^lambda-runtime-aws-request-id: *//Ip')
  TESSERA_INDEX=$(value index) TESSERA_WORKER=$(value worker) "$LAMBDA_TASK_ROOT/$_HANDLER" 2>"$answer/words"
  code=$?
  words=$(tail -c 500 "$answer/words" | tr -c '[:print:]' ' ' | tr '\042\134' '\047\047')
  case $code in
  0 | 78) curl -sS -o /dev/null -d "{\"code\": $code, \"words\": \"$words\"}" "$api/$id/response" ;;
  *) curl -sS -o /dev/null -d "{\"errorType\": \"exit code $code\", \"errorMessage\": \"$words\"}" "$api/$id/error" ;;
  esac
done
