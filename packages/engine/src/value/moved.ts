import { feesOwed } from '@svc/lp-math'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  maxUint128,
  numberToHex,
  type PublicClient,
} from 'viem'
import type { Chain } from '@svc/wallet/core'
import { v3PositionManagerAbi, v4StateViewAbi } from '@svc/amm/abis'
import { callAnswer, contractRead, readOne } from '@svc/amm/rpc'
import type { BlockTime, Intent } from '@svc/amm'
import type { CalledContracts } from '../calldata/called-contracts.ts'
import type { Holdings, PairShares } from './trusted-value.ts'
import type { CallBounds } from './call-bounds.ts'
import { settledBlock, settledDepth } from '../allowances/chain-snapshot.ts'
import type { Refusal } from '../context/refusal.ts'
import type { Inspected, PositionState } from './inspection.ts'

export type Moved = {
  /** Of the calls that are still to be made. */
  readonly calls: readonly CallBounds[]
  readonly inspected: Inspected
  /** Net change of the wallet by lower-case token, native currency under the zero address. */
  readonly deltas: ReadonlyMap<string, bigint>
  /** What arrives at payees the operator lists, who are as good as the wallet. */
  readonly paid: ReadonlyMap<string, bigint>
  /** Pairs whose shares are among the deltas, as they stood before, by lower-case address. */
  readonly pairs: ReadonlyMap<string, Omit<PairShares, 'amount'>>
  /** Lower case. */
  readonly wrappedNative: string
  /** Fees that the newest blocks did not bring, by {@link positionKey}; absent where nothing can leave the wallet. */
  readonly settledFees?: SettledFees | undefined
  /** What is mined already of a call on its way: its net change, which `deltas` leave out, and the calls that are left. */
  readonly begun?: { readonly deltas: ReadonlyMap<string, bigint>; readonly left: readonly CallBounds[] }
}

/** Of both tokens, in the pool's order. */
export type SettledFees = ReadonlyMap<string, Fees>

export function positionKey({ contract, id }: Pick<PositionState, 'contract' | 'id'>): string {
  return `${contract.toLowerCase()} ${id}`
}

/** Amounts as tokens, and those of pairs as shares of them. */
export function heldOf(amounts: ReadonlyMap<string, bigint>, moved: Moved): Holdings {
  const tokens = new Map<string, bigint>()
  const shares: PairShares[] = []
  for (const [key, amount] of amounts) {
    const pair = pairOf(key, moved)
    if (pair === null) tokens.set(key, amount)
    else shares.push({ ...pair, amount })
  }
  return { tokens, positions: [], shares }
}

/** A pair as it stands after the steps, which a new one did not before them; shares that are bought as they stood in a settled block. */
function pairOf(key: string, { inspected, pairs, calls }: Moved): Omit<PairShares, 'amount'> | null {
  if (boughtIn(calls).has(key)) return pairs.get(key) ?? null
  const after = inspected.pools.find(({ id, pair }) => pair !== null && id.toLowerCase() === key)
  if (after?.pair) return { pair: key, token0: after.token0, token1: after.token1, ...after.pair }
  return pairs.get(key) ?? null
}

/** Tokens that trades bring, lower-case. */
export function boughtIn(calls: readonly Pick<CallBounds, 'trades'>[]): ReadonlySet<string> {
  return new Set(calls.flatMap(({ trades }) => trades.map(({ tokenOut }) => tokenOut.toLowerCase())))
}

/**
 * The fees of a call's positions that the newest blocks did not bring. Whoever pays fees there may have these blocks
 * replaced by others in which nothing was paid, and what was to be put in out of fees is then taken from the wallet. Of a position that
 * cannot be read in the older block, or was not the wallet's there, nothing is settled. What was asked `ahead`, at the same block, is not
 * asked again. `undefined` where nothing is approved, sent along or put in: no fee that goes is made up for then.
 */
export async function settledFees(
  question: FeesQuestion,
  { inspected, blockNumber }: { readonly inspected: Inspected; readonly blockNumber: bigint },
  ahead: FeesAhead | null = null,
): Promise<SettledFees | undefined> {
  if (!hasFeesAtStake(question)) return undefined
  const settled = new Map<string, Fees>()
  await Promise.all(
    inspected.positions.map(async (position) => {
      const place = placeOf(question, position)
      const asked = ahead?.get(positionKey(position))
      const known = asked?.at === blockNumber && isSamePlace(asked.place, place) ? asked.fees : null
      const fees = await (known ?? feesSince(question, { ...position, place }, blockNumber))
      if (fees !== null) settled.set(positionKey(position), fees)
    }),
  )
  return settled
}

/**
 * Asks for the fees of those positions of which it is known, or declared, where they stand, so that they travel beside the simulation
 * which shows it. `null` where nobody will ask.
 */
export function askFeesAhead(
  question: FeesQuestion,
  positions: CalledContracts['positions'],
  at: bigint,
): FeesAhead | null {
  if (!hasFeesAtStake(question)) return null
  const asked = positions.flatMap((position) => {
    const place = isOfV4(question, position) ? declaredPlace(question.intent, position.id) : null
    if (place === null && isOfV4(question, position)) return []
    return [[positionKey(position), { at, place, fees: feesSince(question, { ...position, place }, at) }] as const]
  })
  return new Map(asked)
}

export type FeesAhead = ReadonlyMap<
  string,
  { readonly at: bigint; readonly place: Place | null; readonly fees: ReturnType<typeof feesSince> }
>

type FeesQuestion = {
  readonly client: PublicClient
  readonly chain: Chain
  readonly wallet: Address
  readonly intent: Pick<Intent, 'approvals' | 'calls' | 'deposits'>
  readonly callBounds: readonly Pick<CallBounds, 'deposits'>[]
}

/**
 * Refuses to add to a position that was not the wallet's before the newest blocks. Where these are replaced, its number may be that of a
 * position of somebody else, who then gets what is added: v3 asks for no consent of an owner, and v4 for that of the owner alone.
 * Ownership that cannot be read counts as none. Where blocks come on demand, as on a local chain, none may come: there a minute is enough.
 */
export async function newPositionRefusals(
  question: Omit<FeesQuestion, 'intent'>,
  head: Pick<BlockTime, 'number' | 'timestamp'>,
  nowMs: number,
): Promise<readonly Refusal[]> {
  const { chain, callBounds } = question
  const deposits = callBounds.flatMap((call) => call.deposits)
  const idleForMs = nowMs - Number(head.timestamp) * 1000
  if (chain.maxHeadAgeSeconds === null && idleForMs >= idleMs) return []
  const refusals = await Promise.all(
    deposits.map(async ({ contract, positionId }) => {
      if (positionId === null) return []
      const isOwn = await wasOwn(question, { contract, id: positionId }, settledBlock(chain, head.number))
      return isOwn ? [] : [tooNew(chain, positionId, idleForMs)]
    }),
  )
  return refusals.flat()
}

/** Whoever may merely collect of a position does not own it. */
async function wasOwn(
  { client, wallet }: Pick<FeesQuestion, 'client' | 'wallet'>,
  { contract, id }: Pick<PositionState, 'contract' | 'id'>,
  at: bigint,
): Promise<boolean> {
  const read = contractRead(contract, v3PositionManagerAbi, 'ownerOf', [id])
  const owner = await readOne(client, read, at).catch(() => null)
  return owner !== null && isAddressEqual(owner, wallet)
}

function tooNew(chain: Chain, positionId: bigint, idleForMs: number): Refusal {
  const depth = settledDepth(chain)
  const wait = waitFor(chain, depth, idleForMs)
  return {
    code: 'POSITION_TOO_NEW',
    message: `Position ${positionId} was not the wallet's ${depth} blocks ago. Where these blocks are replaced, its number may be somebody else's, who would get what is added. ${wait}`,
    suggestion: `${wait} A plan stays good meanwhile.`,
    details: [{ message: 'the position is too new to be added to', positionId: `${positionId}` }],
  }
}

/** What the same call has to wait for, and how long that takes on this chain. */
function waitFor({ maxHeadAgeSeconds, blockTimeSeconds }: Chain, depth: number, idleForMs: number): string {
  if (maxHeadAgeSeconds !== null) {
    return `Call the same again in about ${Math.ceil(depth * blockTimeSeconds)} seconds, when ${depth} more blocks have come.`
  }
  const idleLeft = Math.max(1, Math.ceil((idleMs - idleForMs) / 1000))
  return `Blocks come here with transactions alone, whoever sends them: call the same again when ${depth} more have come, or in ${idleLeft} seconds if none does.`
}

const idleMs = 60_000

function hasFeesAtStake({ intent, callBounds }: FeesQuestion): boolean {
  const takes = intent.approvals.length > 0 || intent.calls.some(({ valueWei }) => valueWei > 0n)
  return takes && callBounds.some(({ deposits }) => deposits.length > 0)
}

/** Where a v4 position stands; v3 looks that up by itself. */
type Place = Pick<PositionState, 'tickLower' | 'tickUpper'> & { readonly poolId: Hex }

type FeesOf = CalledContracts['positions'][number] & { readonly place: Place | null }

function isOfV4({ chain }: FeesQuestion, { contract }: Pick<FeesOf, 'contract'>): boolean {
  const { v4 } = chain.amm
  return v4 !== undefined && isAddressEqual(v4.positionManager, contract)
}

function placeOf(question: FeesQuestion, position: PositionState): Place | null {
  const { pool, tickLower, tickUpper } = position
  return isOfV4(question, position) ? { poolId: pool.id, tickLower, tickUpper } : null
}

/** As the intent says, which counts where the chain shows the same. */
function declaredPlace({ deposits = [] }: FeesQuestion['intent'], id: bigint): Place | null {
  const own = deposits.find(({ version, positionId }) => version === 'v4' && positionId === `${id}`)
  if (own === undefined || own.tickLower === null || own.tickUpper === null) return null
  return { poolId: own.pool, tickLower: own.tickLower, tickUpper: own.tickUpper }
}

function isSamePlace(one: Place | null, other: Place | null): boolean {
  if (one === null || other === null) return one === other
  const isPool = one.poolId.toLowerCase() === other.poolId.toLowerCase()
  return isPool && one.tickLower === other.tickLower && one.tickUpper === other.tickUpper
}

/**
 * The least of what would be collected at a block and in the settled one; `null` where it was not the wallet's there, or was changed
 * since: what was collected in between waits no more, however much came after it.
 */
async function feesSince(question: FeesQuestion, position: FeesOf, at: bigint): Promise<Fees | null> {
  const settledAt = settledBlock(question.chain, at)
  const [isOwn, now, then] = await Promise.all([
    wasOwn(question, position, settledAt),
    ...[at, settledAt].map((block) => feesAt(question, position, block).catch(() => null)),
  ])
  if (!isOwn || now == null || then == null || now.mark !== then.mark) return null
  return [smaller(now.fees[0], then.fees[0]), smaller(now.fees[1], then.fees[1])]
}

function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other
}

/** What would be collected at a block; `null` where the position does not stand. */
async function feesAt(question: FeesQuestion, { place, ...position }: FeesOf, at: bigint): Promise<FeesAt | null> {
  const { v4 } = question.chain.amm
  if (place === null || v4 === undefined) return v3FeesAt(question, position, at)
  return v4FeesAt(question, { ...position, place }, at, v4)
}

type Fees = readonly [bigint, bigint]

/** Two of them have the same mark where the position was not changed in between. */
type FeesAt = { readonly fees: Fees; readonly mark: string }

async function v3FeesAt(
  { client, wallet }: FeesQuestion,
  { contract: to, id: tokenId }: Omit<FeesOf, 'place'>,
  at: bigint,
): Promise<FeesAt | null> {
  const everything = { tokenId, recipient: wallet, amount0Max: maxUint128, amount1Max: maxUint128 }
  const collect = { abi: v3PositionManagerAbi, functionName: 'collect' } as const
  const data = encodeFunctionData({ ...collect, args: [everything] })
  const [answer, mark] = await Promise.all([
    client.call({ account: wallet, to, data, blockNumber: at }).catch(() => null),
    callAnswer(client, contractRead(to, v3PositionManagerAbi, 'positions', [tokenId]), at),
  ])
  if (answer?.data === undefined) return null
  const [amount0, amount1] = decodeFunctionResult({ ...collect, data: answer.data })
  return { fees: [amount0, amount1], mark }
}

async function v4FeesAt(
  { client }: FeesQuestion,
  { id, place: { poolId, tickLower, tickUpper } }: Omit<FeesOf, 'place'> & { readonly place: Place },
  at: bigint,
  { stateView, positionManager }: { readonly stateView: Address; readonly positionManager: Address },
): Promise<FeesAt | null> {
  const salt = numberToHex(id, { size: 32 })
  const place = [poolId, tickLower, tickUpper] as const
  const own = [poolId, positionManager, tickLower, tickUpper, salt] as const
  const [growth, kept] = await Promise.all([
    readOne(client, contractRead(stateView, v4StateViewAbi, 'getFeeGrowthInside', place), at),
    readOne(client, contractRead(stateView, v4StateViewAbi, 'getPositionInfo', own), at),
  ])
  if (growth === null || kept === null) return null
  const [liquidity, last0, last1] = kept
  const fees: Fees = [feesOwed(liquidity, growth[0], last0), feesOwed(liquidity, growth[1], last1)]
  return { fees, mark: kept.join() }
}
