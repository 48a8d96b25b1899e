/** Declares members of the driver that this program uses and the published types lack; test/engine/driver.test.ts fails without it. */
import type { Duplex } from 'node:stream'

declare module 'pg' {
  interface ClientConfig {
    connection?: Connection
  }
  interface QueryConfig {
    /** The most rows of an Execute; 0 for all. */
    rows?: number
  }
  interface Query {
    handlePortalSuspended(connection: Connection): void
    handleCommandComplete(message: unknown, connection: Connection): void
    handleError(error: Error, connection: Connection): void
  }
  interface ClientBase {
    /** Whether the server waits for the next statement. */
    readonly readyForQuery?: boolean
    /** The parameters that a connection starts with. */
    getStartupConf(): Record<string, string>
    /** Identify the session in a request to cancel its statement. */
    readonly processID: number | null
    readonly secretKey: number | null
  }
  interface Connection {
    connect(portOrPath: number | string, host?: string): void
    /** Called with the stream that brings the server's messages, decrypted. */
    attachListeners(stream: Duplex): void
    requestSsl(): void
    cancel(processID: number, secretKey: number): void
  }
}
