import type { HistoryPorts, HistoryRequest, HistorySource, PoolBars, PoolHistory } from '../ports.ts'
import type { BarStore } from './bars/bar-chunks.ts'
import { SubgraphError, type Subgraphs } from '../subgraph/create-subgraphs.ts'
import type { CheckOptions } from './periods/check-periods.ts'
import { readRpcHistory, type ReadOlder } from './read-rpc-history.ts'
import { readSubgraphHistory } from './periods/read-subgraph-history.ts'
import { createPoolSampler, type PoolSampler } from './samples/create-pool-sampler.ts'
import { readObservedBars } from './samples/read-observed-bars.ts'
import { readSampledBars } from './samples/read-sampled-bars.ts'
import { ToolError } from '../tool-error.ts'
import { createWaitingLine } from '@svc/runtime'
import type { Chain } from '@svc/wallet/core'
import { createSharedReads, untilAborted } from '../create-shared-reads.ts'

export { boundNote } from './read-rpc-history.ts'
export { createBarMemory } from './bars/bar-chunks.ts'

/**
 * The past of pools: hours and days out of a subgraph where there is one that keeps up with its chain, else, and for other bars, out
 * of what the contracts logged; before that, where an endpoint keeps old state, out of it, and for prices alone out of a pool's own oracle.
 * The answer says which, and why not the subgraph; one that was found untrue of a pool is passed over for it for some hours. Who asks for the same at the same time shares a read; of different ones a few go on at once.
 */
export function createPoolHistory(ports: HistoryPorts, options: HistoryOptions): PoolHistory {
  const { subgraphs, bars, now } = options
  const verdicts = createVerdicts(now, options.checks.rememberMs)
  const older = readOlder(ports, createPoolSampler(ports.rpc, { now }))
  const alone: PoolHistory = {
    async read(request) {
      const reported = await fromSubgraph(ports, options, verdicts, request)
      if (reported !== null && 'bars' in reported) return reported
      const read = await readRpcHistory(ports, bars, request, now(), older)
      if (reported !== null) return withNote(read, `The subgraph ${reported.problem}: this is ${origins[read.source]}.`)
      const mayReachFurther = !read.completeness.hasAllTrades && lacksKey(subgraphs, request)
      return mayReachFurther
        ? withNote(read, 'With SVC_MCP_SUBGRAPH_API_KEY set a subgraph reaches further back.')
        : read
    },
  }
  return takeTurns(shareReads(alone, (chain) => ports.rpc.nameOfView?.(chain) ?? ''))
}

export type HistoryOptions = {
  readonly subgraphs: Subgraphs
  /** Where bars out of swap logs are kept. */
  readonly bars: BarStore
  /** Unix milliseconds. */
  readonly now: () => number
  /** How what a subgraph tells is held against the chain. */
  readonly checks: CheckOptions
}

async function fromSubgraph(
  ports: HistoryPorts,
  { subgraphs, checks }: HistoryOptions,
  verdicts: Verdicts,
  request: HistoryRequest,
): Promise<PoolBars | { readonly problem: string } | null> {
  const { barSeconds } = request
  if (barSeconds !== 3_600 && barSeconds !== 86_400) return null
  const ask = subgraphs.of(request.chain, request.pool.version)
  if (ask === null) return null
  const known = verdicts.of(request)
  if (known !== null) return known
  try {
    const read = await readSubgraphHistory(ports, ask, { ...request, barSeconds }, checks)
    return verdicts.of(request) ?? read
  } catch (error) {
    if (!(error instanceof SubgraphError)) throw error
    if (error.kind === 'untrue') verdicts.keep(request, error.message)
    return { problem: error.message }
  }
}

/** State of past blocks first, for it tells fees; for prices alone the oracle of the pool reaches further where no archive does. */
function readOlder(ports: HistoryPorts, sampler: PoolSampler): ReadOlder {
  return async (request, until) => {
    const sampled = await unlessUnread(readSampledBars(sampler, request, until))
    if (sampled !== null) return { ...sampled, source: 'archive' }
    if (request.needs !== 'prices') return null
    const observed = await unlessUnread(readObservedBars(ports, request, until))
    return observed === null ? null : { ...observed, source: 'oracle' }
  }
}

/** What only reaches further back than the logs is no reason to give none of these. */
async function unlessUnread<Read>(reading: Promise<Read | null>): Promise<Read | null> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ToolError && error.code.startsWith('RPC_')) return null
    throw error
  }
}

const origins = {
  rpc: 'out of swap logs',
  archive: 'out of its state at past blocks and swap logs',
  oracle: "out of the pool's own oracle and swap logs",
  subgraph: 'out of the subgraph',
} satisfies Record<HistorySource, string>

/** Whether the chain names a subgraph for such bars, and only the key for it is missing. */
function lacksKey(subgraphs: Subgraphs, { chain, pool, barSeconds }: HistoryRequest): boolean {
  const isKept = barSeconds === 3_600 || barSeconds === 86_400
  return isKept && chain.subgraphs?.[pool.version] !== undefined && subgraphs.of(chain, pool.version) === null
}

function withNote(read: PoolBars, note: string): PoolBars {
  const { completeness } = read
  return {
    ...read,
    completeness: { ...completeness, note: completeness.note === null ? note : `${note} ${completeness.note}` },
  }
}

/**
 * Which subgraphs were found untrue of which pools, by what the chain says, so that chance, which picks what is held against it, has
 * to find a falsehood once alone. A verdict is kept for `rememberMs`, six hours unless given, the last thousand of them.
 *
 * @param now Unix milliseconds
 */
export function createVerdicts(now: () => number, rememberMs = 6 * 3_600_000): Verdicts {
  const verdicts = new Map<string, { readonly problem: string; readonly at: number }>()
  return {
    of(asked) {
      const verdict = verdicts.get(nameOf(asked))
      if (verdict === undefined || now() >= verdict.at + rememberMs) return null
      const [at, until] = [verdict.at, verdict.at + rememberMs].map((time) => new Date(time).toISOString())
      return { problem: `was refused at ${at} and is passed over until ${until}, as it ${verdict.problem}` }
    },
    keep(asked, problem) {
      verdicts.delete(nameOf(asked))
      verdicts.set(nameOf(asked), { problem, at: now() })
      const [oldest] = verdicts.keys()
      if (oldest !== undefined && verdicts.size > mostVerdicts) verdicts.delete(oldest)
    },
  }
}

type Verdicts = {
  /** What is still held against the subgraph of a pool, as a clause that follows "The subgraph". */
  of(asked: Asked): { readonly problem: string } | null
  keep(asked: Asked, problem: string): void
}

type Asked = Pick<HistoryRequest, 'chain' | 'pool'>

function nameOf({ chain, pool }: Asked): string {
  return [chain.id, chain.subgraphs?.[pool.version], pool.id.toLowerCase()].join()
}

const mostVerdicts = 1_000

/**
 * A history that is read for few at a time, so that one who asks for much holds up neither the other calls nor what else the chain's
 * endpoint is asked: those who wait take turns by principal, and when too many do, who has most waiting is refused with `SERVER_BUSY`. Who
 * asks for what is being read already need not wait.
 */
export function takeTurns(history: SharedHistory, { atOnce = 20, maxWaiting = 256 }: TurnOptions = {}): PoolHistory {
  const line = createWaitingLine<Waiting>(maxWaiting)
  let underway = 0
  const fill = () => {
    while (underway < atOnce) {
      const next = line.next()
      if (next === null) return
      underway += 1
      next.begin()
    }
  }
  const leave = () => {
    underway -= 1
    fill()
  }
  const wait = async ({ principalId = '', signal }: HistoryRequest): Promise<void> => {
    const { waiting, turn } = createWaiting()
    line.join(principalId, waiting)?.refuse(new ToolError('SERVER_BUSY', tooMany))
    try {
      await (signal === undefined ? turn : untilAborted(turn, signal))
    } catch (error) {
      if (waiting.hasBegun) leave()
      else line.leave(principalId, waiting)
      throw error
    }
  }
  const readInPlace = async (request: HistoryRequest): Promise<PoolBars> => {
    try {
      return await history.read(request)
    } finally {
      leave()
    }
  }
  return {
    async read(request) {
      if (history.isUnderway(request)) return history.read(request)
      if (underway < atOnce) underway += 1
      else await wait(request)
      return readInPlace(request)
    },
  }
}

export type TurnOptions = {
  /** How many reads go on at the same time. */
  readonly atOnce?: number
  /** How many may wait for that. */
  readonly maxWaiting?: number
}

/**
 * A history whose reads of the same bars at the same time are one read, so that many calls about a pool cost what one does.
 *
 * @param viewOf names what an answer sees of a chain: who sees another has a read of his own
 */
export function shareReads(history: PoolHistory, viewOf: (chain: Chain) => string = () => ''): SharedHistory {
  const shared = createSharedReads<PoolBars>()
  const nameOf = ({ chain, pool, from, to, barSeconds, needs }: HistoryRequest) =>
    [viewOf(chain), chain.id, pool.id.toLowerCase(), pool.blockNumber, from, to, barSeconds, needs].join()
  return {
    read: (request) =>
      shared.read(nameOf(request), (ending) => history.read({ ...request, signal: ending }), request.signal),
    isUnderway: (request) => shared.isUnderway(nameOf(request)),
  }
}

type Waiting = { hasBegun: boolean; begin(): void; refuse(error: ToolError): void }

function createWaiting(): { readonly waiting: Waiting; readonly turn: Promise<void> } {
  const waiting: Waiting = { hasBegun: false, begin: () => undefined, refuse: () => undefined }
  const turn = new Promise<void>((resolve, reject) => {
    waiting.begin = () => {
      waiting.hasBegun = true
      resolve()
    }
    waiting.refuse = reject
  })
  return { waiting, turn }
}

const tooMany = 'Too many readings of the past wait for their turn, most of them for this caller.'

type SharedHistory = PoolHistory & {
  /** Whether a read that answers this is under way already. */
  isUnderway(request: HistoryRequest): boolean
}
