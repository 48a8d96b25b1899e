/**
 * Writes a saved view into the sheet "View" of a Google spreadsheet.
 *
 * Use:      Extensions > Apps Script, paste this file, run refreshView; for every night, add a time-driven trigger for it.
 * Settings: Apps Script has no environment. Set these script properties (Project Settings): MILLBOOK_URL, MILLBOOK_VIEW, the id of the view,
 *           and MILLBOOK_APP_PASSWORD. Google's servers must reach MILLBOOK_URL.
 *
 * A formula such as IMPORTDATA cannot do this, because it sends no password. Sheets calculates with 15 digits.
 *
 * Millbook's tests run this file with stand-ins for Google's services that send real requests; they do not run it at Google.
 */
function refreshView() {
  const { MILLBOOK_URL, MILLBOOK_VIEW, MILLBOOK_APP_PASSWORD } = PropertiesService.getScriptProperties().getProperties()
  const [names, ...rows] = Utilities.parseCsv(
    fetchCsv_(`${MILLBOOK_URL}/v1/views/${MILLBOOK_VIEW}/data?format=csv`, MILLBOOK_APP_PASSWORD),
  )
  const numeric = names.map((_, i) => rows.some((row) => row[i] !== '') && rows.every((row) => NUMBER.test(row[i])))
  const format = (i) => (numeric[i] ? '#,##0.########' : '@')
  const cell = (text, i) => (numeric[i] && text !== '' ? Number(text) : /^[=+\-@']/.test(text) ? `'${text}` : text)

  const book = SpreadsheetApp.getActiveSpreadsheet()
  const sheet = book.getSheetByName('View') || book.insertSheet('View')
  sheet.clear()
  const range = sheet.getRange(1, 1, rows.length + 1, names.length)
  range.setNumberFormats([names.map(() => '@'), ...rows.map((row) => row.map((_, i) => format(i)))])
  range.setValues([names, ...rows.map((row) => row.map(cell))])
  console.log(`${rows.length} records`)
}

/** A number, or no value. A code such as 0012 is no number. */
const NUMBER = /^(-?(0|[1-9]\d*)(\.\d+)?)?$/

/** Repeats the request after 429 and 503, when Retry-After has passed. */
function fetchCsv_(url, appPassword) {
  for (let attempt = 0; ; attempt++) {
    const response = UrlFetchApp.fetch(url, {
      headers: { Authorization: `Bearer ${appPassword}` },
      muteHttpExceptions: true,
    })
    const status = response.getResponseCode()
    if (status === 200) return response.getContentText()
    if ((status !== 429 && status !== 503) || attempt >= 5) throw new Error(`HTTP ${status}: ${response.getContentText()}`)
    const all = response.getHeaders()
    const after = Object.keys(all).find((name) => name.toLowerCase() === 'retry-after')
    Utilities.sleep(1000 * Number(after ? all[after] : 5))
  }
}
