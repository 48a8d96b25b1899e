/** A view that names groups or figures that its report does not have, or compares without dates: each can be dropped. */
import type { JSX } from 'preact'
import type { View } from '../ask.js'
import type { CatalogueReport, Values } from '../catalogue.js'
import { Icon } from '../parts/icons.js'
import { type Answer, listOf, pruned } from './answer.js'

interface Props {
  report: CatalogueReport
  values: Values
  view: View
  answer: Answer
  /** `This link` or `This view` */
  about: string
  onView: (view: View) => void
}

export function WrongView({ report, values, view, answer, about, onView }: Props): JSX.Element {
  const without = (field: 'group' | 'measures', text: string) => {
    const left = listOf(view[field]).filter((one) => one !== text)
    onView(pruned(report, values, { ...view, [field]: left.join() || undefined }))
  }
  const { wrong } = answer
  return (
    <div class="state" role="alert">
      <Icon name="warning" />
      {wrong.map(({ field, text }) => (
        <div key={`${field} ${text}`} class="wrong-part">
          <p>
            {field === 'group'
              ? `${about} groups by “${text}”, which ${report.title} does not have.`
              : `${about} has the figure “${text}”, which ${report.title} does not have.`}
          </p>
          <button type="button" class="button" onClick={() => without(field, text)}>
            Drop the {field === 'group' ? 'group' : 'figure'} {text}
          </button>
        </div>
      ))}
      {wrong.length === 0 && (
        <>
          <p>A comparison takes an earlier period from the dates: choose them above, or drop the comparison.</p>
          <button
            type="button"
            class="button"
            onClick={() => onView(pruned(report, values, { ...view, compare: undefined }))}
          >
            Drop the comparison
          </button>
        </>
      )}
    </div>
  )
}
