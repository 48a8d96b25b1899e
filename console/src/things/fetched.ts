/** Fetches the record of a thing and its figures, again when newer data is there. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { asFailure, type Failure } from '../api.js'
import { allRows, totalsOf } from '../ask.js'
import { type CatalogueReport, type Row, reportOf } from '../catalogue.js'
import { newestVersion } from '../session.js'
import type { Asked, KeyFigure, Kind } from './kinds.js'

export interface Found {
  readonly report: CatalogueReport
  readonly asked: Asked
  readonly row: Row
}

/** Undefined until it is known. */
export interface State<T> {
  readonly value: T | undefined
  readonly failure: Failure | undefined
  again(): void
}

/** Runs `work` for every new `key`; the value of another key is never shown. */
export function useWork<T>(key: string, work: (signal: AbortSignal) => Promise<T>): State<T> {
  const [done, setDone] = useState<{ key: string; value?: T; failure?: Failure } | undefined>(undefined)
  const [attempt, setAttempt] = useState(0)
  const latest = useRef(work)
  latest.current = work
  useEffect(() => {
    const controller = new AbortController()
    latest.current(controller.signal).then(
      (value) => setDone({ key, value }),
      (error) => {
        if ((error as Error).name !== 'AbortError') setDone({ key, failure: asFailure(error) })
      },
    )
    return () => controller.abort()
  }, [key, newestVersion.value, attempt])
  const current = done?.key === key ? done : undefined
  return { value: current?.value, failure: current?.failure, again: () => setAttempt(attempt + 1) }
}

/** The thing's own record, from the first report that the reader may use; null if that has none. */
export const useRecord = (key: string, { records }: Kind): State<Found | null> =>
  useWork(key, async (signal) => {
    for (const asked of records) {
      const report = reportOf(asked.report)
      if (report === undefined) continue
      const { rows } = await allRows(report, asked.values ?? {}, asked.view, { most: 1, signal })
      return rows[0] === undefined ? null : { report, asked, row: rows[0] }
    }
    return null
  })

/** The sums behind the figures that the reader may see, by the request for them. */
export const useFigures = (key: string, { figures }: Kind): State<ReadonlyMap<Asked, Row>> =>
  useWork(key, async (signal) => {
    const asked = [...new Set(figures.map(({ asked }) => asked))]
    const found = await Promise.all(
      asked.map(async (one) => {
        const report = reportOf(one.report)
        if (report === undefined) return undefined
        const { row } = await totalsOf(report, one.values ?? {}, one.view ?? {}, signal)
        return [one, row] as const
      }),
    )
    return new Map(found.filter((one) => one !== undefined))
  })

export const mayRead = ({ asked }: Pick<KeyFigure, 'asked'>): boolean => reportOf(asked.report) !== undefined
