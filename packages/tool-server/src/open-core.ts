import { randomBytes } from 'node:crypto'
import type { Log } from '@svc/runtime'
import type { Dispatch } from './dispatch/dispatch.ts'
import { instructions } from './instructions.ts'
import { type Lazy, lazily } from './lazily.ts'
import { version } from './status/status.ts'
import type { McpTesting } from './transports/mcp-server.ts'
import type { Protocol } from './transports/protocol.ts'
import type { ServerInfo } from './transports/protocol-facts.ts'

/** What every transport answers with: the pipeline of a call, and the protocol library over it, which is read when it is first asked for. */
export function openCore(dispatch: Dispatch, { testing = null, mostStreams, log, closing }: CoreOptions): Core {
  const info = { name: 'svc', title: 'Liquidity tool server', version }
  const protocol = lazily(async () => {
    const { createProtocol } = await import('./transports/protocol.ts')
    const common = { dispatch, info, testing, log, closing }
    return createProtocol({ ...common, instructions, stateKey: randomBytes(32), mostStreams, now: Date.now })
  })
  return { dispatch, info, testing, protocol }
}

type CoreOptions = {
  readonly testing?: McpTesting | null
  /** How many streams there may be outside of sessions. */
  readonly mostStreams: number
  readonly log: Log
  /** Aborted when the server begins to close. */
  readonly closing: AbortSignal
}

export type Core = {
  readonly dispatch: Dispatch
  readonly info: ServerInfo
  readonly testing: McpTesting | null
  readonly protocol: Lazy<Protocol>
}
