/** `millbook doctor`: checks the installation. */
import type { Command } from 'commander'
import { examine, type Finding } from '../runtime/doctor.js'
import { addSettings, databaseTarget, readServeSettings, serveSettings } from '../runtime/settings.js'
import { databaseCommand, type Json, withExamples } from './command.js'
import { counted } from './print.js'

export const doctorCommand = (): Command =>
  withExamples(
    addSettings(
      databaseCommand(
        'doctor',
        'check configuration, database, rights, clock, disk and certificates, and say how to mend each problem',
      ),
      serveSettings,
    ).action(run),
    'millbook doctor',
    'millbook doctor --workers 8 --json',
  )

const MARKS: Readonly<Record<Finding['state'], string>> = { ok: 'ok      ', warning: 'warning ', problem: 'PROBLEM ' }

async function run({ json }: Json, command: Command): Promise<void> {
  const findings: Finding[] = []
  for await (const finding of examine({
    target: databaseTarget(command),
    settings: readServeSettings(command, () => {}),
  })) {
    findings.push(finding)
    if (json) continue
    const { check, state, found, advice } = finding
    console.log(`${MARKS[state]}${check}: ${found}`)
    if (advice !== undefined) console.log(`        → ${advice}`)
  }
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length
  const [problems, warnings] = [count('problem'), count('warning')]
  if (problems > 0) process.exitCode = 1
  if (json) console.log(JSON.stringify({ ok: problems === 0, findings }))
  else
    console.log(
      problems + warnings === 0
        ? 'everything is fine'
        : `${counted(problems, 'problem')}, ${counted(warnings, 'warning')}`,
    )
}
