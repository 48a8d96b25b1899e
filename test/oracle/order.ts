/** Text in the order of its code points. */
export const byText = (a: string, b: string): number => {
  const [x, y] = [[...a], [...b]].map((letters) => letters.map((letter) => letter.codePointAt(0) as number))
  for (let i = 0; ; i++) {
    const p = x?.[i]
    const q = y?.[i]
    if (p === undefined || q === undefined) return (p === undefined ? 0 : 1) - (q === undefined ? 0 : 1)
    if (p !== q) return p - q
  }
}
