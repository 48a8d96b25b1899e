/** A progress bar on a terminal; nothing elsewhere. */
import type { Progress } from '../import/load.js'

const WIDTH = 24

export function progressBar(): { show(progress: Progress): void; end(): void } {
  const stream = process.stderr
  const started = Date.now()
  let shown = 0
  return {
    show({ phase, what, bytes, ofBytes, rows }) {
      if (!stream.isTTY || (Date.now() - shown < 100 && phase === 'reading')) return
      shown = Date.now()
      const columns = (stream.columns || 80) - 1 // a line that wraps could not be cleared
      stream.write(`\r\x1b[K${line().slice(0, columns)}`)

      function line(): string {
        if (phase === 'merging') return `${rows.toLocaleString('en')} rows read; merging ${what}`
        const share = ofBytes === 0 ? 1 : Math.min(1, bytes / ofBytes)
        const seconds = (Date.now() - started) / 1000
        const rate = Math.round(rows / Math.max(seconds, 0.001)).toLocaleString('en')
        const left = share > 0.01 ? `, ${Math.ceil((seconds / share) * (1 - share))} s left` : ''
        const text = ` ${Math.floor(share * 100)} % ${what}: ${rows.toLocaleString('en')} rows, ${rate}/s${left}`
        const width = Math.max(0, Math.min(WIDTH, columns - text.length))
        return '█'.repeat(Math.round(share * width)).padEnd(width, '░') + text
      }
    },
    end() {
      if (stream.isTTY) stream.write('\r\x1b[K')
    },
  }
}
