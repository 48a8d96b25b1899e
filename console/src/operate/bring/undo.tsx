/** Questions before a load is taken back, or the sample loaded; other pages lead here by `?undo=` and the version, and `?sample=yes`. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { place, setQuery } from '../../location.js'
import { FormDialog } from '../parts.js'
import { loadSample, undo } from './store.js'

export function Undo({ version }: { version: number }): JSX.Element {
  const asking = useSignal(false)
  return (
    <>
      <button
        type="button"
        class="button"
        onClick={() => {
          asking.value = true
        }}
      >
        Take it back
      </button>
      {asking.value && (
        <Question
          version={version}
          onClose={() => {
            asking.value = false
          }}
        />
      )}
    </>
  )
}

/** The question that the URL asks. */
export function Asked(): JSX.Element | null {
  const { query } = place.value
  const close = () => setQuery({ undo: undefined, sample: undefined }, { replace: true })
  if (query.get('sample') === 'yes')
    return (
      <FormDialog
        title="Load the sample company?"
        button="Load the sample"
        onClose={close}
        submit={async () => {
          close()
          void loadSample()
        }}
      >
        <p>
          A snack maker with a year of purchases, production and sales, to try the reports with. Take it back before you
          bring in your own files: it must not mix with them.
        </p>
      </FormDialog>
    )
  const version = Number(query.get('undo'))
  if (!(version > 0)) return null
  return <Question version={version} onClose={close} />
}

const Question = ({ version, onClose }: { version: number; onClose: () => void }): JSX.Element => (
  <FormDialog
    title={`Take back the load of version ${version}?`}
    button="Take it back"
    danger
    onClose={onClose}
    submit={async () => {
      onClose()
      void undo(version)
    }}
  >
    <p>
      The rows that it added are removed, and the rows that it changed or removed are as they were before. This is
      possible until something else changes the data.
    </p>
  </FormDialog>
)
