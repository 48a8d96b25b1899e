/** Names of files that can be brought in: workbooks, and files of an import. */
import { MillbookError } from '../errors.js'
import { entities } from '../import/entities.js'
import { BOOK_ENDINGS } from '../pull/sheets/book.js'

/** Whether an import reads a file of this name. */
export function isImportFile(name: string): boolean {
  const [, entity] = /^([a-z_]{1,60})\.(csv|jsonl|parquet)$/.exec(name) ?? []
  return entities.some((one) => one.name === entity)
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
