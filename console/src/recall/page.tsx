/** Recall: where a lot came from, where it went, what is left of it and who must be called. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import '../../style/things.css'
import '../../style/recall.css'
import { catalogue, type Row, reportOf } from '../catalogue.js'
import { clock } from '../dates.js'
import { counted } from '../labels.js'
import { place } from '../location.js'
import { add, formatted, withoutZeros } from '../numbers.js'
import { saveFile } from '../parts/files.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { Failed, Nothing } from '../parts/states.js'
import { grouping } from '../preferences.js'
import { reportUrl } from '../report/view.js'
import { loadedAt } from '../session.js'
import { useWork } from '../things/fetched.js'
import { directionOf, type Traced, traced, valuesFor } from './answers.js'
import { Balance, isZero, numberIn, oncePerBatch, verdictOf } from './balance.js'
import { Find } from './find.js'
import { genealogyOf } from './genealogy.js'
import { type Paper, PaperOf } from './papers.js'
import { type Party, PartyList, partiesOf } from './parties.js'
import { GenealogyOf } from './picture.js'
import { STARTS, type Start, startOf, TRACE } from './start.js'

export function RecallPage(): JSX.Element {
  const start = startOf(place.value.query)
  if (reportOf(TRACE) === undefined)
    return (
      <Nothing title="Recall">
        <p>You may not trace batches. Your operator can give you access to the group Insight.</p>
        <a class="button" href="/">
          Overview
        </a>
      </Nothing>
    )
  if (start === undefined)
    return (
      <article class="recall">
        <header class="head-of">
          <h1>Recall</h1>
        </header>
        <Find />
      </article>
    )
  return <TraceOf key={JSON.stringify(start)} start={start} />
}

function TraceOf({ start }: { start: Start }): JSX.Element {
  const found = useWork(JSON.stringify(start), (signal) => traced(start, signal))
  const word = STARTS[start.by]
  useEffect(() => {
    document.title = `Recall of ${start.no} · Millbook`
  }, [start.no])
  if (found.failure !== undefined)
    return <Failed title={`Recall of ${start.no}`} failure={found.failure} again={found.again} />
  if (found.value === undefined)
    return (
      <article class="recall" aria-busy="true">
        <header class="head-of">
          <p class="quiet">Recall · {word}</p>
          <h1>
            <bdi>{start.no}</bdi>
          </h1>
        </header>
        <p class="state quiet">Following every batch…</p>
      </article>
    )
  if (found.value.batches.length === 0)
    return (
      <Nothing>
        <h1>
          Nothing to trace for {word.toLowerCase()} <bdi>{start.no}</bdi>.
        </h1>
        <p>
          Either there is no such {word.toLowerCase()}, or its goods are kept without batches. Check the number; a new
          one is here after the next load.
        </p>
        <a class="button" href="/recall">
          Another number
        </a>
      </Nothing>
    )
  return <Recall start={start} traced={found.value} />
}

function Recall({ start, traced }: { start: Start; traced: Traced }): JSX.Element {
  const { report, links, named, version } = traced
  const paper = useSignal<Paper>('calls')
  const failure = useSignal<string | undefined>(undefined)
  const genealogy = useMemo(() => genealogyOf(links, traced.batches), [traced])
  const batches = useMemo(() => oncePerBatch(traced.batches), [traced])
  const parties = useMemo(() => partiesOf(traced.parties), [traced])
  const names = useMemo(() => new Map(batches.map((row) => [String(row['sku']), String(row['name'])])), [batches])
  const customers = parties.filter(({ kind }) => kind === 'Customer')
  const vendors = parties.filter(({ kind }) => kind === 'Vendor')
  const lists = [
    ['Customers', customers],
    ['Vendors', vendors],
  ].filter(([, list]) => list?.length !== 0) as [string, Party[]][]
  const first = traced.batches.find(({ direction }) => direction === 'start') as Row | undefined
  const title = titleOf(start, first, batches)
  const direction = directionOf(named)

  const print = (which: Paper) => {
    paper.value = which
    requestAnimationFrame(() => window.print())
  }
  useEffect(() => {
    const keys = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'p' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      print('calls')
    }
    addEventListener('keydown', keys)
    return () => removeEventListener('keydown', keys)
  }, [])
  const download = async (show: string, format: string, close: () => void) => {
    close()
    failure.value = undefined
    const values = valuesFor(start, show, direction ?? 'both')
    failure.value = await saveFile(report, values, {}, { format })
  }
  const loaded = loadedAt.get(version)
  return (
    <article class="recall">
      <header class="head-of">
        <p class="quiet">
          Recall · {STARTS[start.by]} · version {version}
          {loaded !== undefined && `, loaded ${clock(loaded)}`}
        </p>
        <div class="named-line">
          <h1>
            <bdi>{title}</bdi>
          </h1>
          {typeof first?.['supplier_lot'] === 'string' && first['supplier_lot'] !== '' && start.by === 'batch_no' && (
            <code>vendor’s lot {first['supplier_lot']}</code>
          )}
        </div>
        <div class="doings">
          {direction !== undefined && (
            <>
              <button type="button" class="button primary" onClick={() => print('calls')}>
                Print recall list
              </button>
              <button type="button" class="button" onClick={() => print('authorities')}>
                Print for authorities
              </button>
              <Menu
                class="chip"
                label={
                  <>
                    <Icon name="export" />
                    Export
                    <Icon name="down" />
                  </>
                }
              >
                {(close) => (
                  <div class="items">
                    {[
                      ['parties', 'Recall list'],
                      ['events', 'Sheet for authorities'],
                      ['batches', 'Mass balance'],
                      ['links', 'Links between batches'],
                    ].flatMap(([show, words]) =>
                      (catalogue.value?.formats ?? [])
                        .filter(({ lines }) => lines !== undefined)
                        .map(({ name, label }) => (
                          <button
                            key={`${show} ${name}`}
                            type="button"
                            class="item"
                            onClick={() => void download(show as string, name, close)}
                          >
                            <span>{words}</span>
                            <span class="quiet">{label}</span>
                          </button>
                        )),
                    )}
                  </div>
                )}
              </Menu>
            </>
          )}
          <a class="link" href="/recall">
            Another number
          </a>
        </div>
        {failure.value !== undefined && (
          <p class="note bad" role="alert">
            {failure.value}
          </p>
        )}
      </header>

      <Figures {...{ batches, customers, vendors, named }} />

      <section aria-labelledby="genealogy-title">
        <h2 id="genealogy-title">Where it came from and where it went</h2>
        <GenealogyOf genealogy={genealogy} />
      </section>

      {lists.map(([heading, list]) => (
        <section key={heading} aria-labelledby={heading} id={`${heading.toLowerCase()}-list`} tabIndex={-1}>
          <h2 id={heading}>
            {heading === 'Customers' ? 'Customers to call' : 'Vendors'} <span class="quiet">{list.length}</span>
          </h2>
          <PartyList
            report={report}
            values={valuesFor(start, 'parties', direction ?? 'both')}
            parties={list}
            names={names}
          />
        </section>
      ))}
      {named.length < 2 && (
        <p class="note">
          {named.includes('forward')
            ? 'Vendors have no names here: your groups have no purchases.'
            : named.includes('backward')
              ? 'Customers have no names here: your groups have no sales.'
              : 'Customers and vendors have no names here: your groups have no sales and no purchases.'}{' '}
          Your operator can give you access.
        </p>
      )}

      <section aria-labelledby="balance-title" id="balance" tabIndex={-1}>
        <h2 id="balance-title">
          Mass balance <span class="quiet">{counted(String(batches.length), 'batch', 'batches')}</span>
        </h2>
        <p class="about">
          Of every batch: In = used + shipped + wasted + moved out + in stock. Used has own use and combos taken apart,
          shipped what went back to vendors. <span class="pointing">Point at a number for its parts.</span>
        </p>
        <Balance report={report} values={valuesFor(start, 'batches', 'both')} rows={batches} />
        <p class="quiet">
          <a href={reportUrl(TRACE, valuesFor(start, 'batches', 'both'))}>Open as a report</a> ·{' '}
          <a href={reportUrl(TRACE, valuesFor(start, 'links', 'both'))}>All links between batches</a>
        </p>
      </section>
      {direction !== undefined && <PaperOf {...{ start, traced, lists, names, title }} paper={paper.value} />}
    </article>
  )
}

function titleOf({ by, no }: Start, first: Row | undefined, batches: readonly Row[]): string {
  const starts = batches.filter(({ direction }) => direction === 'start')
  if (by === 'batch_no' && first !== undefined) return `${String(first['name'])}, batch ${no}`
  return `${STARTS[by]} ${no}: ${counted(String(starts.length), 'batch', 'batches')}`
}

interface FiguresProps {
  batches: readonly Row[]
  customers: readonly Party[]
  vendors: readonly Party[]
  named: Traced['named']
}

/** How many to call, what is still here to be blocked, and what is missing. */
function Figures({ batches, customers, vendors, named }: FiguresProps): JSX.Element {
  const affected = batches.filter(({ direction }) => direction !== 'backward')
  const here = byUnit(affected.filter((row) => !isZero(numberIn(row, 'stock_qty'))))
  const held = byUnit(affected, 'hold_qty')
  const wrong = batches.filter((row) => verdictOf(row).tone === 'bad').length
  return (
    <ul class="figures">
      {named.includes('forward') && (
        <FigureOf href="#customers-list" label="Customers to call" value={String(customers.length)} />
      )}
      <FigureOf href="#balance" label="Batches affected" value={String(affected.length)} />
      <FigureOf href="#balance" label="Still here" value={here === '' ? 'nothing' : here} />
      {held !== '' && <FigureOf href="#balance" label="Of it on hold already" value={held} />}
      {named.includes('backward') && vendors.length > 0 && (
        <FigureOf href="#vendors-list" label="Vendors behind it" value={String(vendors.length)} />
      )}
      <FigureOf
        href="#balance"
        label="Balances"
        value={wrong === 0 ? 'all add up' : `${counted(String(wrong), 'does', 'do')} not add up`}
        tone={wrong === 0 ? 'good' : 'bad'}
      />
    </ul>
  )
}

/** `220 kg, 1,240 pcs` */
function byUnit(rows: readonly Row[], name = 'stock_qty'): string {
  const sums = new Map<string, string>()
  for (const row of rows) {
    const unit = String(row['unit'] ?? '')
    sums.set(unit, add(sums.get(unit) ?? '0', numberIn(row, name)))
  }
  return [...sums]
    .filter(([, qty]) => !isZero(qty))
    .map(([unit, qty]) => `${formatted(withoutZeros(qty), grouping.value)} ${unit}`)
    .join(', ')
}

function FigureOf(props: { href: string; label: string; value: string; tone?: 'good' | 'bad' }): JSX.Element {
  const { href, label, value, tone } = props
  return (
    <li>
      <a href={href}>
        <span class="quiet">{label}</span>
        <strong class={tone === undefined ? undefined : `verdict ${tone}`}>
          {tone !== undefined && <Icon name={tone === 'good' ? 'check' : 'warning'} />}
          {value}
        </strong>
      </a>
    </li>
  )
}
