/** The request of a view in several languages. The token is left out; each snippet shows where it goes. */
import type { Request } from '../ask.js'

export interface Snippet {
  readonly name: string
  readonly text: string
}

export function snippetsOf({ path, method, body }: Request, origin: string): Snippet[] {
  const url = origin + path
  const json = body === undefined ? undefined : JSON.stringify(body)
  return [
    { name: 'curl', text: curl(url, method, json) },
    { name: 'TypeScript', text: typescript(url, method, body) },
    { name: 'Python', text: python(url, method, body) },
    { name: 'Power Query', text: powerQuery(origin, path, body) },
  ]
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`

const curl = (url: string, method: string, json: string | undefined) =>
  [
    `curl ${quoted(url)}`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    '-H "Authorization: Bearer $MILLBOOK_TOKEN"',
    ...(json === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(json)}`]),
  ].join(' \\\n  ')

const typescript = (
  url: string,
  method: string,
  body: unknown,
) => `const response = await fetch(${JSON.stringify(url)}, {
  method: '${method}',
  headers: {
    authorization: \`Bearer \${process.env.MILLBOOK_TOKEN}\`,${body === undefined ? '' : "\n    'content-type': 'application/json',"}
  },${body === undefined ? '' : `\n  body: JSON.stringify(${JSON.stringify(body)}),`}
})
if (!response.ok) throw new Error(await response.text())
const { data } = await response.json()`

const pythonValue = (value: unknown): string => (typeof value === 'number' ? String(value) : JSON.stringify(value))

const python = (
  url: string,
  method: string,
  body: Readonly<Record<string, unknown>> | undefined,
) => `import os, requests

response = requests.request(
    "${method}", ${JSON.stringify(url)},
    headers={"Authorization": f"Bearer {os.environ['MILLBOOK_TOKEN']}"},${
      body === undefined
        ? ''
        : `\n    json={${Object.entries(body)
            .map(([name, value]) => `${JSON.stringify(name)}: ${pythonValue(value)}`)
            .join(', ')}},`
    }
)
response.raise_for_status()
data = response.json()["data"]`

const m = (text: string) => `"${text.replaceAll('"', '""')}"`

/** A body makes Web.Contents send a POST. */
function powerQuery(origin: string, path: string, body: Readonly<Record<string, unknown>> | undefined): string {
  const [relative = '', search = ''] = path.split('?')
  const query = [...new URLSearchParams(search)]
  const byName = new Map<string, string[]>()
  for (const [name, value] of query) byName.set(name, [...(byName.get(name) ?? []), value])
  const fields = [...byName].map(
    ([name, values]) =>
      `#${m(name)} = ${values.length === 1 ? m(values[0] as string) : `{${values.map(m).join(', ')}}`}`,
  )
  return `let
  Token = MillbookToken,  // a parameter of the workbook
  Response = Web.Contents(${m(origin)}, [
    RelativePath = ${m(relative.slice(1))},${fields.length === 0 ? '' : `\n    Query = [${fields.join(', ')}],`}${
      body === undefined ? '' : `\n    Content = Text.ToBinary(${m(JSON.stringify(body))}),`
    }
    Headers = [Authorization = "Bearer " & Token${body === undefined ? '' : ', #"Content-Type" = "application/json"'}]
  ]),
  Data = Json.Document(Response)[data],
  Table = Table.FromRecords(Data)
in
  Table`
}
