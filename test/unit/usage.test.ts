/** Mistakes at the command line: each is a usage error that names the mistake and the help to read. */
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeProgram, UsageError } from '../../src/cli/program.js'
import { folderOf } from '../setup/files.js'

it.each([
  ['serve --prot 1', "unknown option '--prot' (did you mean --port?)", 'millbook serve'],
  ['serve --port x', /^option '--port <n>' argument 'x' is invalid\. It must be a whole number/, 'millbook serve'],
  ['serve --tls-key k', '--tls-key is given without --tls-cert: HTTPS needs both', 'millbook serve'],
  ['serve --data a --database b', /^give either a PostgreSQL server .*, not both$/, 'millbook serve'],
  ['demo --scale 0', /It must be a number from 0\.1 to 2000\.$/, 'millbook demo'],
  ['client create', "missing required argument 'name'", 'millbook client create'],
  [
    'client create a --grants pasword',
    /there is no grant pasword \(did you mean password\?\)/,
    'millbook client create',
  ],
  ['client update a', /^nothing to change: give --groups/, 'millbook client update'],
  ['client rotate-secret a --overlap 1y', /It must be 0, or like 30m/, 'millbook client rotate-secret'],
  [
    'client create a --redirect http://a.example/b',
    /^option '--redirect <uri>' .* sends codes without TLS; use https, or http:\/\/127/,
    'millbook client create',
  ],
  ['client create a --public', /^a public client signs people in: add --redirect URI/, 'millbook client create'],
  ['user set a', /^nothing to change: give --operator, --loader, --reader, --groups/, 'millbook user set'],
  ['user set a --operator --reader', /cannot be used with option '--operator'/, 'millbook user set'],
  ['user create a --groups sale', /Not a group: sale\. There are masters/, 'millbook user create'],
  ['user link a --url there', /there is not an origin such as/, 'millbook user link'],
  ['clinet', "unknown command 'clinet' (did you mean client?)", 'millbook'],
  ['client', /^name a command: create, list, show/, 'millbook client'],
  ['', /^name a command: demo, serve/, 'millbook'],
  ['help client craete', 'there is no command client craete (did you mean create?)', 'millbook help'],
  ['audit --since never', /It must be a day like 2026-01-31/, 'millbook audit'],
  ['import', 'name the folder with the files, or use --template DIR', 'millbook import'],
  ['import FOLDER --replace vendor', /^there is no entity vendor \(did you mean vendors\?\)/, 'millbook import'],
  ['import FOLDER --replace items', '--replace items needs a file for items', 'millbook import'],
  ['verify --database mysql://u:secret@h/d', /^the database URL is not of the form postgres:/, 'millbook verify'],
  ['client list --database postgres://one,two/d', /names several hosts: name one$/, 'millbook client list'],
  ['user create a\u0007', /^the name of a user must be 1 to 100 printable characters/, 'millbook user create'],
  ['client create a\u0007', /^the name of a client must be 1 to 100/, 'millbook client create'],
])('millbook %s', async (line, message, command) => {
  const folder = folderOf({ 'vendors.csv': 'code,name\n' })
  const words = line.split(' ').flatMap((word) => (word === 'FOLDER' ? folder : word || []))
  const error = await (await makeProgram(true)).parseAsync(words, { from: 'user' }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(UsageError)
  if (message instanceof RegExp) expect(error.message).toMatch(message)
  else expect(error.message).toBe(message)
  expect(error.help).toBe(`run ${command} --help to see the usage`)
})

it.each([
  [['report', 'invoces'], /there is no report invoces \(did you mean sales\.invoices\?\)/],
  [['report', 'stock'], /did you mean inventory\.fg-stock-status or inventory\.mat-stock-status\?/],
  [['report', 'sales.invoices'], /--from is required/],
  [['report', '--view', 'a', '--formt', 'json'], /unknown option '--formt' \(did you mean --format\?\)/],
  [['report', 'sales.invoices', '--per_page', '3'], /unknown option '--per_page' \(did you mean --rows\?\)/],
  [
    ['report', 'sales.invoices', '--from_dat=2026-01-01'],
    /unknown option '--from_dat=2026-01-01' \(did you mean --from\?\)/,
  ],
  [['report', 'sales.invoices', '--zzzzzzz'], /unknown option '--zzzzzzz'$/m],
  [['report', '--view', 'a', '--format', 'table', '-o', 'f'], /-o cannot write a table: add a file format/],
  [
    ['report', 'sales.invoices', '--period', 'lastmonth'],
    /--period must be .*not lastmonth \(did you mean last-month\?\)/,
  ],
  [['report', 'sales.invoices', '--from', 'yesterdy', '--to', 'today'], /--from must be .*did you mean yesterday\?/],
  [['report', 'sales.invoices', '--period', '2026-06', '--from', 'today'], /not both/],
  [['report', 'sales.invoices', '--from', '2026-06-30', '--to', '2026-06-01'], /--to must not be before/],
  [['report', 'fg-stock-status', '--period', '2026-06', '--type', 'XX', '--tax', '0'], /Allowed choices/],
  [['report', 'masters.material', '--format', 'table', '-o', 'x.csv'], /-o cannot write a table/],
  [['report', 'masters.material', '--since', 'x.csv', '-o', './x.csv'], /two files/],
  [['report', 'masters.material', '--since', 'x', '-o', 'x.csv', '--sort', 'item_sku'], /leave out --sort/],
  [['report', 'masters.material', '--since', 'x', '-o', 'x.csv', '--rows', '3'], /leave out .* and --rows/],
])('millbook %j is refused', async (words, message) => {
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const name of ['ID', 'SECRET']) vi.stubEnv(`MILLBOOK_CLIENT_${name}`, 'x')
  const line = [...words, '--url', 'http://127.0.0.1:9']
  const error = await (await makeProgram(true)).parseAsync(line, { from: 'user' }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(UsageError)
  expect(error.message).toMatch(message)
})
