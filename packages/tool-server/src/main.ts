#!/usr/bin/env node
import { runServer } from './run-server.ts'
import { untilStopped } from './until-stopped.ts'

// The production entry: one process, one server, everything else from the environment. It leaves by `exit`, because what
// is still open then (an endpoint that does not answer) must not hold up a process that was asked to end.
process.exit(await main(process.argv.slice(2)))

/** The exit code: 0 ended as asked, 1 the server failed, 2 the words of the call are off. */
async function main(argv: readonly string[]): Promise<number> {
  const stopped = untilStopped({ environment: process.env, foreground: false })
  const transport = readTransport(argv)
  if (transport === null) return fail('takes --transport stdio or --transport http, and nothing else', 2)
  try {
    const onListening = (lines: string) => void process.stderr.write(lines)
    await runServer({ transport, environment: process.env, stopped, onListening })
    return 0
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error), 1)
  }
}

function readTransport(argv: readonly string[]): 'stdio' | 'http' | null {
  const words = argv.join(' ').replace('--transport=', '--transport ')
  return words === '--transport stdio' ? 'stdio' : words === '--transport http' ? 'http' : null
}

function fail(message: string, exitCode: number): number {
  process.stderr.write(`svc-server: ${message}\n`)
  return exitCode
}
