/** A tool as a value: its name, its arguments, the schema of its answer, and its work. */
import { nearest } from '../../nearest.js'
import { type Call, Refusal } from './refusal.js'
import type { Source } from './source.js'

type Kind = 'text' | 'texts' | 'object' | 'count'

export interface Argument {
  readonly kind: Kind
  readonly about?: string
  readonly required?: true
}

export type Arguments = Readonly<Record<string, Argument>>
export type Given = Readonly<Record<string, unknown>>

/** A value that JSON has too. */
export type Answer = Readonly<Record<string, unknown>>

export interface Tool {
  readonly name: string
  readonly title: string
  readonly about: string
  readonly takes: Arguments
  /** The members of the answer beside those that every answer has. */
  readonly gives: Readonly<Record<string, Schema>>
  /** The members of `gives` that may be left out. */
  readonly optional?: readonly string[]
  /** A call that works, of this tool or of the one that comes before it; `given` has the arguments that are right. */
  example(source: Source, given: Given): Call
  run(given: Given, source: Source, signal: AbortSignal): Promise<Answer>
}

export type Schema = Readonly<Record<string, unknown>>

const SCHEMAS: Readonly<Record<Kind, Schema>> = {
  text: { type: 'string' },
  // A list, or one text: models send both.
  texts: { type: ['array', 'string'], items: { type: 'string' } },
  object: { type: 'object' },
  count: { type: 'integer' },
}

/** What every answer has: the version of the data, and the period that it is about. */
const COMMON: Readonly<Record<string, Schema>> = { version: { type: 'string' }, period: { type: 'object' } }

/** The tool as `tools/list` shows it. */
export const listed = ({ name, title, about, takes, gives, optional = [] }: Tool) => ({
  ...{ name, title, description: about },
  inputSchema: {
    type: 'object' as const,
    properties: Object.fromEntries(
      Object.entries(takes).map(([name, { kind, about }]) => [
        name,
        { ...SCHEMAS[kind], ...(about !== undefined && { description: about }) },
      ]),
    ),
    required: Object.keys(takes).filter((name) => takes[name]?.required),
  },
  outputSchema: {
    type: 'object' as const,
    properties: { ...COMMON, ...gives },
    required: [...Object.keys(COMMON), ...Object.keys(gives).filter((name) => !optional.includes(name))],
  },
  annotations: { readOnlyHint: true, openWorldHint: false },
})

/** Checks the arguments; throws a refusal with the same call in a form that works. */
export function checkArguments({ name, takes, ...tool }: Tool, given: Given, source: Source): void {
  const names = Object.keys(takes)
  const unknown = Object.keys(given).filter((name) => !names.includes(name))
  const wrong = names.filter((name) => given[name] !== undefined && !fits(takes[name] as Argument, given[name]))
  const missing = names.filter((name) => takes[name]?.required && given[name] === undefined)
  if (unknown.length + wrong.length + missing.length === 0) return
  const right = Object.fromEntries(
    Object.entries(given).filter(([name]) => names.includes(name) && !wrong.includes(name)),
  )
  const renamed = Object.fromEntries(
    unknown.flatMap((one) => {
      const [, near] = SUGGESTED.exec(nearest(one.slice(0, 60), names)) ?? []
      return near === undefined || near in right || !fits(takes[near] as Argument, given[one])
        ? []
        : [[near, given[one]]]
    }),
  )
  const rest = { ...right, ...renamed }
  const isWhole = wrong.length === 0 && missing.every((name) => name in rest)
  const example = isWhole ? { name, arguments: rest } : tool.example(source, rest)
  const words = [
    ...unknown.map(
      (one) => `${JSON.stringify(one.slice(0, 60))} is not an argument of ${name}${nearest(one.slice(0, 60), names)}`,
    ),
    ...wrong.map((one) => `${one} must be ${WORDS[(takes[one] as Argument).kind]}`),
    ...missing.map((one) => `${one} is required`),
  ]
  throw new Refusal(`${words.join('; ')}; ${name} takes ${names.join(', ')}`, example)
}

const SUGGESTED = /did you mean ([^ ?]+)/

const WORDS: Readonly<Record<Kind, string>> = {
  text: 'a text',
  texts: 'a text or a list of texts',
  object: 'an object',
  count: 'a whole number from 1',
}

function fits({ kind }: Argument, value: unknown): boolean {
  switch (kind) {
    case 'text':
      return typeof value === 'string'
    case 'texts':
      return typeof value === 'string' || (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'count':
      return Number.isInteger(value) && (value as number) >= 1
  }
}
