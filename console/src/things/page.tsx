/** The page of a thing: its facts first, then its document and the reports about it as tabs. */
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import '../../style/things.css'
import { type Flat, isAbsent, reportOf, shapeOf, type ValueColumn, valueIn } from '../catalogue.js'
import { companyName } from '../company.js'
import { place } from '../location.js'
import { Cell, Figure, Num } from '../parts/cell.js'
import { copyText } from '../parts/copy.js'
import { Icon } from '../parts/icons.js'
import { Failed, Nothing } from '../parts/states.js'
import { nameOf, plainText } from '../people.js'
import { recallUrl, startAt, TRACE } from '../recall/start.js'
import { columnsFor } from '../report/answer.js'
import { DocumentSheet } from '../report/document.js'
import { sumOf } from '../report/sums.js'
import { DocumentOf } from './document.js'
import { type Found, mayRead, useFigures, useRecord } from './fetched.js'
import { type KeyFigure, type Kind, kindOf, type Tab } from './kinds.js'
import { Linked } from './link.js'
import { type Named, thingAt } from './paths.js'
import { TabOf } from './tab.js'

export function ThingPage(): JSX.Element {
  const at = thingAt(place.value.path)
  if (at === undefined)
    return (
      <Nothing title="No such page">
        <p>This page does not exist. Search for a number or a name with Ctrl K.</p>
        <a class="button" href="/">
          Overview
        </a>
      </Nothing>
    )
  return <PageOf key={place.value.path} {...at} />
}

const DOCUMENT = 'document'

function PageOf({ named, codes }: { named: Named; codes: readonly string[] }): JSX.Element {
  const key = JSON.stringify([named.kind, codes])
  const kind = useMemo(() => kindOf(named.kind, codes), [key])
  const record = useRecord(key, kind)
  const figures = useFigures(key, kind)
  const found = record.value ?? undefined
  const tabs = kind.tabs.filter(mayRead)
  const code = codes.at(-1) as string
  const start = startAt(named.kind, codes)
  const isReadable = kind.records.some(({ report }) => reportOf(report) !== undefined)
  const name = found === undefined ? undefined : nameIn(found, kind)
  const title = name ?? code
  useEffect(() => {
    document.title = `${name === undefined ? named.word : name} ${name === code ? '' : code} · Millbook`.replace(
      / +/g,
      ' ',
    )
  }, [name, code])

  if (!isReadable && tabs.length === 0)
    return (
      <Nothing title={`${named.word} ${code}`}>
        <p>
          You may use none of the reports about this {named.word.toLowerCase()}. Your operator can give you access to
          their groups.
        </p>
        <a class="button" href="/">
          Overview
        </a>
      </Nothing>
    )
  if (isReadable && record.failure !== undefined)
    return <Failed title={`${named.word} ${code}`} failure={record.failure} again={record.again} />
  if (isReadable && record.value === null)
    return (
      <Nothing
        title={`${
          reportOf(kind.records[0]?.report ?? '') === undefined ? 'None of your reports has the' : 'There is no'
        } ${named.word.toLowerCase()} ${codes.join(', ')}.`}
      >
        <p>Check the number, or search for a part of it with Ctrl K. A new one is here after the next load.</p>
        <a class="button" href="/">
          Overview
        </a>
      </Nothing>
    )

  const all = [
    ...(found !== undefined && kind.document !== undefined ? [{ name: DOCUMENT, title: named.word }] : []),
    ...tabs.map(({ name, title }) => ({ name, title })),
  ]
  const chosen = all.find(({ name }) => name === place.value.query.get('tab')) ?? all[0]
  const tab = tabs.find(({ name }) => name === chosen?.name)
  const unit = found === undefined ? undefined : (found.row['unit'] ?? found.row['uom'])
  const isDocument = found !== undefined && kind.document !== undefined
  return (
    <article class={isDocument ? 'thing on-paper' : 'thing'}>
      <header class="head-of">
        <p class="quiet">{named.word}</p>
        <div class="named-line">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {title !== code && <code>{codes.length > 1 ? code : codes.join(' · ')}</code>}
          <button
            type="button"
            class="mini"
            aria-label={`Copy ${code}`}
            title={`Copy ${code}`}
            onClick={() => void copyText(code, `Copied ${code}`)}
          >
            <Icon name="copy" />
          </button>
          {found !== undefined && kind.state !== undefined && <StateOf found={found} field={kind.state} />}
          <div class="tools">
            {start !== undefined && reportOf(TRACE) !== undefined && (
              <a class="chip" href={recallUrl(start)}>
                <Icon name="trace" /> Trace
              </a>
            )}
            {isDocument && (
              <button type="button" class="chip" onClick={() => window.print()}>
                <Icon name="receipt" /> Print
              </button>
            )}
          </div>
        </div>
      </header>
      <Figures figures={kind.figures.filter(mayRead)} found={figures.value} unit={unit} failed={figures.failure} />
      {found !== undefined && <Facts found={found} names={kind.facts} />}
      {isReadable && record.value === undefined && <div class="facts" aria-busy="true" />}
      {all.length > 1 && (
        <nav class="tabs" aria-label={`About this ${named.word.toLowerCase()}`}>
          {all.map(({ name, title }) => (
            <a
              key={name}
              href={`${place.value.path}?tab=${name}`}
              aria-current={name === chosen?.name ? 'page' : undefined}
            >
              {title}
            </a>
          ))}
        </nav>
      )}
      {chosen?.name === DOCUMENT && found !== undefined && kind.document !== undefined && (
        <DocumentOf found={found} document={kind.document} />
      )}
      {isDocument && <OnPaper named={named} found={found} />}
      {tab !== undefined && <TabOf key={tab.name} tab={tab as Tab} name={`${named.kind}.${tab.name}`} />}
    </article>
  )
}

/** The document as reports print it. */
function OnPaper({ named, found: { report, asked, row } }: { named: Named; found: Found }): JSX.Element {
  const key = shapeOf(report, asked.values ?? {})?.key ?? []
  return (
    <div class="sheet documents">
      <header>
        <strong>
          <bdi>{companyName.value}</bdi>
        </strong>
      </header>
      <DocumentSheet
        title={named.word}
        row={row}
        columns={columnsFor(report, asked.values ?? {})}
        keyFields={key.flatMap(({ path }) => (path === undefined ? [] : [path.join('.')]))}
      />
    </div>
  )
}

/** The values of a found record by their fields. */
const columnIn = ({ report, asked }: Found, name: string): Flat | undefined =>
  columnsFor(report, asked.values ?? {}).find((flat) => flat.name === name)

/** The name, whatever field of the report has it. */
function nameIn(found: Found, { title }: Kind): string | undefined {
  const names = title === undefined ? [] : [title, 'product_name', 'item_name']
  const value = names.map((name) => found.row[name]).find((one) => typeof one === 'string' && one !== '')
  return value as string | undefined
}

function StateOf({ found, field }: { found: Found; field: string }): JSX.Element | null {
  const flat = columnIn(found, field)
  const value = flat && valueIn(found.row, flat.path)
  if (flat === undefined || isAbsent(value, flat.column as ValueColumn)) return null
  return <Cell value={value} column={flat.column as ValueColumn} record={found.row} />
}

/** Facts without a value are left out. */
function Facts({ found, names }: { found: Found; names: readonly string[] }): JSX.Element {
  const facts = names.flatMap((name) => {
    const flat = columnIn(found, name)
    const value = flat && valueIn(found.row, flat.path)
    return flat === undefined || value === '' || isAbsent(value, flat.column as ValueColumn) ? [] : [{ flat, value }]
  })
  return (
    <dl class="facts">
      {facts.map(({ flat, value }) => (
        <div key={flat.name}>
          <dt title={plainText(flat.column.description)}>{nameOf(flat)}</dt>
          <dd>
            <Linked row={found.row} flat={flat}>
              <Figure value={value} column={flat.column as ValueColumn} record={found.row} />
            </Linked>
          </dd>
        </div>
      ))}
    </dl>
  )
}

function Figures({
  figures,
  found,
  unit,
  failed,
}: {
  figures: readonly KeyFigure[]
  found: ReturnType<typeof useFigures>['value']
  unit: unknown
  failed: ReturnType<typeof useFigures>['failure']
}): JSX.Element | null {
  if (figures.length === 0) return null
  return (
    <ul class="figures" aria-busy={found === undefined && failed === undefined}>
      {figures.map(({ label, asked, field, tab }) => {
        const row = found?.get(asked)
        const report = reportOf(asked.report)
        const flat = report && columnsFor(report, asked.values ?? {}).find(({ name }) => name === field)
        const sum =
          row === undefined ? undefined : field === 'rows' ? String(row['rows'] ?? 0) : flat && textOf(row, flat)
        return (
          <li key={label}>
            <a href={`${place.value.path}?tab=${tab}`}>
              <span class="quiet">{label}</span>
              <strong>
                {sum === undefined ? (
                  <span class="absent">{failed === undefined ? ' ' : '–'}</span>
                ) : flat === undefined ? (
                  <Num text={sum} />
                ) : (
                  <Figure value={sum} column={flat.column as ValueColumn} record={{ [unitOf(flat)]: unit }} />
                )}
              </strong>
            </a>
          </li>
        )
      })}
    </ul>
  )
}

/** The field with the unit of a quantity. */
const unitOf = ({ column }: Flat): string => ('unit' in column && column.unit) || 'unit'

/** The sum of no records is 0. */
function textOf(row: Parameters<typeof sumOf>[0], flat: Flat): string {
  const sum = sumOf(row, flat)
  return sum === undefined || sum.text === '' || sum.text === 'in 0 units' ? '0' : sum.text
}
