/** The words for earlier versions, and the days of closed periods. */
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { readPeriod } from '../../src/closed/close.js'
import { readAsKnown } from '../../src/kernel/report/as-known.js'
import { reports } from '../../src/reports/index.js'
import { daysOf, FIGURES, monthsBefore, periodInWords, whyUrl } from '../src/closed/periods.js'
import { accountZone } from '../src/dates.js'
import { changesInWords, knownInWords, momentInShort, versionIn } from '../src/report/known-words.js'

beforeAll(() => {
  accountZone.value = 'Asia/Kolkata'
})

describe('an earlier version', () => {
  it('is a load, the end of a day, or a moment in the zone of the account', () => {
    const moment = '2026-10-31T18:00:00Z'
    expect(knownInWords('12')).toBe('As known after load 12')
    expect(knownInWords('2026-10-31')).toBe('As known at the end of 31 Oct 2026')
    expect(knownInWords('2026-10-31', 12)).toBe('As known at the end of 31 Oct 2026, after load 12')
    expect(knownInWords(moment)).toBe('As known on 31 Oct 2026, 23:30 IST')
    expect(changesInWords({ against: '12' })).toBe('What changed since load 12, up to now')
    expect(changesInWords({ against: '2026-10-31', as_known: '12' })).toBe(
      'What changed since the end of 31 Oct 2026, up to load 12',
    )
    expect(['12', '2026-10-31', moment].map(momentInShort)).toEqual([
      'load 12',
      '31 Oct 2026',
      '31 Oct 2026, 23:30 IST',
    ])
  })

  it('has a number exactly where the service reads one', () => {
    const texts = fc.oneof(fc.stringMatching(/^\d{1,11}$/), fc.constantFrom('2026-10-31', '', '1.5', '-1', '12 '))
    fc.assert(
      fc.property(texts, (text) => {
        const read = readAsKnown(text)
        expect(versionIn(text)).toBe(read !== undefined && 'version' in read ? read.version : undefined)
      }),
    )
  })
})

describe('a closed period', () => {
  const day = fc.date({ min: new Date('2000-01-01'), max: new Date('2090-12-31'), noInvalidDate: true })
  const days = fc.tuple(day, day).map((both) => both.map((one) => one.toISOString().slice(0, 10)).sort())

  it('has the days that it has for the service', () => {
    fc.assert(
      fc.property(days, ([first = '', last = '']) => {
        for (const text of [`${first}..${last}`, first.slice(0, 7)]) {
          const { name, ...period } = readPeriod(text)
          expect(daysOf(name)).toEqual({ from: period.first, to: period.last })
        }
      }),
    )
  })

  it('is named by its month or its days; the months before today begin with the last', () => {
    expect(['2026-10', '2026-04-01..2026-09-30'].map(periodInWords)).toEqual(['Oct 2026', '1 Apr – 30 Sep 2026'])
    expect(monthsBefore('2026-03-31', 4)).toEqual(['2026-02', '2026-01', '2025-12', '2025-11'])
  })

  it.each(FIGURES)('leads from its %s to a report of its days, compared with its version', (figure) => {
    const url = new URL(whyUrl(figure, '2028-02', 7), 'http://console')
    const report = reports.find(({ id }) => url.pathname === `/reports/${id}`)
    const { against, group, measures, ...values } = Object.fromEntries(url.searchParams)
    expect(against).toBe('7')
    expect(values).toMatchObject({ from_date: '2028-02-01', to_date: '2028-02-29' })
    expect(Object.keys(values).filter((name) => !(name in (report?.request ?? {})))).toEqual([])
  })
})
