#!/bin/bash
# Runs one of jq's own tests, which the crate j9-sys carries.
#
# usage: run.sh native JQ FOLDER NAME      with a native build of our jq
#        run.sh sandbox PINFOLD FOLDER NAME    inside the sandbox, with its jq and its bash
#
# FOLDER holds jq's tests; NAME is a file of programs with their inputs and outputs (`jq.test`, for
# jq --run-tests) or a shell script (`shtest`). There are no exceptions: all of them pass.
set -eu
how=$1 program=$2 folder=$(cd "$3" && pwd) name=$4

# $ENV.PAGER is an example in the manual.
export PAGER=less NO_VALGRIND=1
if [ "$how" = sandbox ]; then
    case $name in
    *.test) code='jq -L modules --run-tests "$NAME"' ;;
    *) code='export JQ=/bin/jq; bash "./$NAME"' ;;
    esac
    code="cd tests; $code"
    exec "$program" --mount "$folder/..:/workspace" --env PAGER=less --env NO_VALGRIND=1 --env NAME="$name" -c "$code"
fi
cd "$folder"
case $name in
*.test) exec "$program" -L modules --run-tests "$name" ;;
*) JQ=$program exec bash "./$name" ;;
esac
