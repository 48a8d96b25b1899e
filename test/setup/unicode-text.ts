/**
 * Texts of any code points but surrogates. `fc.string({ unit: 'binary' })` gives the same, but takes seconds in every process to
 * list all of them.
 */
import fc from 'fast-check'

const codePoint = fc.oneof(
  fc.nat(0x7f),
  fc.nat(0xd7ff),
  fc.integer({ min: 0xe000, max: 0xffff }),
  fc.integer({ min: 0x10000, max: 0x10ffff }),
)

export const unicodeText = (options: { minLength?: number; maxLength?: number } = {}): fc.Arbitrary<string> =>
  fc.array(codePoint, options).map((codes) => String.fromCodePoint(...codes))
