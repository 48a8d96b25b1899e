/** The form that finds the start of a trace: a lot, an invoice, an order or a receipt by a part of its number. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { getJson } from '../api.js'
import { go } from '../location.js'
import { Icon } from '../parts/icons.js'
import { recallUrl, STARTS, type Start, type StartKind } from './start.js'

interface Hit {
  readonly kind: string
  readonly id: string
  readonly label: string
  readonly detail: string
  readonly codes: readonly string[]
}

/** The kinds of hits of a search that a trace can start with. */
const KINDS: Readonly<Record<string, StartKind>> = {
  batch: 'batch_no',
  invoice: 'invoice_no',
  sales_order: 'order_no',
  goods_receipt: 'grn_no',
}

export function Find(): JSX.Element {
  const text = useSignal('')
  const found = useSignal<{ readonly text: string; readonly hits: readonly Hit[] } | undefined>(undefined)
  const input = useRef<HTMLInputElement>(null)
  // The attribute autofocus has no effect after a click on a link.
  useEffect(() => input.current?.focus(), [])
  const q = text.value.trim()
  useEffect(() => {
    if (q.length < 2) return
    const controller = new AbortController()
    const timer = setTimeout(() => {
      getJson<{ data: Hit[] }>(`/v1/search?q=${encodeURIComponent(q.slice(0, 80))}`, {
        signal: controller.signal,
      }).then(
        ({ data }) => {
          found.value = { text: q, hits: data.filter(({ kind }) => KINDS[kind] !== undefined) }
        },
        () => {}, // the form still opens a number that is typed whole
      )
    }, 120)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [q])
  const hits = q.length >= 2 && found.value?.text === q ? found.value.hits : []
  const none = q.length >= 2 && found.value?.text === q && hits.length === 0
  return (
    <div class="seek">
      <p>
        Type the number on the pack, the invoice or the receipt: you get every batch that it went into, what is left of
        each, and the customers to call.
      </p>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          const [first] = hits
          if (first !== undefined) go(recallUrl(startFor(first)))
        }}
      >
        <label>
          <span>Lot, invoice, order or receipt</span>
          <input
            ref={input}
            type="search"
            autocomplete="off"
            spellcheck={false}
            value={text.value}
            onInput={({ currentTarget }) => {
              text.value = currentTarget.value
            }}
          />
        </label>
        <button type="submit" class="button primary" disabled={hits.length === 0}>
          Trace
        </button>
      </form>
      <ul aria-label="Found">
        {hits.map((hit) => (
          <li key={`${hit.kind} ${hit.codes.join(' ')} ${hit.id}`}>
            <a href={recallUrl(startFor(hit))}>
              <Icon name={hit.kind === 'batch' ? 'production' : 'receipt'} />
              <bdi>{hit.label}</bdi>
              <span class="quiet">
                {STARTS[KINDS[hit.kind] as StartKind]} · <bdi>{hit.detail}</bdi>
              </span>
            </a>
          </li>
        ))}
      </ul>
      {none && (
        <p role="status">
          No batch, invoice, order or receipt has “<bdi>{q}</bdi>” in its number. A new one is here after the next load.
        </p>
      )}
    </div>
  )
}

function startFor({ kind, id, codes }: Hit): Start {
  const by = KINDS[kind] as StartKind
  return by === 'batch_no' ? { by, no: codes[1] ?? id, sku: codes[0] } : { by, no: id }
}
