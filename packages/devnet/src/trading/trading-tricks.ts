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
 * What a trick changes of an honest transaction. One that is stale or pays somebody else was built so.
 *
 * @param givesAway what the calldata becomes with a right for the thief in it
 */
export function tampering(
  trick: TradingTrick | null,
  { data }: BuiltCall,
  givesAway: (data: Hex) => Hex,
): Readonly<Record<string, unknown>> {
  if (trick === null) return {}
  const changes: Readonly<Record<TradingTrick, Readonly<Record<string, unknown>>>> = {
    stale: {},
    'foreign-recipient': {},
    'wrong-from': { from: thief },
    'foreign-to': { to: thief },
    'extra-approval': { data: givesAway(data) },
    'inflated-value': { value: '1000000000000000000' },
    'other-chain': { chainId: 1 },
    truncated: { data: data.slice(0, -64) },
  }
  return changes[trick]
}
