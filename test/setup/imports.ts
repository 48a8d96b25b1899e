/** The relative paths that a file imports or exports from, as a statement, a call or a type. */
export const importsOf = (text: string): string[] =>
  [...text.matchAll(/(?:\bfrom\s*|\bimport\s*\(?\s*)(['"])(\.{1,2}\/[^'"]+)\1/g)].map(([, , path]) => path as string)
