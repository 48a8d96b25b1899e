/** The result of a try, a load or an undo: errors, figures before and after, rows of each sheet and entity, warnings. */
import type { JSX } from 'preact'
import { counted, labelOf } from '../../labels.js'
import { grouped } from '../../numbers.js'
import { grouping } from '../../preferences.js'
import { DataTable } from '../data-table.js'
import { CountsTable } from '../loads.js'
import { WarningKinds } from '../warning-kinds.js'
import { Account } from './account.js'
import { FiguresTable } from './figures.js'
import type { Result } from './model.js'

const number = (value: number): string => grouped(String(value), grouping.value)

/** The result in one line. */
export function Verdict({ result: { errors, rows, committed, version }, undone }: { result: Result; undone: boolean }) {
  if (errors.count > 0)
    return (
      <>
        <span class="word bad">{counted(number(errors.count), 'error')}</span> nothing would be loaded
      </>
    )
  if (undone)
    return (
      <>
        <span class="word good">taken back</span> the data is as it was before the load, as version {version}
      </>
    )
  if (rows === 0)
    return (
      <>
        <span class="word warn">no rows</span> nothing would be loaded
      </>
    )
  return (
    <>
      <span class="word good">{committed ? 'loaded' : 'no errors'}</span> {counted(number(rows), 'row')}{' '}
      {committed ? `loaded: the data has version ${version}` : 'would be loaded'}
    </>
  )
}

export function Outcome({ result }: { result: Result }): JSX.Element {
  const { errors, warnings, entities, rows, account, figures } = result
  const without = Object.entries(entities)
    .filter(([, counts]) => counts.new + counts.changed + counts.same + counts.removed === 0)
    .map(([name]) => name)
  return (
    <div class="outcome stack">
      {errors.count === 0 && without.length > 0 && (
        <p>
          {without.map(labelOf).join(', ')}: the file has columns, but no row below them. Was it saved before its rows
          were there?
        </p>
      )}
      {errors.count > 0 && <Errors errors={errors} />}
      <div class="beside">
        {figures !== null && <FiguresTable {...figures} />}
        {errors.count === 0 && rows > 0 && <CountsTable entities={entities} />}
      </div>
      {account !== null && <Account account={account} />}
      {warnings.count > 0 && (
        <>
          <h3>{counted(number(warnings.count), 'warning')}</h3>
          <WarningKinds kinds={warnings.kinds} />
        </>
      )}
    </div>
  )
}

function Errors({ errors }: { errors: Result['errors'] }): JSX.Element {
  return (
    <>
      <DataTable
        caption="Errors"
        rows={errors.first}
        keyOf={({ file, line, column, message }) => `${file} ${line} ${column} ${message}`}
        columns={[
          { title: 'File', names: true, cell: ({ file }) => file },
          { title: 'Place', right: true, cell: ({ line, cell }) => cell ?? line },
          { title: 'Row', cell: ({ key = {} }) => Object.values(key).join(' ') },
          { title: 'Column', cell: ({ column, cell }) => (cell === undefined ? column : labelOf(column)) },
          { title: 'Value', cell: ({ value }) => value },
          { title: 'Error', cell: ({ message }) => message },
        ]}
      />
      {errors.count > errors.first.length && (
        <p class="quiet">{`These are the first ${errors.first.length} of ${number(errors.count)}.`}</p>
      )}
    </>
  )
}
