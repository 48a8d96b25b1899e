#!/bin/sh
# Runs the Postman collection with newman.
#
# Run:      npm install newman && PATH=node_modules/.bin:$PATH sh run.sh
# Settings: MILLBOOK_URL, MILLBOOK_CLIENT_ID, MILLBOOK_CLIENT_SECRET, MILLBOOK_USERNAME, MILLBOOK_PASSWORD
#           MILLBOOK_FROM, MILLBOOK_TO: the first and the last day, as YYYY-MM-DD; MILLBOOK_PER_PAGE (optional)
#
# newman reads secrets from a file; only you may read this file, and the script deletes it at the end.
set -eu
umask 077
file=$(mktemp)
trap 'rm -f "$file"' EXIT

export MILLBOOK_PER_PAGE="${MILLBOOK_PER_PAGE:-1000}"
comma=
{
  printf '{"name": "Millbook", "values": ['
  for name in MILLBOOK_URL MILLBOOK_CLIENT_ID MILLBOOK_CLIENT_SECRET MILLBOOK_USERNAME MILLBOOK_PASSWORD \
    MILLBOOK_FROM MILLBOOK_TO MILLBOOK_PER_PAGE; do
    printf '%s{"key": "%s", "value": "%s"}' "$comma" "$name" "$(printenv "$name" | sed 's/[\\"]/\\&/g')"
    comma=,
  done
  printf ']}'
} >"$file"
newman run "$(dirname "$0")/collection.json" --environment "$file" --color off
