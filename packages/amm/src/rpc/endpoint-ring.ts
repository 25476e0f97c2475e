import { setTimeout as pause } from 'node:timers/promises'
import type { LogSpans, LogSpan } from '../ports.ts'
import { ToolError } from '../tool-error.ts'
import {
  type Act,
  attempt,
  blockMethod,
  type Endpoint,
  inOrder,
  inOrderOf,
  type Ring,
  type RingView,
  type SeenBlock,
  shows,
} from './endpoint-order.ts'
import { isTransaction, type RpcRequest } from './json-rpc-endpoint.ts'
import { passesSoon, type RpcCode, rpcFailure } from './rpc-failure.ts'

/** The endpoints of one chain, in the operator's order, with what is known about their health. */
export type EndpointRing = {
  /**
   * Asks the endpoints until one answers. A read goes to the next one when one fails, and once more round after a short
   * pause when that may help; a transaction goes to one endpoint, once. `raw`, its signed bytes, tells when the same is offered
   * again: for two minutes it goes where it would have gone first, and after that to each endpoint in turn, since one may take what it does not pass on.
   * An endpoint at fault goes last for half a minute. The chain id of an endpoint is checked with its first read, in the same batch, and before its first transaction.
   *
   * A read in a view asks the endpoint that gave its head, and another only if that shows the same block.
   *
   * @throws ToolError `RPC_*` when none answered, or viem's error when the answer is one (a revert, a refusal of a transaction).
   */
  ask<Result>(method: string, act: Act<Result>, about?: Asked): Promise<Result>
  /** Reads the head of a view; one that goes on from another view comes from an endpoint that shows the head of that. Throws as `ask` does. */
  askHead<Head extends SeenBlock>(act: Act<Head>, view: RingView | null): Promise<RingView<Head>>
  /**
   * Asks one endpoint once for state of an older block: the first that has not lacked that of so old a block lately. One that lacks what is
   * a day old is asked for younger state all the same: what the operator named first is not replaced by the word of another. In a view the
   * one that gave its head comes first, and of the others those that show that head.
   *
   * @throws as `ask` does.
   */
  askPast<Result>(method: string, act: Act<Result>, block: bigint | null, view?: RingView | null): Promise<Result>
  /**
   * Asks every endpoint once and gives the answers of those that gave one.
   *
   * @throws ToolError `RPC_*` when none answered.
   */
  askEach<Result>(method: string, act: Act<Result>): Promise<readonly Result[]>
  /** The endpoint that gave the head of a view or else comes first, and what is known of ranges of logs at the one that is asked next. */
  next(view: RingView | null): { readonly place: number; readonly logSpans: LogSpans } | null
}

export type Asked = {
  /** The signed bytes of a transaction. */
  readonly raw?: string | undefined
  /** Of a view whose head is still being read: the first endpoint is asked meanwhile, and counts if it gives the head. */
  readonly view?: RingView | Promise<RingView> | null
}

export function createEndpointRing(
  chainId: number,
  requests: readonly RpcRequest[],
  now: () => number,
  retryPauseMs = 250,
): EndpointRing {
  const endpoints = requests.map((request, place): Endpoint => ({
    place,
    request,
    checked: null,
    benchedUntil: 0,
    lacks: null,
    logSpans: createLogSpans(now),
  }))
  const ring: Ring = { chainId, endpoints, now, retryPauseMs, offers: new Map() }
  return {
    async ask(method, act, { raw, view = null } = {}) {
      if (isTransaction(method) || !(view instanceof Promise)) {
        const seen = isTransaction(method) ? null : (view as RingView | null)
        return (await askInTurn(ring, method, act, { raw, view: seen })).result
      }
      const early = await askEarly(ring, method, act, view)
      return 'result' in early ? early.result : (await askInTurn(ring, method, act, { raw, view: early.view })).result
    },
    async askHead(act, view) {
      const { result: head, giver } = await askInTurn(ring, blockMethod, act, { raw: undefined, view })
      return { head, giver, shown: new Map() }
    },
    askPast: (method, act, block, view = null) => askPast(ring, method, act, { block, view }),
    askEach: (method, act) => askEach(ring, method, act),
    next(view) {
      const [first] = inOrderOf(ring, view)
      return first === undefined ? null : { place: view?.giver ?? first.place, logSpans: first.logSpans }
    },
  }
}

type Given<Result> = { readonly result: Result; readonly giver: number }

/** How long a transaction is offered to one endpoint alone. */
const oneTakerMs = 120_000
const mostOffers = 256
/** Milliseconds: what a node keeps changes with its configuration, not with the hour. */
const pastlessMs = 30 * 60_000
/** What the operator should hear of first. */
const byGravity: readonly string[] = [
  'RPC_CHAIN_MISMATCH',
  'RPC_STALE',
  'RPC_REFUSED',
  'RPC_TIMEOUT',
  'RPC_UNAVAILABLE',
] satisfies readonly RpcCode[]

async function askInTurn<Result>(
  ring: Ring,
  method: string,
  act: Act<Result>,
  { raw, view }: { readonly raw: string | undefined; readonly view: RingView | null },
): Promise<Given<Result>> {
  const failures: ToolError[] = []
  let isOtherView = false
  const rounds = isTransaction(method) ? 1 : 2
  for (let round = 0, again = true; round < rounds && again; round += 1) {
    if (round > 0) await pause(ring.retryPauseMs)
    again = false
    for (const endpoint of isTransaction(method) ? takerOf(ring, raw) : inOrderOf(ring, view)) {
      if (view !== null && !(await shows(ring, view, endpoint))) {
        isOtherView = true
        continue
      }
      try {
        return { result: await attempt(ring, endpoint, method, act), giver: endpoint.place }
      } catch (error) {
        const failure = rpcFailure(error, method, ring.chainId)
        if (failure === null) throw error
        failures.push(failure)
        again ||= passesSoon(error)
      }
    }
  }
  const failure = gravest(failures)
  throw isOtherView && view !== null ? withoutOthers(failure, view) : failure
}

/** The one endpoint that a transaction goes to. */
function takerOf(ring: Ring, raw: string | undefined): readonly Endpoint[] {
  const { offers, now } = ring
  const ordered = inOrder(ring)
  if (raw === undefined) return ordered.slice(0, 1)
  const offer = offers.get(raw) ?? { since: now(), again: 0 }
  // What was offered last is kept longest.
  offers.delete(raw)
  offers.set(raw, offer)
  for (const oldest of [...offers.keys()].slice(0, -mostOffers)) offers.delete(oldest)
  if (now() - offer.since < oneTakerMs || ordered.length === 0) return ordered.slice(0, 1)
  offer.again += 1
  const turn = offer.again % ordered.length
  return ordered.slice(turn, turn + 1)
}

/** What the first endpoint answers while it is found out who gives the head; `null` where that is another, or it failed. */
async function askEarly<Result>(
  ring: Ring,
  method: string,
  act: Act<Result>,
  reading: Promise<RingView>,
): Promise<{ view: RingView | null; result: Result } | { view: RingView | null }> {
  const [first] = inOrder(ring)
  const asked = first === undefined ? Promise.reject(gravest([])) : attempt(ring, first, method, act)
  const [early, known] = await Promise.allSettled([asked, reading])
  const view = known.status === 'fulfilled' ? known.value : null
  if (view !== null && view.giver !== first?.place) return { view }
  if (early.status === 'fulfilled') return { view, result: early.value }
  if (rpcFailure(early.reason, method, ring.chainId) === null) throw early.reason
  return { view }
}

async function askPast<Result>(
  ring: Ring,
  method: string,
  act: Act<Result>,
  { block, view }: { readonly block: bigint | null; readonly view: RingView | null },
): Promise<Result> {
  const time = ring.now()
  const ordered = inOrderOf(ring, view)
  const mayHave = ({ lacks }: Endpoint) =>
    lacks === null || lacks.until <= time || (block !== null && block > lacks.block)
  let endpoint: Endpoint | undefined
  for (const one of ordered.filter(mayHave)) {
    if (view !== null && !(await shows(ring, view, one))) continue
    endpoint = one
    break
  }
  endpoint ??= ordered.find(({ place }) => view === null || place === view.giver)
  if (endpoint === undefined) throw gravest([])
  try {
    return await attempt(ring, endpoint, method, act)
  } catch (error) {
    const failure = rpcFailure(error, method, ring.chainId)
    // A contract that reverts has answered from the state that was asked for.
    if (failure === null) throw error
    const { lacks } = endpoint
    const youngest = lacks !== null && lacks.until > time && lacks.block > (block ?? 0n) ? lacks.block : block
    endpoint.lacks = { block: youngest ?? 0n, until: ring.now() + pastlessMs }
    throw failure
  }
}

async function askEach<Result>(ring: Ring, method: string, act: Act<Result>): Promise<readonly Result[]> {
  const failures: ToolError[] = []
  const asked = ring.endpoints.map((endpoint) =>
    attempt(ring, endpoint, method, act).then(
      (value) => [value],
      (error: unknown) => {
        const failure = rpcFailure(error, method, ring.chainId)
        if (failure === null) throw error
        failures.push(failure)
        return []
      },
    ),
  )
  const answers = (await Promise.all(asked)).flat(1)
  if (answers.length === 0) throw gravest(failures)
  return answers
}

/** Keeps the code: whoever asked for too much asks for less of the same endpoint. */
function withoutOthers({ code, message, details, cause }: ToolError, { head }: RingView): ToolError {
  const why = `No other endpoint shows block ${head.number} of this answer, and no answer is made of two views. Call again.`
  return new ToolError(code, `${message} ${why}`, { details, cause })
}

function gravest(failures: readonly ToolError[]): ToolError {
  const [first] = failures.toSorted((a, b) => byGravity.indexOf(a.code) - byGravity.indexOf(b.code))
  if (first !== undefined) return first
  const message = 'No endpoint is configured for this chain.'
  return new ToolError('RPC_UNAVAILABLE', message, {
    details: [{ field: 'chain', message, accepted: 'a chain that list_supported_chains shows as live' }],
  })
}

/**
 * How many blocks of logs one endpoint takes at once, as scans found out: kept by what is scanned for, as a busy pool fills an answer in fewer blocks
 * than a quiet one. What was refused is tried again after half an hour. Of what was never scanned the narrowest range is known that
 * another scan was pushed to: many endpoints refuse by width alone.
 *
 * @param now Unix milliseconds
 */
export function createLogSpans(now: () => number): LogSpans {
  const known = new Map<string, LogSpan & { readonly refusedAtMs: number | null }>()
  const refusals = new Map<string, { readonly blocks: bigint; readonly atMs: number }>()
  let narrowest: { readonly blocks: bigint; readonly atMs: number } | null = null
  const isFresh = (atMs: number | null) => atMs !== null && now() - atMs < refusedMs
  return {
    of(name, usual) {
      const own = known.get(name)
      if (own !== undefined) return { blocks: own.blocks, isWidest: isFresh(own.refusedAtMs) }
      const isNarrow = narrowest !== null && isFresh(narrowest.atMs) && narrowest.blocks < usual
      return { blocks: isNarrow && narrowest !== null ? narrowest.blocks : usual, isWidest: false }
    },
    keep(name, { blocks, isWidest }, usual) {
      const before = known.get(name)
      const isSame = before !== undefined && before.blocks === blocks && isFresh(before.refusedAtMs)
      known.delete(name)
      known.set(name, { blocks, isWidest, refusedAtMs: !isWidest ? null : isSame ? before.refusedAtMs : now() })
      for (const oldest of [...known.keys()].slice(0, -mostNames)) known.delete(oldest)
      if (isWidest && blocks < usual) narrowest = { blocks, atMs: now() }
      else if (narrowest !== null && blocks > narrowest.blocks) narrowest = null
    },
    isRefused(name, blocks) {
      const refusal = refusals.get(name)
      return refusal !== undefined && blocks >= refusal.blocks && isFresh(refusal.atMs)
    },
    refuse(name, blocks) {
      refusals.delete(name)
      refusals.set(name, { blocks, atMs: now() })
      for (const oldest of [...refusals.keys()].slice(0, -mostNames)) refusals.delete(oldest)
    },
  }
}

/** Milliseconds. */
const refusedMs = 30 * 60_000
const mostNames = 1_000
