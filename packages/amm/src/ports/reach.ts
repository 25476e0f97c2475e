import type { Chain } from '@svc/wallet/core'
import type { Version } from './pools.ts'

/** What of the past can be read on a chain, so that whoever asks knows beforehand which tools will answer. */
export type ChainReach = {
  /** What its endpoints reach, found out at most every half hour; `null` while it is not known. The same promise as long as nothing else is known. Never throws. */
  endpoints(chain: Chain): Promise<EndpointReach | null>
  /** The versions whose pools a subgraph tells of. Whether that answers is not asked. */
  subgraphs(chain: Chain): readonly Version[]
}

export type EndpointReach = {
  /** The age of the oldest state that was found, of a few depths, and no more than histories are sampled back; 0 where there is none. */
  readonly stateDays: number
  /** How far back the swap logs of a pool are read for one answer at least, unless it trades so much that ranges get narrower; 0 where no logs are given. */
  readonly logDays: number
  /** The widest range of blocks, of a few, whose logs are given. */
  readonly logRangeBlocks: number
  /** Whether calls are simulated one after the other (`eth_simulateV1`). */
  readonly simulates: boolean
}
