/** Writes lines of the log, several at a time. */

export interface LineWriter {
  write(line: string, encoding?: 'latin1'): void
}

const FLUSH_AFTER_MS = 50
const FLUSH_AT_CHARACTERS = 1 << 16

export interface BufferedLines extends LineWriter {
  /** Takes a line of ASCII. */
  buffer(line: string): void
  close(): void
}

/** `write` flushes the buffered lines first, so that all lines keep their order; so does the exit of the process. */
export function bufferedLines(to: LineWriter): BufferedLines {
  let buffered = ''
  const flush = () => {
    const text = buffered
    buffered = ''
    if (text !== '') to.write(text, 'latin1') // several times as fast as UTF-8, and the same for ASCII
  }
  process.on('exit', flush)
  return {
    write(line) {
      flush()
      to.write(line)
    },
    buffer(line) {
      if (buffered === '') setTimeout(flush, FLUSH_AFTER_MS).unref()
      buffered += line
      if (buffered.length > FLUSH_AT_CHARACTERS) flush()
    },
    close() {
      flush()
      process.off('exit', flush)
    },
  }
}
