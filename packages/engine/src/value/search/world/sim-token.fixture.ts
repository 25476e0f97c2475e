import type { Address } from 'viem'

/** A token of the simulated chain. The attacker's own have no price anywhere outside. */
export type SimToken = {
  readonly symbol: string
  readonly address: Address
  readonly decimals: number
  readonly usdPegged: boolean
  /** Whether its maker is the attacker, who has any amount of it. */
  readonly own: boolean
}

/** US dollars of an amount at a price per whole token. */
export function usdOf(token: SimToken, amount: bigint, price: number): number {
  return (Number(amount) / 10 ** token.decimals) * price
}

/** The amount that a sum of US dollars buys, rounded down; nothing for a token without a price. */
export function amountOf(token: SimToken, usd: number, price: number): bigint {
  const amount = (usd / price) * 10 ** token.decimals
  return Number.isFinite(amount) && amount >= 1 ? BigInt(Math.floor(amount)) : 0n
}
