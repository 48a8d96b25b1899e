/**
 * Runs a function of a Google Apps Script, refreshInvoices by default, with stand-ins for Google's services, and prints the rows and the log as JSON.
 * Requests are real, and synchronous as at Google: a child process sends each. Script properties are the variables MILLBOOK_*.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createContext, runInContext } from 'node:vm'
import { parse } from 'csv-parse/sync'

const SEND = `
const { url, options } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'))
fetch(url, options).then(async (response) => process.stdout.write(
  JSON.stringify({ status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() })))`

const UrlFetchApp = {
  fetch(/** @type {string} */ url, /** @type {any} */ { method, contentType, headers, payload, muteHttpExceptions }) {
    const options = {
      method: (method ?? 'get').toUpperCase(),
      headers: { ...headers, ...(contentType && { 'content-type': contentType }) },
      body: payload,
    }
    const input = JSON.stringify({ url, options })
    const {
      status,
      headers: sent,
      text,
    } = JSON.parse(execFileSync(process.execPath, ['-e', SEND], { input, encoding: 'utf8', maxBuffer: 1 << 28 }))
    if (status >= 400 && !muteHttpExceptions) throw new Error(`Request failed, returned code ${status}`)
    return { getResponseCode: () => status, getContentText: () => text, getHeaders: () => sent }
  },
}

/** @type {string[]} */
const log = []
/** @type {Record<string, any>} */
const sheets = {}
const sheet = (/** @type {string} */ name) => ({
  clear: () => {
    sheets[name] = {}
  },
  getRange(
    /** @type {number} */ row,
    /** @type {number} */ column,
    /** @type {number} */ rows,
    /** @type {number} */ columns,
  ) {
    // Like Google, refuse cells that do not fit the range.
    const keep = (/** @type {string} */ what) => (/** @type {unknown[][]} */ cells) => {
      if (row !== 1 || column !== 1 || cells.length !== rows || cells.some((cells) => cells.length !== columns))
        throw new Error(`${what} do not fit the range`)
      sheets[name][what] = cells
    }
    return { setValues: keep('values'), setNumberFormats: keep('formats') }
  },
})

const context = createContext({
  UrlFetchApp,
  SpreadsheetApp: {
    getActiveSpreadsheet: () => ({
      getSheetByName: (/** @type {string} */ name) => (name in sheets ? sheet(name) : null),
      insertSheet: sheet,
    }),
  },
  PropertiesService: {
    getScriptProperties: () => ({
      getProperties: () => Object.fromEntries(Object.entries(process.env).filter(([name]) => /^MILLBOOK_/.test(name))),
    }),
  },
  Utilities: {
    parseCsv: (/** @type {string} */ text) => parse(text),
    sleep: (/** @type {number} */ milliseconds) =>
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds),
  },
  console: { log: (/** @type {string} */ line) => log.push(line) },
})
runInContext(readFileSync(/** @type {string} */ (process.argv[2]), 'utf8'), context)
runInContext(`${process.argv[3] ?? 'refreshInvoices'}()`, context)
console.log(JSON.stringify({ sheets, log }))
