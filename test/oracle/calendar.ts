/** Calendar dates as texts `YYYY-MM-DD`. */
const DAY = 86_400_000

/** The current date in a time zone. */
export function today(timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' })
    .formatToParts(new Date())
    .map(({ type, value }) => [type, value])
  const { year, month, day } = Object.fromEntries(parts)
  return `${year}-${month}-${day}`
}

/** How many days the second date is after the first. */
export const daysBetween = (a: string, b: string): number => (Date.parse(b) - Date.parse(a)) / DAY

/** The ISO week and its year, which is the year of its Thursday. */
export function isoWeek(date: string): { week: number; year: number } {
  const at = new Date(date)
  const thursday = new Date(at.getTime() + (4 - (at.getUTCDay() || 7)) * DAY)
  const year = thursday.getUTCFullYear()
  const january1 = new Date(`${String(year).padStart(4, '0')}-01-01`)
  return { week: Math.floor((thursday.getTime() - january1.getTime()) / DAY / 7) + 1, year }
}
