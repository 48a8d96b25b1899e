#!/bin/sh
# Fetches all invoices of a period, page by page, with nothing but curl and sed.
#
# Run:      sh curl.sh                        writes page-1.json, page-2.json … into the current directory
# Needs:    curl 7.76 or newer
# Settings: MILLBOOK_URL, MILLBOOK_CLIENT_ID, MILLBOOK_CLIENT_SECRET, MILLBOOK_USERNAME, MILLBOOK_PASSWORD
#           MILLBOOK_FROM, MILLBOOK_TO: the first and the last day, as YYYY-MM-DD; MILLBOOK_PER_PAGE (optional)
#
# curl itself waits after 429 and 503: --retry obeys Retry-After. Secrets go through stdin, so that `ps` does not show them.
set -eu

from=$MILLBOOK_FROM
to=$MILLBOOK_TO
patient='--silent --show-error --retry 8 --retry-connrefused --max-time 300'

json() { printf '"%s"' "$(printf %s "$1" | sed 's/[\\"]/\\&/g')"; }

token=$(
  curl $patient --fail-with-body "$MILLBOOK_URL/oauth2/token" -H 'Content-Type: application/json' --data @- <<EOF |
{"grant_type": "password",
 "client_id": $(json "$MILLBOOK_CLIENT_ID"), "client_secret": $(json "$MILLBOOK_CLIENT_SECRET"),
 "username": $(json "$MILLBOOK_USERNAME"), "password": $(json "$MILLBOOK_PASSWORD")}
EOF
    sed -n 's/.*"access_token":"\([^"]*\)".*/\1/p'
)
[ -n "$token" ] || { echo 'no token: check the five settings' >&2; exit 1; }

first="$MILLBOOK_URL/v1/sales/invoices?per-page=${MILLBOOK_PER_PAGE:-1000}"
rm -f page-*.json # the pages of an earlier run
url=$first page=1 restarts=0
while [ -n "$url" ]; do
  status=$(
    printf 'Authorization: Bearer %s\n' "$token" |
      curl $patient --header @- --header 'Content-Type: application/json' \
        --data "{\"from_date\": \"$from\", \"to_date\": \"$to\"}" \
        --output "page-$page.json" --write-out '%{http_code}' "$url"
  )
  case $status in
    200)
      # The link carries the version of the data that page 1 showed. A POST is sent to it with the same body again.
      url=$(sed -n 's/.*"next":{"href":"\([^"]*\)".*/\1/p' "page-$page.json")
      page=$((page + 1))
      ;;
    410) # The data was replaced during the walk: drop all pages and begin again.
      restarts=$((restarts + 1))
      [ "$restarts" -le 5 ] || { echo 'the data changes too often' >&2; exit 1; }
      rm -f page-*.json
      url=$first page=1
      ;;
    *)
      cat "page-$page.json" >&2
      rm -f "page-$page.json"
      exit 1
      ;;
  esac
done
echo "$((page - 1)) pages"
