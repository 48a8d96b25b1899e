/** The --help text of a command, and its examples. */
import type { Command } from 'commander'

export function helpOf(command: Command): string {
  let text = ''
  command.configureOutput({
    writeOut: (more) => {
      text += more
    },
  })
  command.outputHelp()
  return text
}

export const examplesOf = (command: Command): string[] =>
  helpOf(command)
    .split('\nExamples:\n')
    .slice(1)
    .flatMap((text) => text.trimEnd().split('\n'))
    .map((line) => line.trim())
