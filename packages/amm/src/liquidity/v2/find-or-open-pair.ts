import type { Chain } from '@svc/wallet/core'
import { isAddressEqual, zeroAddress, type Address } from 'viem'
import type { Pool } from '../../ports.ts'
import { v2FactoryAbi } from '../../abis/v2-factory.ts'
import { contractRead } from '../../rpc/contract-read.ts'
import { readSurely } from '../../rpc/read-surely.ts'
import type { AmountFields } from '../planning/deposit/fit-amounts.ts'
import { openingPrice } from '../planning/deposit/opening-price.ts'
import type { OrderedPair } from '../planning/order-pair.ts'
import type { PlanPorts } from '../planning/plan-ports.ts'
import { poolToCome } from '../planning/deposit/pool-to-come.ts'
import { requireDeployment } from '../planning/require-deployment.ts'

/**
 * The v2 pair of two tokens as it stands, or, when it is missing or empty, as a deposit of these amounts would create it.
 *
 * @throws ToolError `VALIDATION_FAILED` when a missing pair cannot be priced.
 */
export async function findOrOpenPair(
  ports: PlanPorts,
  chain: Chain,
  pair: OrderedPair,
  amounts: { readonly amount0: bigint | null; readonly amount1: bigint | null; readonly fields: AmountFields },
): Promise<{ pool: Pool; createsPool: boolean }> {
  const [found] = await ports.liquidity.findPools(chain, pair.token0, pair.token1, ['v2'])
  if (found && (found.reserve0 ?? 0n) > 0n && (found.reserve1 ?? 0n) > 0n) return { pool: found, createsPool: false }
  const sqrtPriceX96 = openingPrice(amounts, amounts.fields)
  const client = ports.rpc.client(chain)
  const [id, blockNumber] = await Promise.all([pairAddress(ports, chain, pair), client.getBlockNumber()])
  const facts = { version: 'v2', id, fee: 3000, tickSpacing: null, hooks: null, sqrtPriceX96, blockNumber } as const
  return { createsPool: true, pool: poolToCome(pair, facts) }
}

/** Where the pair stands or will stand: the factory knows, because not every chain derives addresses alike. */
async function pairAddress(ports: PlanPorts, chain: Chain, pair: OrderedPair): Promise<Address> {
  const client = ports.rpc.client(chain)
  const { factory } = requireDeployment(chain, 'v2')
  const args = [pair.token0.address, pair.token1.address] as const
  const existing = await readSurely(client, contractRead(factory, v2FactoryAbi, 'getPair', args))
  if (!isAddressEqual(existing, zeroAddress)) return existing
  return readSurely(client, contractRead(factory, v2FactoryAbi, 'createPair', args))
}
