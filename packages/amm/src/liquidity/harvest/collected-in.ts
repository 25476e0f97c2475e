import type { Amounts } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Hex, isAddressEqual, type Log, parseEventLogs } from 'viem'
import { v3PoolAbi, v3PositionManagerAbi } from '../../abis/v3.ts'
import { v4PoolManagerAbi } from '../../abis/v4.ts'
import type { SettledTransaction } from '../../intent.ts'
import type { CollectOutcome, Liquidity, Position } from '../../ports.ts'
import type { PlanPorts } from '../liquidity-ports.ts'
import { readPaidFees } from '../v4/read-modification.ts'

/**
 * What the collections of one mined transaction paid, position by position in the order in which they were made, from its logs alone:
 * so the same reading serves a call that has just made them and one that goes on after a crash.
 *
 * @throws ToolError `RPC_*`
 */
export async function collectedIn(
  ports: Pick<PlanPorts, 'rpc'> & { readonly position: Liquidity['position'] },
  chain: Chain,
  mined: MinedCollections,
): Promise<readonly Collected[]> {
  const [v3, v4] = await Promise.all([collectedV3(ports, chain, mined), collectedV4(ports, chain, mined)])
  return [...v3, ...v4]
}

export type MinedCollections = Pick<SettledTransaction, 'logs' | 'blockNumber'>

/** In the pool's order. */
export type Collected = CollectOutcome & { readonly position: Position }

type Ports = Parameters<typeof collectedIn>[0]

async function collectedV3(ports: Ports, chain: Chain, { logs }: MinedCollections): Promise<readonly Collected[]> {
  const manager = chain.amm.v3?.positionManager
  if (manager === undefined) return []
  return Promise.all(
    paidByPools(logs, manager).map(async ({ tokenId, amount0, amount1 }) => ({
      position: await ports.position(chain, 'v3', `${tokenId}`),
      fees0: amount0,
      fees1: amount1,
    })),
  )
}

/**
 * The manager's own log says what it asked for, which can be a few units more than the pool paid. The pool's log comes just before
 * it; two positions of one range differ by nothing else.
 */
function paidByPools(logs: readonly Log[], manager: Hex): readonly (Amounts & { readonly tokenId: bigint })[] {
  const fromPools = parseEventLogs({ abi: v3PoolAbi, eventName: 'Collect', logs: [...logs] }).filter(({ args }) =>
    isAddressEqual(args.owner, manager),
  )
  const asked = parseEventLogs({ abi: v3PositionManagerAbi, eventName: 'Collect', logs: [...logs] }).filter(
    ({ address }) => isAddressEqual(address, manager),
  )
  return asked.flatMap(({ args: { tokenId }, logIndex }) => {
    const paid = fromPools.findLast((log) => log.logIndex < logIndex)
    return paid === undefined ? [] : [{ tokenId, amount0: paid.args.amount0, amount1: paid.args.amount1 }]
  })
}

/** A change of no liquidity by the position manager is a collection. */
async function collectedV4(
  ports: Ports,
  chain: Chain,
  { logs, blockNumber }: MinedCollections,
): Promise<readonly Collected[]> {
  const deployed = chain.amm.v4
  if (deployed === undefined) return []
  const { poolManager, positionManager } = deployed
  const events = parseEventLogs({ abi: v4PoolManagerAbi, eventName: 'ModifyLiquidity', logs: [...logs] }).filter(
    ({ address, args }) =>
      isAddressEqual(address, poolManager) &&
      isAddressEqual(args.sender, positionManager) &&
      args.liquidityDelta === 0n,
  )
  return Promise.all(
    events.map(async ({ args: { tickLower, tickUpper, salt } }) => {
      const position = await ports.position(chain, 'v4', `${BigInt(salt)}`)
      const change = { pool: position.pool, tickLower, tickUpper, salt, blockNumber }
      const { amount0, amount1 } = await readPaidFees(ports, chain, change)
      return { position, fees0: amount0, fees1: amount1 }
    }),
  )
}
