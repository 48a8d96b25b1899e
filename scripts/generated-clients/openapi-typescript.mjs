/** openapi-typescript makes types, openapi-fetch makes calls with them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npm, resultsOf, run, STRICT, TYPESCRIPT } from './client.mjs'

/** @type {import('./client.mjs').Client} */
export default {
  name: 'openapi-typescript',
  missing: () => undefined,
  async run(folder, target) {
    const { base_url, credentials, document, calls } = target
    const tool = await npm(folder, ['openapi-typescript@7.13.0', 'openapi-fetch@0.17.0', TYPESCRIPT])
    await tool('openapi-typescript', document, '-o', 'schema.d.ts')
    const fetches = calls.map(({ what, path, method, bodyType, values, query, form }) => {
      const options =
        bodyType === undefined ? { params: { query: { ...values, ...query } } } : { body: values, params: { query } }
      // The type of a response has a form for each kind of question: a caller names the one that it asked for.
      return `show<Forms['${form}']>(${JSON.stringify(what)}, await client.${method}(${JSON.stringify(path)}, ${JSON.stringify(options)}))`
    })
    writeFileSync(
      join(folder, 'fetch-all.ts'),
      `import createClient from 'openapi-fetch'
import type { components, paths } from './schema.js'

const client = createClient<paths>({ baseUrl: '${base_url}' })
const token = await client.POST('/oauth2/token', { body: ${JSON.stringify({ grant_type: 'password', ...credentials })} })
if (token.data === undefined) throw new Error(JSON.stringify(token.error))
const authorization = \`Bearer \${token.data.access_token}\`
client.use({ onRequest: ({ request }) => request.headers.set('authorization', authorization) })
type Forms = components['schemas']
const show = <F extends { data: object[] }>(
  what: string,
  { data, error }: { data?: { data: object[] } | F; error?: { detail?: string } },
) => {
  const answer = data as F | undefined
  console.log(JSON.stringify({ what, records: answer?.data.length ?? error?.detail }))
}
${fetches.join('\n')}
`,
    )
    await tool('tsc', ...STRICT, 'fetch-all.ts')
    return resultsOf(await run(folder, process.execPath, ['fetch-all.js']), target)
  },
}
