/** The rows of each sheet that were read, used and left out, and why. */
import type { JSX } from 'preact'
import { labelOf } from '../../labels.js'
import { formatted, grouped } from '../../numbers.js'
import { grouping } from '../../preferences.js'
import { DataTable } from '../data-table.js'

interface Noted {
  readonly why: string
  readonly rows: number
  readonly first: readonly number[]
}

/** The sum of a column beside the total that the sheet states. */
interface ColumnTotal {
  readonly column: string
  readonly sum: string
  /** By unit or currency, if the rows have several. */
  readonly parts: readonly { readonly unit: string; readonly sum: string }[]
  readonly stated: string | null
  readonly line: number | null
  readonly difference: string | null
}

export interface AccountOfSheets {
  readonly sheets: readonly {
    readonly file: string
    readonly sheet: string
    readonly entity: string
    readonly read: number
    readonly used: number
    readonly left_out: readonly Noted[]
    readonly noted: readonly Noted[]
    readonly totals: readonly ColumnTotal[]
  }[]
  readonly unread: readonly string[]
}

const noteOf = ({ why, rows, first }: Noted): string =>
  `${why}: row${rows === 1 ? '' : 's'} ${first.join(', ')}${rows > first.length ? ` and ${rows - first.length} more` : ''}`

export function Account({ account: { sheets, unread } }: { account: AccountOfSheets }): JSX.Element {
  const number = (value: number) => grouped(String(value), grouping.value)
  return (
    <div class="stack">
      <DataTable
        caption="Rows of each sheet"
        rows={sheets}
        keyOf={({ file, sheet, entity }) => `${file} ${sheet} ${entity}`}
        columns={[
          { title: 'Sheet', names: true, cell: ({ file, sheet }) => (sheet === '' ? file : `${file}, ${sheet}`) },
          { title: 'Brings in', cell: ({ entity }) => labelOf(entity) },
          { title: 'Read', right: true, cell: ({ read }) => number(read) },
          { title: 'Used', right: true, cell: ({ used }) => number(used) },
          {
            title: 'Left out, converted or hidden',
            cell: ({ left_out, noted }) => [...left_out, ...noted].map(noteOf).join('; '),
          },
        ]}
      />
      <SheetTotals sheets={sheets} />
      {unread.length > 0 && (
        <p class="note">{`Not read, because no rule of the mapping names them: ${unread.join(', ')}.`}</p>
      )}
    </div>
  )
}

/** The totals that the sheets themselves state, beside the sums of the rows that are used; each sheet's column once. */
function SheetTotals({ sheets }: Pick<AccountOfSheets, 'sheets'>): JSX.Element | null {
  const all = sheets.flatMap(({ file, sheet, entity, totals }) =>
    totals.map((total) => ({ ...total, place: sheet === '' ? file : `${file}, ${sheet}`, entity })),
  )
  // Without a total in the sheet, only sums over several units are of interest.
  const stated = all.filter(({ stated, parts }) => stated !== null || parts.length > 0)
  if (stated.length === 0) return null
  const amount = (value: string) => formatted(value, grouping.value)
  return (
    <DataTable
      caption="Totals of the sheets"
      rows={stated}
      keyOf={({ place, entity, column }) => `${place} ${entity} ${column}`}
      columns={[
        { title: 'Sheet', names: true, cell: ({ place }) => place },
        { title: 'Column', cell: ({ column, entity }) => `${column}, ${labelOf(entity).toLowerCase()}` },
        {
          title: 'Rows that are used',
          right: true,
          cell: ({ sum, parts }) =>
            parts.length === 0
              ? amount(sum)
              : `${amount(sum)} (${parts.map((one) => `${amount(one.sum)} ${one.unit || 'without a unit'}`).join(', ')})`,
        },
        {
          title: 'Total in the sheet',
          right: true,
          cell: ({ stated, line }) => (stated === null ? '' : `${amount(stated)} (row ${line})`),
        },
        {
          title: 'Difference',
          cell: ({ stated, difference }) =>
            stated === null ? null : difference === null ? (
              <span class="word good">equal</span>
            ) : (
              <span class="word bad">{amount(difference)}</span>
            ),
        },
      ]}
    />
  )
}
