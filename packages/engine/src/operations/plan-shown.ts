import { formatAmount, fullRangeTicks, getSqrtPriceAtTick } from '@svc/lp-math'
import { type Address, getAddress, isAddressEqual, zeroAddress, type Hash, keccak256, stringToBytes } from 'viem'
import { callerPriceOf, dynamicFeeFlag, type PairDecimals } from '@svc/amm/liquidity'
import type { Intent, IntentDeposit, Plan, PlannedDeposit, PlannedToken, PlannedValues } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import type { CallValue } from '../value/call-value.ts'
import type { PricedTokens } from '../value/spend-value.ts'
import type { ExecutionContext } from '../context/engine.ts'

/**
 * What a plan shows beside amounts and steps: each deposit with its range in prices, and what a person should weigh. It goes
 * into the hash of the plan, so that an approval names exactly what was shown; equal plans show the same.
 */
export function shownOf(context: ShownContext): Pick<Plan, 'deposits' | 'values' | 'warnings'> {
  const deposits = context.intent.deposits ?? []
  return {
    deposits: deposits.map((deposit) => plannedDeposit(deposit, context)),
    values: plannedValues(context.value),
    warnings: [...new Set([...deposits.flatMap((deposit) => warningsOf(deposit, context)), ...context.value.warnings])],
  }
}

export type ShownContext = TokenContext & {
  readonly intent: Pick<Intent, 'deposits' | 'allowsUnpricedPool'>
  readonly value: Pick<CallValue, 'outUsdMicros' | 'inUsdMicros' | 'leastInUsdMicros' | 'warnings'>
}

/** Of deposits that earn nothing yet: what their plan and the answer of what was done both say. */
export function outsideWarnings(deposits: readonly IntentDeposit[]): readonly string[] {
  return deposits.some(isOutside)
    ? ['The price lies outside of the range: the position earns nothing until it comes in.']
    : []
}

/** What is known of a token: by the prices that were looked up, else by the chain's own list. */
export function tokenFacts(token: Address, { priced, chain }: TokenContext): TokenFacts | undefined {
  const entry = priced.get(token.toLowerCase())?.token
  if (entry !== undefined) return { ...entry, isListed: entry.listed || entry.isNative }
  if (isAddressEqual(token, zeroAddress)) return { ...chain.nativeCurrency, isListed: true }
  const listed = [...chain.tokens, chain.wrappedNative].find(({ address }) => isAddressEqual(address, token))
  return listed === undefined ? undefined : { ...listed, isListed: true }
}

type TokenContext = { readonly priced: PricedTokens; readonly chain: Chain }

/** In cents: what leaves rounded up, what arrives rounded down. */
function plannedValues({ outUsdMicros, inUsdMicros, leastInUsdMicros }: ShownContext['value']): PlannedValues {
  const cents = (usdMicros: bigint) => formatAmount(usdMicros / 10_000n, 2)
  return {
    leavesUsd: cents(outUsdMicros + 9_999n),
    arrivesUsd: cents(inUsdMicros),
    arrivesAtWorstUsd: cents(leastInUsdMicros),
  }
}

/** Whole dollars, for the hash: so that equal plans have one hash while a price moves a little. */
function wholeValues({ leavesUsd, arrivesUsd, arrivesAtWorstUsd }: PlannedValues): PlannedValues {
  const whole = (usd: string) => `${Math.round(Number(usd))}`
  return { leavesUsd: whole(leavesUsd), arrivesUsd: whole(arrivesUsd), arrivesAtWorstUsd: whole(arrivesAtWorstUsd) }
}

function plannedDeposit(deposit: IntentDeposit, context: ShownContext): PlannedDeposit {
  const { kind, version, pool, fee, hooks, positionId, createsPool, tickLower, tickUpper, isInverted } = deposit
  const [one, other] = [plannedToken(deposit.token0, context), plannedToken(deposit.token1, context)]
  const [token0, token1] = isInverted ? [other, one] : [one, other]
  const decimals = decimalsOf(deposit, context)
  return {
    kind,
    version,
    pool,
    token0,
    token1,
    feePct: fee === dynamicFeeFlag ? null : fee / 10_000,
    hooks,
    positionId,
    createsPool,
    tickLower,
    tickUpper,
    ...priceRange(deposit, decimals),
    currentPrice: callerPriceOf(deposit.sqrtPriceX96, isInverted, decimals),
    share0Pct: share0Pct(deposit),
  }
}

function plannedToken(token: Address, context: ShownContext): PlannedToken {
  const known = tokenFacts(token, context)
  return { token: getAddress(token), symbol: known?.symbol ?? 'unknown', isListed: known?.isListed ?? false }
}

/** Both tokens of a deposit are looked up before a plan is shown. */
function decimalsOf({ token0, token1 }: IntentDeposit, context: ShownContext): PairDecimals {
  return [tokenFacts(token0, context)?.decimals ?? 0, tokenFacts(token1, context)?.decimals ?? 0]
}

function priceRange(
  { tickLower, tickUpper, tickSpacing, isInverted }: IntentDeposit,
  decimals: PairDecimals,
): Pick<PlannedDeposit, 'priceLower' | 'priceUpper'> {
  if (tickLower === null || tickUpper === null) return { priceLower: null, priceUpper: null }
  const widest = fullRangeTicks(tickSpacing ?? 1)
  const lower = tickLower <= widest.tickLower ? null : priceAt(tickLower, isInverted, decimals)
  const upper = tickUpper >= widest.tickUpper ? null : priceAt(tickUpper, isInverted, decimals)
  return isInverted ? { priceLower: upper, priceUpper: lower } : { priceLower: lower, priceUpper: upper }
}

function priceAt(tick: number, isInverted: boolean, decimals: PairDecimals): number {
  return callerPriceOf(getSqrtPriceAtTick(tick), isInverted, decimals)
}

/** In tenths of a percent, of both amounts in the pool's token1 at the pool's own price. */
function share0Pct({ amount0, amount1, sqrtPriceX96, isInverted }: IntentDeposit): number {
  const value0 = (amount0 * sqrtPriceX96 * sqrtPriceX96) >> 192n
  const whole = value0 + amount1
  const permille = whole === 0n ? 0n : (value0 * 1_000n + whole / 2n) / whole
  return Number(isInverted ? 1_000n - permille : permille) / 10
}

function warningsOf(deposit: IntentDeposit, context: ShownContext): readonly string[] {
  const { createsPool, reopens, hooks, token0, token1 } = deposit
  const unlisted = [token0, token1].filter((token) => tokenFacts(token, context)?.isListed !== true)
  return [
    ...(createsPool ? [creationWarning(context)] : []),
    ...(reopens === true
      ? [
          'The position is closed and would be open again, in the range it was opened with. add_liquidity opens one in another range.',
        ]
      : []),
    ...outsideWarnings([deposit]),
    ...(hooks === null ? [] : [`The pool has a hook, code that runs with every trade and deposit: ${hooks}.`]),
    ...unlisted.map((token) => `The token ${getAddress(token)} is not on the chain's list; its name proves nothing.`),
  ]
}

function creationWarning({ intent: { allowsUnpricedPool } }: ShownContext): string {
  const created = 'This creates the pool, at the price of the amounts.'
  return allowsUnpricedPool === true ? `${created} The caller asks for it even where no trusted price stands.` : created
}

function isOutside({ sqrtPriceX96, tickLower, tickUpper }: IntentDeposit): boolean {
  if (tickLower === null || tickUpper === null) return false
  return sqrtPriceX96 <= getSqrtPriceAtTick(tickLower) || sqrtPriceX96 >= getSqrtPriceAtTick(tickUpper)
}

type TokenFacts = { readonly symbol: string; readonly decimals: number; readonly isListed: boolean }

/**
 * Names what is going to be done: who asked, by which tool with which arguments, the intent it became, for which wallet
 * on which chain, and what a person is shown of it. Whoever approves a plan approves exactly that. Equal plans have equal hashes; whether a call was a dry
 * run, and its idempotency key, do not count.
 */
export function planHash({ principalId, tool, input, wallet, intent, shown }: HashedPlan): Hash {
  const text = JSON.stringify(canonical({ principalId, tool, input: argumentsOf(input), wallet, intent, shown }))
  return keccak256(stringToBytes(text))
}

export type HashedPlan = {
  readonly principalId: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly wallet: Address
  readonly intent: Intent
  /** Nothing in it changes while the intent is the same. */
  readonly shown: Pick<Plan, 'deposits' | 'values' | 'warnings'>
}

/** The arguments of a write without those that say how it is called. */
export function argumentsOf(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { dryRun: _dryRun, idempotencyKey: _key, ...own } = input
  return own
}

/** A value whose JSON is the same for equal values: members in order of their names, bigints as text with an `n`. */
export function canonical(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => [name, canonical(member)])
}

/** The hash of what a call is about to do, with what a person is shown of it. */
export function shownPlanHash(
  context: Pick<ExecutionContext, 'call' | 'intent' | 'wallet'> & Pick<ShownContext, 'value'> & TokenContext,
): Hash {
  const { call, intent, wallet } = context
  const { principal, tool, input } = call
  const { values, ...shown } = shownOf(context)
  const hashed = { ...shown, values: wholeValues(values) }
  return planHash({ principalId: principal.id, tool, input, wallet, intent, shown: hashed })
}
