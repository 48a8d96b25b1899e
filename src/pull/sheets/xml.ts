/** Reads XML piece by piece in bounded memory. A text that is not well-formed or that declares entities is refused. */
import sax from 'sax'
import { OverLimit } from './limits.js'

export type Attributes = Readonly<Record<string, string>>

export interface XmlHandler {
  open?(name: string, attributes: Attributes): void
  text?(text: string): void
  close?(name: string): void
}

const DEEPEST = 100
const MOST_ATTRIBUTES = 1000
/** Characters. */
const AT_ONCE = 8192

/** What `handler` emits, in the order of the text; `what` names the text in messages. */
export async function* readXml<Item>(
  pieces: AsyncIterable<string>,
  what: string,
  handler: (emit: (item: Item) => void) => XmlHandler,
): AsyncGenerator<Item> {
  const found: Item[] = []
  const read = handler((item) => found.push(item))
  const parser = sax.parser(true, { position: false })
  let [depth, attributes, hasRoot, isEmpty] = [0, 0, false, true]
  parser.onerror = (error) => {
    throw new Error(`its ${what} is not well-formed XML: ${error.message.split('\n')[0]}`)
  }
  parser.ondoctype = () => {
    throw new Error(`its ${what} declares a document type, which may hide or multiply text; export the file again`)
  }
  parser.onattribute = () => {
    if (++attributes > MOST_ATTRIBUTES) throw new OverLimit(`an element in its ${what} has too many attributes`)
  }
  parser.onopentag = (tag) => {
    attributes = 0
    hasRoot = true
    if (++depth > DEEPEST) throw new OverLimit(`elements in its ${what} are nested more than ${DEEPEST} deep`)
    read.open?.(tag.name, (tag as sax.Tag).attributes)
  }
  parser.onclosetag = (name) => {
    depth--
    read.close?.(name)
  }
  if (read.text !== undefined) {
    parser.ontext = (text) => read.text?.(text)
    parser.oncdata = parser.ontext
  }
  for await (const piece of pieces) {
    if (piece !== '') isEmpty = false
    // A short piece may be many wide rows with gaps.
    for (let at = 0; at < piece.length; at += AT_ONCE) {
      parser.write(piece.slice(at, at + AT_ONCE))
      if (found.length > 0) yield* found.splice(0)
    }
  }
  parser.close()
  if (!hasRoot && !isEmpty) throw new Error(`its ${what} is not XML`)
  yield* found
}

/** Reads the whole text; `handler` keeps what it needs. */
export async function scanXml(pieces: AsyncIterable<string>, what: string, handler: XmlHandler): Promise<void> {
  for await (const _ of readXml<never>(pieces, what, () => handler));
}

/** The name without its namespace prefix. */
export const localName = (name: string): string => name.slice(name.indexOf(':') + 1)
