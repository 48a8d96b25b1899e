/** The pages of operators. */
import type { JSX } from 'preact'
import { Nothing } from '../parts/states.js'
import { session } from '../session.js'

export const operatePages: Readonly<Record<string, { title: string; Page: () => JSX.Element }>> = {}

export function OperatePage({ name }: { name: string }): JSX.Element {
  const found = operatePages[name]
  if (session.value?.role !== 'operator')
    return (
      <Nothing>
        <p>These pages are for operators. Another operator can make you one: millbook user set NAME --operator.</p>
      </Nothing>
    )
  if (found === undefined)
    return (
      <Nothing>
        <p>This page does not exist.</p>
      </Nothing>
    )
  return (
    <div class="operate">
      <header class="title">
        <h1>{found.title}</h1>
      </header>
      <found.Page />
    </div>
  )
}
