/** What to order: the items that run out, or that a plan lacks, by vendor. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import '../../style/ordering.css'
import { type Flat, isNumeric, type Row, reportOf, type ValueColumn, valueIn } from '../catalogue.js'
import { companyName } from '../company.js'
import { inWords, today } from '../dates.js'
import { counted } from '../labels.js'
import { place, setQuery } from '../location.js'
import { Cell } from '../parts/cell.js'
import { Icon } from '../parts/icons.js'
import { Failed, Nothing } from '../parts/states.js'
import { headingOf, plainText } from '../people.js'
import { columnsFor } from '../report/answer.js'
import { reportUrl } from '../report/view.js'
import { digitsIn } from '../report/widths.js'
import { useWork } from '../things/fetched.js'
import { Linked } from '../things/link.js'
import { fieldOf, type Group, type Missing, missing } from './answers.js'
import { COVER, type Source } from './reports.js'

const SOURCES: readonly (readonly [Source, string, string])[] = [
  [
    'cover',
    'Stock that runs out',
    'Items at or below their reorder point: what was used in 90 days, lead times and safety stock.',
  ],
  [
    'orders',
    'Open orders',
    'What the open orders of customers need beyond stock and open purchase orders, through all levels of bills.',
  ],
  ['plan', 'A plan', 'What a plan needs beyond stock and open purchase orders, through all levels of bills.'],
]

const COLUMNS: Readonly<Record<'cover' | 'shortage', readonly string[]>> = {
  cover: ['name', 'order_qty', 'unit', 'order_by', 'usable_qty', 'on_order_qty', 'runs_out_on', 'lead_days', 'sku'],
  shortage: ['name', 'to_buy_qty', 'unit', 'needed_qty', 'used_from_stock_qty', 'on_order_qty', 'sku'],
}
const MADE: Readonly<Record<'cover' | 'shortage', readonly string[]>> = {
  cover: ['name', 'order_qty', 'unit', 'order_by', 'usable_qty', 'in_production_qty', 'runs_out_on', 'sku'],
  shortage: ['name', 'to_make_qty', 'unit', 'needed_qty', 'used_from_stock_qty', 'on_order_qty', 'sku'],
}

export function OrderingPage(): JSX.Element {
  const query = place.value.query
  const source = SOURCES.find(([name]) => name === query.get('by'))?.[0] ?? 'cover'
  const plan = query.get('plan') ?? ''
  const typed = useSignal(plan)
  useEffect(() => {
    typed.value = plan
  }, [plan])
  if (reportOf(COVER) === undefined)
    return (
      <Nothing title="What to order">
        <p>You may not see cover and shortages. Your operator can give you access to the group Insight.</p>
        <a class="button" href="/">
          Overview
        </a>
      </Nothing>
    )
  return (
    <article class="ordering">
      <header class="head-of">
        <h1>What to order</h1>
        <p class="quiet">{SOURCES.find(([name]) => name === source)?.[2]}</p>
      </header>
      <div class="toolbar">
        <fieldset class="segments">
          <legend class="unseen">By</legend>
          {SOURCES.map(([name, words]) => (
            <label key={name}>
              <input
                type="radio"
                name="by"
                checked={name === source}
                onChange={() => setQuery({ by: name === 'cover' ? undefined : name })}
              />
              <span>{words}</span>
            </label>
          ))}
        </fieldset>
        <div class="tools">
          <button type="button" class="chip" onClick={() => window.print()}>
            <Icon name="export" /> Print
          </button>
        </div>
      </div>
      {source === 'plan' && (
        <form
          class="plan"
          onSubmit={(event) => {
            event.preventDefault()
            setQuery({ plan: typed.value.trim() || undefined })
          }}
        >
          <label>
            <span>Products and quantities</span>
            <input
              value={typed.value}
              placeholder="FG-0001=500, FG-0002=200"
              onInput={({ currentTarget }) => {
                typed.value = currentTarget.value
              }}
            />
          </label>
          <button type="submit" class="button primary" disabled={typed.value.trim() === ''}>
            Show
          </button>
        </form>
      )}
      {(source !== 'plan' || plan !== '') && <Lists key={`${source} ${plan}`} source={source} plan={plan} />}
    </article>
  )
}

function Lists({ source, plan }: { source: Source; plan: string }): JSX.Element {
  const found = useWork(`${source} ${plan}`, (signal) => missing(source, plan, signal))
  if (found.failure !== undefined) return <Failed failure={found.failure} again={found.again} />
  if (found.value === undefined) return <p class="state quiet">Adding up stock, orders and use…</p>
  const { groups, enough } = found.value
  const itemsOf = (some: readonly Group[]) => some.reduce((sum, { lines }) => sum + lines.length, 0)
  const made = itemsOf(groups.filter(({ vendor }) => vendor === undefined))
  const bought = itemsOf(groups) - made
  const vendors = groups.filter(({ vendor }) => vendor?.code).length
  if (made + bought === 0)
    return (
      <Nothing>
        <p>
          Nothing to order: {counted(String(enough), 'item has', 'items have')} enough
          {source === 'cover' ? ' for its lead time' : ''}.
        </p>
        <a class="button" href={reportUrl(found.value.report, found.value.values)}>
          Show all items
        </a>
      </Nothing>
    )
  return (
    <>
      <p class="print-head">
        <strong>
          <bdi>{companyName.value}</bdi>
        </strong>{' '}
        · What to order · {inWords(today())}
      </p>
      <p class="status" role="status">
        {[
          bought > 0 && `${counted(String(bought), 'item')} to order from ${counted(String(vendors), 'vendor')}`,
          made > 0 && `${counted(String(made), 'item')} to make`,
          `${counted(String(enough), 'other has', 'others have')} enough`,
        ]
          .filter(Boolean)
          .join(' · ')}{' '}
        <a href={reportUrl(found.value.report, found.value.values, { filter: [`${fieldOf(source)}>0`] })}>
          Open as a report
        </a>
      </p>
      {groups.map((group) => (
        <GroupOf key={group.vendor?.code ?? 'made'} group={group} all={found.value as Missing} source={source} />
      ))}
    </>
  )
}

function GroupOf({ group, all, source }: { group: Group; all: Missing; source: Source }): JSX.Element {
  const { vendor, lines } = group
  const kind = source === 'cover' ? 'cover' : 'shortage'
  const names = (vendor === undefined ? MADE : COLUMNS)[kind]
  const report = reportOf(all.report)
  const columns = names.flatMap((name): Flat[] => {
    const flat = report && columnsFor(report, all.values).find((one) => one.name === name)
    return flat === undefined ? [] : [flat]
  })
  const title = vendor === undefined ? 'To be made here' : vendor.code === '' ? 'No vendor known' : vendor.name
  return (
    <section aria-label={title}>
      <h2>
        {vendor?.code ? (
          <a href={`/vendors/${encodeURIComponent(vendor.code)}`}>
            <bdi>{title}</bdi>
          </a>
        ) : (
          title
        )}{' '}
        <span class="quiet">
          {[vendor?.code, vendor?.contact, counted(String(lines.length), 'item')].filter(Boolean).join(' · ')}
        </span>
      </h2>
      <Lines columns={columns} lines={lines} label={title} />
    </section>
  )
}

function Lines({ columns, lines, label }: { columns: readonly Flat[]; lines: readonly Row[]; label: string }) {
  const now = today()
  return (
    <div class="lines" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map((flat) => (
              <th
                key={flat.name}
                scope="col"
                class={isNumeric(flat.column) ? 'right' : undefined}
                title={plainText(flat.column.description)}
              >
                {headingOf(flat)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((row) => (
            <tr key={String(row['sku'])}>
              {columns.map((flat) => {
                const value = valueIn(row, flat.path)
                const isDue = flat.name === 'order_by' && typeof value === 'string' && value <= now
                return (
                  <td key={flat.name} class={isNumeric(flat.column) ? 'right' : undefined}>
                    {isDue ? (
                      <span class="word bad">now</span>
                    ) : (
                      <Linked row={row} flat={flat}>
                        <Cell
                          value={value}
                          column={flat.column as ValueColumn}
                          record={row}
                          digits={digitsIn(flat, lines)}
                        />
                      </Linked>
                    )}
                  </td>
                )
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
