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
import { contractRead, readOne } from '@svc/amm/rpc'
import type { BlockTime, Intent } from '@svc/amm'
import type { CalledContracts } from '../calldata/known-contracts.ts'
import type { CallBounds } from '../calldata/call-bounds.ts'
import { settledBlock, settledDepth } from '../call/chain-snapshot.ts'
import type { Refusal } from '../call/refusal.ts'
import type { Inspected, PositionState } from '../simulation/inspection.ts'

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
  const settled = new Map<string, Waiting>()
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

export type SettledFees = ReadonlyMap<string, Waiting>

type Waiting = {
  /** Of both tokens, in the pool's order. */
  readonly fees: Fees
  /** The less of what the position had then and has now: what anybody has added to it since may be gone with the newest blocks. */
  readonly liquidity: bigint
}

export function positionKey({ contract, id }: Pick<PositionState, 'contract' | 'id'>): string {
  return `${contract.toLowerCase()} ${id}`
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
    suggestion: 'Wait for as long as the message says; a plan stays good meanwhile.',
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
 * What still waits of what waited in the settled block: no more than would be collected in either, and nothing of what was collected in
 * between. `null` where the position was not the wallet's there, or liquidity was taken out since.
 */
async function feesSince(question: FeesQuestion, position: FeesOf, at: bigint): Promise<Waiting | null> {
  const settledAt = settledBlock(question.chain, at)
  const [isOwn, now, then] = await Promise.all([
    wasOwn(question, position, settledAt),
    ...[at, settledAt].map((block) => feesAt(question, position, block).catch(() => null)),
  ])
  if (!isOwn || now == null || then == null || now.liquidity < then.liquidity) return null
  return { fees: [leftOf(0, then, now), leftOf(1, then, now)], liquidity: then.liquidity }
}

/**
 * What the growth of the older block owes on the position as it is kept now. Anybody may add to a position of v3, and what it has earned
 * till then is written down in it: what the newest blocks brought of that is taken off, so that a grain that is added changes nothing.
 */
function leftOf(side: 0 | 1, then: FeesAt, now: FeesAt): bigint {
  const grown = then.fees[side] - then.owed[side]
  const owed = then.liquidity === 0n ? 0n : (grown * now.liquidity) / then.liquidity
  const since = BigInt.asUintN(256, now.growthLast[side] - then.growthLast[side])
  const writtenDown = (since * now.liquidity + (1n << 128n) - 1n) >> 128n
  const left = now.owed[side] + owed - writtenDown
  const waits = [left, then.fees[side], now.fees[side]].reduce((least, one) => (one < least ? one : least))
  return waits < 0n ? 0n : waits
}

/** What would be collected at a block; `null` where the position does not stand. */
async function feesAt(question: FeesQuestion, { place, ...position }: FeesOf, at: bigint): Promise<FeesAt | null> {
  const { v4 } = question.chain.amm
  if (place === null || v4 === undefined) return v3FeesAt(question, position, at)
  return v4FeesAt(question, { ...position, place }, at, v4)
}

type Fees = readonly [bigint, bigint]

type FeesAt = {
  /** All that would be collected. */
  readonly fees: Fees
  readonly liquidity: bigint
  /** What of the fees is written down in the position, up to the growth it was last changed at; v4 pays that out with each change. */
  readonly owed: Fees
  readonly growthLast: Fees
}

async function v3FeesAt(
  { client, wallet }: FeesQuestion,
  { contract: to, id: tokenId }: Omit<FeesOf, 'place'>,
  at: bigint,
): Promise<FeesAt | null> {
  const everything = { tokenId, recipient: wallet, amount0Max: maxUint128, amount1Max: maxUint128 }
  const collect = { abi: v3PositionManagerAbi, functionName: 'collect' } as const
  const data = encodeFunctionData({ ...collect, args: [everything] })
  const [answer, kept] = await Promise.all([
    client.call({ account: wallet, to, data, blockNumber: at }).catch(() => null),
    readOne(client, contractRead(to, v3PositionManagerAbi, 'positions', [tokenId]), at),
  ])
  if (answer?.data === undefined || kept === null) return null
  const [amount0, amount1] = decodeFunctionResult({ ...collect, data: answer.data })
  const [, , , , , , , liquidity, last0, last1, owed0, owed1] = kept
  return { fees: [amount0, amount1], liquidity, owed: [owed0, owed1], growthLast: [last0, last1] }
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
  return { fees, liquidity, owed: [0n, 0n], growthLast: [last0, last1] }
}
