import type { Chain } from './chain.ts'
import { arbitrum } from './chains/arbitrum.ts'
import { avalanche } from './chains/avalanche.ts'
import { base } from './chains/base.ts'
import { baseSepolia } from './chains/base-sepolia.ts'
import { blast } from './chains/blast.ts'
import { bnb } from './chains/bnb.ts'
import { celo } from './chains/celo.ts'
import { ethereum } from './chains/ethereum.ts'
import { optimism } from './chains/optimism.ts'
import { polygon } from './chains/polygon.ts'
import { sepolia } from './chains/sepolia.ts'
import { unichain } from './chains/unichain.ts'
import { zksync } from './chains/zksync.ts'

/**
 * The public chains, eleven mainnets and two testnets, by id. A local chain is not among them: whoever starts one
 * appends its row.
 */
export const chains: readonly Chain[] = [
  ethereum,
  optimism,
  bnb,
  unichain,
  polygon,
  zksync,
  base,
  arbitrum,
  celo,
  avalanche,
  blast,
  baseSepolia,
  sepolia,
]
