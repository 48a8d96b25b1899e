/** Downloads of reports. */
import { Failure, send } from '../api.js'
import { requestOf, sentOf, type View } from '../ask.js'
import type { CatalogueReport, Values } from '../catalogue.js'

/** Saves a view as a file under the name that the service gives it. Returns an error message, or undefined. */
export async function saveFile(
  report: CatalogueReport,
  values: Values,
  view: View,
  extra: Readonly<Record<string, string>> & { readonly format: string },
): Promise<string | undefined> {
  try {
    const request = requestOf(report, values, view, extra)
    const response = await send(request.path, sentOf(request))
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1]
    save(await response.blob(), name ?? `${report.id}.${extra.format}`)
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
