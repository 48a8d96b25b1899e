/** openapi-python-client makes a typed Python package over httpx. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { missingPython, pip, resultsOf } from './client.mjs'

/** As the generator names modules and functions. */
export const snake = (/** @type {string} */ name) => name.replace(/(?<=[a-z0-9])([A-Z])/g, '_$1').toLowerCase()

/** @type {import('./client.mjs').Client} */
export default {
  name: 'openapi-python-client',
  missing: missingPython,
  async run(folder, target) {
    const { base_url, credentials, document, calls } = target
    const tool = await pip(folder, [
      'openapi-python-client==0.29.1',
      'mypy==2.4.1',
      'types-python-dateutil==2.9.0.20251115',
    ])
    const printed = await tool(
      'openapi-python-client',
      'generate',
      '--path',
      document,
      '--output-path',
      'client',
      '--meta',
      'none',
    )
    // The generator skips anything that it does not understand, with a warning, and goes on.
    if (/warning/i.test(printed)) throw new Error(printed)
    const fetches = calls.map(({ what, operationId, tag, bodyType, values, query }) => {
      const module = `${tag}.${snake(operationId)}`
      const { totals, ...others } = query
      const own = bodyType ? `body=models.${bodyType}.from_dict(${python(values)})` : keywords(values)
      const name = operationId.charAt(0).toUpperCase() + operationId.slice(1)
      const args = [own, keywords(others), totals && `totals=models.${name}Totals(${python(totals)})`]
        .filter(Boolean)
        .join(', ')
      return `import client.api.${module}\nshow(${python(what)}, client.api.${module}.sync_detailed(client=api, ${args}))`
    })
    writeFileSync(
      join(folder, 'fetch_all.py'),
      `import json
from datetime import date
from typing import Any
import client.api.authentication.token
from client import AuthenticatedClient, Client, models
from client.types import Response

grant = models.PasswordGrant.from_dict(${python({ grant_type: 'password', ...credentials })})
token = client.api.authentication.token.sync(client=Client("${base_url}"), body=grant)
assert isinstance(token, models.Token), token
api = AuthenticatedClient("${base_url}", token.access_token)

def show(what: str, response: Response[Any]) -> None:
    result: Any = response.parsed
    records = len(result.data) if response.status_code == 200 else 0
    print(json.dumps({"what": what, "records": records, "form": type(result).__name__}))

${fetches.join('\n')}
`,
    )
    // The generator's own client.py fails mypy 2 with any document.
    writeFileSync(join(folder, 'mypy.ini'), '[mypy]\n[mypy-client.client]\nignore_errors = True\n')
    await tool('mypy', 'client', 'fetch_all.py')
    return resultsOf(await tool('python', 'fetch_all.py'), target)
  },
}

/** A literal of Python, for values without booleans and nulls. */
export const python = (/** @type {unknown} */ value) => JSON.stringify(value)

/** Named arguments of Python; days as its own dates. */
export const keywords = (/** @type {Record<string, unknown>} */ values) =>
  Object.entries(values)
    .map(([name, value]) => {
      const isDay = /^\d{4}-\d\d-\d\d$/.test(String(value))
      return `${name}=${isDay ? `date.fromisoformat(${python(value)})` : python(value)}`
    })
    .join(', ')
