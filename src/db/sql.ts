/** SQL as a value: a template tag that binds its values, can be nested and needs no connection. */

/** A value that can be bound to a statement. */
export type Value = string | number | bigint | boolean | null | Date | Uint8Array | readonly Value[]

export class Sql {
  /** Always one longer than `values`. */
  readonly strings: readonly string[]
  readonly values: readonly Value[]

  constructor(strings: readonly string[], values: readonly Value[]) {
    this.strings = strings
    this.values = values
  }

  /** The statement with `$1`, `$2` … in the places of its values. */
  get text(): string {
    return this.strings.reduce((text, part, i) => `${text}$${i}${part}`)
  }
}

/** Builds a statement or a part of one: a nested part is spliced in, anything else becomes a bound parameter. */
export function sql(parts: readonly string[], ...inserts: readonly (Value | Sql)[]): Sql {
  const strings = [parts[0] as string]
  const values: Value[] = []
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
