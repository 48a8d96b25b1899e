/** Names of files that can be brought in: workbooks, and files of an import. */
import { MillbookError } from '../errors.js'
import { entities } from '../import/entities.js'
import { IMPORT_ENDINGS } from '../import/readers/folder.js'
import { BOOK_ENDINGS } from '../pull/sheets/book.js'

/** The endings of files that can be brought in. */
export const ENDINGS = { workbooks: BOOK_ENDINGS, imports: IMPORT_ENDINGS }

/** Whether an import reads a file of this name. */
export function isImportFile(name: string): boolean {
  return IMPORT_ENDINGS.some((ending) => entities.some((entity) => name === `${entity.name}${ending}`))
}

/** Throws unless the file can be read. The name cannot lead out of its folder. */
export function checkFileName(name: string): void {
  const [, ending = ''] = /^[^/\\\p{Cc}]{1,150}\.([a-z]{3,7})$/iu.exec(name) ?? []
  const isSafe = !name.startsWith('.') && !name.startsWith('~')
  if (isSafe && (BOOK_ENDINGS.includes(`.${ending.toLowerCase()}`) || isImportFile(name))) return
  throw new MillbookError(
    `${JSON.stringify(name.slice(0, 60))} cannot be read: send ${BOOK_ENDINGS.join(', ')} files, or files of an import such as items.parquet`,
  )
}
