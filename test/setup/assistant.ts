/** An assistant that calls the tools, over the protocol and with the official client, which checks answers by their schemas. */
import { type CallToolResult, Client, type ClientOptions } from '@modelcontextprotocol/client'
import { InMemoryTransport } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { expect, onTestFinished } from 'vitest'
import type { Call } from '../../src/surfaces/mcp/refusal.js'
import { mcpServer } from '../../src/surfaces/mcp/server.js'
import type { Source } from '../../src/surfaces/mcp/source.js'

export interface Assistant {
  readonly client: Client
  /** The answer of a tool; fails for an error. */
  // biome-ignore lint/suspicious/noExplicitAny: an answer of any tool
  call(name: string, args: object): Promise<any>
  /** The error of a tool; fails for an answer. */
  fail(name: string, args: object): Promise<{ error: string; example?: Call }>
  result(name: string, args: object): Promise<CallToolResult>
}

export const MODERN: ClientOptions = { versionNegotiation: { mode: { pin: '2026-07-28' } } }

export async function assistantOn(source: Source, options: ClientOptions = MODERN): Promise<Assistant> {
  const [near, far] = InMemoryTransport.createLinkedPair()
  const errors: unknown[] = []
  const handle = serveStdio(() => mcpServer((work) => work(source), { onError: (error) => errors.push(error) }), {
    transport: far,
  })
  const client = new Client({ name: 'test', version: '1' }, options)
  await client.connect(near)
  onTestFinished(async () => {
    await client.close()
    await handle.close()
  })
  return callsBy(client, errors)
}

/** `errors` are the failures that the server has logged. */
export function callsBy(client: Client, errors: readonly unknown[] = []): Assistant {
  const result = async (name: string, args: object) => {
    const found = (await client.callTool({ name, arguments: args as Record<string, unknown> })) as CallToolResult
    if (errors.length > 0) throw errors[0]
    return found
  }
  const textOf = ({ content: [first] }: CallToolResult) => JSON.parse((first as { text: string }).text)
  return {
    client,
    result,
    async call(name, args) {
      const found = await result(name, args)
      expect(found.isError, JSON.stringify(found.content)).toBeFalsy()
      expect(found.structuredContent).toEqual(textOf(found))
      return found.structuredContent
    },
    async fail(name, args) {
      const found = await result(name, args)
      expect(found.isError, JSON.stringify(found.content)).toBe(true)
      return textOf(found)
    },
  }
}
