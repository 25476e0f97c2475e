import type { StopCause } from '@svc/tool-server/until-stopped'
import { parseFlags } from '../parse-flags.ts'
import { UsageError } from '../usage-error.ts'

/** `svc serve`: the MCP server alone, configured by the environment. */
export async function serve(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const { transport } = parseFlags(argv, { values: ['transport'] })
  if (transport !== 'stdio' && transport !== 'http') {
    throw new UsageError('svc serve takes --transport stdio or --transport http')
  }
  const { runServer } = await import('@svc/tool-server')
  const onListening = (url: string) => void process.stderr.write(`svc listens on ${url}\n`)
  await runServer({ transport, environment: process.env, stopped, onListening })
  return 0
}
