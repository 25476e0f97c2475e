import { readConfig } from './config.ts'
import { openServer } from './open-server.ts'

/**
 * The whole life of a server process: opens what the environment describes, serves it, and closes it in good order when
 * the process is asked to end or, over stdio, when the client has gone. `onListening` hears the address. Throws as
 * `readConfig` and `openServer` do.
 */
export async function runServer({ transport, environment, stopped, onListening }: RunOptions): Promise<void> {
  const server = await openServer(readConfig(environment))
  try {
    if (transport === 'stdio') {
      await Promise.race([server.serveStdio(), stopped])
      return
    }
    const { url } = await server.listen()
    onListening(url)
    await stopped
  } finally {
    await server.close()
  }
}

export type RunOptions = {
  readonly transport: 'stdio' | 'http'
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Settles when the process is asked to end. */
  readonly stopped: Promise<unknown>
  readonly onListening: (url: string) => void
}
