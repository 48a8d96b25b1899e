/** When jobs are due, on this machine's clock. A slot is a moment at which a job is due. */

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'] as const
const EVERY = ['hour', 'day', 'month', ...WEEKDAYS] as const
export type Every = (typeof EVERY)[number]

/** For errors. */
export const WHEN = 'hour, day, month or a weekday'

export const everyNamed = (name: string): Every | undefined => EVERY.find((every) => every === name)

/** Minutes after midnight. */
export function timeOfDay(text: string): number | undefined {
  const [, hours, minutes] = /^(\d{1,2}):(\d\d)$/.exec(text) ?? []
  if (hours === undefined || Number(hours) > 23 || Number(minutes) > 59) return undefined
  return Number(hours) * 60 + Number(minutes)
}

interface Due {
  readonly every: Every
  readonly at: number
}

/** The slot in the period of `now`, moved by a number of periods. */
function slotNear({ every, at }: Due, now: Date, periods: number): Date {
  const [year, month, day] = [now.getFullYear(), now.getMonth(), now.getDate()]
  const [hours, minutes] = [Math.floor(at / 60), at % 60]
  if (every === 'hour') return new Date(year, month, day, now.getHours() + periods, minutes)
  if (every === 'day') return new Date(year, month, day + periods, hours, minutes)
  if (every === 'month') return new Date(year, month + periods, 1, hours, minutes)
  const back = (now.getDay() - WEEKDAYS.indexOf(every) + 7) % 7
  return new Date(year, month, day - back + 7 * periods, hours, minutes)
}

/** The last slot up to a moment. */
export function slotBefore(due: Due, now: Date): Date {
  for (let periods = 0; ; periods--) {
    const slot = slotNear(due, now, periods) // when clocks are set forward, the slot before may lie in the future too
    if (slot <= now) return slot
  }
}

/** The first slot after a moment. */
export function slotAfter(due: Due, now: Date): Date {
  for (let periods = 0; ; periods++) {
    const slot = slotNear(due, now, periods)
    if (slot > now) return slot
  }
}

/** The slots after one moment and before another. */
export function slotsBetween(due: Due, after: Date, before: Date): Date[] {
  const slots: Date[] = []
  for (let slot = slotAfter(due, after); slot < before; slot = slotAfter(due, slot)) slots.push(slot)
  return slots
}
