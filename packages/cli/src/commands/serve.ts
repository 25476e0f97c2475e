import type { StopCause } from '@svc/tool-server/until-stopped'
import { directoryRefusal, meantDirectory } from '../own-data-directory.ts'
import { parseFlags } from '../parse-words-and-flags.ts'
import { UsageError } from '../usage-error.ts'

/** `svc serve`: the MCP server alone, configured by the environment. */
export async function serve(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const { transport, 'data-dir': dataDir } = parseFlags(argv, { values: ['transport', 'data-dir'] })
  if (transport !== 'stdio' && transport !== 'http') {
    throw new UsageError('svc serve takes --transport stdio or --transport http')
  }
  if (dataDir === '') throw new UsageError('--data-dir takes the name of a directory')
  const environment = dataDir === undefined ? process.env : { ...process.env, SVC_DATA_DIR: dataDir }
  const directory = environment['SVC_DATA_DIR'] || '.svc'
  const meant = await meantDirectory(directory)
  const { runServer } = await import('@svc/tool-server')
  const onListening = (lines: string) => void process.stderr.write(lines)
  await runServer({ transport, environment, stopped, onListening, meant }).catch(async (error: unknown) => {
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error.code === 'EADDRINUSE') {
      const message = `another program listens on ${listenedOn(error)} (SVC_LISTEN) already. Name another one there`
      throw new Error(`${message}, such as 127.0.0.1:3001; with port 0 any free one is taken.`, { cause: error })
    }
    throw (await directoryRefusal(error, directory, 'Name one that can be with --data-dir or SVC_DATA_DIR.')) ?? error
  })
  return 0
}

/** For example `127.0.0.1:3000`. */
function listenedOn(error: Error): string {
  const address = 'address' in error ? String(error.address) : ''
  const host = address.includes(':') ? `[${address}]` : address
  return 'port' in error ? `${host}:${String(error.port)}` : host
}
