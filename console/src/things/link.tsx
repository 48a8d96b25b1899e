/** A value as a link to the page of the thing that it names. */
import type { ComponentChildren, JSX } from 'preact'
import type { Flat, Row } from '../catalogue.js'
import { linksIn } from './names.js'

interface Props {
  row: Row
  flat: Flat
  /** In a table with a keyboard cursor, the cursor moves between cells and not between links. */
  inGrid?: boolean
  /** The value if it names nothing. */
  children: ComponentChildren
}

export function Linked({ row, flat, inGrid = false, children }: Props): JSX.Element {
  const links = linksIn(row, flat)
  if (links.length === 0) return <>{children}</>
  return (
    <span class="named drill" title={links.map(({ text }) => text).join(', ')}>
      {links.map(({ text, url }, at) => (
        <>
          {at > 0 && ', '}
          <a key={url} href={url} {...(inGrid && { tabIndex: -1 })}>
            <bdi>{text}</bdi>
          </a>
        </>
      ))}
    </span>
  )
}
