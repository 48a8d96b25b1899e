/** The file of jobs, their due times, and the signature of S3. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { serviceAnswers } from '../../src/answers/service.js'
import { everyNamed, slotAfter, slotBefore, slotsBetween, timeOfDay } from '../../src/deliver/clock.js'
import { parametersAt, readJobs } from '../../src/deliver/jobs.js'
import { sign } from '../../src/deliver/to/s3.js'
import { MillbookError } from '../../src/errors.js'
import type { Report } from '../../src/kernel/report/report.js'
import { reports } from '../../src/reports/index.js'

const read = (job: string, env = {}) => readJobs(`jobs:\n  stock:\n${job.replaceAll(/^/gm, '    ')}`, reports, env)
const FOLDER = 'to:\n  - folder: /tmp'

describe('the file', () => {
  it('names a report, its days in words, and places', () => {
    const [job] = read(
      `report: sales.invoices\nperiod: last-month\nformat: parquet\nat: "06:30"\nevery: monday\n${FOLDER}`,
    )
    expect(job).toMatchObject({ name: 'stock', format: 'parquet', at: 390, every: 'monday', since: false, retries: 4 })
    expect(job).toHaveProperty('report.id', 'sales.invoices')
    expect(parametersAt(job as never, '2026-03-05')).toEqual({ from_date: '2026-02-01', to_date: '2026-02-28' })
  })

  it('names a saved view, and on a database the user whose view it is', () => {
    const [job] = read(`view: Sales by month\nuser: asha\nevery: month\n${FOLDER}`)
    expect(job).toMatchObject({ view: 'Sales by month', user: 'asha', eachMissed: true, since: false })
    expect(job).not.toHaveProperty('report')
  })

  it.each([
    [FOLDER, /jobs.stock.report is missing; name a report, or a saved view with view/],
    [`view: v\nreport: sales.invoices\n${FOLDER}`, /jobs.stock.report must be left out with view/],
    [`view: v\nperiod: last-month\n${FOLDER}`, /jobs.stock.period must be left out with view/],
    [`view: v\nsince: true\n${FOLDER}`, /jobs.stock.since follows a whole report/],
    [`view: v\nmissed: together\n${FOLDER}`, /missed cannot be together: a view has its own period/],
    [`report: masters.material\nuser: asha\n${FOLDER}`, /jobs.stock.user must be left out without view/],
    ['report: sales.invoces\n', /no report sales.invoces \(did you mean sales.invoices\?\)/],
    [`report: masters.material\n`, /jobs.stock.to is missing/],
    [`report: masters.material\nto: [{ftp: x}]`, /jobs.stock.to\[0\] must have one of folder, mail, s3, sftp, not ftp/],
    [`report: masters.material\nformat: doc\n${FOLDER}`, /format must be one of/],
    [`report: masters.material\nat: 25:00\n${FOLDER}`, /at must be a time/],
    [`report: masters.material\nevery: fortnight\n${FOLDER}`, /every must be hour/],
    [`report: masters.material\nperiod: last-month\n${FOLDER}`, /has no range of days/],
    [`report: masters.material\nperod: last-month\n${FOLDER}`, /jobs.stock.perod is unknown \(did you mean period\?\)/],
    [`report: sales.invoices\n${FOLDER}`, /from_date is required/],
    [`report: sales.invoices\nperiod: lastmonth\n${FOLDER}`, /must be .*not lastmonth \(did you mean last-month\?\)/],
    [`report: stock\n${FOLDER}`, /did you mean inventory.fg-stock-status or inventory.mat-stock-status\?/],
    [`report: list\n${FOLDER}`, /there is no report list/],
    [`report: masters.material\nmissed: all\n${FOLDER}`, /missed must be together or each, not all/],
    [
      `report: partner.invetory-snapshot\nparameters: {date: yesterday}\nmissed: together\n${FOLDER}`,
      /missed cannot be together: .* is about one day, date; set missed to each/,
    ],
    [`report: masters.material\nto: [{s3: {bucket: b}}]`, /to\[0\]: s3.endpoint is missing/],
    [
      `report: masters.material\nto: [{mail: {smtp: "smtp://u:p@h", from: a@b.c, to: a@b.c}}]`,
      /must not have a password in it/,
    ],
    [`report: masters.material\nto: [{sftp: {host: h, username: u, path: p}}]`, /password or key_file/],
    [`report: masters.material\nto: [{folder: "\${NOT_SET}/x"}]`, /environment variable NOT_SET, which is not set/],
    [`report: [`, /not YAML/],
    [`report: masters.material\nfile: ../x.csv\n${FOLDER}`, /file must be a name without slashes/],
    [`report: masters.material\nfile: "{dat}.csv"\n${FOLDER}`, /placeholder \{dat\}/],
    [`report: masters.material\nheadings: names\n${FOLDER}`, /headings must be one of words, api/],
    [`report: masters.material\nlines: maybe\n${FOLDER}`, /lines must be one of yes, no/],
    [`report: masters.material\nretries: -1\n${FOLDER}`, /retries must be/],
    [`report: sales.invoices\nperiod: last-month\nsince: true\n${FOLDER}`, /since needs fixed days/],
    [`report: masters.material\nto: out`, /to\[0\] must have one of/],
  ])('%j is refused: %s', (job, message) => {
    expect(() => read(job)).toThrow(message)
  })

  it('takes secrets from the environment, and an error never shows them', () => {
    const job = `report: masters.material\nto: [{sftp: {host: h, username: u, path: p, password: "\${SECRET}", prot: 22}}]`
    expect(() => read(job, { SECRET: 'hush' })).toThrow(/prot is unknown/)
    try {
      read(job, { SECRET: 'hush' })
    } catch (error) {
      expect(String(error)).not.toContain('hush')
    }
  })
})

it.each(['__proto__', 'a/b', '..', ''])('a job cannot be called %j', (name) => {
  const file = `jobs: {${JSON.stringify(name)}: {report: masters.material, to: [{folder: /tmp}]}}`
  expect(() => readJobs(file, reports, {})).toThrow(/a job name must|has no jobs/)
})

describe('due times', () => {
  const at = (text: string) => new Date(`${text}:00`)
  it.each([
    ['day', '06:30', '2026-03-05T06:29', '2026-03-04T06:30', '2026-03-05T06:30'],
    ['day', '06:30', '2026-03-05T06:30', '2026-03-05T06:30', '2026-03-06T06:30'],
    ['hour', '00:15', '2026-03-05T06:10', '2026-03-05T05:15', '2026-03-05T06:15'],
    ['month', '02:00', '2026-03-01T01:00', '2026-02-01T02:00', '2026-03-01T02:00'],
    ['monday', '06:00', '2026-03-02T05:00', '2026-02-23T06:00', '2026-03-02T06:00'], // a Monday
    ['friday', '06:00', '2026-03-02T05:00', '2026-02-27T06:00', '2026-03-06T06:00'],
  ])('every %s at %s, on %s', (every, time, now, before, after) => {
    const due = { every: everyNamed(every) as 'day', at: timeOfDay(time) as number }
    expect([slotBefore(due, at(now)), slotAfter(due, at(now))]).toEqual([at(before), at(after)])
  })

  it('at any moment there is one last slot, one next slot, and none in between', () => {
    const moment = fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
    const every = fc.constantFrom('hour', 'day', 'month', 'sunday', 'wednesday', 'saturday')
    fc.assert(
      fc.property(moment, every, fc.integer({ min: 0, max: 1439 }), (now, every, minutes) => {
        const due = { every: every as 'day', at: minutes }
        const [before, after] = [slotBefore(due, now), slotAfter(due, now)]
        expect(before <= now && now < after).toBe(true)
        expect(slotBefore(due, new Date(after.getTime() - 1))).toEqual(before)
        expect(slotBefore(due, after)).toEqual(after)
        expect(slotsBetween(due, before, after)).toEqual([])
        expect(slotsBetween(due, before, slotAfter(due, after))).toEqual([after])
      }),
    )
  })
})

it('a service that does not answer is named, without a stack', async () => {
  const answers = serviceAnswers({ url: 'http://127.0.0.1:9', auth: () => 'token', retries: 0 })
  const report = reports.find(({ id }) => id === 'masters.material') as Report
  const failed = answers.fetch({ report, params: {}, format: 'csv' })
  await expect(failed).rejects.toThrow(/^http:\/\/127\.0\.0\.1:9 cannot be reached: .*; check that the service runs$/)
  await expect(failed).rejects.toBeInstanceOf(MillbookError)
})

it('signs a PUT like the example of the AWS documentation', () => {
  // "Example: PUT Object" of the Amazon S3 API reference, "Authenticating requests (AWS Signature Version 4)".
  const headers = sign({
    url: new URL('https://examplebucket.s3.amazonaws.com/test%24file.text'),
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    sha256: '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    ...{ region: 'us-east-1', keyId: 'AKIAIOSFODNN7EXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
    now: new Date('2013-05-24T00:00:00Z'),
  })
  expect(headers['authorization']).toContain(
    'Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  )
})
