import { randomUUID } from 'node:crypto'
import { createRedactor, type Log, type Redactor, withinTime } from '@svc/runtime'
import type { Policy, Principal, SafetyReport } from '@svc/engine'
import type { Config } from './config/config-shape.ts'
import { secretsOf } from './config/secrets.ts'
import { createDispatch, type Dispatch } from './dispatch/dispatch.ts'
import type { DispatchOptions } from './dispatch/call-stages.ts'
import type { WritePipeline } from './dispatch/carry-out.ts'
import { createStatus } from './status/status.ts'
import type { ProvisionReport, StatusReport } from './tool-context.ts'
import type { Observer } from './observer.ts'
import { ToolError } from '@svc/amm'

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

/** A dispatch whose place another takes while the server serves. What is asked of it goes to the one that stands there then. */
function createLateDispatch(first: Dispatch): Dispatch & { become(next: Dispatch): void } {
  let now = first
  const listeners: Parameters<Dispatch['watches']['listen']>[0][] = []
  return Object.freeze({
    // What is offered once, at the beginning of a session, stays as it was.
    tasks: null,
    list: (...asked: Parameters<Dispatch['list']>) => now.list(...asked),
    has: (name: string) => now.has(name),
    missingScope: (...asked: Parameters<Dispatch['missingScope']>) => now.missingScope(...asked),
    pictures: {
      list: (principalId: string) => now.pictures.list(principalId),
      read: (...asked: Parameters<Dispatch['pictures']['read']>) => now.pictures.read(...asked),
    },
    watches: {
      list: (...asked: Parameters<Dispatch['watches']['list']>) => now.watches.list(...asked),
      read: (...asked: Parameters<Dispatch['watches']['read']>) => now.watches.read(...asked),
      publish: (...asked: Parameters<Dispatch['watches']['publish']>) => now.watches.publish(...asked),
      listen: (listener: (typeof listeners)[number]) => {
        listeners.push(listener)
        now.watches.listen(listener)
      },
    },
    asksClient: (name: string) => now.asksClient(name),
    guides: () => now.guides(),
    call: (...asked: Parameters<Dispatch['call']>) => now.call(...asked),
    handle: (...asked: Parameters<Dispatch['handle']>) => now.handle(...asked),
    carryOutDue: (...asked: Parameters<Dispatch['carryOutDue']>) => now.carryOutDue(...asked),
    become(next: Dispatch) {
      now = next
      for (const listener of listeners) next.watches.listen(listener)
    },
  })
}

/**
 * Makes no wallet for a server that closes. One whose making had begun stands in the settings for the next start: what was opened over it is
 * closed again, and nothing begins over it.
 */
export function provisionUntilClosing<Write extends { close(): Promise<void> }>(
  provision: Provision<Write>,
  closing: AbortSignal,
): UntilClosing<Write> {
  const underWay = new Set<Promise<unknown>>()
  const make: Provision<Write> = async (asked) => {
    if (closing.aborted) throw serverCloses()
    const made = await provision(asked)
    if (!closing.aborted) return made
    await made.write.close()
    throw serverCloses()
  }
  return {
    provision(asked) {
      const making = make(asked)
      underWay.add(making)
      const leave = () => void underWay.delete(making)
      making.then(leave, leave)
      return making
    },
    settled: () => withinTime<unknown>(Promise.allSettled(underWay), settledWithinMs, null),
  }
}

type UntilClosing<Write> = {
  readonly provision: Provision<Write>
  /** Waits a bounded time for what is under way. */
  settled(): Promise<unknown>
}

/** As long as closing waits for writes. */
const settledWithinMs = 10_000

function serverCloses(): ToolError {
  return new ToolError('SERVER_BUSY', 'The server is closing.')
}
