import {
  type Address,
  concat,
  encodeAbiParameters,
  encodePacked,
  getAddress,
  getCreate2Address,
  type Hex,
  keccak256,
  pad,
  slice,
  toHex,
} from 'viem'
import type { AmmDeployment } from '@svc/wallet/core'

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

/** Where the factory puts the pair of two sorted tokens (UniswapV2Factory.createPair). */
export function v2PairAddress(deployment: NonNullable<AmmDeployment['v2']>, token0: Address, token1: Address): Address {
  const salt = keccak256(encodePacked(['address', 'address'], [token0, token1]))
  return create2Address(deployment.factory, salt, deployment.pairInitCodeHash)
}

/**
 * Where a factory creates a contract without constructor arguments (EIP-1014). A code hash that begins with 0x0100 is one of
 * the ZK Stack's versioned bytecode hashes, and its formula applies (ZKsync ContractDeployer, getNewAddressCreate2).
 */
export function create2Address(factory: Address, salt: Hex, codeHash: Hex): Address {
  if (!codeHash.startsWith('0x0100')) return getCreate2Address({ from: factory, salt, bytecodeHash: codeHash })
  const hash = keccak256(concat([zkPrefix, pad(factory), salt, codeHash, keccak256('0x')]))
  return getAddress(slice(hash, 12))
}

const zkPrefix = keccak256(toHex('zksyncCreate2'))
