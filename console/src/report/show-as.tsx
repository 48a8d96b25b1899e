/** How groups are shown: as a table, a pivot or a chart, and of which figure. */
import type { JSX } from 'preact'
import { account } from '../company.js'
import { Icon, type IconName } from '../parts/icons.js'
import { currencySign, isAccountMoney, nameOf } from '../people.js'
import type { Answer } from './answer.js'
import { type Figure, figuresOf, isOverTime } from './groups.js'
import type { Show } from './view.js'

interface Props {
  answer: Answer
  show: Show
  figure: Figure | undefined
  onShow: (show: Show) => void
  onFigure: (figure: string) => void
}

export function ShowAs({ answer, show, figure, onShow, onFigure }: Props): JSX.Element {
  const keys = answer.keys.filter(({ isUnit }) => !isUnit)
  const isTime = isOverTime(keys)
  const needsTwo = keys.length < 2 ? 'Group by two fields' : undefined
  const kinds: readonly { show: Show; icon: IconName; words: string; why?: string | undefined }[] = [
    { show: 'table', icon: 'table', words: 'Table' },
    { show: 'pivot', icon: 'pivot', words: 'Pivot', why: needsTwo },
    { show: 'bars', icon: 'chart', words: 'Bars' },
    { show: 'lines', icon: 'lines', words: 'Lines', why: isTime ? undefined : 'Group by a date first' },
    {
      show: 'stacked',
      icon: 'stacked',
      words: 'Stacked',
      why: needsTwo ?? (figure?.isAdditive ? undefined : 'This figure cannot be added up'),
    },
  ]
  const figures = figuresOf(answer)
  return (
    <div class="show-as">
      <div class="kinds" role="group" aria-label="Show as">
        {kinds.map(({ show: one, icon, words, why }) => {
          const isOn = one === show || (one === 'bars' && show === 'chart')
          return (
            <button
              key={one}
              type="button"
              aria-pressed={isOn}
              disabled={why !== undefined}
              title={why === undefined ? words : `${words}: ${why.toLowerCase()}`}
              onClick={() => onShow(one)}
            >
              <Icon name={icon} />
              <span>{words}</span>
            </button>
          )
        })}
      </div>
      {show !== 'table' && figures.length > 1 && (
        <label class="of">
          of
          <select
            aria-label="Figure"
            value={figure?.flat.name}
            onChange={({ currentTarget }) => onFigure(currentTarget.value)}
          >
            {figures.map(({ flat }) => (
              <option key={flat.name} value={flat.name}>
                {nameOf(flat)} {isAccountMoney(flat) && currencySign(account.value?.currency)}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}
