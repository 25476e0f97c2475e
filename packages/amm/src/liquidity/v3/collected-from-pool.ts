import type { Amounts } from '@svc/lp-math'
import { getAddress, isAddressEqual, parseEventLogs, type Address } from 'viem'
import type { Settled } from '../../intent.ts'
import type { Position } from '../../ports.ts'
import { v3PoolAbi } from '../../abis/v3.ts'
import { logsOf, requireEvent } from '../planning/transfers-of.ts'

/**
 * What the pool paid out for a position, from the pool's own Collect log. The log of the same name of the position manager
 * says what it asked for, which can be a few units more.
 */
export function collectedFromPool(settled: Settled, position: Position, positionManager: Address): Amounts {
  const logs = logsOf(settled, getAddress(position.pool.id))
  const events = parseEventLogs({ abi: v3PoolAbi, eventName: 'Collect', logs }).filter(
    ({ args }) =>
      isAddressEqual(args.owner, positionManager) &&
      args.tickLower === position.tickLower &&
      args.tickUpper === position.tickUpper,
  )
  const { amount0, amount1 } = requireEvent(events, 'Collect').args
  return { amount0, amount1 }
}
