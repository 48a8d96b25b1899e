/** The formats, and how a caller chooses one. */
import { Problem } from '../errors.js'
import { ALL, CONTRACT } from '../kernel/report/choose.js'
import { OneOf, type Param } from '../kernel/report/params.js'
import { readWeights } from '../weights.js'
import { cellsOf } from './csv.js'
import type { Format, Options } from './format.js'
import * as list from './list.js'

const byDefault: Format = list.json

/** The fields of records in a format, if the caller names none: programs read JSON by the contract, people get files with all. */
export const usualFields = ({ extension }: Format): string => (extension === undefined ? CONTRACT : ALL)

export const formats: readonly Format[] = [...new Set([byDefault, ...Object.values<Format>(list)])]

/** The format that commands write by default. */
export const fileByDefault: Format & { readonly extension: string } = list.csv
/** The cells of such a file, with its heading. */
export const cellsByDefault = cellsOf
/** A record in each line, for commands that read records. */
export const recordLines: Format = list.ndjson
export const smallest = formats.reduce((a, b) => (b.share < a.share ? b : a))

const names = formats.map(({ name }) => name)
const listed = () => formats.map(({ name, contentType }) => `${mediaType(contentType)} (?format=${name})`).join(', ')
const mediaType = (contentType: string) => contentType.split(';')[0] as string

const optional = <T>(param: Param<T>): Param<T | undefined> => ({ ...param, required: false })

/** `?format=`, which overrides `Accept`. */
export const formatParam: Param<string | undefined> = optional(
  OneOf(
    names,
    `Format of the response; without it, the \`Accept\` header decides; \`${byDefault.name}\` is preferred if the header allows it.`,
  ),
)

export const formatNamed = (name: string): Format => formats.find((format) => format.name === name) ?? byDefault

/** The names of the formats that take an option. */
export const taking = (option: keyof Options): string[] =>
  formats.filter(({ options }) => options?.includes(option)).map(({ name }) => name)

/** The default of `lines` in each format, in words. */
export const usualLines = taking('lines')
  .map((name) => `${formatNamed(name).usualLines} in ${name}`)
  .join(', ')

/** Options of formats, in the query string. A format that does not take an option accepts its first word only. */
export const optionParams = {
  lines: optional(
    OneOf(
      ['yes', 'no'],
      `Whether a file has the lines of documents; by default ${usualLines}. In csv \`no\` gives one row per document, \`yes\` one row per line of the first list among the fields, such as \`items\`, with the key of its document. In xlsx documents are one sheet, and each list of lines is another.`,
    ),
  ),
  formulas: optional(
    OneOf(
      ['as-is', 'safe'],
      `In ${taking('formulas').join(', ')}: \`safe\` puts an apostrophe before texts that a spreadsheet would run as formulas; \`as-is\` by default, \`safe\` for browsers.`,
    ),
  ),
  headings: optional(
    OneOf(
      ['words', 'api'],
      `In ${taking('headings').join(', ')}: \`api\` heads the columns with the names of the API, as csv does; \`words\` by default.`,
    ),
  ),
}

/** The format for `?format=` or an Accept header (RFC 9110 §12.5.1): the format with the highest weight; among equals, the first in the list. */
export function chooseFormat(name: string | undefined, accept: string | undefined): Format {
  if (name !== undefined) return formatNamed(name)
  if (accept === undefined || accept.trim() === '') return byDefault
  const ranges = readWeights(accept)
  const weightOf = ({ contentType }: Format) => {
    const type = mediaType(contentType)
    const matches = [type, `${type.split('/')[0]}/*`, '*/*'].map((name) => ranges.find((range) => range.name === name))
    return matches.find((match) => match !== undefined)?.weight ?? 0 // the most specific range counts
  }
  const [best] = formats.filter((format) => weightOf(format) > 0).sort((a, b) => weightOf(b) - weightOf(a))
  if (best === undefined)
    throw new Problem('not-acceptable', {
      detail: `The Accept header allows no available format; the formats are ${listed()}.`,
    })
  return best
}
