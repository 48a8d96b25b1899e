/**
 * Writes all invoices of a period into the sheet "Invoices" of a Google spreadsheet, one row per invoice.
 *
 * Use:      Extensions > Apps Script, paste this file, run refreshInvoices; for every night, add a time-driven trigger for it.
 * Settings: Apps Script has no environment. Set these script properties (Project Settings): MILLBOOK_URL, MILLBOOK_CLIENT_ID,
 *           MILLBOOK_CLIENT_SECRET, MILLBOOK_USERNAME, MILLBOOK_PASSWORD; MILLBOOK_FROM, MILLBOOK_TO, the first and the last day
 *           as YYYY-MM-DD; MILLBOOK_PER_PAGE (optional). Google's servers must reach MILLBOOK_URL.
 *
 * Sheets calculates with 15 digits; the total in the log is exact.
 *
 * Millbook's tests run this file with stand-ins for Google's services that send real requests; they do not run it at Google.
 */
const TEXT = '@'
const AMOUNT = '#,##0.00'
const COLUMNS = {
  invoice_no: TEXT,
  invoice_date: 'yyyy-mm-dd hh:mm:ss',
  due_date: 'yyyy-mm-dd',
  order_no: TEXT,
  customer_name: TEXT,
  place_of_supply: TEXT,
  sub_total: AMOUNT,
  total_tax: AMOUNT,
  total_amt: AMOUNT,
  round_amt: AMOUNT,
  final_amt: AMOUNT,
  invoice_status: TEXT,
}

function refreshInvoices() {
  const settings = PropertiesService.getScriptProperties().getProperties()
  const records = allInvoices_(settings, signIn_(settings))
  const names = Object.keys(COLUMNS)
  const rows = records.map((record) => names.map((name) => cell_(COLUMNS[name], record[name])))

  const book = SpreadsheetApp.getActiveSpreadsheet()
  const sheet = book.getSheetByName('Invoices') || book.insertSheet('Invoices')
  sheet.clear()
  const range = sheet.getRange(1, 1, rows.length + 1, names.length)
  range.setNumberFormats([names.map(() => TEXT), ...rows.map(() => names.map((name) => COLUMNS[name]))])
  range.setValues([names, ...rows])

  // Sums of whole hundredths are exact; sums of floating-point numbers are not.
  const total = records.reduce((sum, { total_amt }) => sum + BigInt(total_amt.replace('.', '')), BigInt(0))
  console.log(`${records.length} invoices, total_amt ${String(total).replace(/(\d\d)$/, '.$1')}`)
}

function signIn_(settings) {
  return send_(`${settings.MILLBOOK_URL}/oauth2/token`, {}, {
    grant_type: 'password',
    client_id: settings.MILLBOOK_CLIENT_ID,
    client_secret: settings.MILLBOOK_CLIENT_SECRET,
    username: settings.MILLBOOK_USERNAME,
    password: settings.MILLBOOK_PASSWORD,
  }).access_token
}

/** The records of all pages of one version. If send_ returns undefined (410), the walk begins again. */
function allInvoices_(settings, token) {
  const period = { from_date: settings.MILLBOOK_FROM, to_date: settings.MILLBOOK_TO }
  for (let walk = 0; walk < 5; walk++) {
    const records = []
    let url = `${settings.MILLBOOK_URL}/v1/sales/invoices?per-page=${settings.MILLBOOK_PER_PAGE || 1000}`
    while (url) {
      const page = send_(url, { Authorization: `Bearer ${token}` }, period)
      if (page === undefined) break
      records.push(...page.data)
      if (!page._links.next) return records
      url = page._links.next.href
    }
  }
  throw new Error('the data changes too often; run it again later')
}

/** Sends a POST, and repeats it after 429 and 503, when Retry-After has passed; returns undefined after 410. */
function send_(url, headers, body) {
  for (let attempt = 0; ; attempt++) {
    const response = UrlFetchApp.fetch(url, {
      method: 'post',
      contentType: 'application/json',
      headers,
      payload: JSON.stringify(body),
      muteHttpExceptions: true,
    })
    const status = response.getResponseCode()
    if (status === 200) return JSON.parse(response.getContentText())
    if (status === 410) return undefined
    if ((status !== 429 && status !== 503) || attempt >= 5) throw new Error(`HTTP ${status}: ${response.getContentText()}`)
    const all = response.getHeaders()
    const after = Object.keys(all).find((name) => name.toLowerCase() === 'retry-after')
    console.log(`HTTP ${status}; trying again in ${after ? all[after] : 5} s`)
    Utilities.sleep(1000 * Number(after ? all[after] : 5))
  }
}

/** A value for a cell. An apostrophe keeps a text from being run as a formula. */
function cell_(format, value) {
  if (value === null) return ''
  if (format === AMOUNT) return Number(value)
  return format === TEXT && /^[=+\-@']/.test(value) ? `'${value}` : value
}
