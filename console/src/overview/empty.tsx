/** The overview of an account without data: how to begin. */
import type { JSX } from 'preact'
import { Icon } from '../parts/icons.js'
import { session } from '../session.js'

export function EmptyAccount(): JSX.Element {
  const role = session.value?.role
  if (role !== 'operator' && role !== 'loader')
    return (
      <section class="begin" aria-label="Begin">
        <p>This account has no data yet. Ask an operator to bring in files; the figures then appear here.</p>
      </section>
    )
  return (
    <section class="begin" aria-label="Begin">
      <p>This account has no data yet.</p>
      <div class="ways">
        <a href="/operate/import">
          <strong>
            <Icon name="plus" /> Bring in files
          </strong>
          <span>
            Excel workbooks, CSV or Tally’s XML: you see what each column was taken for, correct it by menus, and load.
          </span>
        </a>
        <a href="/operate/import?sample=yes">
          <strong>
            <Icon name="stock" /> Start with the sample
          </strong>
          <span>A snack maker with a year of purchases, production and sales. It can be taken back afterwards.</span>
        </a>
      </div>
      <p class="quiet">
        From an ERP or a folder on this machine: <code>millbook pull</code> and <code>millbook import</code>.
      </p>
    </section>
  )
}
