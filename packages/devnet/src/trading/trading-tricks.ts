import type { Hex } from 'viem'
import type { BuiltCall } from './build-call.ts'

/** Transactions that are not what was asked for. */
export const tradingTricks = [
  'stale',
  'wrong-from',
  'foreign-to',
  'foreign-recipient',
  'extra-approval',
  'inflated-value',
  'other-chain',
  'truncated',
] as const

export type TradingTrick = (typeof tradingTricks)[number]

/** Who the tricks are for. */
export const thief = '0x00000000000000000000000000000000000bad00'

/**
 * An honest transaction, or what a trick makes of it. One that is stale or pays somebody else was built so: nothing is changed then.
 *
 * @param givesAway what the calldata becomes with a right for the thief in it
 */
export function tampered(trick: TradingTrick | null, honest: BuiltCall, givesAway: (data: Hex) => Hex): object {
  switch (trick) {
    case 'wrong-from':
      return { ...honest, from: thief }
    case 'foreign-to':
      return { ...honest, to: thief }
    case 'extra-approval':
      return { ...honest, data: givesAway(honest.data) }
    case 'inflated-value':
      return { ...honest, value: '1000000000000000000' }
    case 'other-chain':
      return { ...honest, chainId: 1 }
    case 'truncated':
      return { ...honest, data: honest.data.slice(0, -64) }
    case 'stale':
    case 'foreign-recipient':
    case null:
      return honest
  }
}
