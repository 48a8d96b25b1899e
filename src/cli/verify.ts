/** `millbook verify`: recomputes what is derived from the ledger, and says what differs. */
import { Command } from 'commander'
import { withOptions } from '../config.js'
import { verify } from '../import/verify.js'
import { withDatabase } from './database.js'

export const verifyCommand = (): Command =>
  withOptions(new Command('verify'), 'database', 'data', 'json')
    .description('recompute everything that is derived from the ledger, and say what differs')
    .option('--rebuild', 'derive the closings again first', false)
    .action(async (options: { rebuild: boolean; json?: boolean }, command: Command) => {
      const findings = await withDatabase(command, (db) => verify(db, options))
      if (findings.length > 0) process.exitCode = 1
      if (options.json) {
        console.log(JSON.stringify({ ok: findings.length === 0, findings }))
        return
      }
      for (const { check, count, examples } of findings) {
        console.log(`${check}: ${count}`)
        for (const example of examples) console.log(`  ${example}`)
      }
      if (findings.length === 0) console.log('everything agrees with the ledger')
    })
