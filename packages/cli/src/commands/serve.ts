import { openServer, readConfig } from '@svc/tool-server'
import { parseFlags } from '../parse-flags.ts'
import { untilStopped } from '../until-stopped.ts'
import { UsageError } from '../usage-error.ts'

/** `svc serve`: the MCP server alone, configured by the environment. */
export async function serve(argv: readonly string[]): Promise<number> {
  const { transport } = parseFlags(argv, { values: ['transport'] })
  if (transport !== 'stdio' && transport !== 'http') {
    throw new UsageError('svc serve takes --transport stdio or --transport http')
  }
  const stopped = untilStopped()
  const server = await openServer(readConfig(process.env))
  try {
    if (transport === 'stdio') {
      await Promise.race([server.serveStdio(), stopped])
    } else {
      const { url } = await server.listen()
      process.stderr.write(`svc listens on ${url}\n`)
      await stopped
    }
  } finally {
    await server.close()
  }
  return 0
}
