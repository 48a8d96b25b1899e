/** Reads the steps of CONTRIBUTING.md for a new report, and applies them to a copy of the project. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

type Step =
  /** A new file. */
  | { readonly kind: 'ts'; readonly file: string; readonly text: string }
  /** Hunks for a file, divided by `@@`. */
  | { readonly kind: 'diff'; readonly file: string; readonly text: string }
  /** Commands, one per line. */
  | { readonly kind: 'sh'; readonly text: string }

export function stepsOf(document: string, heading: string): Step[] {
  const section = document.split(/^## /m).find((text) => text.startsWith(`${heading}\n`)) ?? ''
  return [...section.matchAll(/^```(ts|diff|sh)(?: (\S+))?\n([\s\S]*?)^```$/gm)].map(
    ([, kind, file, text]) => ({ kind, file, text }) as Step,
  )
}

/** Applies the steps to the copy of the project in a folder, and returns the commands to run there. */
export function take(steps: readonly Step[], folder: string): string[] {
  for (const step of steps) {
    if (step.kind === 'sh') continue
    const path = join(folder, step.file)
    if (step.kind === 'ts') writeFileSync(path, step.text, { flag: 'wx' })
    else writeFileSync(path, patched(readFileSync(path, 'utf8'), step.text))
  }
  return steps.flatMap(({ kind, text }) => (kind === 'sh' ? text.trim().split('\n') : []))
}

export const patched = (text: string, diff: string): string =>
  diff.split(/^@@\n/m).reduce((patching, hunk) => {
    const lines = hunk.trimEnd().split('\n')
    const side = (sign: string) =>
      lines.flatMap((line) => (line[0] === ' ' || line[0] === sign ? [`${line.slice(1)}\n`] : [])).join('')
    const [before, ...after] = patching.split(side('-'))
    if (after.length !== 1) throw new Error(`these lines must be in the file once, not ${after.length} times:\n${hunk}`)
    return [before, ...after].join(side('+'))
  }, text)
