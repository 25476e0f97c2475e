import { randomUUID } from 'node:crypto'
import { createRedactor, type Log, type Redactor } from '@svc/runtime'
import type { Policy, Principal, SafetyReport } from '@svc/engine'
import type { Config } from './config/config-shape.ts'
import { secretsOf } from './config/secrets.ts'
import { createDispatch, type Dispatch } from './dispatch/dispatch.ts'
import type { DispatchOptions, WritePipeline } from './dispatch/call-stages.ts'
import { createLateDispatch } from './dispatch/late-dispatch.ts'
import { createStatus } from './status/status.ts'
import type { ProvisionReport, StatusReport } from './tool-context.ts'
import type { Observer } from './observer.ts'

/**
 * The dispatch of a server. Where its wallet may be made later, the tool that makes it has another take its place, over the wallet;
 * `onWallet` hears of it. Calls that are answered later (tasks) begin with the next start then.
 */
export function openDispatch<Write extends ServedWrite>(
  place: DispatchPlace<Write>,
  onWallet: (write: Write) => void,
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

export type DispatchPlace<Write extends ServedWrite> = {
  readonly config: Config
  readonly adapters: DispatchAdapters<Write>
  readonly log: Log
  readonly isInForce: (principal: Principal) => boolean
  /** Where clients reach `/mcp`; `null` where they do not. */
  readonly servedAt: () => string | null
}

type DispatchAdapters<Write extends ServedWrite> = Pick<
  DispatchOptions,
  'tools' | 'toolsElsewhere' | 'ports' | 'tasks' | 'atOneBlock'
> & {
  readonly write: Write | null
  readonly provision?: Provision<Write> | null
  readonly policyNow?: () => Promise<Policy>
  readonly alerts?: StatusReport['alerts']
  readonly observer?: Observer | undefined
  readonly redactor?: Redactor
}

type ServedWrite = WritePipeline & { safety(principal: Principal): Promise<SafetyReport> }

/** Makes the wallet that is missing, once, whoever asks how often. Throws `ToolError`. */
export type Provision<Write> = (asked: { readonly requestId: string; readonly principalId: string }) => Promise<{
  /** The settings as they are from then on. */
  readonly config: Config
  readonly write: Write
  readonly report: ProvisionReport
}>

function dispatchOver(
  { config, adapters, log, isInForce, servedAt }: DispatchPlace<ServedWrite>,
  more: Pick<DispatchOptions, 'tasks' | 'provide' | 'provisioned'>,
): Dispatch {
  const { tools, toolsElsewhere = [], ports, write, policyNow, alerts, observer, atOneBlock } = adapters
  const safety = write === null ? null : (principal: Principal) => write.safety(principal)
  const { redactor = createRedactor(secretsOf(config)) } = adapters
  return createDispatch({
    tools,
    toolsElsewhere,
    profile: config.profile,
    toolsets: config.toolsets,
    sharesMemory: config.sharesMemory,
    watching: { everySeconds: config.watchSeconds, hasWebhook: config.webhook !== null },
    ports,
    status: createStatus({ config, ports, safety, policyNow, alerts, servedAt }),
    write,
    isInForce,
    log,
    scrub: (value) => redactor.scrub(value),
    now: Date.now,
    newRequestId: randomUUID,
    observe: observer?.call,
    ...(atOneBlock !== undefined && { atOneBlock }),
    ...more,
  })
}
