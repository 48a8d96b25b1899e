/** A connector: a folder with connector.json and one .sql file per entity, in the dialect of its source. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MillbookError } from '../errors.js'
import { entities } from '../import/entities.js'
import type { Entity } from '../import/entity.js'
import { nearest } from '../nearest.js'
import type { Dialect } from './source.js'
import { complaintAbout, queryIn } from './sql-text.js'
import { dialects } from './url.js'

/** The connectors that ship with Millbook. */
const SHIPPED = fileURLToPath(new URL('../../connectors/', import.meta.url))
/** Shared SQL, put before each query: it ends in the middle of a `with`, which the query continues. */
const COMMON = 'common.sql'
/** The connector that reads files, and has no queries. */
export const SPREADSHEETS = 'spreadsheets'

export interface Connector {
  readonly name: string
  /** Ships with Millbook. */
  readonly shipped: boolean
  readonly about: string
  /** The versions of the source that it was tried with. */
  readonly tried: string
  readonly dialect: Dialect
  /** What the source has and the connector does not pull; each pull prints it. */
  readonly leavesOut: readonly string[]
  /** The names of its parameters, each with its purpose. */
  readonly parameters: Readonly<Record<string, string>>
  /** In load order. */
  readonly queries: readonly ConnectorQuery[]
}

export interface ConnectorQuery {
  readonly entity: Entity
  readonly file: string
  readonly text: string
  /** A query whose result changes whenever the one of this query does: its lines begin with `-- changed:`. */
  readonly changed?: string
}

export function shippedConnectors(): { name: string; about: string; tried: string }[] {
  return readdirSync(SHIPPED)
    .filter((name) => existsSync(join(SHIPPED, name, 'connector.json')))
    .map((name) => {
      const { about = '', tried = '' } = describe(join(SHIPPED, name))
      return { name, about: String(about), tried: String(tried) }
    })
}

/** Reads a connector by the name of a shipped one, or by the path of its folder. */
export function readConnector(named: string): Connector {
  const folder = folderOf(named)
  const { about = '', tried = '', dialect, parameters = {}, leaves_out: leavesOut = [], ...others } = describe(folder)
  const unknown = Object.keys(others)[0]
  const known = ['about', 'tried', 'dialect', 'parameters', 'leaves_out']
  if (unknown !== undefined)
    throw new MillbookError(`${folder}/connector.json: ${unknown} is unknown${nearest(unknown, known)}`)
  if (!Object.hasOwn(dialects, String(dialect)))
    throw new MillbookError(`${folder}/connector.json: dialect must be one of ${Object.keys(dialects).join(', ')}`)
  const declared = parametersIn(folder, parameters)
  if (!Array.isArray(leavesOut) || !leavesOut.every((one) => typeof one === 'string'))
    throw new MillbookError(`${folder}/connector.json: leaves_out must be a list of texts`)
  return {
    name: basename(resolve(folder)),
    shipped: folder.startsWith(SHIPPED),
    about: String(about),
    tried: String(tried),
    dialect: dialect as Dialect,
    leavesOut,
    parameters: declared,
    queries: queriesIn(folder, dialect as Dialect, Object.keys(declared)),
  }
}

function folderOf(named: string): string {
  if (/[/\\.]/.test(named)) {
    if (existsSync(join(named, 'connector.json'))) return named
    throw new MillbookError(`${named} is not a connector: there is no file ${join(named, 'connector.json')}`)
  }
  if (existsSync(join(SHIPPED, named, 'connector.json'))) return join(SHIPPED, named)
  const names = shippedConnectors().map(({ name }) => name)
  const own = existsSync(join(named, 'connector.json')) ? `; for the folder of this name, write ./${named}` : ''
  throw new MillbookError(
    `there is no connector ${named}${nearest(named, names)}; there are ${names.join(', ')}, or name a folder such as ./${named}${own}`,
  )
}

function describe(folder: string): Record<string, unknown> {
  const file = join(folder, 'connector.json')
  try {
    const read = JSON.parse(readFileSync(file, 'utf8'))
    if (typeof read === 'object' && read !== null) return read
  } catch (error) {
    throw new MillbookError(`${file} cannot be read: ${(error as Error).message}`)
  }
  throw new MillbookError(`${file} must be an object with about, tried, dialect and parameters`)
}

function parametersIn(folder: string, given: unknown): Record<string, string> {
  const all = typeof given === 'object' && given !== null ? Object.entries(given) : [['', '']]
  if (all.every(([name, about]) => /^[a-z_]+$/.test(name) && typeof about === 'string')) return Object.fromEntries(all)
  throw new MillbookError(
    `${folder}/connector.json: parameters must be an object with names in lowercase, each with its purpose as a text`,
  )
}

/** Leaves out files that have only comments: nobody has written their query yet. */
function queriesIn(folder: string, dialect: Dialect, parameters: readonly string[]): Connector['queries'] {
  const names = entities.map((entity) => entity.name as string)
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql') && file !== COMMON)
  const stray = files.find((file) => !names.includes(basename(file, '.sql')))
  if (stray !== undefined) {
    const name = basename(stray, '.sql')
    throw new MillbookError(
      `${join(folder, stray)}: there is no entity ${name}${nearest(name, names)}; there are ${names.join(', ')}`,
    )
  }
  const read = (file: string) => readFileSync(join(folder, file), 'utf8')
  const common = existsSync(join(folder, COMMON)) ? read(COMMON) : ''
  const checked = (file: string, text: string) => {
    const complaint = complaintAbout(text, dialect, parameters)
    if (complaint !== undefined) throw new MillbookError(`${join(folder, file)}: ${complaint}`)
  }
  checked(COMMON, common)
  const queries = entities.flatMap((entity: Entity) => {
    const file = `${entity.name}.sql`
    const own = files.includes(file) ? queryIn(read(file), dialect) : undefined
    if (own === undefined) return []
    checked(file, own)
    const changed = changedIn(read(file))
    if (changed !== undefined) checked(file, changed)
    return { entity, file, text: common + own, ...(changed !== undefined && { changed }) }
  })
  if (queries.length === 0) throw new MillbookError(`${folder} has no query: write at least one, such as items.sql`)
  return queries
}

/** The query in the comments of a file that begin with `-- changed:`. */
function changedIn(text: string): string | undefined {
  const lines = [...text.matchAll(/^\s*--\s*changed:(.*)$/gim)].map(([, line = '']) => line.trim())
  return lines.length === 0 ? undefined : lines.join('\n').replace(/[;\s]+$/, '')
}
