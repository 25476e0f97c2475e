import type { Chain } from '@svc/wallet/core'
import { isAddressEqual } from 'viem'
import { type PairDecimals, priceDrift } from '@svc/amm/liquidity'
import type { ErrorDetail, Intent, IntentDeposit } from '@svc/amm'
import type { SimulatedDeposit } from './simulated-deposits.ts'

/**
 * What of the deposits of a new intent is not what a plan binds: pool, range, hook, recipient, position, whether the pool is
 * created, at least the plan's least liquidity, and a price of the pool within the plan's slippage. A plan of an earlier
 * version names no deposits and binds none: it is made again.
 */
export function depositDrift(planned: Intent, intent: Intent, chain: Tokens): readonly ErrorDetail[] {
  const [before, now] = [planned.deposits ?? [], intent.deposits ?? []]
  if (before.length !== now.length) {
    const message = 'Differs: deposits. A plan that an earlier version stored binds no range and has to be made again.'
    return [{ message, planned: `${before.length}`, now: `${now.length}` }]
  }
  return before.flatMap((deposit, index) => {
    const own = now[index]
    return own === undefined ? [] : boundDrift(deposit, own).concat(worthDrift(planned, deposit, own, chain))
  })
}

/** The same of what a simulation shows of them: the pools' prices and what is minted, as the chain has it. */
export function simulatedDrift(
  planned: Intent,
  intent: Intent,
  { deposits }: { readonly deposits: readonly SimulatedDeposit[] },
  chain: Tokens,
): readonly ErrorDetail[] {
  return deposits.flatMap(({ declared, priceBefore, priceAfter, liquidity }) => {
    const deposit = planned.deposits?.[intent.deposits?.indexOf(declared) ?? -1]
    if (deposit === undefined) return [{ message: 'Differs: deposits.', planned: 'none', now: declared.pool }]
    const sqrtPriceX96 = deposit.createsPool ? priceAfter : priceBefore
    return worthDrift(planned, deposit, { sqrtPriceX96, liquidity }, chain)
  })
}

type Tokens = Pick<Chain, 'tokens' | 'wrappedNative' | 'nativeCurrency'>

function boundDrift(planned: IntentDeposit, now: IntentDeposit): readonly ErrorDetail[] {
  const rows = bound.map((what) => [what, textOf(planned[what]), textOf(now[what])] as const)
  const ticks = ({ tickLower, tickUpper }: IntentDeposit) =>
    tickLower === null ? 'none' : `${tickLower}..${tickUpper}`
  return [...rows, ['ticks', ticks(planned), ticks(now)] as const]
    .filter(([, one, other]) => one !== other)
    .map(([what, one, other]) => ({ message: `Differs: ${what} of a deposit.`, planned: one, now: other }))
}

const bound = [
  'kind',
  'version',
  'pool',
  'token0',
  'token1',
  'fee',
  'tickSpacing',
  'hooks',
  'positionId',
  'recipient',
  'createsPool',
] as const satisfies readonly (keyof IntentDeposit)[]

function worthDrift(
  { slippageBps }: Intent,
  planned: IntentDeposit,
  now: { readonly sqrtPriceX96: bigint | null; readonly liquidity: bigint | null },
  chain: Tokens,
): readonly ErrorDetail[] {
  const price = priceDrift(planned, now.sqrtPriceX96, slippageBps ?? 0, decimalsOf(planned, chain))
  if (now.liquidity === null || now.liquidity >= planned.minLiquidity) return price
  const least = { planned: `${planned.minLiquidity}`, now: `${now.liquidity}` }
  return [...price, { message: 'Below the plan: liquidity.', pool: planned.pool, ...least }]
}

function textOf(value: string | number | boolean | null): string {
  return `${value}`.toLowerCase()
}

/** Of the chain's own tokens alone: this is for reading, and asks nobody. */
function decimalsOf(
  { token0, token1 }: IntentDeposit,
  { tokens, wrappedNative, nativeCurrency }: Tokens,
): PairDecimals | null {
  const [decimals0, decimals1] = [token0, token1].map((token) =>
    BigInt(token) === 0n
      ? nativeCurrency.decimals
      : [wrappedNative, ...tokens].find(({ address }) => isAddressEqual(address, token))?.decimals,
  )
  return decimals0 === undefined || decimals1 === undefined ? null : [decimals0, decimals1]
}
