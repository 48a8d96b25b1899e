/** Reads Accept and Accept-Encoding headers. */

/** The names in the header, in lower case, with their weights (RFC 9110 §12.4.2); a weight that is not a number counts as 0. */
export const readWeights = (header: string): { name: string; weight: number }[] =>
  header
    .toLowerCase()
    .split(',')
    .map((part) => {
      const [name = '', ...params] = part.split(';').map((text) => text.trim())
      const weight = Number(params.map((param) => /^q\s*=(.*)/.exec(param)?.[1]).find((q) => q !== undefined) ?? 1)
      return { name, weight: Number.isFinite(weight) ? weight : 0 }
    })
