/** Writes lines of the log, several at a time. */

export interface LineWriter {
  write(line: string, encoding?: 'latin1'): void
}

const FLUSH_AFTER_MS = 50
const BUFFER_BYTES = 1 << 16

export interface BufferedLines extends LineWriter {
  /** Takes a line of ASCII. */
  buffer(line: string): void
  close(): void
}

/** `write` flushes the buffered lines first, so that all lines keep their order; so does the exit of the process. */
export function bufferedLines(to: LineWriter): BufferedLines {
  // Bytes, because a string would keep its many small parts in memory until then.
  const buffered = Buffer.allocUnsafe(BUFFER_BYTES)
  let used = 0
  const flush = () => {
    const text = buffered.toString('latin1', 0, used)
    used = 0
    if (text !== '') to.write(text, 'latin1') // several times as fast as UTF-8, and the same for ASCII
  }
  process.on('exit', flush)
  return {
    write(line) {
      flush()
      to.write(line)
    },
    buffer(line) {
      if (used + line.length > BUFFER_BYTES) flush()
      if (used === 0) setTimeout(flush, FLUSH_AFTER_MS).unref()
      if (line.length > BUFFER_BYTES) to.write(line, 'latin1')
      else used += buffered.write(line, used, 'latin1')
    },
    close() {
      flush()
      process.off('exit', flush)
    },
  }
}
