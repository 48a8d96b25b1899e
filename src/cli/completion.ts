/** `millbook completion`: scripts with which a shell completes commands, reports, options and their values. */
import { Argument, Command, type Option } from 'commander'
import { readProfiles } from '../answers/profiles.js'
import { PERIODS } from '../period-words.js'
import { withExamples } from './command.js'

const SCRIPTS = {
  bash: `_millbook() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do
    [ -n "$word" ] && COMPREPLY+=("$(printf %q "$word")")
  done < <(millbook complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -o default -F _millbook millbook`,
  zsh: `#compdef millbook
_millbook() {
  local -a found
  found=("\${(@f)$(millbook complete -- "\${words[@]:1:$((CURRENT-1))}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then compadd -- $found; else _files; fi
}
compdef _millbook millbook`,
  fish: `complete -c millbook -f -a '(millbook complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
} as const

export const completionCommand = (): Command =>
  withExamples(
    new Command('completion')
      .description('print a script that completes commands in your shell; source it in the start-up file of the shell')
      .addArgument(new Argument('<shell>', 'the shell to complete in').choices(Object.keys(SCRIPTS)))
      .action((shell: keyof typeof SCRIPTS) => console.log(SCRIPTS[shell])),
    'millbook completion bash > millbook.bash',
    'millbook completion fish',
  )

/** The command that the scripts call. */
export const completeCommand = (program: Command): Command =>
  new Command('complete')
    .description('print the words that can follow, for the scripts of millbook completion')
    .argument('[words...]', 'the words typed so far; the last one may be incomplete')
    .action((words: string[]) => console.log(completions(program, words).join('\n')))

/** The words that can follow; the last one may be incomplete. */
export function completions(program: Command, words: readonly string[]): string[] {
  const [last = '', ...before] = [...words].reverse()
  let command = program
  for (const word of before.reverse()) {
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word))
    if (next !== undefined) command = next
  }
  const previous = words.at(-2)
  const valued = command.options.find(
    (option) => [option.long, option.short].includes(previous ?? '') && takesValue(option),
  )
  const found = valued === undefined ? wordsOf(command) : valuesOf(valued)
  return found.filter((word) => word.startsWith(last))
}

const takesValue = ({ required, optional }: Option) => required || optional

function valuesOf(option: Option): readonly string[] {
  if (option.argChoices !== undefined) return option.argChoices
  if (option.long === '--profile') return Object.keys(readProfiles())
  return /<day>|<word>/.test(option.flags) ? PERIODS : []
}

const wordsOf = (command: Command): string[] => [
  ...command.commands.filter((one) => one.name() !== 'complete').flatMap((one) => [one.name(), ...one.aliases()]),
  ...command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []),
  ...command.options.flatMap(({ long, hidden }) => (long === undefined || hidden ? [] : [long])),
  '--help',
]
