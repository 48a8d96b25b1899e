/** Mappings as text: a proposal with its doubts as comments, and any mapping that a program has changed. */
import { Document, isMap, isScalar, isSeq, parse, stringify, visit, type YAMLMap } from 'yaml'
import { MillbookError } from '../../../errors.js'
import type { Doubt, MappingObject, Proposal, ProposedRule, RuleObject, Table } from './proposal.js'

const WIDTH = 110

/** The text of a mapping file. */
export const mappingYaml = (mapping: MappingObject): string =>
  stringify(mapping, { lineWidth: WIDTH, schema: 'failsafe' })

/** The object in a mapping file, YAML or JSON; `mappingOf` checks what it says. `file` names it in messages. */
export function mappingObject(text: string, file: string): MappingObject {
  let given: unknown
  try {
    given = parse(text, { schema: 'failsafe' })
  } catch (error) {
    throw new MillbookError(`${file} cannot be read: ${(error as Error).message}`)
  }
  const { entities } = (given ?? {}) as Partial<MappingObject>
  if (typeof entities !== 'object' || entities === null)
    throw new MillbookError(`${file} must be an object with entities`)
  return given as MappingObject
}

/** The proposed mapping; everything that is unsure is a comment with its reason. */
export function proposalText({ mapping, settings, tables, unread }: Proposal): string {
  const document = new Document(mapping, { aliasDuplicateObjects: false, schema: 'failsafe' })
  const root = document.contents as unknown as YAMLMap
  for (const [name, setting] of [
    ['dates', settings.dates],
    ['decimal', settings.decimal],
    ['year_begins', settings.yearBegins],
  ] as const)
    if (setting !== undefined) comment(keyOf(root, name), [`${setting.unsure ? SURE : ''}${setting.why}`])
  const wanted = root.get('entities')
  const rules = tables.flatMap((table) => table.rules.map((rule) => ({ rule, table })))
  for (const { key, value } of isMap(wanted) ? wanted.items : []) {
    const entity = String(isScalar(key) ? key.value : key)
    const nodes = isSeq(value) ? value.items : [value]
    const given = mapping.entities[entity]
    const own = Array.isArray(given) ? (given as readonly RuleObject[]) : [given as RuleObject]
    for (const [at, node] of nodes.entries()) {
      const found = rules.find(({ rule }) => rule.given === own[at])
      if (found === undefined || !isMap(node)) continue
      const isFirst = found.table.rules[0] === found.rule
      const above = annotate(node, found.rule, isFirst ? found.table : undefined)
      if (above.length > 0) comment(isSeq(value) ? node : key, above)
    }
  }
  visit(document, {
    Map: (key, node, path) => {
      // Short objects, such as {code: Party}, stand on one line.
      const isCommented = node.items.some(({ key: one }) => isScalar(one) && one.commentBefore)
      if (path.length > 6 && key === 'value' && !isCommented && JSON.stringify(node.toJSON()).length < WIDTH - 30)
        node.flow = true
    },
  })
  document.commentBefore = wrapped([
    'Proposed from the files in this folder. Look at the lines below a comment, and at every line that says LOOK.',
    'Then try it:  millbook pull spreadsheets --from FOLDER --dry-run',
  ])
  if (unread.length > 0)
    document.comment = wrapped([
      'Not read:',
      ...unread.map(({ file, sheet, why }) => `  ${sheet === '' ? file : `${file}[${sheet}]`}: ${why}`),
    ])
  return document.toString({ lineWidth: WIDTH, flowCollectionPadding: false })
}

const SURE = 'LOOK: '

/** Comments on the columns of a rule; the ones about no column are for above it. */
function annotate(node: YAMLMap, { doubts }: ProposedRule, table: Table | undefined): string[] {
  const above: string[] = []
  for (const doubt of doubts) {
    const key = ['columns', 'constants']
      .map((part) => node.get(part))
      .map((part) => (isMap(part) && doubt.column !== undefined ? keyOf(part, doubt.column) : undefined))
      .find((found) => found !== undefined)
    if (key === undefined) above.push(words(doubt))
    else comment(key, [words(doubt)])
  }
  return [...(table?.doubts.map(words) ?? []), ...above]
}

const words = ({ column, reason, needed }: Doubt): string =>
  `${needed ? SURE : ''}${column === undefined ? '' : `${column}: `}${reason}`

function keyOf(map: YAMLMap, name: string): unknown {
  return map.items.map(({ key }) => key).find((key) => isScalar(key) && key.value === name)
}

function comment(node: unknown, lines: readonly string[]): void {
  if (typeof node !== 'object' || node === null) return
  const commented = node as { commentBefore?: string | null }
  const before = commented.commentBefore ? `${commented.commentBefore}\n` : ''
  commented.commentBefore = `${before}${wrapped(lines)}`
}

/** Comments are not longer than the lines. */
const wrapped = (lines: readonly string[]): string =>
  lines
    .flatMap((line) => {
      const rows: string[] = []
      let row = ''
      for (const word of line.split(' ')) {
        if (row !== '' && row.length + word.length > WIDTH - 12) {
          rows.push(row)
          row = ''
        }
        row = row === '' ? word : `${row} ${word}`
      }
      return [...rows, row]
    })
    .map((line) => ` ${line}`)
    .join('\n')
