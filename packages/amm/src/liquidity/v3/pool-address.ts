import type { AmmDeployment } from '@svc/wallet/core'
import { encodeAbiParameters, keccak256, type Address } from 'viem'
import { create2Address } from '../pools/pool-address.ts'

/** Where the factory puts the pool of two sorted tokens and a fee (UniswapV3PoolDeployer.deploy). */
export function v3PoolAddress(
  deployment: NonNullable<AmmDeployment['v3']>,
  token0: Address,
  token1: Address,
  fee: number,
): Address {
  const parameters = [{ type: 'address' }, { type: 'address' }, { type: 'uint24' }] as const
  const salt = keccak256(encodeAbiParameters(parameters, [token0, token1, fee]))
  return create2Address(deployment.factory, salt, deployment.poolInitCodeHash)
}
