/** Declares members of the driver that this program uses and the published types lack; test/engine/driver.test.ts fails without it. */
import type { Duplex } from 'node:stream'

declare module 'pg' {
  interface ClientConfig {
    connection?: Connection
  }
  interface ClientBase {
    /** Whether the server waits for the next statement. */
    readonly readyForQuery?: boolean
    /** The parameters that a connection starts with. */
    getStartupConf(): Record<string, string>
  }
  interface Connection {
    connect(portOrPath: number | string, host?: string): void
    /** Called with the stream that brings the server's messages, decrypted. */
    attachListeners(stream: Duplex): void
  }
}
