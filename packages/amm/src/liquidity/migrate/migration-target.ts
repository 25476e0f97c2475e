import { invertTicks, type TickRange } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Address, isAddressEqual, zeroAddress } from 'viem'
import type { Pool, Position, Token } from '../../ports.ts'
import { readQuery } from '../../rpc/query.ts'
import { ToolError } from '../../tool-error.ts'
import { requireDeployment } from '../planning/refusals.ts'
import { poolOf, sortPair } from '../pools/pool-state.ts'
import type { ReadPorts } from '../liquidity-ports.ts'
import { v4PoolQuery } from '../v4/pool-query.ts'

/**
 * Where a v3 position goes in v4: the pool of its pair, fee, tick spacing and the hooks asked for, of native currency or its wrapped form
 * whichever is deeper, and its range in that pool's order. It is never created on the way.
 *
 * @throws ToolError `MIGRATION_NOT_SUPPORTED`, `VERSION_NOT_DEPLOYED`.
 */
export async function migrationTarget(
  ports: ReadPorts,
  chain: Chain,
  position: Position,
  hooks: Address | null,
): Promise<MigrationTarget> {
  const { pool, tickLower, tickUpper } = position
  const deployment = requireDeployment(chain, 'v4')
  const client = ports.rpc.client(chain)
  const pairs = await pairsOf(ports, chain, pool)
  const found = await Promise.all(
    pairs.map(async (tokens): Promise<Pool | null> => {
      const [{ address: currency0 }, { address: currency1 }] = tokens
      const { fee, tickSpacing } = pool
      const key = { currency0, currency1, fee, tickSpacing: tickSpacing ?? 0, hooks: hooks ?? zeroAddress }
      const state = await readQuery(client, chain, v4PoolQuery(deployment, key), pool.blockNumber)
      return state === null ? null : poolOf(state, tokens, pool.blockNumber)
    }),
  )
  const [deepest] = found
    .filter((one) => one !== null)
    .toSorted((one, other) => (other.liquidity > one.liquidity ? 1 : -1))
  if (deepest === undefined) throw noTarget(chain, pool, hooks)
  const isInverted = isAddressEqual(wrappedOf(ports, chain, deepest.token0), pool.token1.address)
  const ticks = isInverted ? invertTicks({ tickLower, tickUpper }) : { tickLower, tickUpper }
  return { pool: deepest, isInverted, ticks }
}

export type MigrationTarget = {
  readonly pool: Pool
  /** Whether its first token is the second of the v3 pool. */
  readonly isInverted: boolean
  readonly ticks: TickRange
}

async function pairsOf(
  ports: ReadPorts,
  chain: Chain,
  { token0, token1 }: Pool,
): Promise<readonly (readonly [Token, Token])[]> {
  const own = [token0, token1] as const
  const other = own.find(({ address }) => !isAddressEqual(address, chain.wrappedNative.address))
  if (own.every(({ address }) => !isAddressEqual(address, chain.wrappedNative.address))) return [own]
  return [own, sortPair(await ports.tokens.byAddress(chain, zeroAddress), other ?? token1)]
}

function wrappedOf({ tokens }: ReadPorts, chain: Chain, token: Token): Address {
  return token.isNative ? tokens.wrapped(chain).address : token.address
}

function noTarget(chain: Chain, { token0, token1, fee }: Pool, hooks: Address | null): ToolError {
  const which = hooks === null ? 'without hooks' : 'with these hooks'
  const message = `There is no v4 pool ${which} on ${chain.name} for this pair with a fee of ${fee}.`
  return new ToolError('MIGRATION_NOT_SUPPORTED', message, {
    details: [{ message, token0: token0.address, token1: token1.address, fee }],
  })
}
