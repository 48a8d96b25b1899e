/** Downloads of reports. */
import { Failure, type Sent, send } from '../api.js'
import { requestOf, sentOf, type View } from '../ask.js'
import type { CatalogueReport, Values } from '../catalogue.js'

/** Saves a view as a file under the name that the service gives it. Returns an error message, or undefined. */
export async function saveFile(
  report: CatalogueReport,
  values: Values,
  view: View,
  extra: Readonly<Record<string, string>> & { readonly format: string },
): Promise<string | undefined> {
  const request = requestOf(report, values, view, extra)
  return await saveFrom(request.path, `${report.id}.${extra.format}`, sentOf(request))
}

/** Saves a response as a file, by its own name or else by this one. Returns an error message, or undefined. */
export async function saveFrom(path: string, otherwise: string, sent: Sent = {}): Promise<string | undefined> {
  try {
    const response = await send(path, sent)
    const named = response.headers.get('content-disposition') ?? ''
    const name = /filename\*=UTF-8''([^;]+)/.exec(named)?.[1]
    save(await response.blob(), name ? decodeURIComponent(name) : (/filename="([^"]+)"/.exec(named)?.[1] ?? otherwise))
    return undefined
  } catch (error) {
    return error instanceof Failure ? error.message : 'The download was interrupted; try again.'
  }
}

function save(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}
