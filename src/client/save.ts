/** Writes a file that appears whole or not at all. */

/** Node's modules, found at run time: bundlers for browsers refuse an import of them. */
function modules() {
  const { process } = globalThis
  if (process?.getBuiltinModule === undefined)
    throw new TypeError('there is no file system here: read the bytes of file(format) instead')
  return { ...process.getBuiltinModule('node:fs/promises'), ...process.getBuiltinModule('node:path') }
}

/** Writes all bytes, in place of an earlier file; returns their number. `onPiece` is called after each piece is written. */
export async function writeWhole(
  path: string,
  bytes: AsyncIterable<Uint8Array>,
  length?: number,
  onPiece: (piece: Uint8Array) => void = () => {},
): Promise<number> {
  const { open, rename, rm, basename, dirname, join } = modules()
  const part = join(dirname(path), `.${basename(path)}.${crypto.randomUUID()}.part`)
  const file = await open(part, 'w', 0o666)
  let size = 0
  try {
    for await (const piece of bytes) {
      await file.writeFile(piece)
      size += piece.length
      onPiece(piece)
    }
    if (length !== undefined && size !== length) throw new Error(`${size} of ${length} bytes arrived`)
    await file.sync()
    await file.close()
    await rename(part, path)
  } catch (error) {
    await file.close().catch(() => {})
    await rm(part, { force: true })
    throw error
  }
  return size
}
