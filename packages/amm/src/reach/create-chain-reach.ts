import type { Chain } from '@svc/wallet/core'
import type { ChainReach, EndpointReach, RpcPool } from '../ports.ts'
import { answerWithin } from '../rpc/answer-within.ts'
import type { Subgraphs } from '../subgraph/create-subgraphs.ts'
import { type ReachRpc, readReach } from './read-reach.ts'

export { readReach } from './read-reach.ts'

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
