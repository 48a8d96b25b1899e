/** A thread of callers that request random pages of 20, each caller one page at a time; posts their requests a second. */
import { parentPort, workerData } from 'node:worker_threads'
import { call } from './http.mjs'

/** @type {{ target: import('./http.mjs').Target, pages: number, callers: number, seconds: number }} */
const { target, pages, callers, seconds } = workerData
const until = performance.now() + seconds * 1000
let answered = 0
await Promise.all(
  Array.from({ length: callers }, async () => {
    while (performance.now() < until) {
      const page = 1 + Math.floor(Math.random() * pages)
      await call({ ...target, path: `${target.path}&page=${page}&per-page=20` })
      answered++
    }
  }),
)
parentPort?.postMessage(answered / seconds)
