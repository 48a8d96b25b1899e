/** Asks for confirmation before a deletion. */
import { createInterface } from 'node:readline'
import { MillbookError } from '../errors.js'

/** Returns if the answer is yes, or --yes was given. */
export async function confirm(question: string, yes: boolean): Promise<void> {
  if (yes) return
  if (!process.stdin.isTTY)
    throw new MillbookError('a deletion cannot be undone, and there is no terminal to ask: add --yes to confirm it')
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await new Promise<string>((resolve) => {
    terminal.once('close', () => resolve('')) // Ctrl-C and Ctrl-D are a no
    terminal.question(`${question} It cannot be undone. [y/N] `, resolve)
  })
  terminal.close()
  if (!/^y(es)?$/i.test(answer.trim())) throw new MillbookError('nothing was deleted')
}
