/**
 * A failing property prints how to run it again and only the beginning of its counterexample: a whole random company would
 * fill thousands of lines.
 */
import fc from 'fast-check'

const SHOWN = 1000

fc.configureGlobal({
  reporter: ({ failed, numRuns, numShrinks, seed, counterexample, counterexamplePath: path, errorInstance: cause }) => {
    if (!failed) return
    const text = fc.stringify(counterexample)
    const cut = text.length > SHOWN ? `${text.slice(0, SHOWN)} … (${text.length} characters)` : text
    const again = JSON.stringify({ seed, path, endOnFailure: true })
    throw new Error(`failed in run ${numRuns}, shrunk ${numShrinks} times; again with ${again}\n${cut}`, { cause })
  },
})
