import { randomUUID } from 'node:crypto'
import { createRedactor, type Log } from '@svc/runtime'
import type { Principal } from '@svc/engine'
import type { Config } from './config/config-shape.ts'
import { secretsOf } from './config/secrets.ts'
import { createDispatch, type Dispatch } from './dispatch/dispatch.ts'
import type { DispatchOptions } from './dispatch/call-stages.ts'
import { createLateDispatch } from './dispatch/late-dispatch.ts'
import type { Adapters } from './server.ts'
import { createStatus } from './status/status.ts'

/**
 * The dispatch of a server. Where its wallet may be made later, the tool that makes it has another take its place, over the wallet;
 * `onWallet` hears of it. Calls that are answered later (tasks) begin with the next start then.
 */
export function openDispatch(
  place: DispatchPlace,
  onWallet: (write: NonNullable<Adapters['write']>) => void,
): Dispatch {
  const { adapters } = place
  const { provision = null, write, ports } = adapters
  if (provision === null) return dispatchOver(place, { tasks: adapters.tasks ?? write?.tasks })
  let made: Dispatch | null = null
  const late = createLateDispatch(
    dispatchOver(place, {
      provide: async (tool, call) => {
        const { requestId, principal } = call
        const { config, write: opened, report } = await provision({ requestId, principalId: principal.id })
        if (made === null) {
          const withWallet = { ...adapters, write: opened, ports: { ...ports, agentAddress: opened.wallet.address } }
          made = dispatchOver({ ...place, config, adapters: withWallet }, { provisioned: report })
          late.become(made)
          onWallet(opened)
        }
        return made.handle(tool, call)
      },
    }),
  )
  return late
}

export type DispatchPlace = {
  readonly config: Config
  readonly adapters: Adapters
  readonly log: Log
  readonly isInForce: (principal: Principal) => boolean
  /** Where clients reach `/mcp`; `null` where they do not. */
  readonly servedAt: () => string | null
}

function dispatchOver(
  { config, adapters, log, isInForce, servedAt }: DispatchPlace,
  more: Pick<DispatchOptions, 'tasks' | 'provide' | 'provisioned'>,
): Dispatch {
  const { tools, toolsElsewhere = [], ports, write, policyNow, atOneBlock } = adapters
  const safety = write === null ? null : (principal: Principal) => write.safety(principal)
  const redactor = createRedactor(secretsOf(config))
  return createDispatch({
    tools,
    toolsElsewhere,
    profile: config.profile,
    toolsets: config.toolsets,
    sharesMemory: config.sharesMemory,
    watching: { everySeconds: config.watchSeconds, hasWebhook: config.webhook !== null },
    ports,
    status: createStatus({ config, ports, safety, policyNow, servedAt }),
    write,
    isInForce,
    log,
    scrub: (value) => redactor.scrub(value),
    now: Date.now,
    newRequestId: randomUUID,
    ...(atOneBlock !== undefined && { atOneBlock }),
    ...more,
  })
}
