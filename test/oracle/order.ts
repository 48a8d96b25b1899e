/** Text in the order of its code points. */
export const byText = (a: string, b: string): number => {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return (a.codePointAt(i) ?? -1) - (b.codePointAt(i) ?? -1)
}
