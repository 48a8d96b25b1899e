/** The client knows every report as it is declared. */
import { expect, it } from 'vitest'
import { reports } from '../../src/reports/index.js'
import { clientReports } from '../setup/client-reports.js'

it('src/client/reports.ts has every report; after a change, run `npm run client`', async () => {
  await expect(clientReports(reports)).toMatchFileSnapshot('../../src/client/reports.ts')
})
