/** The lint step fails on an import against the directions that ARCHITECTURE.md draws. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'millbook-lint-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const refused = [
  ['src/db/a.ts', '../ledger/kinds.js'],
  ['src/ledger/b.ts', '../kernel/report/report.js'],
  ['src/kernel/report/c.ts', '../../reports/index.js'],
  ['src/kernel/answer/d.ts', '../../http/errors.js'],
  ['src/kernel/report/zi.ts', '../answer/ask.js'],
  ['src/kernel/report/zj.ts', '../../store/memory.js'],
  ['src/reports/sales/e.ts', '../../surfaces/rest/reports.js'],
  ['src/reports/sales/f.ts', '../inventory/fg-stock-status.js'],
  ['src/reports/inventory/g.ts', './fg-stock-status.js'],
  ['src/http/h.ts', '../surfaces/rest/reports.js'],
  ['src/demo/i.ts', '../ledger/kinds.js'],
  ['src/import/j.ts', '../reports/index.js'],
  ['src/surfaces/docs/k.ts', '../rest/reports.js'],
  ['src/surfaces/feed/v.ts', '../docs/index.js'],
  ['src/surfaces/rest/l.ts', '../../runtime/app.js'],
  ['src/import/zd.ts', '../surfaces/admin/index.js'],
  ['src/access/m.ts', '../http/errors.js'],
  ['src/store/n.ts', '../kernel/answer/ask.js'],
  ['src/formats/o.ts', '../store/snapshots.js'],
  ['src/client/w.ts', '../kernel/report/report.js'],
  ['src/answers/x.ts', '../reports/index.js'],
  ['src/deliver/y.ts', '../db/connect.js'],
  ['src/kernel/answer/z.ts', '../../client/index.js'],
  ['src/import/ze.ts', '../pull/pull.js'],
  ['src/deliver/zf.ts', '../pull/pull.js'],
  ['src/pull/zg.ts', '../ledger/kinds.js'],
  ['src/search/zl.ts', '../access/tokens.js'],
  ['src/kernel/answer/zm.ts', '../../notify/outbox.js'],
  ['src/notify/zn.ts', '../surfaces/list.js'],
] as const
const allowed = [
  ['src/kernel/answer/zk.ts', '../report/fields.js'],
  ['src/ledger/p.ts', '../db/sql.js'],
  ['src/reports/sales/q.ts', '../../kernel/report/report.js'],
  ['src/reports/index.ts', './inventory/fg-stock-status.js'],
  ['src/surfaces/rest/r.ts', '../../kernel/answer/ask.js'],
  ['src/surfaces/admin/zc.ts', '../../import/entities.js'],
  ['src/runtime/s.ts', '../surfaces/rest/reports.js'],
  ['src/cli/t.ts', '../runtime/app.js'],
  ['src/http/u.ts', '../access/tokens.js'],
  ['src/deliver/za.ts', '../answers/answers.js'],
  ['src/answers/zb.ts', '../client/transport.js'],
  ['src/pull/zh.ts', '../import/pipeline/load.js'],
  ['src/notify/zo.ts', '../kernel/answer/reads.js'],
] as const

let complaints: Set<string>
beforeAll(() => {
  cpSync(join(root, 'biome.json'), join(folder, 'biome.json'))
  for (const [file, imported] of [...refused, ...allowed]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), `import * as it from '${imported}'\n\nexport const that = it\n`)
  }
  const biome = join(root, 'node_modules/.bin/biome')
  const { stdout } = spawnSync(biome, ['ci', '--vcs-enabled=false', '--reporter=github', '.'], {
    cwd: folder,
    encoding: 'utf8',
  })
  complaints = new Set(
    [...stdout.matchAll(/title=lint\/style\/noRestrictedImports,file=[^,]*?(src\/[^,]+)/g)].map(
      ([, file]) => file as string,
    ),
  )
})

it.each(refused)('%s may not import %s', (file) => {
  expect([...complaints]).toContain(file)
})
it.each(allowed)('%s may import %s', (file) => {
  expect([...complaints]).not.toContain(file)
})
