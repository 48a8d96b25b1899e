/** The first page: the pins of the user, or those of an arrangement that fits what the user may see. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { inWords, today } from '../dates.js'
import { Icon } from '../parts/icons.js'
import { Menu } from '../parts/menu.js'
import { Failed, Nothing, useLasting } from '../parts/states.js'
import { hasData, newestVersion } from '../session.js'
import { answers } from './answers.js'
import { Board } from './board.js'
import type { Start } from './definition.js'
import { EmptyAccount } from './empty.js'
import { pinAny } from './pins.js'
import { pinsOf, STARTS } from './starts.js'
import { failure, keepAgain, loadOverview, overview, restore, shownPins, startFrom, startOf } from './store.js'

export function OverviewPage(): JSX.Element {
  if (hasData.value !== false) return <Pins />
  return (
    <div class="overview">
      <header class="title">
        <h1>Overview</h1>
      </header>
      <EmptyAccount />
    </div>
  )
}

function Pins(): JSX.Element {
  const version = newestVersion.value
  const from = useMemo(answers, [version])
  useEffect(() => from.stop, [from])
  useEffect(() => void loadOverview(), [])
  const isArranging = useSignal(false)
  /** The overview before the last change that can be undone. */
  const undone = useSignal<{ readonly words: string; readonly before: NonNullable<typeof overview.value> } | undefined>(
    undefined,
  )
  const found = overview.value
  const wrong = failure.value
  const pins = found === undefined ? [] : shownPins(found)
  const start = (next: Start) => {
    if (found === undefined) return
    undone.value = { words: `The overview starts from ${STARTS[next].name}.`, before: found }
    void startFrom(next)
  }
  return (
    <div class="overview">
      <header class="title">
        <h1>Overview</h1>
        <p class="quiet">
          {inWords(today())} · version {version}
        </p>
        {found !== undefined && (
          <div class="tools">
            <button
              type="button"
              class="chip"
              aria-pressed={isArranging.value}
              onClick={() => {
                isArranging.value = !isArranging.value
              }}
            >
              <Icon name="grip" /> {isArranging.value ? 'Done' : 'Arrange'}
            </button>
            <Menu end label="Start from …" title="Start from an arrangement for a role">
              {(close) => (
                <div class="items">
                  <p class="about">Replaces the pins on this page; you can undo it.</p>
                  {(Object.keys(STARTS) as Start[])
                    .filter((one) => pinsOf(one).length > 0)
                    .map((one) => (
                      <button
                        key={one}
                        type="button"
                        class={found.pins === null && startOf(found) === one ? 'item start chosen' : 'item start'}
                        onClick={() => {
                          close()
                          start(one)
                        }}
                      >
                        <span>{STARTS[one].name}</span>
                        <small>{STARTS[one].about}</small>
                      </button>
                    ))}
                </div>
              )}
            </Menu>
            <button type="button" class="chip" onClick={() => pinAny()}>
              <Icon name="plus" /> Add
            </button>
          </div>
        )}
      </header>
      {wrong?.what === 'keep' && (
        <p class="note bad" role="alert">
          Your last change is on this page only: {wrong.failure.message}{' '}
          <button type="button" class="link" onClick={keepAgain}>
            Try again
          </button>
        </p>
      )}
      {undone.value !== undefined && (
        <p class="note" role="status">
          {undone.value.words}{' '}
          <button
            type="button"
            class="link"
            onClick={() => {
              if (undone.value !== undefined) void restore(undone.value.before)
              undone.value = undefined
            }}
          >
            Undo
          </button>
        </p>
      )}
      {found === undefined ? (
        (wrong?.what === 'load' && <Failed failure={wrong.failure} again={() => void loadOverview()} />) || <Waiting />
      ) : pins.length === 0 ? (
        <Nothing>
          <p>Nothing is pinned here. Add a report or a saved view as a figure, a list or a chart.</p>
          <button type="button" class="button primary" onClick={() => pinAny()}>
            <Icon name="plus" /> Add
          </button>
        </Nothing>
      ) : (
        <Board
          {...{ pins, from }}
          isArranging={isArranging.value}
          onChanged={(words) => {
            undone.value = { words, before: found }
          }}
        />
      )}
    </div>
  )
}

/** The places of the first pins, after a moment. */
function Waiting(): JSX.Element | null {
  if (!useLasting(true, 150)) return null
  return (
    <div class="board" aria-busy="true">
      {[0, 1, 2, 3, 4, 5].map((one) => (
        <section key={one} class="pin figure" style={{ gridColumn: 'span 10' }}>
          <div class="waits">
            <span class="skeleton" />
            <span class="skeleton value" />
          </div>
        </section>
      ))}
    </div>
  )
}
