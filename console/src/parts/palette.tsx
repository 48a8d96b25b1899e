/** Ctrl K: opens a report, a saved view, a pin or the page of an item, an order, an invoice, a batch, a customer or a vendor, or runs an action. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import { getJson } from '../api.js'
import { catalogue, reportOf } from '../catalogue.js'
import { CLOSED } from '../closed/report.js'
import { DATA, OPERATE } from '../labels.js'
import { go } from '../location.js'
import { COVER } from '../ordering/reports.js'
import { hrefOf } from '../overview/body.js'
import { asked } from '../overview/definition.js'
import { definitionOf, loadOverview, overview, shownPins } from '../overview/store.js'
import { compact, grouping, isDark, theme } from '../preferences.js'
import { TRACE } from '../recall/start.js'
import { reportUrl } from '../report/view.js'
import { session, signOut } from '../session.js'
import { type ThingKind, thingUrl } from '../things/paths.js'
import { savedViews, viewUrl } from '../views/saved.js'
import { Dialog } from './dialog.js'
import { Icon, type IconName } from './icons.js'

/** A hit of `GET /v1/search`. */
interface Hit {
  readonly kind: string
  readonly id: string
  readonly label: string
  readonly detail: string
  readonly codes: readonly string[]
}

interface Choice {
  readonly icon: IconName
  readonly label: string
  readonly detail: string
  act(): void
}

/** The things that a search finds. */
const KINDS: Readonly<Record<string, { icon: IconName; kind: ThingKind; word: string }>> = {
  item: { icon: 'stock', kind: 'item', word: 'Item' },
  batch: { icon: 'production', kind: 'batch', word: 'Batch' },
  sales_order: { icon: 'sales', kind: 'order', word: 'Sales order' },
  invoice: { icon: 'receipt', kind: 'invoice', word: 'Invoice' },
  work_order: { icon: 'production', kind: 'work-order', word: 'Work order' },
  purchase_order: { icon: 'purchase', kind: 'purchase-order', word: 'Purchase order' },
  customer: { icon: 'partner', kind: 'customer', word: 'Customer' },
  vendor: { icon: 'partner', kind: 'vendor', word: 'Vendor' },
}

const page = (icon: IconName, label: string, url: string): Choice => ({
  icon,
  label,
  detail: 'Page',
  act: () => go(url),
})

const actions = (): Choice[] => [
  {
    ...{ icon: 'overview', label: 'Overview', detail: 'Page' },
    act: () => go('/'),
  },
  {
    ...{ icon: 'sun', label: 'Switch between light and dark', detail: 'Action' },
    act: () => {
      theme.value = isDark.value ? 'light' : 'dark'
    },
  },
  {
    ...{ icon: 'columns', label: 'Group digits as lakh and crore, or as thousands', detail: 'Action' },
    act: () => {
      grouping.value = grouping.value === 'indian' ? 'international' : 'indian'
    },
  },
  {
    ...{ icon: 'menu', label: 'Compact or normal rows', detail: 'Action' },
    act: () => {
      compact.value = !compact.value
    },
  },
  ...(reportOf(TRACE) === undefined ? [] : [page('trace', 'Recall: trace a lot, an invoice or a receipt', '/recall')]),
  ...(reportOf(COVER) === undefined ? [] : [page('purchase', 'What to order', '/ordering')]),
  ...(session.value?.role === 'operator' || session.value?.role === 'loader'
    ? Object.entries(DATA).map(
        ([name, title]): Choice => ({
          ...{ icon: 'export', label: title, detail: 'Page' },
          act: () => go(`/operate/${name}`),
        }),
      )
    : []),
  ...(session.value?.role === 'operator'
    ? Object.entries(OPERATE).map(
        ([name, title]): Choice => ({
          ...{ icon: 'operate', label: title, detail: 'Page of operators' },
          act: () => go(`/operate/${name}`),
        }),
      )
    : []),
  { ...{ icon: 'user', label: 'Your account: password and app passwords', detail: 'Page' }, act: () => go('/account') },
  { ...{ icon: 'code', label: 'API reference', detail: 'Page' }, act: () => location.assign('/docs') },
  { ...{ icon: 'user', label: 'Sign out', detail: 'Action' }, act: () => void signOut() },
] // biome-ignore format: one line each

/** A receipt is on the page of its order. */
const receipt = (label: string, detail: string, [order = '']: readonly string[]): Choice => ({
  ...{ icon: 'receipt', label, detail: `Goods receipt · ${detail}` },
  act: () => go(`${thingUrl('purchase-order', [order])}?tab=receipts`),
})

/** The pins of the overview open what they show. */
const pins = (): Choice[] =>
  (overview.value === undefined ? [] : shownPins(overview.value)).flatMap((pin): Choice[] => {
    const definition = definitionOf(pin)
    const of = definition && asked(definition)
    if (of === undefined) return []
    return [
      {
        ...{ icon: pin.kind === 'chart' ? 'chart' : 'pin', label: pin.title, detail: `Pin · ${of.report.title}` },
        act: () => go(hrefOf(pin, of)),
      },
    ]
  })

/** All words occur, in any order. */
const matches = (text: string, words: readonly string[]) => words.every((word) => text.toLowerCase().includes(word))

/** A match in the title ranks before a match in the summary. */
function rank(title: string, words: readonly string[]): number {
  const text = title.toLowerCase()
  return text.startsWith(words.join(' ')) ? 0 : matches(text, words) ? 1 : 2
}

export function Palette({ onClose }: { onClose: () => void }): JSX.Element {
  const text = useSignal('')
  const found = useSignal<{ readonly text: string; readonly hits: readonly Hit[] }>({ text: '', hits: [] })
  const at = useSignal(0)
  const searching = useSignal(false)
  /** Enter was pressed before the hits arrived. */
  const wanted = useRef(false)
  const list = useRef<HTMLUListElement>(null)
  const words = text.value.toLowerCase().split(/\s+/).filter(Boolean)
  // Hits for an earlier text stay while they match the present text.
  const hits =
    found.value.text === text.value
      ? found.value.hits
      : found.value.hits.filter(({ label, detail, id }) => matches(`${label} ${detail} ${id}`, words))
  const choices: Choice[] = [
    ...(savedViews.value ?? [])
      .filter(({ name, owner, report }) => words.length > 0 && matches(`${name} ${owner} ${reportOf(report)?.title ?? ''}`, words))
      .map(({ id, name, mine, owner, report }): Choice => ({
        ...{ icon: 'save', label: name, detail: ['View', reportOf(report)?.title, !mine && `by ${owner}`].filter(Boolean).join(' · ') },
        act: () => go(viewUrl(id)),
      })),
    ...[
      ...(catalogue.value?.data ?? [])
        .filter(({ title, summary, id }) => matches(`${title} ${summary} ${id}`, words))
        .map(({ id, title, summary, group }): Choice => ({
          ...{ icon: groupIcon(group), label: title, detail: summary },
          act: () => go(id === CLOSED ? '/closed-periods' : reportUrl(id)),
        })),
      ...pins().filter(({ label, detail }) => words.length > 0 && matches(`${label} ${detail}`, words)),
    ].sort((a, b) => rank(a.label, words) - rank(b.label, words)),
    ...hits.flatMap(({ kind: name, label, detail, codes }): Choice[] => {
      if (name === 'goods_receipt') return [receipt(label, detail, codes)]
      const known = KINDS[name]
      if (known === undefined) return []
      const { icon, kind, word } = known
      return [
        {
          ...{ icon, label, detail: [word, detail].filter(Boolean).join(' · ') },
          act: () => go(thingUrl(kind, codes)),
        },
      ]
    }),
    ...actions().filter(({ label, detail }) => matches(`${label} ${detail}`, words)),
  ] // biome-ignore format: lists

  useEffect(() => {
    if (overview.peek() === undefined) void loadOverview()
  }, [])
  useEffect(() => {
    const typed = text.value
    const q = typed.trim()
    if (q.length < 2) {
      found.value = { text: typed, hits: [] }
      return
    }
    const controller = new AbortController()
    const timer = setTimeout(() => {
      getJson<{ data: Hit[] }>(`/v1/search?q=${encodeURIComponent(q.slice(0, 80))}`, {
        signal: controller.signal,
      }).then(
        ({ data }) => {
          found.value = { text: typed, hits: data }
          searching.value = false
        },
        (error: Error) => {
          if (error.name !== 'AbortError') searching.value = false // reports and actions need no search
        },
      )
    }, 120)
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [text.value])
  useEffect(() => {
    if (wanted.current && !searching.value) {
      wanted.current = false
      choose(choices[0])
    }
  }, [searching.value])
  useEffect(() => {
    list.current?.children[at.value]?.scrollIntoView({ block: 'nearest' })
  }, [at.value])

  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return
    onClose()
    choice.act()
  }
  return (
    <Dialog title="Go to" class="palette" onClose={onClose}>
      <label class="search">
        <Icon name="search" />
        <input
          {...{ role: 'combobox' }}
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={choices.length === 0 ? undefined : `palette-${at.value}`}
          aria-label="Go to a report, an item, an order, a batch or a customer"
          placeholder="A report, an item, an order, a batch, a customer…"
          autoFocus
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value
            at.value = 0
            wanted.current = false
            searching.value = currentTarget.value.trim().length >= 2
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
              event.preventDefault()
              const by = event.key === 'ArrowDown' ? 1 : choices.length - 1
              at.value = choices.length === 0 ? 0 : (at.value + by) % choices.length
            } else if (event.key === 'Enter') {
              event.preventDefault()
              if (choices.length === 0 && searching.value) wanted.current = true
              else choose(choices[at.value])
            }
          }}
        />
      </label>
      <ul id="palette-list" role="listbox" aria-label="Found" ref={list}>
        {choices.map((choice, index) => (
          <li
            key={index}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at.value}
            onClick={() => choose(choice)}
            onPointerMove={() => {
              at.value = index
            }}
          >
            <Icon name={choice.icon} />
            <span class="clip" title={choice.label}>
              {choice.label}
            </span>
            <span class="quiet clip">{choice.detail}</span>
          </li>
        ))}
      </ul>
      {choices.length === 0 && (
        <p class="quiet none">{searching.value ? 'Searching…' : 'Nothing matches these words.'}</p>
      )}
    </Dialog>
  )
}

const ICONS: Readonly<Record<string, IconName>> = {
  masters: 'masters',
  purchase: 'purchase',
  grn: 'receipt',
  inventory: 'stock',
  production: 'production',
  sales: 'sales',
  partner: 'partner',
  insight: 'trace',
  history: 'clock',
}

export const groupIcon = (group: string): IconName => ICONS[group] ?? 'masters'
