import { randomBytes } from 'node:crypto'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { operatorName } from '../own-data-directory.ts'
import { parseFlags, parseWholeNumber } from '../parse-flags.ts'
import { openOperations } from './open-operations.ts'
import { servePage } from './page/serve-page.ts'

/** `svc approvals page`: the same as the other commands in a browser of this machine, until Ctrl-C. */
export async function page(argv: readonly string[], stopped: Promise<StopCause>): Promise<number> {
  const flags = parseFlags(argv, { values: ['data-dir', 'port'] })
  const port = parseWholeNumber('--port', flags.port, 0, 65_535) ?? 0
  const open = await openOperations(flags['data-dir'], process.env)
  try {
    const served = await servePage({
      operations: open.operations,
      port,
      by: operatorName(),
      now: Date.now,
      newToken: () => randomBytes(32).toString('base64url'),
    })
    process.stdout.write(`Open this once, in a browser of this machine; Ctrl-C ends it.\n\n  ${served.url}\n`)
    await stopped
    await served.close()
    return 0
  } finally {
    await open.close()
  }
}
