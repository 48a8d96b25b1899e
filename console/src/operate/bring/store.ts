/** The files that are being brought in. The service keeps them for an hour: leaving the page and coming back finds them. */
import { computed, signal } from '@preact/signals'
import { asFailure, Failure, pause, send } from '../../api.js'
import { counted, labelOf } from '../../labels.js'
import { grouped } from '../../numbers.js'
import { grouping } from '../../preferences.js'
import { noticeLoad, session } from '../../session.js'
import { type About, ADMIN, act } from '../parts.js'
import { type Draft, draftOf, mappingOf } from './draft.js'
import type { Brought, EntityAbout, KeptMapping, Proposal, Result } from './model.js'

/** Bytes of a part; the service accepts a request for 30 seconds. */
const PART = 4 << 20
const POLL_MS = 300
/** Pause before a service that did not answer is asked again. */
const AWAY_MS = 1000
/** A change is tried after this time without another one. */
const REST_MS = 600

/** The files as the service has them; undefined before the first. */
export const brought = signal<Brought | undefined>(undefined)
export const proposal = signal<Proposal | undefined>(undefined)
export const draft = signal<Draft | undefined>(undefined)
export const kept = signal<readonly KeptMapping[]>([])
export const entities = signal<ReadonlyMap<string, EntityAbout>>(new Map())
export const about = signal<About | undefined>(undefined)
/** The name under which a load keeps the mapping. */
export const name = signal('')
/** The result of the last try or load; `stale` if the mapping has changed since. */
export const result = signal<Result | undefined>(undefined)
export const stale = signal(false)
export const refused = signal<string | undefined>(undefined)
export const progress = signal<{ readonly text: string; readonly done: number } | undefined>(undefined)
/** Earlier files of this user are being looked for. */
export const opening = signal(true)

export const isReady = computed(
  () =>
    brought.value?.phase === 'open' &&
    !stale.value &&
    progress.value === undefined &&
    result.value !== undefined &&
    !result.value.committed &&
    result.value.errors.count === 0 &&
    result.value.rows > 0,
)

const ending = (file: string): string => /\.[^.]+$/.exec(file.toLowerCase())?.[0] ?? ''
/** The endings of files that the field for files offers. */
export const accepted = computed(() => [
  ...new Set([...(about.value?.endings.workbooks ?? []), ...(about.value?.endings.imports ?? [])]),
])

const isImportFile = (file: string): boolean =>
  (about.peek()?.endings.imports ?? []).includes(ending(file)) &&
  entities.peek().has(file.slice(0, -ending(file).length))

/** Why a file cannot be brought in. */
export const objectionTo = ({ name: file, size }: File): string | undefined =>
  !about.peek()?.endings.workbooks.includes(ending(file)) && !isImportFile(file)
    ? 'is neither a workbook nor a file of an import'
    : size === 0
      ? 'is empty: it has neither columns nor rows'
      : undefined

const needsMapping = (): boolean => brought.peek()?.files.some(({ name: file }) => !isImportFile(file)) ?? false

/** Goes up when somebody begins anew: a chain of requests about earlier files ends. */
let generation = 0
/** Only one chain of requests works on the files at a time; it ends when `refused` says why. */
let working: Promise<void> = Promise.resolve()
function work(steps: () => Promise<void>): Promise<void> {
  const own = generation
  working = working.then(async () => {
    if (own !== generation) return
    refused.value = undefined
    try {
      await steps()
    } catch (error) {
      const failure = asFailure(error)
      const isGone = failure.status === 404 && (await areGone())
      if (own === generation) {
        if (isGone) forget() // so that they can be sent again
        refused.value = failure.message
      }
    } finally {
      progress.value = undefined
      if (own !== generation) forget() // its last response may have come late
    }
  })
  return working
}

/** Whether the service no longer has the files. */
async function areGone(): Promise<boolean> {
  if (brought.peek() === undefined) return false
  return await act('GET', path()).then(
    () => false,
    (error) => asFailure(error).status === 404,
  )
}

let opened: string | undefined
/** Fetches what the page needs, and files that this user began earlier. */
export async function open(): Promise<void> {
  const user = session.peek()?.username
  if (opened !== user) forget()
  opened = user
  await work(async () => {
    about.value = await act<About>('GET', '')
    const { entities: all } = await act<{ entities: EntityAbout[] }>('GET', '/entities')
    entities.value = new Map(all.map((one) => [one.name, one]))
    if (brought.peek() === undefined && about.peek()?.may.load !== false) await resume()
  })
  opening.value = false
}

async function resume(): Promise<void> {
  const { imports } = await act<{ imports: Brought[] }>('GET', '/imports')
  const found = imports.find(({ phase, files }) => phase !== 'loaded' && (phase !== 'open' || files.length > 0))
  if (found === undefined) return
  brought.value = found
  opening.value = false
  name.value = found.named ?? ''
  const ended = await ends()
  if (ended.phase === 'loaded' || ended.files.length === 0) return adopt(ended)
  if (needsMapping()) {
    await fetchKept()
    if (!ended.looked) await run('look')
    await fetchProposal()
  }
  if (ended.result === null) await run('try')
  else adopt(ended)
}

function forget(): void {
  brought.value = undefined
  proposal.value = undefined
  draft.value = undefined
  result.value = undefined
  stale.value = false
  refused.value = undefined
  name.value = ''
}

/** Removes the files from the service. */
export async function beginAnew(): Promise<void> {
  const id = brought.peek()?.id
  generation++
  forget()
  progress.value = undefined
  if (id !== undefined) await act('DELETE', `/imports/${id}`).catch(() => {}) // the service removes it after an hour anyway
}

export function addFiles(files: readonly File[]): Promise<void> {
  return work(async () => {
    if (brought.peek() === undefined || brought.peek()?.phase === 'loaded') {
      forget()
      brought.value = await act<Brought>('POST', '/imports', {})
    }
    result.value = undefined
    for (const file of files) await sendFile(file)
    brought.value = await act<Brought>('GET', path())
    await readFiles()
  })
}

async function sendFile(file: File): Promise<void> {
  for (let offset = 0; offset === 0 || offset < file.size; offset += PART) {
    progress.value = { text: `Sending ${file.name}`, done: offset / file.size }
    await send(`${ADMIN}${path()}/files/${encodeURIComponent(file.name)}?offset=${offset}`, {
      method: 'PUT',
      body: file.slice(offset, offset + PART),
    })
  }
}

export function removeFile(file: string): Promise<void> {
  return work(async () => {
    brought.value = await act<Brought>('DELETE', `${path()}/files/${encodeURIComponent(file)}`)
    result.value = undefined
    await readFiles()
  })
}

async function fetchKept(): Promise<void> {
  kept.value = (await act<{ mappings: KeptMapping[] }>('GET', `/mappings?import=${brought.peek()?.id}`)).mappings
}

/** Looks at the files and tries them. A kept mapping that names exactly these files is taken. */
async function readFiles(): Promise<void> {
  proposal.value = undefined
  draft.value = undefined
  if (brought.peek()?.files.length === 0) return
  if (needsMapping()) {
    await fetchKept()
    const [fitting] = kept
      .peek()
      .filter(({ fits }) => fits)
      .sort((a, b) => (a.changed_at < b.changed_at ? 1 : -1))
    if (brought.peek()?.named === null) await takeMapping(fitting?.name)
    await lookAndTry()
  } else await run('try')
}

async function takeMapping(chosen: string | undefined): Promise<void> {
  brought.value = await (chosen === undefined
    ? act<Brought>('DELETE', `${path()}/mapping`)
    : act<Brought>('PUT', `${path()}/mapping`, { name: chosen }))
  name.value = chosen ?? ''
}

/** Reads the files by a kept mapping, or by a new proposal. */
export function chooseMapping(chosen: string | undefined): Promise<void> {
  return work(async () => {
    await takeMapping(chosen)
    result.value = undefined
    await lookAndTry()
  })
}

async function lookAndTry(): Promise<void> {
  await run('look')
  await fetchProposal()
  if ((draft.peek()?.rules.length ?? 0) > 0) await run('try')
}

async function fetchProposal(): Promise<void> {
  proposal.value = await act<Proposal>('GET', `${path()}/proposal`)
  draft.value = draftOf(proposal.value)
}

let changes = 0
/** Takes a correction and tries it. With `look`, the columns are found anew, because the header has moved. */
export function correct(next: Draft, { look = false }: { look?: boolean } = {}): void {
  draft.value = next
  stale.value = true
  const own = ++changes
  void pause(look ? 0 : REST_MS).then(() =>
    work(async () => {
      if (own !== changes || draft.peek() === undefined) return // a later correction tries it
      await act('PUT', `${path()}/mapping`, { mapping: mappingOf(draft.peek() as Draft) })
      if (look) {
        await run('look')
        await fetchProposal()
      }
      await run('try')
    }),
  )
}

/** Takes the text of a mapping. */
export function correctText(text: string): Promise<void> {
  stale.value = true
  return work(async () => {
    await act('PUT', `${path()}/mapping`, { text })
    await lookAndTry()
  })
}

export const tryAgain = (): Promise<void> => work(() => run('try'))

export const load = (): Promise<void> =>
  work(async () => {
    const keep = name.peek().trim()
    await run('load', needsMapping() && keep !== '' ? { keep_as: keep } : {})
  })

/** Takes back the load that made this version of the data. */
export const undo = (version: number): Promise<void> =>
  work(async () => {
    forget()
    brought.value = await act<Brought>('POST', `/loads/${version}/undo`)
    adopt(await ends())
  })

export const loadSample = (): Promise<void> =>
  work(async () => {
    forget()
    brought.value = await act<Brought>('POST', '/sample')
    adopt(await ends())
  })

function path(): string {
  const id = brought.peek()?.id
  if (id === undefined) throw new Failure('These files are no longer there; choose them again.', 0)
  return `/imports/${id}`
}

async function run(action: 'look' | 'try' | 'load', more: object = {}): Promise<void> {
  await act('POST', `${path()}/run`, { action, ...more })
  const ended = await ends()
  if (ended.error !== null) throw new Failure(ended.error, 0)
  if (action === 'look') brought.value = ended
  else adopt(ended)
}

function adopt(ended: Brought): void {
  brought.value = ended
  result.value = ended.result ?? undefined
  stale.value = false
  refused.value = ended.error ?? undefined
  if (ended.phase === 'loaded') void noticeLoad().catch(() => {}) // a poll notices it soon anyway
}

/** Polls until nothing runs; waits for a service that is restarted. */
async function ends(): Promise<Brought> {
  for (;;) {
    const found = await act<Brought>('GET', path()).catch((error) => {
      const { status } = asFailure(error)
      if (status !== 0 && status < 500) throw error
      return undefined
    })
    if (found === undefined) {
      progress.value = { text: 'Waiting for the service, which does not answer', done: 0 }
      await pause(AWAY_MS)
      continue
    }
    if (found.phase === 'open' || found.phase === 'loaded') return found
    progress.value = { text: inWords(found), done: found.done }
    await pause(POLL_MS)
  }
}

function inWords({ phase, action, what, rows }: Brought): string {
  if (phase === 'waiting') return action === 'look' ? 'Looking at the files' : 'Waiting for a running load'
  if (action === 'look') return 'Looking at the files'
  if (action === 'sample') return `Making the sample company, ${counted(grouped(String(rows), grouping.peek()), 'row')}`
  if (action === 'undo') return `Taking back ${labelOf(what ?? '').toLowerCase()}`
  const doing = action === 'try' ? 'Trying: ' : ''
  const verb = phase === 'reading' ? `${doing}reading` : `${doing}merging`
  const text = `${verb} ${what ?? ''}, ${counted(grouped(String(rows), grouping.peek()), 'row')}`
  return text[0]?.toUpperCase() + text.slice(1)
}
