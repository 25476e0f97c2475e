import {
  getAmountsForLiquidity,
  getSqrtPriceAtTick,
  LpMathError,
  sqrtPriceFromAmounts,
  tickSpacingForFee,
} from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import { leastOfMint, leastOfPair, liquidityForAmounts, mostOfMint, type RangeBounds } from '@svc/amm/liquidity'
import type { ErrorDetail, Intent, IntentCall, IntentDeposit } from '@svc/amm'
import type { CalldataDeposit } from './call-deposits.ts'
import { poolOfKey } from './pool-identity.ts'
import type { KnownContracts } from './known-contracts.ts'
import type { Refusal } from '../call/refusal.ts'

/**
 * Holds the deposits that calldata makes against those an intent declares, in order: pool, range, position, recipient,
 * amounts and liquidity, whether and at which price a pool is created, and whether the calldata's own limits keep to the
 * slippage. Of which pool and range a position is, and what a pool's price is, the simulation shows.
 */
export function depositRefusals(intent: Intent, context: DepositContext): readonly Refusal[] {
  const declared = intent.deposits ?? []
  const made = intent.calls.flatMap((call) => depositsOf(call, context).map((deposit) => ({ call, deposit })))
  if (made.length !== declared.length) {
    const counts = {
      message: 'Differs: number of deposits.',
      declared: `${declared.length}`,
      calldata: `${made.length}`,
    }
    return [unsafe('The calls make other deposits than the intent declares.', [counts])]
  }
  return made.flatMap(({ call, deposit }, index) => {
    const own = declared[index]
    const details = own === undefined ? [] : differences(own, { call, deposit, intent, context })
    return details.length === 0 ? [] : [unsafe('A deposit is not the one that the intent declares.', details)]
  })
}

export type DepositContext = {
  readonly chain: Chain
  readonly known: Pick<KnownContracts, 'surfaces' | 'readCall'>
  readonly wallet: Address
}

function depositsOf(call: IntentCall, { known }: DepositContext): readonly CalldataDeposit[] {
  const surface = known.surfaces.get(call.to.toLowerCase())
  return surface === undefined || surface === 'listed' ? [] : (known.readCall(surface, call)?.deposits ?? [])
}

type Made = {
  readonly call: IntentCall
  readonly deposit: CalldataDeposit
  readonly intent: Intent
  readonly context: DepositContext
}

/** What is compared, as declared and as the calldata has it. */
type Row = readonly [what: string, declared: string, calldata: string]

function differences(declared: IntentDeposit, made: Made): readonly ErrorDetail[] {
  const rows: readonly Row[] = [
    ['kind', `${declared.version} ${declared.kind}`, `${made.deposit.version} ${made.deposit.kind}`],
    ...keyRows(declared, made),
    ['position', declared.positionId ?? 'a new one', made.deposit.positionId ?? 'a new one'],
    ['recipient', declared.recipient, recipientOf(made)],
    ['price at which the pool is created', openingOf(declared), calldataOpening(declared, made.deposit)],
    ...amountRows(declared, made),
  ]
  return rows
    .filter(([, one, other]) => one.toLowerCase() !== other.toLowerCase())
    .map(([what, one, other]) => ({ message: `Differs: ${what}.`, declared: one, calldata: other }))
}

/** The pool is that of the declared key, which for a mint is the calldata's. */
function keyRows(declared: IntentDeposit, { deposit: { key, range }, context }: Made): readonly Row[] {
  const computed = poolOfKey(context.chain, declared) ?? 'none'
  const pool: Row = ['pool', declared.pool, computed]
  if (key === null) return [pool]
  const spacing = key.tickSpacing ?? (declared.version === 'v3' ? customarySpacing(declared) : null)
  const ticks = range === null ? 'none' : `${range.tickLower}..${range.tickUpper}`
  return [
    pool,
    ['token0', declared.token0, key.token0],
    ['token1', declared.token1, key.token1],
    ['fee', `${declared.fee}`, `${key.fee ?? v2Fee}`],
    ['tick spacing', `${declared.tickSpacing}`, `${spacing}`],
    ['hooks', `${declared.hooks}`, `${key.hooks}`],
    ['ticks', declared.tickLower === null ? 'none' : `${declared.tickLower}..${declared.tickUpper}`, ticks],
  ]
}

/** Every v2 pair takes 0.3 % of the input. */
const v2Fee = 3_000

/** A v3 pool's key has no tick spacing: the factory decides it, for the customary fees in the customary way. */
function customarySpacing({ fee, tickSpacing }: IntentDeposit): number | null {
  return attempt(() => tickSpacingForFee(fee)) ?? tickSpacing
}

/** v4 has a name for the caller; what is added to a position is its owner's, who must be the wallet. */
function recipientOf({ deposit: { kind, version, recipient }, context: { wallet } }: Made): string {
  if (kind === 'increase' || recipient === null) return wallet
  return version === 'v4' && BigInt(recipient) === 1n ? wallet : recipient
}

function openingOf({ createsPool, sqrtPriceX96 }: IntentDeposit): string {
  return createsPool ? `${sqrtPriceX96}` : 'none'
}

/** A pair without reserves takes the amounts as they are, and with them their price. */
function calldataOpening(declared: IntentDeposit, { version, opensAt }: CalldataDeposit): string {
  if (version !== 'v2') return `${opensAt ?? 'none'}`
  const { createsPool, amount0, amount1 } = declared
  return createsPool ? `${attempt(() => sqrtPriceFromAmounts({ amount0, amount1 })) ?? 'none'}` : 'none'
}

function amountRows(declared: IntentDeposit, made: Made): readonly Row[] {
  const { slippageBps = made.intent.slippageBps } = declared
  if (slippageBps === null) return [['slippage', 'none', 'needed for a deposit']]
  const rows = attempt(() => rowsOf[declared.version](declared, made, slippageBps))
  return rows ?? [['amounts', `${declared.amount0} and ${declared.amount1}`, 'more than a pool can hold']]
}

type AmountRows = (declared: IntentDeposit, made: Made, slippageBps: number) => readonly Row[]

const rowsOf: Readonly<Record<IntentDeposit['version'], AmountRows>> = {
  v2: (declared, made, slippageBps) => {
    const { pool, minLiquidity } = declared
    const { receives, spends, receivesApart = [receives] } = made.intent
    const sharesIn = (quantities: Intent['receives']) =>
      quantities.reduce(
        (sum, { token, amount }) => (token.toLowerCase() === pool.toLowerCase() ? sum + amount : sum),
        0n,
      )
    // Where one of several operations takes shares of the pair apart, all together bring that much less.
    const [apart, together] = [sharesIn(receivesApart.flat()), sharesIn([...receives, ...spends])]
    const received = apart < together ? apart : together
    return [
      askedRow(declared, made),
      limitRow('least', leastOfPair(declared, slippageBps, undefined), made.deposit.least),
      // A plan that is carried out may hold more of them to arrive than the call's own least.
      ['least liquidity', `${minLiquidity}`, `${minLiquidity <= received ? minLiquidity : received}`],
    ]
  },
  v3: (declared, made, slippageBps) => {
    const bounds = boundsOf(declared)
    const { amount0, amount1 } = declared
    const bought = liquidityForAmounts({ bounds, amount0, amount1, slippageBps })
    const { liquidity } = declared
    return [
      askedRow(declared, made),
      liquidityRow(declared, bought),
      limitRow('least', leastOfMint({ bounds, liquidity, slippageBps, kept: undefined }), made.deposit.least),
    ]
  },
  v4: (declared, made, slippageBps) => {
    const bounds = boundsOf(declared)
    const { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 } = bounds
    const liquidity = made.deposit.liquidity ?? 0n
    const takes = getAmountsForLiquidity(sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96, liquidity, true)
    return [
      ['amounts', amountsText(declared), amountsText(takes)],
      liquidityRow(declared, { liquidity, minLiquidity: liquidity }),
      limitRow('most', mostOfMint({ bounds, liquidity, slippageBps, kept: undefined }), made.deposit.most),
    ]
  },
}

type AmountPair = { readonly amount0: bigint | null; readonly amount1: bigint | null }

function askedRow(declared: IntentDeposit, { deposit: { asked }, call: { valueWei } }: Made): Row {
  const paid = { amount0: asked?.amount0 ?? valueWei, amount1: asked?.amount1 ?? valueWei }
  return ['amounts', amountsText(declared), amountsText(paid)]
}

function liquidityRow(declared: LiquidityPair, made: LiquidityPair): Row {
  const text = ({ liquidity, minLiquidity }: LiquidityPair) => `${liquidity}, at least ${minLiquidity}`
  return ['liquidity', text(declared), text(made)]
}

type LiquidityPair = Pick<IntentDeposit, 'liquidity' | 'minLiquidity'>

/** A limit may be tighter than the slippage asks for: one that keeps to a plan is. */
function limitRow(which: 'least' | 'most', asked: AmountPair, limit: AmountPair | null): Row {
  const keeps = (one: bigint | null, other: bigint | null | undefined) =>
    typeof one === 'bigint' && typeof other === 'bigint' && (which === 'least' ? other >= one : other <= one)
  const isKept = keeps(asked.amount0, limit?.amount0) && keeps(asked.amount1, limit?.amount1)
  const text = amountsText(asked)
  return [`${which} that may be taken`, text, isKept ? text : amountsText(limit ?? { amount0: null, amount1: null })]
}

function boundsOf({ sqrtPriceX96, tickLower, tickUpper }: IntentDeposit): RangeBounds {
  if (tickLower === null || tickUpper === null) throw new LpMathError('RANGE_EMPTY', 'A deposit without a range.')
  const [sqrtPriceAX96, sqrtPriceBX96] = [getSqrtPriceAtTick(tickLower), getSqrtPriceAtTick(tickUpper)]
  return { sqrtPriceX96, sqrtPriceAX96, sqrtPriceBX96 }
}

function amountsText({ amount0, amount1 }: AmountPair): string {
  return `${amount0 ?? 'none'} and ${amount1 ?? 'none'}`
}

/** `null` where no pool could hold what is declared. */
function attempt<Value>(compute: () => Value): Value | null {
  try {
    return compute()
  } catch (error) {
    if (error instanceof LpMathError) return null
    throw error
  }
}

function unsafe(message: string, details: readonly ErrorDetail[]): Refusal {
  return { code: 'UNSAFE_TRANSACTION', message, details }
}
