import type { AmmDeployment } from '@svc/wallet/core'
import { encodePacked, keccak256, type Address } from 'viem'
import { create2Address } from '../pools/pool-address.ts'

/** Where the factory puts the pair of two sorted tokens (UniswapV2Factory.createPair). */
export function v2PairAddress(deployment: NonNullable<AmmDeployment['v2']>, token0: Address, token1: Address): Address {
  const salt = keccak256(encodePacked(['address', 'address'], [token0, token1]))
  return create2Address(deployment.factory, salt, deployment.pairInitCodeHash)
}
