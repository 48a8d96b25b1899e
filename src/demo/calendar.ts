/** The days of the sample, numbered from 0 to the day on which it is made. */
const DAY = 86_400_000

/** Sales of each month against the average month: festivals in autumn, a slow monsoon. */
const SEASON = [0.95, 0.9, 1.15, 0.95, 0.9, 0.8, 0.78, 1.0, 1.15, 1.5, 1.35, 1.05]
/** Sunday to Saturday. */
const WEEK = [0.35, 1.15, 1.1, 1.1, 1.1, 1.15, 1.05]
const GROWTH_PER_DAY = 0.0006

export class Calendar {
  readonly #first: number
  /** The day on which the sample is made. */
  readonly last: number
  readonly #dates = new Map<number, string>()

  constructor(today: string, months: number) {
    const from = new Date(`${today}T00:00:00Z`)
    from.setUTCDate(1)
    from.setUTCMonth(from.getUTCMonth() - months)
    this.#first = from.getTime()
    this.last = Math.round((Date.parse(`${today}T00:00:00Z`) - this.#first) / DAY)
  }

  /** As YYYY-MM-DD; days before the first and after the last have dates too. */
  date(day: number): string {
    const known = this.#dates.get(day)
    if (known !== undefined) return known
    const date = new Date(this.#first + day * DAY).toISOString().slice(0, 10)
    this.#dates.set(day, date)
    return date
  }

  month = (day: number): number => new Date(this.#first + day * DAY).getUTCMonth()
  isSunday = (day: number): boolean => new Date(this.#first + day * DAY).getUTCDay() === 0
  isLastOfMonth = (day: number): boolean => this.month(day) !== this.month(day + 1)
  isFirstOfMonth = (day: number): boolean => this.month(day) !== this.month(day - 1)

  /** Expected sales around a day, against the average of the first year. */
  trend = (day: number): number => (SEASON[this.month(day)] ?? 1) * (1 + GROWTH_PER_DAY * day)

  /** The same for the day itself. */
  demand = (day: number): number => this.trend(day) * (WEEK[new Date(this.#first + day * DAY).getUTCDay()] ?? 1)
}
