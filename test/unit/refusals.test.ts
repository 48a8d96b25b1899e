/** Every SQLSTATE of PostgreSQL (its manual, appendix A) becomes a problem, and only faults of this program give 500. */
import { expect, it } from 'vitest'
import { toProblem } from '../../src/http/errors.js'

const READ_ONLY = /^The database is read-only, or a standby that is not promoted yet; try again in 5 seconds\.$/
const AWAY = /^The database does not respond; try again in 5 seconds\.$/
const LOGIN = /^The database refuses the login of the service;/
const SESSION = /^A prepared statement is in another session: a pooler before the database must pool sessions;/
const TABLES = /^The database does not have the tables of this version of the service;/

/** By class: the rest of each code, its status, and the detail of a 503. */
const classes: Record<string, [rest: string, status: number, detail?: RegExp][]> = {
  '03': [['000', 500]], // SQL statement not yet complete
  '08': [['000 001 003 004 006 007 P01', 503, AWAY]], // connection exception
  '09': [['000', 500]], // triggered action exception
  '0A': [['000', 500]], // feature not supported
  '0B': [['000', 500]], // invalid transaction initiation
  '0F': [['000 001', 500]], // locator exception
  '0L': [['000 P01', 500]], // invalid grantor
  '0P': [['000', 500]], // invalid role specification
  '0Z': [['000 002', 500]], // diagnostics exception
  10: [['608', 500]], // XQuery error
  20: [['000', 500]], // case not found
  21: [['000', 500]], // cardinality violation
  22: [
    [
      '000 001 002 003 004 005 007 008 009 00B 00C 00D 00F 00G 00H 00L 00M 00N 00S 00T 010 011 012 013 014 015 016 018 019 01B 01E 01F 01G 01W 01X 021 022 023 024 025 026 027 02E 02G 02H 030 031 032 033 034 035 036 037 038 039 03A 03B 03C 03D 03E 03F 03G P01 P02 P03 P04 P05 P06',
      500,
    ],
  ], // data exception
  23: [['000 001 502 503 505 514 P01', 500]], // integrity constraint violation
  24: [['000', 500]], // invalid cursor state
  25: [
    ['000 001 002 003 004 005 007 008 P01 P02', 500], // invalid transaction state
    ['006', 503, READ_ONLY],
    ['P03', 503, /^The database ended a transaction that was idle/],
    ['P04', 503, /^The database ended a transaction that took too long/],
  ],
  26: [['000', 503, SESSION]], // invalid SQL statement name
  27: [['000', 500]], // triggered data change violation
  28: [['000 P01', 503, LOGIN]], // invalid authorization specification
  '2B': [['000 P01', 500]], // dependent privilege descriptors still exist
  '2D': [['000', 500]], // invalid transaction termination
  '2F': [['000 002 003 004 005', 500]], // SQL routine exception
  34: [['000', 500]], // invalid cursor name
  38: [['000 001 002 003 004', 500]], // external routine exception
  39: [['000 001 004 P01 P02 P03', 500]], // external routine invocation exception
  '3B': [['000 001', 500]], // savepoint exception
  '3D': [['000', 503, /^The database does not exist;/]], // invalid catalog name
  '3F': [['000', 503, TABLES]], // invalid schema name
  40: [['000 001 002 003 P01', 503, /^The database rolled the transaction back/]], // transaction rollback
  42: [
    [
      '000 601 602 611 622 701 702 710 712 723 725 803 804 809 830 846 8C9 939 P02 P03 P04 P06 P07 P08 P09 P10 P11 P12 P13 P14 P15 P16 P17 P18 P19 P20 P21 P22',
      500,
    ], // syntax error
    ['501', 503, /^The database denies the service a right that it needs;/],
    ['703 704 883 P01', 503, TABLES],
    ['P05', 503, SESSION],
  ],
  44: [['000', 500]], // with check option violation
  53: [['000 100 200 300 400', 503, /^The database lacks memory, disk space or connections;/]], // insufficient resources
  54: [['000 001 011 023', 500]], // program limit exceeded
  55: [
    ['000 006 P02 P04', 503, /^The database is not in a state to do this/], // object not in prerequisite state
    ['P03', 503, /^The data is locked/],
  ],
  57: [
    ['014', 504], // the time limit of a report
    ['000 P01 P02 P03 P04 P05', 503, AWAY], // operator intervention
  ],
  58: [['000 030 P01 P02 P03', 503, /^The database reported a failure of its system/]], // system error
  72: [['000', 503, /^The database no longer has the state/]], // snapshot failure
  F0: [['000 001', 503, /^The database has an error in its configuration;/]], // configuration file error
  HV: [
    [
      '000 001 002 004 005 006 007 008 009 00A 00B 00C 00D 00J 00K 00L 00M 00N 00P 00Q 00R 010 014 021 024 090 091',
      503,
      /^The database cannot use another database/,
    ],
  ], // foreign data wrapper error
  P0: [['000 001 002 003 004', 500]], // PL/pgSQL error: our functions raise none for a right request
  XX: [['000 001 002', 503, /^The database reported an internal failure/]], // internal error
}

const codes = Object.entries(classes).flatMap(([of, groups]) =>
  groups.flatMap(([rest, status, detail]) => rest.split(' ').map((end) => ({ code: of + end, status, detail }))),
)

it.each(codes)('$code gives $status', ({ code, status, detail }) => {
  const refused = Object.assign(new Error('said by PostgreSQL'), { code, severity: 'ERROR' })
  // The OAuth library wraps errors in `inner`, this program in `cause`.
  for (const error of [
    refused,
    Object.assign(new Error('x'), { inner: refused }),
    new Error('x', { cause: refused }),
  ]) {
    const problem = toProblem(error)
    expect(problem.status).toBe(status)
    if (status === 503) {
      expect(problem.detail).toMatch(detail as RegExp)
      expect([problem.cause, Number(problem.headers['retry-after'])]).toEqual([refused, expect.any(Number)])
    }
  }
})
