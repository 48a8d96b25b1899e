/** Reads the text of a record with every number as a string, because a JavaScript number may hold fewer digits. */
import type { JsonObject } from '../../kernel/report/record-reader.js'

/** A string is matched first, so that digits inside of it stay as they are. */
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

export const exactly = (text: Buffer | string): JsonObject =>
  JSON.parse(text.toString().replace(STRING_OR_NUMBER, (found) => (found.startsWith('"') ? found : `"${found}"`)))
