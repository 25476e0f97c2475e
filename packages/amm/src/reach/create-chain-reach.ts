import type { Chain } from '@svc/wallet/core'
import type { ChainReach, EndpointReach, RpcPool, BlockTime } from '../ports.ts'
import { answerWithin } from '../create-shared-reads.ts'
import type { Subgraphs } from '../subgraph/create-subgraphs.ts'
import { numberToHex } from 'viem'
import { learntOf, swapScanBlocks } from '../liquidity/logs/scan-logs.ts'
import { mostSampledDays } from '../history/samples/read-sampled-bars.ts'
import { query, readPast } from '../rpc/query.ts'
import { simulateCalls } from '../vaults/simulate-calls.ts'

/**
 * What of the past can be read on each chain. What an endpoint reaches is asked at most every half hour, by whoever wants to know it first, and
 * again after half a minute where it reaches nothing; an answer waits for that as long as for a probe of the endpoint.
 */
export function createChainReach(ports: ReachPorts, { now, patienceMs = 1_400 }: ReachOptions): ChainReach {
  const { rpc, subgraphs } = ports
  const kept = new Map<string, Kept>()

  function reading(chain: Chain, place: number): Kept {
    const name = `${chain.id},${place}`
    const known = kept.get(name)
    if (known !== undefined && now() < known.until) return known
    const asked = read(chain)
    const fresh: Kept = { until: now() + keptMs, reach: answerWithin(asked, patienceMs, null) }
    void keep(fresh, asked)
    kept.set(name, fresh)
    return fresh
  }

  async function keep(fresh: Kept, asked: Promise<EndpointReach | null>): Promise<void> {
    const reach = await asked
    fresh.reach = asked
    if (reach === null || reach.stateDays + reach.logDays === 0) fresh.until = now() + keptEmptyMs
  }

  async function read(chain: Chain): Promise<EndpointReach | null> {
    try {
      return await readReach(rpc, chain, await rpc.head(chain))
    } catch {
      return null
    }
  }

  return {
    // What takes too long is waited for once: later answers go without it until it is known.
    endpoints: (chain) => reading(chain, rpc.nextEndpoint?.(chain)?.place ?? 0).reach,
    subgraphs: (chain) => versions.filter((version) => subgraphs.of(chain, version) !== null),
  }
}

export type ReachPorts = { readonly rpc: ReachRpc & Pick<RpcPool, 'head'>; readonly subgraphs: Subgraphs }

export type ReachOptions = {
  /** Unix milliseconds. */
  readonly now: () => number
  /** Longest wait of an answer; 1.4 seconds when absent. */
  readonly patienceMs?: number
}

type Kept = { until: number; reach: Promise<EndpointReach | null> }

const versions = ['v2', 'v3', 'v4'] as const
/** Milliseconds: what a node keeps and takes changes with its configuration, not with the hour. */
const keptMs = 30 * 60_000
const keptEmptyMs = 30_000

/**
 * Finds out what the endpoints of a chain reach, asked as the tools ask them: state at a few depths and the times of blocks in one batch, and beside
 * it the logs of a few ranges, each at the far end of what scans of such ranges read. What is narrower than usual is what scans begin with from then on.
 * Never throws: what is not answered is not reached.
 */
export async function readReach(rpc: ReachRpc, chain: Chain, head: BlockTime): Promise<EndpointReach> {
  const usual = chain.logRangeBlocks
  const widths = [...new Set([8 * usual, usual, Math.ceil(usual / 2), Math.ceil(usual / 10), 10])]
  const [times, scans, simulated] = await Promise.all([
    Promise.all(depthsOf(chain, head).map((block) => stateTime(rpc, chain, block))),
    Promise.all(widths.filter((width) => width <= 8 * usual).map((width) => readScan(rpc, chain, head, width))),
    unlessFailed(simulateCalls(rpc.client(chain), [], head.number)),
  ])
  // What is older than a depth without state is not believed in.
  const oldest = times.slice(0, [...times, null].indexOf(null)).at(-1)
  const widest = scans.toSorted((a, b) => b.width - a.width).find(({ since }) => since !== null)
  if (widest !== undefined && widest.width < usual) {
    const { name, spans } = learntOf(rpc, chain, 'reach')
    spans?.keep(name, { blocks: BigInt(widest.width), isWidest: true }, BigInt(usual))
  }
  return {
    stateDays: Math.min(mostSampledDays, daysBefore(head, oldest ?? null)),
    logDays: daysBefore(head, widest?.since ?? null),
    logRangeBlocks: widest?.width ?? 0,
    simulates: simulated !== null,
  }
}

export type ReachRpc = Pick<RpcPool, 'client' | 'past' | 'each' | 'nextEndpoint'>

/** Those that histories need, and a bar more: a day, a week, two weeks, and as far back as samples reach. */
const depthsDays = [2, 8, 15, mostSampledDays + 1]

/** Blocks of the past, the youngest first: at these depths, and of a chain that is younger at parts of its age. */
function depthsOf({ blockTimeSeconds }: Chain, { number }: BlockTime): readonly bigint[] {
  const back = depthsDays.map((days) => BigInt(Math.ceil((days * 86_400) / Math.max(blockTimeSeconds, 0.05))))
  const deep = back.filter((blocks) => blocks < number).map((blocks) => number - blocks)
  const parts = back.slice(deep.length).map((_, nth) => (deep.at(-1) ?? number) >> BigInt(nth + 1))
  return [...deep, ...parts.filter((block) => block > 0n)]
}

/** The time of a block by its state; where that is not there it is asked for once more, for then another endpoint is asked. */
async function stateTime(rpc: ReachRpc, chain: Chain, block: bigint): Promise<number | null> {
  const read = () => readPast(rpc, chain, time, block)
  const found = await read()
  return found === null && rpc.each(chain).length > 1 ? read() : found
}

const time = query([], () => (atSeconds: number) => atSeconds)

type Scan = { readonly width: number; readonly since: number | null }

/** Since when scans by ranges of a width read logs: of a contract that writes few, so that the width alone decides. */
async function readScan(rpc: ReachRpc, chain: Chain, head: BlockTime, width: number): Promise<Scan> {
  const client = rpc.client(chain)
  const blocks = await swapScanBlocks(chain, width)
  const first = head.number >= blocks ? head.number - blocks + 1n : 0n
  const last = first + BigInt(width) - 1n
  const { v2, v3, v4 } = chain.amm
  const address = v3?.factory ?? v2?.factory ?? v4?.positionManager
  const filter = {
    ...(address !== undefined && { address }),
    fromBlock: numberToHex(first),
    toBlock: numberToHex(last < head.number ? last : head.number),
  }
  const [logs, time] = await Promise.all([
    unlessFailed(client.request({ method: 'eth_getLogs', params: [filter] })),
    unlessFailed(client.getBlock({ blockNumber: first })),
  ])
  return { width, since: logs === null || time === null ? null : Number(time.timestamp) }
}

async function unlessFailed<Answer>(asked: Promise<Answer>): Promise<Answer | null> {
  try {
    return await asked
  } catch {
    return null
  }
}

/** To a hundredth. */
function daysBefore({ timestamp }: BlockTime, since: number | null): number {
  return since === null ? 0 : Math.floor(Math.max(0, Number(timestamp) - since) / 864) / 100
}
