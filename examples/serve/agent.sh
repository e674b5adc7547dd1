#!/bin/sh
# A session of `pinfold serve` by curl and jq: a script that asks, an answer, a file, a stream.
# Usage: PINFOLD_URL=http://127.0.0.1:8080 PINFOLD_TOKEN=… sh examples/serve/agent.sh SESSION
set -eu
at() { # at METHOD PATH [curl's options]
  method=$1 path=$2
  shift 2
  # The token comes from standard input: command lines are seen by everybody on the machine.
  printf 'header = "Authorization: Bearer %s"\n' "$PINFOLD_TOKEN" |
    curl -sS --fail-with-body --retry 10 --retry-all-errors -K - -X "$method" \
      -H 'Content-Type: application/json' "$@" "$PINFOLD_URL/v1/sessions$path"
}

at POST "" -d "$(jq -n --arg name "$1" '{name: $name, tools: [{name: "ask"}]}')" >/dev/null
run=$(at POST "/$1/runs" -d '{"code": "echo answer: $(tool ask --question life) | tee said", "key": "first"}')
echo "$run" | jq -r '.calls[] | "it asks: \(.params.question)"'
id=$(echo "$run" | jq '.calls[0].id')
at POST "/$1/calls/$id" -d '{"value": 42}' | jq -j .result.stdout
at GET "/$1/files/said"
at POST "/$1/runs" -N -H 'Accept: text/event-stream' -d '{"code": "for i in 1 2; do echo $i; done"}' |
  sed -n 's/^event: //p' | tail -n 1
at DELETE "/$1"
