import type { Chain } from './chain.ts'
import { arbitrum } from './chains/arbitrum.ts'
import { avalanche } from './chains/avalanche.ts'
import { baseSepolia } from './chains/base-sepolia.ts'
import { base } from './chains/base.ts'
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

/**
 * Finds a chain by its decimal id, name or alias, ASCII letters in either case. Look-alikes from other alphabets,
 * padded numbers and blanks find nothing.
 */
export function findChain(chains: readonly Chain[], nameOrId: string): Chain | undefined {
  if (!/^[A-Za-z0-9-]{1,64}$/.test(nameOrId)) return undefined
  const wanted = nameOrId.toLowerCase()
  return chains.find((chain) => String(chain.id) === wanted || chain.name === wanted || chain.aliases.includes(wanted))
}
