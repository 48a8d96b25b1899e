/** A progress bar on a terminal; nothing elsewhere. */
import type { Progress } from '../import/load.js'

const WIDTH = 24

/** `label` is shown instead of what is being read. */
export function progressBar(label?: string): { show(progress: Progress): void; end(): void } {
  const stream = process.stderr
  const started = Date.now()
  let shown = 0
  return {
    show({ phase, what, done, rows }) {
      if (!stream.isTTY || (Date.now() - shown < 100 && phase === 'reading')) return
      shown = Date.now()
      stream.write(`\r\x1b[K${line()}`)

      function line(): string {
        if (phase === 'merging') return `${rows.toLocaleString('en')} rows read; merging ${what}`
        const seconds = (Date.now() - started) / 1000
        const rate = Math.round(rows / Math.max(seconds, 0.001)).toLocaleString('en')
        const left = done > 0.01 ? `, ${Math.ceil((seconds / done) * (1 - done))} s left` : ''
        const bar = '█'.repeat(Math.round(done * WIDTH)).padEnd(WIDTH, '░')
        return `${bar} ${Math.floor(done * 100)} % ${label ?? what}: ${rows.toLocaleString('en')} rows, ${rate}/s${left}`
      }
    },
    end() {
      if (stream.isTTY) stream.write('\r\x1b[K')
    },
  }
}
