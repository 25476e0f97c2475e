import { type Address, getAddress, type Hex, isAddress, zeroAddress } from 'viem'
import type { Intent, IntentApproval, TokenQuantity, UpstreamAsked, UpstreamKind, UpstreamTransaction } from '@svc/amm'
import type { KnownContracts } from '../calldata/known-contracts.ts'
import { routerNames } from '../calldata/call-recipients.ts'
import { allowedParts, depositsAsMade, roundedTwice, tooTightForUpstream } from './guard-parts.ts'
import { type FactsContext, type PartFacts, partFacts, type Sum, sureLeasts } from '../calldata/part-facts.ts'
import { isUpstreamSurface, type Part, readParts, type UpstreamSurface } from '../calldata/read-parts.ts'
import { upstreamRefusal } from '@svc/amm/upstream'

/**
 * Makes an intent of a transaction that somebody else built, if it is what was asked for and nothing more: chain, sender,
 * contract, value, every part of its calldata at any depth, tokens, amounts, the least that arrives, recipients, position,
 * pool and deadline. What comes back passes the same pipeline as our own intents: policy, simulation with all deltas, limits,
 * exact approvals revoked. Throws `UNSAFE_TRANSACTION` with the reason.
 */
export function guardUpstream(transaction: UpstreamTransaction, expectation: UpstreamExpectation): Intent {
  const { chain, spends, receives, kind, wallet } = expectation
  const { to, data, valueWei, surface } = envelope(transaction, expectation)
  const parts = readParts(surface, chain.amm.universalRouter?.version ?? '2.0', data)
  requireFew(parts, kind)
  const { position } = expectation
  const context: FactsContext = {
    wrapped: chain.wrappedNative.address,
    valueWei,
    position: position === null ? null : [position.token0, position.token1],
  }
  const all = parts.map((part) => factsOf(part, kind, context))
  requireTokens(all, expectation)
  requireAmounts(all, surface, expectation, valueWei)
  requireRecipients(all, surface, expectation)
  requirePosition(all, expectation)
  const deadline = requireDeadline(all, expectation)
  return {
    chainId: chain.id,
    calls: [{ to, data, valueWei, label: expectation.label }],
    atomicity: 'single',
    spends,
    receives,
    approvals: approvalsOf(to, surface, expectation, valueWei),
    riskTier: expectation.riskTier,
    slippageBps: expectation.slippageBps,
    deadline,
    recipients: [wallet],
    ...depositsAsMade(expectation, expectation.known.readCall(surface, { to, data })?.deposits ?? []),
    why: expectation.why,
  }
}

/** What was asked, and the contracts that the chain and the operator name. */
export type UpstreamExpectation = UpstreamAsked & { readonly known: KnownContracts }

type Envelope = {
  readonly to: Address
  readonly data: Hex
  readonly valueWei: bigint
  readonly surface: UpstreamSurface
}

function envelope(transaction: UpstreamTransaction, { chain, known, wallet, spends }: UpstreamExpectation): Envelope {
  const { to, data, from, value } = transaction
  if (transaction.chainId !== chain.id) {
    throw upstreamRefusal('it is for another chain', { chainId: `${transaction.chainId}` })
  }
  if (from !== undefined && from.toLowerCase() !== wallet.toLowerCase()) {
    throw upstreamRefusal('it is sent by somebody else', { from: short(from) })
  }
  const surface = known.surfaces.get(to.toLowerCase())
  if (
    !isAddress(to, { strict: false }) ||
    surface === undefined ||
    surface === 'listed' ||
    !isUpstreamSurface(surface)
  ) {
    throw upstreamRefusal('it goes to a contract that is not known for this', { to: short(to) })
  }
  if (!isHex(data)) throw upstreamRefusal('its calldata is no calldata')
  if (!/^(0|[1-9]\d{0,77}|0x[0-9a-f]{1,64})$/i.test(value)) throw upstreamRefusal('its value is no amount of wei')
  const valueWei = BigInt(value)
  if (valueWei > sumOf(spends, (token) => token === zeroAddress)) {
    throw upstreamRefusal('it sends more native currency than was asked for', { valueWei: `${valueWei}` })
  }
  return { to: getAddress(to), data, valueWei, surface }
}

/** Parts that do nothing cost gas all the same. */
function requireFew({ length }: readonly Part[], kind: UpstreamKind): void {
  const most = kind === 'swap' ? mostSwapParts : kind === 'migrate' ? mostMigrationParts : mostLiquidityParts
  if (length > most) throw upstreamRefusal(`it has ${length} parts, where ${most} are plenty`, { parts: `${length}` })
}

/** A trade may go along several routes at once. */
const mostSwapParts = 40

/** What encloses the parts, a pool that is created, liquidity, and two tokens that are paid and swept: eight at most. */
const mostLiquidityParts = 10

/** The router's call, three of v3, and one of v4 with six parts of its own: eleven at most. */
const mostMigrationParts = 12

function factsOf(part: Part, kind: UpstreamKind, context: FactsContext): PartFacts {
  const facts = allowedParts[kind].has(part.name) ? partFacts(part, context) : null
  if (facts === null) throw upstreamRefusal(`it holds "${part.name}", which was not asked for`, { part: part.name })
  return facts
}

function requireTokens(all: readonly PartFacts[], expectation: UpstreamExpectation): void {
  const { spends, receives, position } = expectation
  const asked = [...spends, ...receives].map(({ token }) => token)
  if (position !== null) asked.push(position.token0, position.token1)
  const same = sameAs(expectation)
  const known = new Set(asked.map(same))
  const foreign = all.flatMap(({ tokens }) => tokens).find((token) => !known.has(same(token)))
  if (foreign !== undefined) throw upstreamRefusal('it names a token that was not asked for', { token: foreign })
}

function requireAmounts(
  all: readonly PartFacts[],
  surface: UpstreamSurface,
  expectation: UpstreamExpectation,
  valueWei: bigint,
): void {
  const { spends, receives, kind } = expectation
  const same = sameAs(expectation)
  const takes = all.flatMap((facts) => facts.takes)
  // Where a pool is owed what it gave, an amount of 0 sells all of that again, after what made sure of it.
  const resold = takes.find(({ token }) => !spends.some((spent) => same(spent.token) === same(token)))
  if (kind === 'swap' && resold?.amount === 0n)
    throw upstreamRefusal('it trades on what was asked for', { token: resold.token })
  for (const key of new Set(takes.map(({ token }) => same(token)))) {
    const taken = sumOf(takes, (token) => same(token) === key)
    if (taken > sumOf(spends, (token) => same(token) === key)) {
      throw upstreamRefusal('it takes more than was asked for', { token: key, takes: `${taken}` })
    }
  }
  requireRoomToLeave(takes, expectation, valueWei)
  if (withoutLeast.has(kind)) return
  const leasts = sureLeasts(all, new Set([aliases[surface].itself]), same)
  for (const key of new Set(receives.map(({ token }) => same(token)))) {
    const asked = sumOf(receives, (token) => same(token) === key)
    const sure = (['trade', 'payout'] as const).map((by) =>
      sumOf(
        leasts.filter((least) => least.by === by),
        (token) => same(token) === key,
      ),
    )
    if (sure.every((amount) => amount < asked)) {
      throw upstreamRefusal('it makes sure of less than was asked for', { token: key, least: `${asked}` })
    }
    if (kind === 'swap' && sure.some((amount) => amount > withHalf(asked, expectation.slippageBps))) {
      throw upstreamRefusal(tooTightForUpstream, { token: key, least: `${asked}` })
    }
  }
}

/** An exact output that lets its input grow by too little nobody can mine. Native currency is sent along. */
function requireRoomToLeave(takes: readonly Sum[], { mayLeave = [] }: UpstreamExpectation, valueWei: bigint): void {
  for (const { token, amount } of mayLeave) {
    const leaves = token === zeroAddress ? valueWei : sumOf(takes, (taken) => isSame(taken, token))
    if (leaves < amount) throw upstreamRefusal(tooTightForUpstream, { token, most: `${leaves}` })
  }
}

/** At least half of the slippage that was asked for is left: what nobody can mine costs gas, and opens the breaker. */
function withHalf(least: bigint, slippageBps: number | null): bigint {
  return least + (least * BigInt(slippageBps ?? 0)) / 20_000n + roundedTwice
}

/** The caller and, in the newer routers, the contract itself, whose holdings then have to be paid out again. */
function requireRecipients(
  all: readonly PartFacts[],
  surface: UpstreamSurface,
  expectation: UpstreamExpectation,
): void {
  const wallet = expectation.wallet.toLowerCase()
  const { caller, itself } = expectation.kind === 'migrate' ? stationsOf(expectation) : aliases[surface]
  const same = sameAs(expectation)
  const held = new Set<string>()
  for (const { recipients, pays, leaves, leasts } of all) {
    for (const token of leaves) held.add(same(token))
    for (const recipient of recipients.map((address) => address.toLowerCase())) {
      if (recipient === itself) for (const token of pays) held.add(same(token))
      else if (recipient !== wallet && recipient !== caller) {
        throw upstreamRefusal('it pays somebody other than the wallet', { recipient })
      } else for (const { token } of leasts.filter(({ by }) => by === 'payout')) held.delete(same(token))
    }
  }
  const [left] = held
  if (left !== undefined) throw upstreamRefusal('it leaves a token in the contract', { token: left })
}

function requirePosition(all: readonly PartFacts[], { position, pool }: UpstreamExpectation): void {
  for (const id of all.flatMap(({ positionIds }) => positionIds)) {
    if (id !== position?.id) throw upstreamRefusal('it changes another position', { positionId: `${id}` })
  }
  const removed = all.flatMap(({ removes }) => removes).reduce((sum, liquidity) => sum + liquidity, 0n)
  if (removed > (position?.removes ?? 0n)) throw upstreamRefusal('it removes more liquidity than was asked for')
  for (const found of all.flatMap(({ pools }) => pools)) {
    const opens = found.sqrtPriceX96 !== null && found.sqrtPriceX96 !== pool?.sqrtPriceX96
    const differs =
      found.fee !== pool?.fee || found.tickSpacing !== pool.tickSpacing || !isSame(found.hooks, pool.hooks)
    if (opens || differs) throw upstreamRefusal('it names another pool', { fee: `${found.fee}` })
  }
}

function requireDeadline(all: readonly PartFacts[], { latestDeadline, kind }: UpstreamExpectation): number | null {
  const deadlines = all.flatMap((facts) => facts.deadlines)
  const latest = deadlines.reduce((most, deadline) => (deadline > most ? deadline : most), 0n)
  if (latest > BigInt(latestDeadline)) throw upstreamRefusal('its deadline is too far away', { deadline: `${latest}` })
  if (deadlines.length === 0 && !withoutLeast.has(kind)) throw upstreamRefusal('it has no deadline')
  if (withAskedDeadline.has(kind) && deadlines.some((deadline) => deadline !== BigInt(latestDeadline))) {
    throw upstreamRefusal('its deadline is not the one that was asked for', { deadline: `${latest}` })
  }
  return deadlines.length === 0 ? null : Number(latest)
}

/** Requests for these name the deadline. */
const withAskedDeadline: ReadonlySet<UpstreamKind> = new Set(['add', 'increase', 'swap'])

/** Newer routers and v4 pull through Permit2, the others through the token itself; native currency is sent along. */
function approvalsOf(
  to: Address,
  surface: UpstreamSurface,
  { spends }: UpstreamExpectation,
  valueWei: bigint,
): readonly IntentApproval[] {
  const via = surface === 'universalRouter' || surface === 'v4PositionManager' ? 'permit2' : 'erc20'
  const paid = spends.filter(({ amount }) => amount > 0n)
  const tokens = paid.filter(({ token }) => token !== zeroAddress)
  if (valueWei === 0n && tokens.length < paid.length) throw upstreamRefusal('it sends no native currency')
  return tokens.map(({ token, amount }) => ({ token, spender: to, amount, via, revokeAfter: true }))
}

/** What is owed already is paid in full and at any time; the calldata need not say how much of it. */
const withoutLeast: ReadonlySet<UpstreamKind> = new Set(['collect', 'claim-rewards'])

/** Addresses that stand for the caller and for the contract itself. */
const aliases: Readonly<Record<UpstreamSurface, { readonly caller: string | null; readonly itself: string | null }>> = {
  v2Router: { caller: null, itself: null },
  v3PositionManager: { caller: null, itself: zeroAddress },
  v3SwapRouter02: routerNames,
  v4PositionManager: routerNames,
  universalRouter: routerNames,
  rewardDistributor: { caller: null, itself: null },
}

/**
 * Of a migration, in which the router calls the position managers: who calls them is the router, so nothing means the wallet but its
 * address, and what v3 pays waits with the position manager of v4.
 */
function stationsOf({ chain }: UpstreamExpectation): (typeof aliases)[UpstreamSurface] {
  return { caller: null, itself: chain.amm.v4?.positionManager.toLowerCase() ?? null }
}

/** One key for a token; native currency and its wrapped form are one. */
function sameAs({ chain }: UpstreamExpectation): (token: string) => string {
  const wrapped = chain.wrappedNative.address.toLowerCase()
  return (token) => (token === zeroAddress ? wrapped : token.toLowerCase())
}

function sumOf(sums: readonly TokenQuantity[], counts: (token: Address) => boolean): bigint {
  return sums.filter(({ token }) => counts(token)).reduce((total, { amount }) => total + amount, 0n)
}

function isSame(found: Address | null, expected: Address | null | undefined): boolean {
  const plain = (address: Address | null | undefined) => (address ?? zeroAddress).toLowerCase()
  return plain(found) === plain(expected)
}

function isHex(data: string): data is Hex {
  return /^0x([0-9a-f]{2}){4,}$/i.test(data)
}

/** Text of somebody else, as far as it can be an address. */
function short(text: string): string {
  return isAddress(text, { strict: false }) ? text : 'no address'
}
