import type { StopCause } from '@svc/tool-server/until-stopped'
import { resolve } from 'node:path'
import { meantDirectory } from '../own-data-directory.ts'
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
  await runServer({ transport, environment, stopped, onListening, meant }).catch((error: unknown) => {
    if (!(error instanceof Error && 'code' in error)) throw error
    if (error.code === 'EADDRINUSE') {
      const message = 'another program listens on the address of SVC_LISTEN already. Name another one there'
      throw new Error(`${message}, such as 127.0.0.1:3001; with port 0 any free one is taken.`, { cause: error })
    }
    const obstacle = Object.entries(obstacles).find(([code]) => code === error.code)?.[1]
    if (obstacle === undefined || !('path' in error) || !concerns(String(error.path), directory)) throw error
    const fix = 'Name one that can be with --data-dir or SVC_DATA_DIR.'
    const message = `the data directory ${resolve(directory)} cannot be used: ${obstacle} (${String(error.code)}). ${fix}`
    throw new Error(message, { cause: error })
  })
  return 0
}

/** Whether a path is the directory, lies in it, or is on the way to it. */
function concerns(path: string, directory: string): boolean {
  const [one, other] = [`${resolve(path)}/`, `${resolve(directory)}/`]
  return one.startsWith(other) || other.startsWith(one)
}

/** Why the system lets nothing be kept in a directory. */
const obstacles = {
  EACCES: 'this user has no right to it',
  EPERM: 'this user has no right to it',
  EROFS: 'the file system is read-only',
  ENOENT: 'the system makes no directory there',
  ENOTDIR: 'a part of this path is a file and no directory',
  ENOSPC: 'the disk is full',
}
