/** `millbook report view NAME`: a saved view on the terminal or as a file, from a service or straight from a database. */
import type { Command } from 'commander'
import { fileByDefault } from '../formats/index.js'
import { withExamples } from './command.js'
import { FILE, formatFor, formatOptions, type OutputOptions, showFile, TABLE, withOutput, writeOut } from './output.js'
import { sourceCommand, withAnswers } from './source.js'

interface ViewOptions extends OutputOptions {
  user?: string
}

export const savedViewCommand = (): Command =>
  withExamples(
    withOutput(
      sourceCommand(
        'view',
        'show a saved view: its report with its fields, filters, groups, comparison and order',
      ).argument('<name>', 'the name of the view, or its id'),
    )
      .option(
        '--user <username>',
        'only for a database: read as this user, whose own views come first; without it, the views of all users. A service reads as the user of the profile',
      )
      .action(async (name: string, _options: ViewOptions, command: Command) => {
        const options = command.optsWithGlobals<ViewOptions>()
        const format = formatFor(options)
        const { output, user, rows: first, asKnown, against } = options
        if (format === TABLE && output !== undefined)
          command.error(`-o cannot write a table: add a file format, such as --format ${FILE}`)
        const wanted = { saved: name, user, first, asKnown, against, options: formatOptions(options) }
        await withAnswers(command, async (answers) => {
          if (format !== TABLE) return void (await writeOut(answers, { ...wanted, format }, options))
          await showFile(answers, { ...wanted, format: fileByDefault.name })
        })
      }),
    'millbook report view "Sales by month"',
    `millbook report view "Sales by month" --user asha -o sales.${fileByDefault.extension}`,
  )
