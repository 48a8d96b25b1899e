/** `millbook verify`: checks all balances and documents against the ledger and lists the differences. */
import type { Command } from 'commander'
import { lockLoads } from '../db/connect.js'
import { countVerified, type Finding, isOddity, summary, type Verified, verify } from '../import/pipeline/verify.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { existingTarget, tell, withDatabase } from './database.js'
import { counted } from './print.js'

export const verifyCommand = (): Command =>
  withExamples(
    databaseCommand('verify', 'check all balances and documents against the ledger and list the differences')
      .option('--strict', "exit with 1 also if the company's own books disagree with the ledger", false)
      .option('--rebuild', 'first convert the documents and compute the period closings again', false)
      .action(async (options: { rebuild: boolean; strict: boolean } & Json, command: Command) => {
        // Like a load, --rebuild writes rows derived from the ledger.
        const release = options.rebuild
          ? await lockLoads(existingTarget(command), () => void (options.json || tell('waiting for a load to end')))
          : async () => {}
        const [findings, checked] = await withDatabase(command, async (db, database) => {
          try {
            return [await verify(database, { ...options, onCheck }), await countVerified(db)] as const
          } finally {
            if (process.stderr.isTTY) process.stderr.write('\r\x1b[K')
          }
        }).finally(release)
        const ok = options.strict ? findings.length === 0 : findings.every(isOddity)
        if (!ok) process.exitCode = 1
        if (options.json) console.log(JSON.stringify({ ok, checked, findings }))
        else print(findings, checked)
      }),
    'millbook verify',
    'millbook verify --strict',
    'millbook verify --rebuild --json',
  )

/** Shows the current check on a terminal, since a large database takes a while. */
function onCheck(check: string, at: number, of: number): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${at}/${of} ${check}`)
}

function print(findings: readonly Finding[], { movements, closings, documents }: Verified): void {
  for (const { kind, check, count, examples } of findings) {
    console.log(`${isOddity({ kind }) ? 'note' : kind}: ${check}: ${count}`)
    for (const example of examples) console.log(`  ${example}`)
    if (examples.length > 0 && count > examples.length) console.log(`  … and ${count - examples.length} more`)
  }
  const [m, c, d] = [counted(movements, 'movement'), counted(closings, 'closing'), counted(documents, 'document')]
  console.log(`${m}, ${c} and ${d}: ${summary(findings)}`)
}
