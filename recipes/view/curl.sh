#!/bin/sh
# Fetches a saved view as a file, with an app password and nothing but curl.
#
# Run:      sh curl.sh                        writes view.csv into the current directory
# Needs:    curl 7.76 or newer
# Settings: MILLBOOK_URL, MILLBOOK_USERNAME, MILLBOOK_APP_PASSWORD
#           MILLBOOK_VIEW: the id of the view; MILLBOOK_FORMAT (optional): csv, json, ndjson, xlsx or parquet
#
# curl itself waits after 429 and 503: --retry obeys Retry-After. The app password goes through stdin, so that `ps` does not show it.
set -eu

file=view.${MILLBOOK_FORMAT:-csv}
quoted() { printf %s "$1" | sed 's/[\\"]/\\&/g'; }

# A file has a Content-Length: it is complete, or curl fails.
printf 'user = "%s:%s"\n' "$(quoted "$MILLBOOK_USERNAME")" "$(quoted "$MILLBOOK_APP_PASSWORD")" |
  curl --config - --silent --show-error --fail-with-body --retry 8 --retry-connrefused --max-time 300 \
    --dump-header view.headers --output "$file" \
    "$MILLBOOK_URL/v1/views/$MILLBOOK_VIEW/data?format=${MILLBOOK_FORMAT:-csv}" ||
  { cat "$file" >&2; rm -f "$file" view.headers; exit 1; }
echo "$file: $(sed -n 's/^x-record-count: *\([0-9]*\).*/\1/p' view.headers | tail -1) records"
rm view.headers
