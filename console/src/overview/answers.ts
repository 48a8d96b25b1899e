/** The answers that pins show: each question is asked once, a few at a time, in the order of the pins. */
import { useEffect, useState } from 'preact/hooks'
import { asFailure, type Failure, send } from '../api.js'
import type { Row } from '../catalogue.js'
import { parseExact } from '../numbers.js'
import { newestVersion } from '../session.js'

export interface Answer {
  readonly rows: readonly Row[]
  /** Number of all records, on all pages. */
  readonly total: number
}

/** Pins with the same question share its answer. Made anew for each version of the data. */
export interface Answers {
  ask(path: string): Promise<Answer>
  /** Drops an answer, so that it is fetched again. */
  forget(path: string): void
  stop(): void
}

const AT_ONCE = 4

export function answers(): Answers {
  const controller = new AbortController()
  const known = new Map<string, Promise<Answer>>()
  const waiting: (() => void)[] = []
  let running = 0
  const turn = async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= AT_ONCE) await new Promise<void>((resolve) => waiting.push(resolve))
    running++
    try {
      return await work()
    } finally {
      running--
      waiting.shift()?.()
    }
  }
  return {
    ask(path) {
      const found = known.get(path) ?? turn(() => fetchAnswer(path, controller.signal))
      known.set(path, found)
      return found
    },
    forget: (path) => void known.delete(path),
    stop: () => controller.abort(),
  }
}

async function fetchAnswer(path: string, signal: AbortSignal): Promise<Answer> {
  const response = await send(path, { signal })
  const { data } = parseExact(await response.text()) as { data: readonly Row[] }
  const version = Number(response.headers.get('x-data-version'))
  if (version > newestVersion.peek()) newestVersion.value = version
  return { rows: data, total: Number(response.headers.get('x-pagination-total-count') ?? data.length) }
}

export interface Asking {
  /** The answer to an earlier question stays until the new one arrives. */
  readonly answer: Answer | undefined
  readonly failure: Failure | undefined
  again(): void
}

/** The answer to a question; none while there is no question. */
export function useAnswer(from: Answers, path: string | undefined): Asking {
  const [found, setFound] = useState<{ answer?: Answer; failure?: Failure }>({})
  const [tried, setTried] = useState(0)
  useEffect(() => {
    if (path === undefined) return
    let isCurrent = true
    from.ask(path).then(
      (answer) => {
        if (isCurrent) setFound({ answer })
      },
      (error) => {
        if (isCurrent && (error as Error).name !== 'AbortError') setFound({ failure: asFailure(error) })
      },
    )
    return () => {
      isCurrent = false
    }
  }, [from, path, tried])
  return {
    ...{ answer: found.answer, failure: found.failure },
    again: () => {
      if (path !== undefined) from.forget(path)
      setFound({})
      setTried(tried + 1)
    },
  }
}
