/**
 * The grammar of `$filter`: the part of OData 4.0 that compares, combines and searches texts. What the rest of the grammar allows is
 * recognised and answered with 501; anything else is a syntax error.
 */
import type { Literal, Token } from './tokens.js'
import { tokensOf, unsupported, wrong } from './tokens.js'

export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge'
export const FUNCTIONS = ['contains', 'startswith', 'endswith'] as const
export type TextFunction = (typeof FUNCTIONS)[number]

export type Expression =
  | Literal
  | { readonly kind: 'property'; readonly name: string }
  | { readonly kind: 'not'; readonly of: Expression }
  | { readonly kind: 'and' | 'or'; readonly all: readonly Expression[] }
  | { readonly kind: 'compare'; readonly by: Comparison; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'call'; readonly name: TextFunction; readonly of: Expression; readonly text: Expression }

/** The functions of OData 4.0 and 4.01 that this service does not have. */
const OTHER_FUNCTIONS = new Set(
  `concat indexof length substring hassubset hassubsequence matchesPattern tolower toupper trim date day fractionalseconds hour
   maxdatetime mindatetime minute month now second time totaloffsetminutes totalseconds year ceiling floor round cast isof case
   geo.distance geo.intersects geo.length substringof`.split(/\s+/),
)
const EQUALITY = ['eq', 'ne']
const RELATION = ['lt', 'le', 'gt', 'ge']
const OTHER_OPERATORS = ['add', 'sub', 'mul', 'div', 'divby', 'mod', 'has', 'in']
/** Parentheses and negations inside each other, which a URL could have by the thousand. */
const DEEPEST = 100

/** Reads the text of `$filter`; `aliases` are the `@name` of the query string. */
export function readFilter(text: string, aliases: ReadonlyMap<string, string>): Expression {
  return new Parser(text, '$filter', aliases).whole()
}

class Parser {
  readonly #tokens: readonly Token[]
  readonly #what: string
  readonly #aliases: ReadonlyMap<string, string>
  #next = 0
  #depth = 0

  constructor(text: string, what: string, aliases: ReadonlyMap<string, string>) {
    this.#tokens = tokensOf(text, what)
    this.#what = what
    this.#aliases = aliases
  }

  whole(): Expression {
    const found = this.#or()
    const rest = this.#tokens[this.#next]
    if (rest !== undefined) throw this.#unexpected(rest)
    return found
  }

  #or(): Expression {
    return this.#all('or', () => this.#all('and', () => this.#equality()))
  }

  #all(word: 'and' | 'or', part: () => Expression): Expression {
    const all = [part()]
    while (this.#takeOperator([word]) !== undefined) all.push(part())
    return all.length === 1 ? (all[0] as Expression) : { kind: word, all }
  }

  #equality(): Expression {
    return this.#compared(EQUALITY, () => this.#compared(RELATION, () => this.#unary()))
  }

  #compared(words: readonly string[], part: () => Expression): Expression {
    let left = part()
    for (;;) {
      const by = this.#takeOperator(words)
      if (by === undefined) return left
      left = { kind: 'compare', by: by as Comparison, left, right: part() }
    }
  }

  #unary(): Expression {
    const { text, kind, end } = this.#peek() ?? {}
    if (kind === 'name' && text === 'not') {
      this.#next++
      const after = this.#peek()
      if (after === undefined || (after.at === end && after.text !== '(')) throw this.#unexpected(after)
      return { kind: 'not', of: this.#deeper(() => this.#unary()) }
    }
    if (kind === 'mark' && text === '-') throw unsupported(`the minus before an expression in ${this.#what}`)
    const found = this.#primary()
    const operator = this.#peek()
    if (operator?.kind === 'name' && OTHER_OPERATORS.includes(operator.text))
      throw unsupported(`the operator ${operator.text} in ${this.#what}`)
    return found
  }

  #primary(): Expression {
    const token = this.#peek()
    if (token === undefined) throw this.#unexpected(token)
    this.#next++
    if (token.kind === 'literal') return { kind: 'literal', type: token.type, text: token.text }
    if (token.kind === 'name') return this.#named(token.text)
    switch (token.text) {
      case '(': {
        const found = this.#deeper(() => this.#or())
        this.#mark(')')
        return found
      }
      case '@':
        return this.#alias()
      case '$':
        throw unsupported(`$it, $root and other $ expressions in ${this.#what}`)
    }
    throw this.#unexpected(token)
  }

  #named(first: string): Expression {
    let name = first
    let isPath = false
    for (;;) {
      const mark = this.#peek()
      if (mark?.kind !== 'mark' || (mark.text !== '.' && mark.text !== '/')) break
      this.#next++
      isPath ||= mark.text === '/'
      const part = this.#peek()
      if (part?.kind === 'mark' && part.text === '$') throw unsupported(`$count and other segments in ${this.#what}`)
      if (part?.kind !== 'name') throw this.#unexpected(part)
      this.#next++
      name += mark.text + part.text
    }
    const [, lambda] = /\/(any|all)$/.exec(name) ?? []
    if (this.#peek()?.kind === 'mark' && this.#peek()?.text === '(') {
      if (lambda !== undefined) throw unsupported(`${lambda} in ${this.#what}`)
      return this.#call(name)
    }
    const quoted = this.#peek()
    if (name.includes('.') && quoted?.kind === 'literal' && quoted.type === 'string') {
      this.#next++
      return { kind: 'literal', type: 'other', text: name } // a value of an enumeration
    }
    if (isPath)
      throw wrong(
        `${this.#what} names ${name.slice(0, 60)}, but no property has parts here: a field of an object is a property of its own, such as billing_city.`,
      )
    return { kind: 'property', name }
  }

  #call(name: string): Expression {
    const known = FUNCTIONS.find((one) => one === name)
    if (known === undefined && OTHER_FUNCTIONS.has(name)) throw unsupported(`the function ${name} in ${this.#what}`)
    if (known === undefined)
      throw wrong(`${this.#what} calls ${name.slice(0, 60)}, which is no function; there are ${FUNCTIONS.join(', ')}.`)
    this.#mark('(')
    const of = this.#deeper(() => this.#or())
    this.#mark(',')
    const text = this.#deeper(() => this.#or())
    this.#mark(')')
    return { kind: 'call', name: known, of, text }
  }

  #alias(): Expression {
    const name = this.#peek()
    if (name?.kind !== 'name') throw this.#unexpected(name)
    this.#next++
    const text = this.#aliases.get(name.text)
    // A value that is left out is null.
    if (text === undefined) return { kind: 'literal', type: 'null', text: 'null' }
    return readLiteral(text, `@${name.text}`)
  }

  #deeper<T>(work: () => T): T {
    if (++this.#depth > DEEPEST) throw wrong(`${this.#what} has more than ${DEEPEST} parts inside each other.`)
    const found = work()
    this.#depth--
    return found
  }

  /** An operator stands between spaces; a parenthesis may stand in place of one. */
  #takeOperator(words: readonly string[]): string | undefined {
    const token = this.#peek()
    if (token?.kind !== 'name' || !words.includes(token.text)) return undefined
    const before = this.#tokens[this.#next - 1]
    const after = this.#tokens[this.#next + 1]
    if (before !== undefined && before.end === token.at && before.text !== ')') return undefined
    if (after === undefined || (after.at === token.end && after.text !== '(')) throw this.#unexpected(after)
    this.#next++
    return token.text
  }

  #peek(): Token | undefined {
    return this.#tokens[this.#next]
  }

  #mark(text: string): void {
    const token = this.#peek()
    if (token?.kind !== 'mark' || token.text !== text) throw this.#unexpected(token)
    this.#next++
  }

  #unexpected(token: Token | undefined): Error {
    return token === undefined
      ? wrong(`${this.#what} ends too early.`)
      : wrong(`${this.#what} cannot have ${JSON.stringify(token.text.slice(0, 60))} at character ${token.at + 1}.`)
  }
}

/** Reads a text that is a single value. */
export function readLiteral(text: string, what: string): Literal {
  const [token, ...more] = tokensOf(text, what)
  if (token?.kind !== 'literal' || more.length > 0)
    throw wrong(`${what} must be one value, such as 'Pune' or 2026-06-30.`)
  return { kind: 'literal', type: token.type, text: token.text }
}

/** A value in parentheses after a name: `'FG-0001'`, or `from_date=2026-06-01`. */
export interface Argument {
  /** Undefined for a value alone, which is the only part of a key. */
  readonly name: string | undefined
  readonly value: Literal
}

/** Reads the inside of the parentheses after the name of a set or a function. */
export function readArguments(text: string, aliases: ReadonlyMap<string, string>): Argument[] {
  const what = 'The path'
  const tokens = tokensOf(text, what)
  const all: Argument[] = []
  let i = 0
  const value = (): Literal => {
    const token = tokens[i++]
    if (token?.kind === 'literal') return { kind: 'literal', type: token.type, text: token.text }
    const name = tokens[i]
    if (token?.kind === 'mark' && token.text === '@' && name?.kind === 'name') {
      i++
      const given = aliases.get(name.text)
      return given === undefined ? { kind: 'literal', type: 'null', text: 'null' } : readLiteral(given, `@${name.text}`)
    }
    throw wrong(`${what} has an argument that is not a value such as 'Pune' or 2026-06-30.`)
  }
  while (i < tokens.length) {
    const [token, equals] = [tokens[i], tokens[i + 1]]
    const isNamed = token?.kind === 'name' && equals?.kind === 'mark' && equals.text === '='
    if (isNamed) i += 2
    all.push({ name: isNamed ? token.text : undefined, value: value() })
    const comma = tokens[i++]
    if (comma === undefined) break
    if (comma.kind !== 'mark' || comma.text !== ',' || i === tokens.length)
      throw wrong(`${what} cannot have ${JSON.stringify(comma.text.slice(0, 60))} between its parentheses.`)
  }
  return all
}
