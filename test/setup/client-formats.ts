/** Writes src/client/formats.ts from the list of formats. */
import type { Format } from '../../src/formats/format.js'
import { optionParams } from '../../src/formats/index.js'

const words = (list: readonly string[]) => list.map((word) => `'${word}'`).join(' | ')

const options = Object.entries(optionParams).map(([name, { type, description }]) => {
  if (type.kind !== 'word') throw new Error(`the option ${name} of formats is no word`)
  return `  /** ${description} */\n  readonly ${name}?: ${words(type.words)}\n`
})

export const clientFormats = (formats: readonly Format[]): string => {
  const files = formats.flatMap(({ name, extension }) => (extension === undefined ? [] : [name]))
  return `/** Formats of files. Made from src/formats/ by \`npm run client\`; do not edit. */
export type FileFormat = ${words(files)}

export const fileFormats: readonly FileFormat[] = [${files.map((name) => `'${name}'`).join(', ')}]

export interface FileOptions {
${options.join('')}  readonly signal?: AbortSignal
}
`
}
