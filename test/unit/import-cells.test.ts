/** Cells as databases export them: trailing zeros, dates with a time of midnight. */
import { expect, it } from 'vitest'
import {
  Amount,
  ClockTime,
  type Column,
  Day,
  Integer,
  Moment,
  Percent,
  Price,
  Quantity,
} from '../../src/import/columns.js'

const cases: [name: string, column: Column, accepted: Record<string, string>, refused: string[]][] = [
  [
    'an amount',
    Amount(''),
    { '201.0400': '201.04', '201.04': '201.04', '201.4': '201.4', '7': '7', '7.000000000000': '7.00' },
    ['201.041', '201.0401', '201.', '.5', '201.04 ', '1e2'],
  ],
  ['a price', Price(''), { '0.333333': '0.333333', '12.50000000': '12.500000' }, ['0.3333333', '0.33333301']],
  ['a negative price', Price('', { smallest: 'any' }), { '-0.0000010': '-0.000001' }, ['-0.0000001']],
  ['a quantity', Quantity('', { smallest: 'above zero' }), { '0.00010': '0.0001' }, ['0.00000', '0.00001']],
  ['a percentage', Percent(''), { '8.87500': '8.8750', '100.0000': '100.0000' }, ['8.87501', '100.0001']],
  ['a whole number', Integer(1, ''), { '30.0': '30', '30': '30' }, ['30.5', '0.0', '030']],
  [
    'a day',
    Day(''),
    {
      '2011-04-16': '2011-04-16',
      '2011-04-16 00:00:00': '2011-04-16',
      '2011-04-16 00:00:00.000': '2011-04-16',
      '2011-04-16T00:00:00.0000000': '2011-04-16',
    },
    ['2011-04-16 00:00:01', '2011-04-16 00:00:00.001', '2011-04-31', '2011-04-16 00:00', '2011-04-16T00:00:00Z'],
  ],
  [
    'a time',
    Moment(''),
    {
      '2011-04-16': '2011-04-16 00:00:00',
      '2011-04-16 14:30:05.997': '2011-04-16 14:30:05',
      '2011-04-16T14:30:05': '2011-04-16 14:30:05',
    },
    ['2011-04-16 24:00:00', '2011-04-16 14:30', '2011-04-16T14:30:05Z', '2011-04-16 14:30:05.'],
  ],
  ['a time of day', ClockTime(''), { '14:30:05': '14:30:05', '14:30:05.0000000': '14:30:05' }, ['14:30', '24:00:00']],
]

it.each(cases)('%s', (_, column, accepted, refused) => {
  for (const [cell, stored] of Object.entries(accepted)) expect([cell, column.read(cell)]).toEqual([cell, stored])
  for (const cell of refused) expect([cell, column.read(cell)]).toEqual([cell, undefined])
})
