import { type Address, isAddressEqual, keccak256, size, slice } from 'viem'
import {
  type ErrorDetail,
  type Intent,
  type IntentApproval,
  type IntentCall,
  type IntentDeposit,
  ToolError,
} from '@svc/amm'
import type { Chain } from '@svc/wallet/core'
import { type PairDecimals, priceDrift } from '@svc/amm/liquidity'
import { sumByToken } from '../call/amounts.ts'
import type { ExecutionContext } from '../context/engine.ts'
import type { Simulated } from './prepare.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { readPlanned } from '../operations/operations.ts'
import { isSubmitOrder, orderOf } from '../calldata/call-bounds.ts'
import type { SimulatedDeposit } from '../simulation/simulated-deposits.ts'

/**
 * Holds what a call wants now against the operation it carries out: the same contracts and functions in the same order,
 * the same recipients, no allowance, spend, value or slippage that is not in the plan or above it, deposits into the same
 * range of the same pool at a price within the plan's slippage. Of a plan with parts that follow, the part that it carries out,
 * and one that spends a single time. Throws `SIMULATION_DRIFT` naming each difference. A call of its own passes.
 */
export function keepPlan({
  call,
  intent,
  chain,
  before,
}: Pick<ExecutionContext, 'call' | 'intent' | 'chain' | 'before'>): void {
  if (call.carriesOut === null) return
  const planned = plannedPart(readPlanned(call.carriesOut), intent)
  throwDrift([...intentDrift(planned, intent), ...depositDrift(planned, intent, chain), ...doneBefore(intent, before)])
}

/**
 * Holds the simulation against the operation it carries out: it must bring what the plan says at least, and from here on
 * the plan's own minimum holds beside the call's, up to the last signature. Throws `SIMULATION_DRIFT`. A call of its own
 * passes as it is.
 */
export function keepBounds(simulated: Simulated): Simulated {
  const { call, intent, simulation } = simulated
  if (call.carriesOut === null) return { ...simulated, refusals: [] }
  const planned = plannedPart(readPlanned(call.carriesOut), intent)
  throwDrift(shortfalls(planned, simulation))
  keepDeposits(simulated, simulation)
  return { ...simulated, intent: { ...intent, receives: atLeast(planned, intent) }, refusals: [] }
}

/**
 * Holds what a simulation shows of deposits against the operation that is carried out, before each signature: each pool's
 * price as the chain has it, whatever the new intent says of it. Throws `SIMULATION_DRIFT`. A call of its own passes.
 */
export function keepDeposits(
  { call, intent, chain }: Pick<ExecutionContext, 'call' | 'intent' | 'chain'>,
  simulation: Pick<Simulation, 'deposits'>,
): void {
  if (call.carriesOut === null) return
  throwDrift(simulatedDrift(plannedPart(readPlanned(call.carriesOut), intent), intent, simulation, chain))
}

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

function throwDrift(details: readonly ErrorDetail[]): void {
  if (details.length === 0) return
  const message = 'What the call would do now is not what was planned. Nothing was signed.'
  throw new ToolError('SIMULATION_DRIFT', message, { details })
}

/**
 * The part of a stored plan that an intent carries out: the plan's own intent, or the one among those that follow it which makes
 * the same calls and spends the same tokens. Where none does it is held against the plan's own, which then says what differs.
 */
function plannedPart(planned: Intent, intent: Intent): Intent {
  const key = partKey(intent)
  return [planned, ...(planned.follows ?? [])].find((part) => partKey(part) === key) ?? planned
}

function partKey({ calls, spends }: Intent): string {
  return [...calls.map(callKey), ...[...sumByToken(spends).keys()].toSorted()].join(', ')
}

/** What spends nothing may be done in several pieces; what spends, once. */
function doneBefore(intent: Intent, before: readonly Intent[]): readonly ErrorDetail[] {
  if (intent.spends.length + intent.approvals.length === 0) return []
  const key = partKey(intent)
  return before.some((one) => partKey(one) === key)
    ? [{ message: 'This part of the plan was carried out already.' }]
    : []
}

/** What of a new intent goes beyond a planned one, its deposits left out. */
export function intentDrift(planned: Intent, intent: Intent): readonly ErrorDetail[] {
  return [
    ...differing('chain', `${planned.chainId}`, `${intent.chainId}`),
    ...differing('risk tier', planned.riskTier, intent.riskTier),
    ...differing('atomicity', planned.atomicity, intent.atomicity),
    ...slippageDrift(planned, intent),
    ...differing('calls', planned.calls.map(callKey).join(', '), intent.calls.map(callKey).join(', ')),
    ...differing('unpriced pools', `${planned.allowsUnpricedPool ?? false}`, `${intent.allowsUnpricedPool ?? false}`),
    ...differing('permit', permitKey(planned), permitKey(intent)),
    ...differing('recipients', addressList(planned.recipients), addressList(intent.recipients)),
    ...above('value sent', new Map([['native', valueOf(planned)]]), new Map([['native', valueOf(intent)]])),
    ...above('spend', sumByToken(planned.spends), sumByToken(intent.spends)),
    ...above('allowance', sumApprovals(planned.approvals), sumApprovals(intent.approvals)),
    ...differing('orders', ordersText(planned), ordersText(intent)),
    ...differing('signed order', signedOrderText(planned), signedOrderText(intent)),
    ...differing('cross-chain order', crossChainText(planned), crossChainText(intent)),
    ...crossChainDrift(planned, intent),
  ]
}

/** When it was offered, with which nonce and until when changes with each offer; how far it falls is held against the plan's receipts. */
function signedOrderText({ order }: Intent): string {
  return order === undefined ? 'none' : `${order.tokenIn} for ${order.tokenOut} at ${order.reactor}`.toLowerCase()
}

function crossChainText({ crossChain }: Intent): string {
  if (crossChain === undefined) return 'none'
  const { inputToken, outputToken, destinationChainId, recipient, settler, destinationSettler } = crossChain
  const place = `${settler} and ${destinationSettler}`
  return `${inputToken} for ${outputToken} of ${recipient} on ${destinationChainId} at ${place}`.toLowerCase()
}

/** Nonce and deadline follow the time; what is asked for at the other end follows prices, and never lies below the plan. */
function crossChainDrift({ crossChain: planned }: Intent, { crossChain: now }: Intent): readonly ErrorDetail[] {
  if (planned === undefined || now === undefined || now.outputAmount >= planned.outputAmount) return []
  const amounts = { planned: `${planned.outputAmount}`, now: `${now.outputAmount}` }
  return [{ message: 'Below the plan: what arrives on the destination.', ...amounts }]
}

/** In which pool an order is placed, what it sells there and until when stand in its calldata alone: the hook is the same for all. */
function ordersText({ calls }: Intent): string {
  const orders = calls.flatMap(({ data }) => (isSubmitOrder(data) ? (orderOf(data) ?? []) : []))
  return orders
    .map(({ pool, tokenIn, tokenOut, expiration }) => `${tokenIn} for ${tokenOut} in ${pool.id} until ${expiration}`)
    .join(', ')
}

function shortfalls(planned: Intent, { deltas }: Simulation): readonly ErrorDetail[] {
  return [...sumByToken(planned.receives)].flatMap(([token, least]) => {
    const arrives = deltas.get(token) ?? 0n
    if (arrives >= least) return []
    return [{ message: 'Less would arrive than the plan says.', token, planned: `${least}`, now: `${arrives}` }]
  })
}

/** The larger of what the plan and what the call says must arrive. */
function atLeast(planned: Intent, intent: Intent): Intent['receives'] {
  const sums = new Map(sumByToken(intent.receives))
  for (const [token, least] of sumByToken(planned.receives)) if (least > (sums.get(token) ?? 0n)) sums.set(token, least)
  return [...sums].map(([token, amount]) => ({ token: token as Address, amount }))
}

function differing(what: string, planned: string, now: string): readonly ErrorDetail[] {
  return planned === now ? [] : [{ message: `Differs: ${what}.`, planned, now }]
}

/** The calldata's own minimum follows the fresh quote, so how far below it may lie must not grow. */
function slippageDrift({ slippageBps: planned }: Intent, { slippageBps: now }: Intent): readonly ErrorDetail[] {
  const fits = planned === null ? now === null : now !== null && now <= planned
  return fits ? [] : [{ message: 'Above the plan: slippage in basis points.', planned: `${planned}`, now: `${now}` }]
}

function above(
  what: string,
  planned: ReadonlyMap<string, bigint>,
  now: ReadonlyMap<string, bigint>,
): readonly ErrorDetail[] {
  return [...now].flatMap(([key, amount]) => {
    const most = planned.get(key) ?? 0n
    return amount <= most
      ? []
      : [{ message: `Above the plan: ${what}.`, of: key, planned: `${most}`, now: `${amount}` }]
  })
}

function callKey({ to, data, exact }: IntentCall): string {
  const own = size(data) < 4 ? '0x' : slice(data, 0, 4)
  return `${to.toLowerCase()} ${own}${exact === true ? ` with ${keccak256(data)}` : ''}`
}

function permitKey({ permit }: Intent): string {
  return permit === undefined ? 'none' : `${permit.positionManager} ${permit.spender} ${permit.tokenId}`.toLowerCase()
}

function valueOf({ calls }: Intent): bigint {
  return calls.reduce((sum, { valueWei }) => sum + valueWei, 0n)
}

function addressList(addresses: readonly Address[]): string {
  return [...new Set(addresses.map((address) => address.toLowerCase()))].toSorted().join(', ')
}

function sumApprovals(approvals: readonly IntentApproval[]): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { token, spender, amount, via, revokeAfter } of approvals) {
    const key = [token, spender, via, revokeAfter ? 'taken back' : 'lasting'].join(' ').toLowerCase()
    sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  return sums
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
  'slippageBps',
  'createsPool',
] as const satisfies readonly (keyof IntentDeposit)[]

function worthDrift(
  { slippageBps }: Intent,
  planned: IntentDeposit,
  now: { readonly sqrtPriceX96: bigint | null; readonly liquidity: bigint | null },
  chain: Tokens,
): readonly ErrorDetail[] {
  const price = priceDrift(
    planned,
    now.sqrtPriceX96,
    planned.slippageBps ?? slippageBps ?? 0,
    decimalsOf(planned, chain),
  )
  if (now.liquidity === null || now.liquidity >= planned.minLiquidity) return price
  const least = { planned: `${planned.minLiquidity}`, now: `${now.liquidity}` }
  return [...price, { message: 'Below the plan: liquidity.', pool: planned.pool, ...least }]
}

function textOf(value: string | number | boolean | null | undefined): string {
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
