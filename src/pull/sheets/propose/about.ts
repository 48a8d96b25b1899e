/** What a table is about, by the names of its file and sheet and by its titles. */
import { ABOUT } from './words.js'

export type About = keyof typeof ABOUT

/** In small letters, with spaces for signs: `Stock_Summary.xlsx` says stock. */
export const plainWords = (texts: readonly string[]): string =>
  texts
    .join(' \n ')
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/\.[a-z]{3,5}\b/g, ' ')
    .replace(/[_\-–,.:;/()]+/g, ' ')

export const aboutOf = (texts: readonly string[]): readonly About[] => {
  const words = plainWords(texts)
  return (Object.keys(ABOUT) as About[]).filter((name) => ABOUT[name].test(words))
}
