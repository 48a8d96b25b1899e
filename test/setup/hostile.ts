/** Requests that no honest program sends: a corpus of hostile values, and fast-check arbitraries that place them anywhere. */
import fc from 'fast-check'
import type { Report } from '../../src/kernel/report/report.js'
import { unicodeText } from './unicode-text.js'

/** One request as bytes of HTTP, complete except for its deliberate errors. */
export interface HostileRequest {
  what: string
  bytes: Buffer
}

const SQL = [
  ...[
    "'",
    "''",
    "' or '1'='1",
    "'; drop table item; --",
    '"; select 1; --',
    "\\'",
    '$$',
    '$1',
    '\u0024{1}',
    '%s',
    '?',
    ':id',
  ],
  ...[
    '1; select pg_sleep(10)',
    "' union select null--",
    '/*',
    '--',
    ';',
    "E'\\\\x00'",
    '0x27',
    "'||(select version())||'",
  ],
]
const TEXTS = [
  ...['', ' ', '\0', 'a\0b', '\r\n', 'a\r\nSet-Cookie: x=1', '\u2028', '\ufeff', '\ud800', '\udfff\ud800', '😀', 'ﷺ'],
  ...[
    '../../etc/passwd',
    '<script>alert(1)</script>',
    '{{7*7}}',
    '\u0024{jndi:ldap://x}',
    'null',
    'undefined',
    'NaN',
    'true',
  ],
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'valueOf', '[object Object]'],
  ...['2026-02-30', '0000-00-00', '9999-12-31', '10000-01-01', '-0001-01-01', '2026-6-1', '2026-06-01T00:00:00Z'],
  ...['0', '-1', '1e3', '1e400', '-1e400', '9007199254740993', '99999999999999999999', '0x10', '1_000', '١٢', '٠'],
  ...[
    'A'.repeat(300),
    'é'.repeat(5000),
    '\u0000'.repeat(50),
    '%00',
    '%0d%0a',
    '%',
    '%zz',
    '%c0%ae',
    '+',
    '&',
    '=',
    '#',
  ],
]
const NUMBERS = [
  '0',
  '-0',
  '1e999',
  '-1e999',
  '1e-999',
  '9007199254740993',
  '123456789012345678901234567890',
  '0.1',
  '-1',
]

const text = fc.oneof(fc.constantFrom(...SQL, ...TEXTS), unicodeText({ maxLength: 30 }))
const hostileName = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    '',
    'page',
    'from_date',
    'a.b',
    '0',
  ),
  text,
)
/** JSON as text, because values cannot express all of it: duplicate keys, numbers out of range. */
const json: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string; list: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    text.map((value) => JSON.stringify(value)),
    fc.constantFrom(...NUMBERS, 'true', 'false', 'null'),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }).map((values) => `[${values.join()}]`),
  object: fc
    .array(fc.tuple(hostileName, tie('value')), { maxLength: 5 })
    .map((entries) => `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`),
})).value

const nested = (open: string, close: string) => (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`
const extremes = fc.oneof(
  fc.integer({ min: 10, max: 15_000 }).map(nested('[', ']')),
  fc.integer({ min: 10, max: 8_000 }).map(nested('{"a":', '}')),
  fc.integer({ min: 100, max: 6_000 }).map((n) => `{${Array.from({ length: n }, (_, i) => `"k${i}":1`).join()}}`),
  fc
    .integer({ min: 100, max: 5_000 })
    .map((n) => `{${'"from_date":"2026-06-01",'.repeat(n / 2)}"to_date":"2026-06-30"}`),
  fc.integer({ min: 60_000, max: 70_000 }).map((n) => JSON.stringify({ type: 'x'.repeat(n) })),
  fc.constantFrom(
    '',
    ' ',
    '{',
    '{"a"',
    '[1,]',
    'nul',
    '{}{}',
    '{}\0',
    '\ufeff{}',
    '"',
    '{"\\ud800":1}',
    '{"a":\u00a01}',
    '1e',
    '-',
  ),
)

/** A good request with some values replaced, left out or added. */
const nearlyGood = (report: Report, good: Record<string, unknown>) =>
  fc
    .tuple(
      fc.dictionary(
        fc.constantFrom(...Object.keys(report.request), 'extra'),
        fc.oneof(
          json,
          text.map((t) => JSON.stringify(t)),
        ),
      ),
      fc.subarray(Object.keys(good)),
    )
    .map(([hostile, kept]) => {
      const parts = kept.map((name) => `${JSON.stringify(name)}:${JSON.stringify(good[name])}`)
      for (const [name, value] of Object.entries(hostile)) parts.push(`${JSON.stringify(name)}:${value}`)
      return `{${parts.join()}}`
    })

const bytesOf = (body: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 8, arbitrary: body.map((text) => Buffer.from(text)) },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
    // A valid body with one byte that breaks its UTF-8 or its JSON.
    {
      weight: 1,
      arbitrary: fc.tuple(body, fc.nat(), fc.integer({ min: 0, max: 255 })).map(([text, at, byte]) => {
        const bytes = Buffer.from(text)
        if (bytes.length > 0) bytes[at % bytes.length] = byte
        return bytes
      }),
    },
  )

const query = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  {
    weight: 3,
    arbitrary: fc
      .array(
        fc.oneof(
          fc.tuple(fc.constantFrom('page', 'per-page', 'page[]', 'page[a]', '__proto__', 'access_token', 'x'), text),
          fc.tuple(fc.constantFrom('sort', 'search', 'filter', 'totals'), text),
          fc.tuple(
            fc.constant('filter'),
            fc
              .tuple(
                fc.constantFrom('warehouse', 'item_name', 'total_amt', 'items', 'po_date'),
                fc.constantFrom('=', '~', '<'),
                text,
              )
              .map((parts) => parts.join('')),
          ),
        ),
        {
          maxLength: 3,
        },
      )
      .map(
        (pairs) => `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&')}`,
      ),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '?',
      '?&&&',
      '?page',
      '?page=%',
      '?page=%ff',
      '?=1',
      '?page=1&page=2',
      '?page=1%00',
      '??',
    ),
  },
)

const header = fc.constantFrom(
  ...[
    'X-Request-Id: \x01\x02',
    'X-Request-Id: a b',
    `X-Request-Id: ${'x'.repeat(500)}`,
    'Accept: \xff\xfe',
    'Accept: text/csv',
  ],
  ...[
    'X-Forwarded-Host: evil.example',
    'X-Forwarded-Proto: javascript',
    'X-Forwarded-For: not-an-address',
    'Forwarded: for=x',
  ],
  ...[
    'Cookie: a=b; __proto__=1',
    'Origin: null',
    'Origin: https://evil.example',
    'Range: bytes=0-',
    'If-None-Match: *',
  ],
  ...['Expect: 100-continue', 'Connection: upgrade', 'Upgrade: websocket', 'TE: trailers', 'Content-Encoding: gzip'],
  ...[
    'X-HTTP-Method-Override: DELETE',
    'Accept-Encoding: gzip;q=NaN',
    'If-Modified-Since: never',
    `X-Long: ${'y'.repeat(9000)}`,
  ],
)
const contentType = fc.constantFrom(
  ...[
    'application/json',
    'application/json',
    'application/json',
    'application/json; charset=utf-7',
    'application/JSON;;;',
  ],
  ...[
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    '',
    ';',
    '\xff',
  ],
)

export interface Target {
  host: string
  token: string
  /** Each report with a request that it answers. */
  reports: readonly { report: Report; good: Record<string, unknown> }[]
}

/** Requests of all kinds to all endpoints. */
export function hostileRequests({ host, token, reports }: Target): fc.Arbitrary<HostileRequest> {
  const authorization = fc.oneof(
    { weight: 12, arbitrary: fc.constant(`Bearer ${token}`) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('', 'Bearer', 'Bearer \x00', 'Basic Og==', 'Basic !!!!', `Bearer ${token},x`),
    },
  )
  const toReport = fc.constantFrom(...reports).chain(({ report, good }) =>
    fc.record({
      method: fc.oneof(
        { weight: 20, arbitrary: fc.constant<string>(report.method) },
        {
          weight: 1,
          arbitrary: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD', 'PROPFIND'),
        },
      ),
      path: fc.tuple(fc.constant<string>(report.path), query).map(([path, more]) => path + more),
      body: bytesOf(
        fc.oneof({ weight: 6, arbitrary: nearlyGood(report, good) }, { weight: 2, arbitrary: json }, extremes),
      ),
    }),
  )
  const toOAuth = fc.record({
    method: fc.constant('POST'),
    path: fc.constantFrom('/oauth2/token', '/oauth2/revoke'),
    body: bytesOf(fc.oneof(json, extremes, form)),
  })
  const elsewhere = fc.record({
    method: fc.constantFrom('GET', 'POST', 'HEAD', 'OPTIONS', 'DELETE'),
    path: fc.constantFrom(
      ...[
        '/',
        '//',
        '/..%2f..%2f',
        '/v1/',
        '/v1/%00',
        '/v1/%2e%2e/',
        '/docs',
        '/openapi.json',
        '/healthz?x=%',
        '/docs/../x',
      ],
      ...[
        '/%ff',
        '/v1/warehouse/warehouse-list/',
        '/V1/warehouse/warehouse-list',
        '/v1/warehouse/warehouse-list%00',
        '*',
      ],
      ...[
        'http://evil.example/',
        '/.well-known/oauth-authorization-server',
        `/${'a'.repeat(7000)}`,
        '/__proto__',
        '/constructor',
      ],
    ),
    body: bytesOf(json),
  })
  const asked = fc.oneof(
    { weight: 16, arbitrary: toReport },
    { weight: 3, arbitrary: toOAuth },
    { weight: 2, arbitrary: elsewhere },
  )
  return fc
    .tuple(asked, authorization, contentType, fc.array(header, { maxLength: 2 }), fc.nat(255))
    .map(([{ method, path, body }, auth, type, headers, n]) => {
      const head = [
        `${method} ${path} HTTP/1.1`,
        `Host: ${host}`,
        ...(auth === '' || path.startsWith('/oauth2') ? [] : [`Authorization: ${auth}`]),
        ...(type === '' ? [] : [`Content-Type: ${type}`]),
        `X-Forwarded-For: 203.0.113.${n}`,
        ...headers,
        `Content-Length: ${body.length}`,
        'Connection: close',
      ]
      return {
        what: `${head[0]} | ${type} | ${headers.join(' | ')} | ${body.toString('latin1').slice(0, 300)}`,
        bytes: Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`, 'latin1'), body]),
      }
    })
}

const form = fc
  .array(
    fc.tuple(
      fc.constantFrom('grant_type', 'client_id', 'client_secret', 'username', 'token', 'scope', '__proto__', 'x'),
      text,
    ),
    { maxLength: 6 },
  )
  .map((pairs) => pairs.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&'))
