/** SQL as a value: a template tag that binds its values, can be nested and needs no connection. */

/** A value that can be bound to a statement. */
export type Value = string | number | bigint | boolean | null | Date | Uint8Array | readonly Value[]

/** The rows of a `Read`: the columns as texts, null for null. */
export type ReadRow = Readonly<Record<string, string | null>>

/** A statement whose rows a computation takes, and the columns that it takes of them. */
export interface Read {
  readonly columns: readonly string[]
  readonly query: Sql
}

type Rows = readonly ReadRow[]
type Compute = (
  rows: Readonly<Record<string, Rows>>,
  signal: AbortSignal | undefined,
  /** Runs one of `asks`. */
  ask: (name: string, keys: readonly object[]) => Promise<Rows>,
) => readonly object[] | Promise<readonly object[]>

/** Rows that the program computes before the statement runs that binds them, as the text of a JSON array (computed.ts). */
export class Computed {
  /** Part of the fingerprint of a report: another name for each computation, and for each change of one. */
  readonly name: string
  /** Everything that the result depends on beside what it reads. */
  readonly given: unknown
  /** Run before the computation, which gets their rows. */
  readonly reads: Readonly<Record<string, Read>>
  /** Run by the computation, as often as it needs, with keys that it finds on its way. */
  readonly asks: Readonly<Record<string, (keys: readonly object[]) => Read>>
  readonly compute: Compute

  constructor({
    name,
    given,
    reads,
    asks = {},
    compute,
  }: Pick<Computed, 'name' | 'given' | 'reads' | 'compute'> & Partial<Pick<Computed, 'asks'>>) {
    this.name = name
    this.given = given
    this.reads = reads
    this.asks = asks
    this.compute = compute
  }
}

export class Sql {
  /** Always one longer than `values`. */
  readonly strings: readonly string[]
  readonly values: readonly (Value | Computed)[]

  constructor(strings: readonly string[], values: readonly (Value | Computed)[]) {
    this.strings = strings
    this.values = values
  }

  /** The statement with `$1`, `$2` … in the places of its values. */
  get text(): string {
    return this.strings.reduce((text, part, i) => `${text}$${i}${part}`)
  }
}

/** The values to bind. A statement with computed values must be given to `withComputed` first. */
export function boundValues({ values }: Pick<Sql, 'values'>): Value[] {
  return values.map((value) => {
    if (value instanceof Computed) throw new Error(`the statement binds ${value.name}, which is not computed yet`)
    return value
  })
}

/** Builds a statement or a part of one: a nested part is spliced in, anything else becomes a bound parameter. */
export function sql(parts: readonly string[], ...inserts: readonly (Value | Computed | Sql)[]): Sql {
  const strings = [parts[0] as string]
  const values: (Value | Computed)[] = []
  const append = (text: string) => {
    strings[strings.length - 1] += text
  }
  inserts.forEach((insert, i) => {
    if (insert instanceof Sql) {
      append(insert.strings[0] as string)
      insert.values.forEach((value, j) => {
        values.push(value)
        strings.push(insert.strings[j + 1] as string)
      })
    } else {
      values.push(insert)
      strings.push('')
    }
    append(parts[i + 1] as string)
  })
  return new Sql(strings, values)
}

/** Text that is SQL already. Only for text in this program's source, never for text from a caller. */
export const raw = (text: string): Sql => new Sql([text], [])

/** A text of this program's source as a literal. */
export const literal = (text: string): Sql => raw(`'${text.replaceAll("'", "''")}'`)

/** A quoted name. */
export const identifier = (name: string): Sql => raw(`"${name.replaceAll('"', '""')}"`)

/** Joins parts with a separator. */
export const join = (parts: readonly Sql[], separator: string): Sql =>
  parts.reduce((all, part, i) => (i === 0 ? part : sql`${all}${raw(separator)}${part}`), raw(''))

/**
 * A quotient with enough digits to be rounded like the exact quotient: PostgreSQL keeps 16 significant digits unless the
 * dividend has more.
 */
export const quotient = (dividend: Sql, divisor: Sql): Sql => sql`(round(${dividend}, 60) / ${divisor})`

/** A square root with enough digits to be rounded like the exact root. */
export const root = (of: Sql): Sql => sql`sqrt(round(${of}, 60))`
