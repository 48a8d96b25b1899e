/** openapi-generator makes a Python package with pydantic models that check each response. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingJava, missingPython, npm, pip, resultsOf } from './client.mjs'
import { keywords, python, snake } from './openapi-python-client.mjs'

const LIBRARIES = ['urllib3==2.8.0', 'python-dateutil==2.9.0.post0', 'pydantic==2.14.3', 'typing-extensions==4.16.0']

/** @type {import('./client.mjs').Client} */
export default {
  name: 'openapi-generator',
  missing: () => missingJava() ?? missingPython(),
  async run(folder, target) {
    const { base_url, credentials, document, calls } = target
    const generator = await npm(folder, ['@openapitools/openapi-generator-cli@2.32.0'])
    // The package is a small program that downloads the generator itself, of this version.
    writeFileSync(join(folder, 'openapitools.json'), '{ "generator-cli": { "version": "7.25.0" } }')
    const flags = ['-i', document, '-g', 'python', '-o', 'generated', '--package-name', 'client']
    await generator('openapi-generator-cli', 'generate', ...flags)
    const tool = await pip(folder, [...LIBRARIES, './generated'])
    await tool('python', '-m', 'compileall', '-q', 'generated')
    const fetches = calls.map(({ what, operationId, tag, bodyType, values, query }) => {
      const api = `client.${tag.charAt(0).toUpperCase()}${tag.slice(1)}Api(api)`
      const own = bodyType ? `${snake(bodyType)}=client.${bodyType}.from_dict(${python(values)})` : keywords(values)
      const args = [own, keywords(query)].filter(Boolean).join(', ')
      return `show(${python(what)}, ${api}.${snake(operationId)}(${args}))`
    })
    writeFileSync(
      join(folder, 'fetch_all.py'),
      `import json
from datetime import date
import client

def show(what, result):
    result = getattr(result, "actual_instance", result)
    print(json.dumps({"what": what, "records": len(result.data), "form": type(result).__name__}))

grant = client.PasswordGrant.from_dict(${python({ grant_type: 'password', ...credentials })})
configuration = client.Configuration(host="${base_url}")
with client.ApiClient(configuration) as api:
    token = client.AuthenticationApi(api).token(client.TokenRequest(grant))
    configuration.access_token = token.access_token
    ${fetches.join('\n    ')}
`,
    )
    return resultsOf(await tool('python', 'fetch_all.py'), target)
  },
}
