/**
 * An upper estimate of the tokens that a language model reads in a text. Every model splits texts in its own way; the factors are
 * compared with real tokenizers in docs/decisions/0044.
 */

const PIECES = /[A-Za-z]+|\d+|\s+|[\u0080-\u{10ffff}]+|[^A-Za-z\d\s\u0080-\u{10ffff}]+/gu

export function tokensOf(text: string): number {
  let tokens = 0
  for (const [piece] of text.matchAll(PIECES)) tokens += tokensOfPiece(piece)
  return tokens
}

function tokensOfPiece(piece: string): number {
  const first = piece.codePointAt(0) as number
  if (first >= 0x80) return Math.ceil(Buffer.byteLength(piece) / 2)
  if (/\d/.test(piece)) return Math.ceil(piece.length / 3)
  // Codes in capitals are split more finely than words.
  if (/[A-Z]/.test(piece)) return Math.ceil(piece.length / 3)
  if (/[a-z]/.test(piece)) return Math.ceil(piece.length / 6)
  return /\s/.test(piece) ? (piece.length > 1 ? 1 : 0) : Math.ceil(piece.length / 2)
}
