import type { RpcListener } from '@svc/amm/rpc'
import type { EngineObserver, Principal } from '@svc/engine'
import type { Log } from '@svc/runtime'
import type { Authentication } from './auth/authenticate.ts'
import type { CallResult } from './dispatch/call-result.ts'

/**
 * Who hears what a server does: to count it, to announce it, to trace it. Each layer calls it at one place; a member that is absent costs
 * nothing there. It throws nothing of its own and changes nothing.
 */
export type Observer = EngineObserver & {
  /** Runs one call of a tool, and gives what that gives. */
  readonly call?: ((call: ObservedCall, run: () => Promise<CallResult>) => Promise<CallResult>) | undefined
  /** An HTTP request that was answered, or whose caller left. */
  readonly answered?: ((facts: HttpAnswered) => void) | undefined
  readonly authenticated?: ((authentication: Authentication) => void) | undefined
  /** A request that a rate limit turned away. */
  readonly limited?: ((limit: string) => void) | undefined
  readonly rpc?: RpcListener | undefined
  /** Hears what can be asked of the transport, once there is one. */
  readonly transport?: ((open: OpenTransport) => void) | undefined
}

/** One that has these members for sure. */
export type Observing<Name extends keyof Observer> = { readonly [Each in Name]: NonNullable<Observer[Each]> }

export type ObservedCall = {
  /** As the caller wrote it. */
  readonly name: string
  readonly principal?: Pick<Principal, 'stage'> | undefined
  readonly origin?: CallOrigin | undefined
}

/** What the request of a call said of itself. */
export type CallOrigin = {
  readonly id?: string | number | undefined
  /** The session it came in, which only whoever opened it can use. */
  readonly sessionId?: string | undefined
  /** Of the protocol. */
  readonly revision?: string | undefined
  /** Of W3C Trace Context, as the client sent them. */
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

export type HttpAnswered = {
  readonly path: string
  readonly method: string
  readonly status: number
  /** A stream is open for as long as its client likes. */
  readonly kind: 'answer' | 'stream'
  readonly ms: number
}

export type OpenTransport = { readonly sessions: () => number; readonly connections: () => Promise<number> }

/** One for all of them; a member is there only where one of them has it. What a listener fails at stands in the log, and nowhere else. */
export function joinObservers(observers: readonly Observer[], log: Pick<Log, 'warn'>): Observer {
  const having = <Name extends keyof Observer>(name: Name) =>
    observers.flatMap((one) => one[name] ?? []) as NonNullable<Observer[Name]>[]
  const toAll = <Fact>(listeners: readonly ((fact: Fact) => void)[]) =>
    listeners.length === 0 ? undefined : (fact: Fact) => listeners.forEach((hear) => tell(hear, fact, log))
  const stages = having('stage')
  const calls = having('call')
  return {
    audited: toAll(having('audited')),
    answered: toAll(having('answered')),
    authenticated: toAll(having('authenticated')),
    limited: toAll(having('limited')),
    rpc: toAll(having('rpc')),
    transport: toAll(having('transport')),
    stage:
      stages.length === 0
        ? undefined
        : (facts, run) => stages.reduceRight<typeof run>((inner, around) => () => around(facts, inner), run)(),
    call:
      calls.length === 0
        ? undefined
        : (call, run) => calls.reduceRight<typeof run>((inner, around) => () => around(call, inner), run)(),
  }
}

/** An audit line, an answer or a request is what it is, whoever cannot hear of it; and the next listener hears of it all the same. */
function tell<Fact>(hear: (fact: Fact) => void, fact: Fact, log: Pick<Log, 'warn'>): void {
  try {
    hear(fact)
  } catch (error) {
    log.warn('observer.failed', { error })
  }
}
