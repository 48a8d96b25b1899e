/** Values that the sheet does not have: the same in every row. */
import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import { labelOf } from '../../labels.js'
import { ColumnOptions } from './column.js'
import { missing, type Rule, setConstant } from './draft.js'
import type { EntityColumn, Given } from './model.js'
import { aboutColumn, columnWords, requiredOf } from './words.js'

interface Props {
  rule: Rule
  disabled: boolean
  change: (given: Given) => void
}

export function Constants({ rule, disabled, change }: Props): JSX.Element {
  const { given, entity } = rule
  const lacking = missing(given, requiredOf(entity))
  return (
    <fieldset class="with">
      <legend>The same in every row</legend>
      {[...Object.keys(given.constants ?? {}), ...lacking].map((name) => {
        const doubts = rule.doubts.filter(({ column }) => column === name)
        const isWrong = lacking.includes(name) || doubts.some(({ needed }) => needed)
        return (
          <div key={name} class={isWrong ? 'constant wrong' : 'constant'}>
            <Value
              title={`${columnWords(entity, name)}${isWrong ? ' (needed)' : ''}`}
              about={aboutColumn(entity, name)}
              value={given.constants?.[name] ?? ''}
              wrong={isWrong}
              disabled={disabled}
              set={(value) => change(setConstant(given, name, value === '' ? undefined : value))}
            />
            {doubts.map(({ reason, needed }) => (
              <small key={reason} class={needed ? 'doubt bad' : 'doubt'}>
                {reason}
              </small>
            ))}
          </div>
        )
      })}
      <select
        class="add"
        aria-label="Give a column the same value in every row"
        value=""
        disabled={disabled}
        onChange={({ currentTarget: { value } }) => {
          if (value !== '') change(setConstant(given, value, ''))
        }}
      >
        <option value="">+ a column</option>
        <ColumnOptions {...{ entity, given }} />
      </select>
    </fieldset>
  )
}

interface Field {
  title: string
  about: EntityColumn | undefined
  value: string
  wrong: boolean
  disabled: boolean
  set: (value: string) => void
}

/** A text, one of the column's words, or a day. */
function Value({ title, about, value, wrong, disabled, set }: Field): JSX.Element {
  const id = useId()
  const of = {
    ...{ id, disabled, value, title: about?.about },
    onChange: ({ currentTarget }: { currentTarget: { value: string } }) => set(currentTarget.value),
  }
  return (
    <>
      <label htmlFor={id} class={wrong ? 'wrong' : undefined}>
        {title}
      </label>
      {about?.words ? (
        <select {...of}>
          {!about.words.includes(value) && <option value={value}>choose</option>}
          {about.words.map((word) => (
            <option key={word} value={word}>
              {WORDS[word] ?? labelOf(word)}
            </option>
          ))}
        </select>
      ) : about?.is_day ? (
        <input type="date" {...of} />
      ) : (
        <input type="text" {...of} />
      )}
    </>
  )
}

/** Words of an import that are abbreviations. */
const WORDS: Readonly<Record<string, string>> = {
  FG: 'finished goods',
  SFG: 'semi-finished goods',
  MAT: 'materials',
  SRV: 'services',
  COMBO: 'combos',
}
