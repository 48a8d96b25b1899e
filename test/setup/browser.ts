/** A browser that keeps cookies and fills in forms, without a network. */
import type { FastifyInstance, LightMyRequestResponse } from 'fastify'

interface Sent {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  form?: Record<string, string>
  /** A JSON value, or bytes. */
  json?: unknown
}

export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #app: FastifyInstance
  /** The address of the browser's machine. */
  readonly #address: string

  constructor(app: FastifyInstance, address = '127.0.0.1') {
    this.#app = app
    this.#address = address
  }

  async send(url: string, { method = 'GET', headers = {}, form, json }: Sent = {}): Promise<LightMyRequestResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const body = form === undefined ? json : new URLSearchParams(form).toString()
    const response = await this.#app.inject({
      ...{ method, url: url.replace(/^https?:\/\/[^/]+/, ''), remoteAddress: this.#address },
      headers: {
        host: 'millbook.example',
        ...(cookie !== '' && { cookie }),
        ...(method !== 'GET' && { origin: 'http://millbook.example' }),
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...headers,
      },
      ...(body !== undefined && { payload: body as object }),
    })
    for (const set of [response.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    return response
  }

  post(url: string, sent: Omit<Sent, 'method'> = {}): Promise<LightMyRequestResponse> {
    return this.send(url, { ...sent, method: 'POST' })
  }

  /** Sends the form of a page with the typed values. */
  submit(page: LightMyRequestResponse, typed: Record<string, string>, headers: Record<string, string> = {}) {
    const [, action = ''] = /<form method="post" action="([^"]+)"/.exec(page.body) ?? []
    return this.post(action, { form: { ...hiddenFields(page.body), ...typed }, headers })
  }
}

export const hiddenFields = (page: string): Record<string, string> =>
  Object.fromEntries(
    [...page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)].map(([, name = '', value = '']) => [
      name,
      value.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&lt;', '<').replaceAll('&amp;', '&'),
    ]),
  )
