/** `millbook pull --inspect`: proposes the mapping of a folder of spreadsheets. */
import { existsSync, writeFileSync } from 'node:fs'
import type { Command } from 'commander'
import { inWords, MillbookError } from '../errors.js'
import { mappingOf } from '../pull/sheets/mapping.js'
import type { Proposal } from '../pull/sheets/propose/proposal.js'
import { propose } from '../pull/sheets/propose/propose.js'
import { proposalText } from '../pull/sheets/propose/text.js'
import type { Json } from './command.js'
import { tell } from './database.js'
import { counted } from './print.js'

interface Options extends Json {
  output?: string
  force: boolean
}

export async function inspect(folder: string, { output, force, json }: Options, command: Command): Promise<void> {
  if (force && output === undefined) command.error('--force needs --output FILE')
  if (output !== undefined && !force && existsSync(output))
    throw new MillbookError(`there is a file ${output} already: name another one, or replace it with --force`)
  const proposal = await propose(folder)
  const text = proposalText(proposal)
  if (proposal.tables.every(({ rules }) => rules.length === 0)) throw new MillbookError(nothingFound(folder, proposal))
  mappingOf(text, 'the proposed mapping')
  if (output !== undefined) write(output, text, force)
  if (json) {
    console.log(JSON.stringify({ ...proposal, ...(output === undefined ? { text } : { output }) }))
    return
  }
  if (output === undefined) process.stdout.write(text)
  tell(summary(proposal, output))
}

const nothingFound = (folder: string, { unread }: Proposal): string =>
  [
    `no table in ${folder} fits an entity of Millbook; write the mapping by hand, see docs/spreadsheets.md`,
    ...unread.map(({ file, sheet, why }) => `  ${sheet === '' ? file : `${file}[${sheet}]`}: ${why}`),
  ].join('\n')

function write(file: string, text: string, force: boolean): void {
  try {
    writeFileSync(file, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    throw new MillbookError(`${file} cannot be written: ${inWords(error)}`)
  }
}

function summary({ tables, unread, settings }: Proposal, output: string | undefined): string {
  const rules = tables.flatMap((table) => table.rules)
  const needed = [...rules, ...tables].flatMap(({ doubts }) => doubts.filter((doubt) => doubt.needed)).length
  const unsure = Object.values(settings).filter((setting) => setting?.unsure === true).length
  const look = needed + unsure
  return [
    `${counted(rules.length, 'rule')} for ${counted(tables.flatMap(({ sheets }) => sheets).length, 'sheet')}`,
    ...(unread.length > 0 ? [`${unread.length} not read`] : []),
    look > 0 ? `${counted(look, 'line')} to look at, marked LOOK` : 'nothing is marked LOOK',
    ...(output === undefined ? [] : [`written to ${output}`]),
  ].join('; ')
}
