import type { MarketPorts } from '@svc/amm'
import type { Address } from 'viem'
import type { Identities } from './ports/identities.ts'
import type { Workers } from './ports/workers.ts'

/** What handlers read the world through. Tests use the real ones on the local chain. */
export type Ports = MarketPorts & {
  readonly workers: Workers
  readonly identities: Identities
  /** The agent's own address, or `null` without a wallet. */
  readonly agentAddress: Address | null
}
