/** The types of the client match the declared reports and formats. */
import { expect, it } from 'vitest'
import { formats } from '../../src/formats/index.js'
import { reports } from '../../src/reports/index.js'
import { clientFormats } from '../setup/client-formats.js'
import { clientReports } from '../setup/client-reports.js'

it('src/client/reports.ts has every report; after a change, run `npm run client`', async () => {
  await expect(clientReports(reports)).toMatchFileSnapshot('../../src/client/reports.ts')
})

it('src/client/formats.ts has every format of a file; after a change, run `npm run client`', async () => {
  await expect(clientFormats(formats)).toMatchFileSnapshot('../../src/client/formats.ts')
})
