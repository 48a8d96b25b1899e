/** orval makes functions over fetch. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, resultsOf, run, STRICT, TYPESCRIPT } from './client.mjs'

/** Version 8 needs Node 22.18 or newer. */
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
const ORVAL = major > 22 || (major === 22 && minor >= 18) ? 'orval@8.38.0' : 'orval@7.13.2'

/** @type {import('./client.mjs').Client} */
export default {
  name: 'orval',
  missing: () => undefined,
  async run(folder, target) {
    const { base_url, credentials, document, calls } = target
    const tool = await npm(folder, [ORVAL, TYPESCRIPT])
    const output = { target: 'client.ts', client: 'fetch', baseUrl: base_url }
    const config = { millbook: { input: { target: document }, output } }
    writeFileSync(join(folder, 'orval.config.cjs'), `module.exports = ${JSON.stringify(config)}`)
    await tool('orval', '--config', './orval.config.cjs')
    const fetches = calls.map(({ what, operationId, bodyType, values, query }) => {
      const args =
        bodyType === undefined
          ? JSON.stringify({ ...values, ...query })
          : `${JSON.stringify(values)}, ${JSON.stringify(query)}`
      return `show(${JSON.stringify(what)}, await client.${operationId}(${args}, options))`
    })
    writeFileSync(
      join(folder, 'fetch-all.ts'),
      `import * as client from './client.js'

const token = await client.token(${JSON.stringify({ grant_type: 'password', ...credentials })})
if (token.status !== 200) throw new Error(JSON.stringify(token.data))
const options = { headers: { authorization: \`Bearer \${token.data.access_token}\` } }
const show = (what: string, { status, data }: { status: number; data: unknown }) =>
  console.log(JSON.stringify({ what, records: status === 200 ? (data as { data: object[] }).data.length : status }))
${fetches.join('\n')}
`,
    )
    await tool('tsc', ...STRICT, 'fetch-all.ts')
    return resultsOf(await run(folder, process.execPath, ['fetch-all.js']), target)
  },
}
