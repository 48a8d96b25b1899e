/** A progress bar on a terminal; nothing elsewhere. */
import type { Progress } from '../import/pipeline/load.js'

const WIDTH = 24

/** Shows `label` in place of the name of the file. */
export function progressBar(label?: string): { show(progress: Progress): void; end(): void } {
  const stream = process.stderr
  const started = Date.now()
  let shown = 0
  return {
    show({ phase, what, done, rows }) {
      if (!stream.isTTY || (Date.now() - shown < 100 && phase === 'reading')) return
      shown = Date.now()
      const columns = (stream.columns || 80) - 1 // a line that wraps could not be cleared
      stream.write(`\r\x1b[K${line().slice(0, columns)}`)

      function line(): string {
        if (phase === 'merging') return `${rows.toLocaleString('en')} rows read; merging ${what}`
        const seconds = (Date.now() - started) / 1000
        const rate = Math.round(rows / Math.max(seconds, 0.001)).toLocaleString('en')
        const left = done > 0.01 ? `, ${Math.ceil((seconds / done) * (1 - done))} s left` : ''
        const text = ` ${Math.floor(done * 100)} % ${label ?? what}: ${rows.toLocaleString('en')} rows, ${rate}/s${left}`
        const width = Math.max(0, Math.min(WIDTH, columns - text.length))
        return '█'.repeat(Math.round(done * width)).padEnd(width, '░') + text
      }
    },
    end() {
      if (stream.isTTY) stream.write('\r\x1b[K')
    },
  }
}
