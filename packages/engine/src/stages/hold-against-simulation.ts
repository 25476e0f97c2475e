import { getAddress, type Log, zeroAddress } from 'viem'
import type { Intent, BlockTime } from '@svc/amm'
import { isAtDestination } from '../call/amounts.ts'
import { expectedTokens } from '../verdict/policy-verdict.ts'
import type { Progress } from '../context/execution-context.ts'
import type { Reserved } from './reserve-spend.ts'
import { type PricedTokens, trustedWorth } from '../value/spend-value.ts'
import { valueAt } from '../value/trusted-value.ts'
import { broughtBy, givenBack } from '../simulation/inspect-vaults.ts'
import { assetChanges } from '../simulation/asset-changes.ts'
import type { CallBounds, VaultRebalanceBounds } from '../calldata/call-bounds.ts'
import { dustUsdMicros, lossPct, percentOf, type Worth } from '../value/mined-loss.ts'
import { minedOutcome } from '../value/moved-holdings.ts'
import type { Outcome } from '../value/weigh-change.ts'
import { type CallValue, trustedPrices } from '../value/call-value.ts'
import { openBreaker } from '../switches/circuit-breaker.ts'
import { vaultAbi } from '@svc/amm/abis'

/**
 * Opens the breaker when a call left the wallet poorer than its simulation said by more than the policy's percentage of
 * what the call moved, and poorer than its calldata permits and the intent declares: what lies in a router or beside a pair while a call is
 * simulated, and is taken back before the block, is no loss. Then either the chain or the simulation is not what it seems. Ways home stay
 * open where less came of what positions pay, for fees go with the block that paid them, and where no more left than permitted of a token
 * with a trusted price, for any other can announce what did not happen. Who gives nothing up loses nothing. A token that the intent does not name, no list names and the simulation did not move is logged alone: anybody's contract can announce that
 * it left.
 *
 * Where liquidity moves beside, what it is worth counts instead of what its deposits may take: own liquidity that comes out pays for what
 * goes in, and what did not come leaves the wallet unseen.
 *
 * @param outcome what was really moved, where positions are among it and trusted prices tell what they are worth
 */
export async function holdAgainstSimulation(
  context: Reserved,
  real: ReadonlyMap<string, bigint>,
  outcome: Outcome | null,
): Promise<void> {
  const { engine, call, chain, intent, known, simulation, priced, value, callBounds } = context
  const { leaves } = value.simulated
  const isVaultExit = callBounds.some((call) => call.leaves.length > 0)
  if (value.isExit && leaves.positions.length + leaves.shares.length === 0 && !isVaultExit) return
  const { isListed, isNamed } = expectedTokens(intent, chain, known)
  const { expected, strange } = partByToken(real, (token) => {
    return token === zeroAddress || isNamed(token) || isListed(token) || simulation.deltas.has(token)
  })
  if (strange.length > 0) engine.log.warn('tx.strange-tokens', { requestId: call.requestId, tokens: strange })
  const cap = engine.policy.breaker.maxSimulationDriftPct
  const worth: Worth = (token, amount) => sharesWorth(token, amount, context) ?? trustedWorth(token, amount, priced)
  const isDeposit = callBounds.some(({ deposits }) => deposits.length > 0)
  const wrapped = chain.wrappedNative.address.toLowerCase()
  const mostLeft = mostLeaving(value.permitted, wrapped)
  const shown = withoutGifts(simulation.deltas, expected, askedTokens(intent, wrapped))
  const isWorse = outcome !== null && isBeyondPermitted(outcome, value, priced, cap)
  if (!isWorse && lossPct(asPermitted(shown, expected, isDeposit ? mostLeft : () => 0n), expected, worth) <= cap) return
  const held = heldAgainst(context, expected, { mostLeft, wrapped })
  if (!isWorse && held((token) => worth(token, 0n) !== null).isWithin) return
  const cause = `request ${call.requestId} on ${chain.name} ended more than ${cap} % worse than simulated`
  const { isWithin, hasLeft } = held((token) => trustedWorth(token, 0n, priced) !== null)
  const isPaid = callBounds.some(({ payouts }) => payouts.length > 0)
  const isBeyond = hasLeft || !(isWithin || isPaid || value.isExit)
  await openBreaker(engine, cause, isBeyond ? 'drift' : 'shortfall')
}

/**
 * Opens the breaker where a trade that was mined brought less than its calldata asks for by more than the policy's percentage, of a call that
 * was cut off or had ended: the router asks its pool, and a token decides what arrives. Ways home stay open. Native currency
 * leaves no logs, and is no token that could keep anything.
 */
export async function holdTrades(
  { engine, chain, wallet }: Pick<Reserved, 'engine' | 'chain' | 'wallet'>,
  { requestId, trades, priced }: MinedTrades,
): Promise<void> {
  const wrappedNative = chain.wrappedNative.address
  const natives = new Set<string>([wrappedNative.toLowerCase(), zeroAddress])
  const cap = engine.policy.breaker.maxSimulationDriftPct
  const isShort = trades.some(({ bounds: { pays, brings }, logs }) => {
    const { deltas } = assetChanges([logs], { wallet, wrappedNative })
    const least = [...brings]
      .filter(([token]) => !natives.has(token))
      .map(([token, amount]): readonly [string, bigint] => [token, amount - (pays.get(token) ?? 0n)])
      .filter(([, amount]) => amount > 0n)
    const worth: Worth = (token, amount) => trustedWorth(token, amount, priced)
    return least.some(([token, amount]) => {
      return lossPct(new Map([[token, amount]]), new Map([[token, deltas.get(token) ?? 0n]]), worth) > cap
    })
  })
  const cause = `a trade of request ${requestId} on ${chain.name} brought more than ${cap} % less than it asked for`
  if (isShort) await openBreaker(engine, cause, 'shortfall')
}

type MinedTrades = {
  readonly requestId: string
  readonly trades: readonly { readonly bounds: Pick<CallBounds, 'pays' | 'brings'>; readonly logs: readonly Log[] }[]
  readonly priced: PricedTokens
}

/**
 * What a call that was made in whole really moved, where liquidity or shares of a pair are among it and trusted prices tell what that is
 * worth; `null` of any other.
 *
 * @param deltas as receipts say, shares as `sharesAsMade` counts them
 */
export function movedOutcome(
  { wallet, value, simulation, callBounds, priced }: Reserved,
  { mined }: Progress,
  deltas: ReadonlyMap<string, bigint>,
): Outcome | null {
  if (value.isExit || simulation.paid.size > 0 || value.speculativeUsdMicros > 0n) return null
  if (callBounds.some(({ orders, vaultDeposits }) => orders.length + vaultDeposits.length > 0)) return null
  const logs = mined.flatMap(({ receipt }) => receipt.logs)
  const { simulated } = value
  const outcome = minedOutcome(deltas, { wallet, simulated, inspected: simulation.inspected, calls: callBounds, logs })
  const held = [simulated.leaves, simulated.arrives, outcome.leaves, outcome.arrives]
  const lasting = [...held.flatMap(({ positions }) => positions), ...held.flatMap(({ shares }) => shares)]
  const prices = trustedPrices(priced)
  const isPriced = lasting.every(({ token0, token1 }) => prices(token0) !== null && prices(token1) !== null)
  return lasting.length > 0 && isPriced ? outcome : null
}

/**
 * Whether a call lost more than its calldata permits in any outcome, at the prices it was weighed at, and more than simulated by a part
 * of what it moves.
 */
function isBeyondPermitted(outcome: Outcome, value: CallValue, priced: PricedTokens, capPct: number): boolean {
  const prices = trustedPrices(priced)
  const [lost, shown] = [outcome, value.simulated].map(
    ({ leaves, arrives }) => valueAt(leaves, prices, 'mid', 'leaves') - valueAt(arrives, prices, 'mid'),
  ) as [bigint, bigint]
  const whole = valueAt(value.simulated.leaves, prices, 'mid', 'leaves')
  const beyond = lost - shown
  return lost > value.lossUsdMicros + dustUsdMicros && beyond > dustUsdMicros && percentOf(beyond, whole) > capPct
}

/**
 * Whether a call kept to what its calldata permits and its intent declares, as far as tokens of a kind show: no more left, and no less came.
 */
function heldAgainst(
  { intent }: Pick<Reserved, 'intent'>,
  real: ReadonlyMap<string, bigint>,
  { mostLeft, wrapped }: { readonly mostLeft: (token: string) => bigint; readonly wrapped: string },
): (isOfKind: (token: string) => boolean) => { readonly isWithin: boolean; readonly hasLeft: boolean } {
  return (isOfKind) => {
    const shown = new Map([...real].filter(([token]) => isOfKind(token)))
    const receives = intent.receives.filter(({ token }) => isOfKind(token.toLowerCase()))
    const hasLeft = [...shown].some(([token, delta]) => -delta > mostLeft(token))
    return { hasLeft, isWithin: !hasLeft && hasCome(receives, shown, wrapped) }
  }
}

/**
 * The changes the ledger counts: the real ones, but where receipts show much less leaving than the simulation did, the
 * simulated one. An endpoint that keeps logs back must not win the wallet room under its limits.
 */
export function countedDeltas(
  real: ReadonlyMap<string, bigint>,
  simulated: ReadonlyMap<string, bigint>,
): ReadonlyMap<string, bigint> {
  const doubted = simulationDrift(simulated, real).filter((row) => row.simulated < 0n && row.real > row.simulated)
  return new Map([...real, ...doubted.map((row) => [row.token.toLowerCase(), row.simulated] as const)])
}

/** Tokens whose change differs from the simulated one by more than a hundredth of it. */
export function simulationDrift(
  simulated: ReadonlyMap<string, bigint>,
  real: ReadonlyMap<string, bigint>,
): readonly Drift[] {
  const tokens = [...new Set([...simulated.keys(), ...real.keys()])]
  return tokens.flatMap((token) => {
    const [expected, actual] = [simulated.get(token) ?? 0n, real.get(token) ?? 0n]
    const difference = expected > actual ? expected - actual : actual - expected
    const tolerated = (expected < 0n ? -expected : expected) / 100n
    const named = isAtDestination(token) ? token : getAddress(token)
    return difference > tolerated ? [{ token: named, simulated: expected, real: actual }] : []
  })
}

type Drift = { readonly token: string; readonly simulated: bigint; readonly real: bigint }

/** Shares of a pair that the call makes, at the trusted prices of both tokens, and of a vault at what they bring; `null` of everything else. */
function sharesWorth(token: string, amount: bigint, context: Reserved): bigint | null {
  const { value, priced, simulation, callBounds } = context
  if (callBounds.some(({ leaves }) => leaves.some(({ vault }) => vault === token)))
    return leftWorth(token, amount, context)
  const deposit = simulation.inspected.vaultDeposits.find((one) => one.deposit.vault === token)
  if (deposit !== undefined) return trustedWorth(deposit.token.toLowerCase(), broughtBy(deposit, amount), priced)
  const share = value.simulated.arrives.shares.find(({ pair }) => pair === token)
  if (share === undefined) return null
  return valueAt({ tokens: new Map(), positions: [], shares: [{ ...share, amount }] }, trustedPrices(priced), 'mid')
}

/** Shares that are given back to their vault count as what came for them in the simulation. */
function leftWorth(token: string, amount: bigint, { simulation, intent, priced }: Reserved): bigint | null {
  const given = givenBack(token, amount, { simulation, intent })
  return given === null ? null : trustedWorth(given.asset, given.worth, priced)
}

/** Those that a call spends or is to bring; native currency may come and go wrapped or not. */
function askedTokens({ spends, receives }: Intent, wrapped: string): ReadonlySet<string> {
  const named = [...spends, ...receives].map(({ token }) => token.toLowerCase())
  const isNative = named.includes(wrapped) || named.includes(zeroAddress)
  return new Set([...named, ...(isNative ? [wrapped, zeroAddress] : [])])
}

/** The simulation without what nobody asked for and did not come. */
export function withoutGifts(
  simulated: ReadonlyMap<string, bigint>,
  real: ReadonlyMap<string, bigint>,
  asked: ReadonlySet<string>,
): ReadonlyMap<string, bigint> {
  const changes = [...simulated].map(([token, delta]): readonly [string, bigint] => {
    if (delta <= 0n || asked.has(token)) return [token, delta]
    const came = real.get(token) ?? 0n
    return [token, came < 0n ? 0n : came < delta ? came : delta]
  })
  return new Map(changes)
}

/** Whether as much arrived as the intent declares at least. */
function hasCome(receives: Intent['receives'], real: ReadonlyMap<string, bigint>, wrapped: string): boolean {
  const natives: readonly string[] = [wrapped, zeroAddress]
  return receives.every(({ token, amount }) => {
    const key = token.toLowerCase()
    const keys = natives.includes(key) ? natives : [key]
    return keys.reduce((sum, one) => sum + (real.get(one) ?? 0n), 0n) >= amount
  })
}

/** How much of a token leaves in any outcome that is permitted; native currency may be paid wrapped or not. */
function mostLeaving(permitted: readonly Outcome[], wrapped: string): (token: string) => bigint {
  const most = (token: string) =>
    permitted.reduce((sum, { leaves }) => {
      const amount = leaves.tokens.get(token) ?? 0n
      return amount > sum ? amount : sum
    }, 0n)
  return (token) => ([wrapped, zeroAddress].includes(token) ? most(wrapped) + most(zeroAddress) : most(token))
}

/**
 * The simulation, except for what a deposit takes: how much of which of its two tokens follows the price of its pool, which anybody
 * can move between the simulation and the block, and the position holds what was taken.
 */
export function asPermitted(
  simulated: ReadonlyMap<string, bigint>,
  real: ReadonlyMap<string, bigint>,
  mayLeave: (token: string) => bigint,
): ReadonlyMap<string, bigint> {
  const changes = [...new Set([...simulated.keys(), ...real.keys()])].map((token): readonly [string, bigint] => {
    const [expected, actual, may] = [simulated.get(token) ?? 0n, real.get(token) ?? 0n, mayLeave(token)]
    if (may === 0n) return [token, expected]
    const [least, most] = [expected < -may ? expected : -may, expected > 0n ? expected : 0n]
    return [token, actual < least ? least : actual > most ? most : actual]
  })
  return new Map(changes)
}

/** What moved of tokens that are expected, and the tokens that are not. */
export function partByToken(
  real: ReadonlyMap<string, bigint>,
  isExpected: (token: string) => boolean,
): { readonly expected: ReadonlyMap<string, bigint>; readonly strange: readonly string[] } {
  const strange = [...real.keys()].filter((token) => !isExpected(token))
  return { expected: new Map([...real].filter(([token]) => !strange.includes(token))), strange }
}

/**
 * Opens the breaker where the shares of a vault that the wallet has rebalanced are worth less in the block that did it than in the one it was
 * checked at, by more than the policy lets a call lose. What its calldata asks for, the vault has made sure of; what came in the same block
 * behind that, as where a strategy is made cheap again, this alone sees. Those who want out may go.
 */
export async function holdRebalance(context: Reserved, minedIn: BlockTime | null): Promise<void> {
  const { engine, call, chain, value, callBounds } = context
  const { maxLossBps } = value.bounds
  for (const bounds of callBounds.flatMap(({ rebalances }) => rebalances)) {
    const [before, after] = await worthAround(context, bounds, minedIn)
    if (after * 10_000n >= before * BigInt(10_000 - maxLossBps)) continue
    const cause = `shares of the vault ${getAddress(bounds.vault)} that request ${call.requestId} on ${chain.name} has rebalanced are worth over ${maxLossBps} bps less`
    await openBreaker(engine, cause, 'shortfall')
  }
}

/** In the asset, as the vault says itself. Throws `RPC_*`. */
async function worthAround(
  { client, snapshotTaken }: Pick<Reserved, 'client' | 'snapshotTaken'>,
  { vault, shares }: VaultRebalanceBounds,
  minedIn: BlockTime | null,
): Promise<readonly [bigint, bigint]> {
  const read = { address: getAddress(vault), abi: vaultAbi, functionName: 'convertToAssets', args: [shares] } as const
  return await Promise.all([
    client.readContract({ ...read, blockNumber: snapshotTaken.block.number }),
    client.readContract({ ...read, ...(minedIn === null ? {} : { blockNumber: minedIn.number }) }),
  ])
}
