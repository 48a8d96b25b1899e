/** The resources that tokens open (RFC 8707): the API, or the tools of assistants at /mcp. A token opens one of them. */

/** Null is the API. */
export type Resource = 'mcp' | null

export const MCP_PATH = '/mcp'

/** The resource that a URI names at this origin; undefined for any other URI. */
export function resourceAt(uri: string, origin: string): Resource | undefined {
  const named = uri.replace(/\/$/, '')
  if (named === origin) return null
  return named === `${origin}${MCP_PATH}` ? 'mcp' : undefined
}

export const notAResource = (origin: string): string =>
  `resource must be ${origin} for the API or ${origin}${MCP_PATH} for assistants; leave it out for the API`
