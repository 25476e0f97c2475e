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
import type { Intent } from '@svc/amm'
import type { CalledContracts } from '../calldata/called-contracts.ts'
import type { Holdings, PairShares } from './trusted-value.ts'
import type { CallBounds } from './call-bounds.ts'
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
  /** Fees of the positions that the newest blocks did not bring, by lower-case token; absent where nothing can leave the wallet. */
  readonly settledFees?: ReadonlyMap<string, bigint> | undefined
  /** What is mined already of a call on its way: its net change, which `deltas` leave out, and the calls that are left. */
  readonly begun?: { readonly deltas: ReadonlyMap<string, bigint>; readonly left: readonly CallBounds[] }
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

/** A pair as it stands after the steps, which a new one did not before them. */
function pairOf(key: string, { inspected, pairs }: Moved): Omit<PairShares, 'amount'> | null {
  const after = inspected.pools.find(({ id, pair }) => pair !== null && id.toLowerCase() === key)
  if (after?.pair) return { pair: key, token0: after.token0, token1: after.token1, ...after.pair }
  return pairs.get(key) ?? null
}

/**
 * The fees of a call's positions that the newest blocks did not bring, per lower-case token. Whoever pays fees there may have these blocks
 * replaced by others in which nothing was paid, and what was to be put in out of fees is then taken from the wallet. Of a position that
 * cannot be read in the older block, or was not the wallet's there, nothing is settled. What was asked `ahead`, at the same block, is not
 * asked again. `undefined` where nothing is approved, sent along or put in: no fee that goes is made up for then.
 */
export async function settledFees(
  question: FeesQuestion,
  { inspected, blockNumber }: { readonly inspected: Inspected; readonly blockNumber: bigint },
  ahead: FeesAhead | null = null,
): Promise<ReadonlyMap<string, bigint> | undefined> {
  if (!hasFeesAtStake(question)) return undefined
  const settled = new Map<string, bigint>()
  await Promise.all(
    inspected.positions.map(async (position) => {
      const { token0, token1 } = position.pool
      const place = placeOf(question, position)
      const asked = ahead?.get(keyOf(position))
      const known = asked?.at === blockNumber && isSamePlace(asked.place, place) ? asked.fees : null
      const [now, then] = await (known ?? feesSince(question, { ...position, place }, blockNumber))
      for (const [side, token] of [token0, token1].entries()) {
        const [one, other] = [now?.[side] ?? 0n, then?.[side] ?? 0n]
        settled.set(token, (settled.get(token) ?? 0n) + (one < other ? one : other))
      }
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
    return [[keyOf(position), { at, place, fees: feesSince(question, { ...position, place }, at) }] as const]
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

function hasFeesAtStake({ intent, callBounds }: FeesQuestion): boolean {
  const takes = intent.approvals.length > 0 || intent.calls.some(({ valueWei }) => valueWei > 0n)
  return takes && callBounds.some(({ deposits }) => deposits.length > 0)
}

/** Where a v4 position stands; v3 looks that up by itself. */
type Place = Pick<PositionState, 'tickLower' | 'tickUpper'> & { readonly poolId: Hex }

type FeesOf = CalledContracts['positions'][number] & { readonly place: Place | null }

function keyOf({ contract, id }: Pick<FeesOf, 'contract' | 'id'>): string {
  return `${contract.toLowerCase()} ${id}`
}

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

/** Reorganisations that are no rare thing replace one block, or two. */
const leastDepth = 2

/** What would be collected at a block and in the older one. */
function feesSince(question: FeesQuestion, position: FeesOf, at: bigint): Promise<readonly (Fees | null)[]> {
  const depth = BigInt(Math.max(leastDepth, question.chain.confirmations))
  const blocks = [at, at > depth ? at - depth : 0n]
  return Promise.all(blocks.map((block) => feesAt(question, position, block).catch(() => null)))
}

/** What would be collected at a block; `null` where the position does not stand, or is somebody else's. */
async function feesAt(question: FeesQuestion, { place, ...position }: FeesOf, at: bigint): Promise<Fees | null> {
  const { v4 } = question.chain.amm
  if (place === null || v4 === undefined) return v3FeesAt(question, position, at)
  return v4FeesAt(question, { ...position, place }, at, v4)
}

type Fees = readonly [bigint, bigint]

async function v3FeesAt(
  { client, wallet }: FeesQuestion,
  { contract: to, id: tokenId }: Omit<FeesOf, 'place'>,
  at: bigint,
): Promise<Fees | null> {
  const everything = { tokenId, recipient: wallet, amount0Max: maxUint128, amount1Max: maxUint128 }
  const collect = { abi: v3PositionManagerAbi, functionName: 'collect' } as const
  const data = encodeFunctionData({ ...collect, args: [everything] })
  const answer = await client.call({ account: wallet, to, data, blockNumber: at }).catch(() => null)
  if (answer?.data === undefined) return null
  const [amount0, amount1] = decodeFunctionResult({ ...collect, data: answer.data })
  return [amount0, amount1]
}

async function v4FeesAt(
  { client }: FeesQuestion,
  { id, place: { poolId, tickLower, tickUpper } }: Omit<FeesOf, 'place'> & { readonly place: Place },
  at: bigint,
  { stateView, positionManager }: { readonly stateView: Address; readonly positionManager: Address },
): Promise<Fees | null> {
  const salt = numberToHex(id, { size: 32 })
  const place = [poolId, tickLower, tickUpper] as const
  const own = [poolId, positionManager, tickLower, tickUpper, salt] as const
  const [growth, kept] = await Promise.all([
    readOne(client, contractRead(stateView, v4StateViewAbi, 'getFeeGrowthInside', place), at),
    readOne(client, contractRead(stateView, v4StateViewAbi, 'getPositionInfo', own), at),
  ])
  if (growth === null || kept === null) return null
  const [liquidity, last0, last1] = kept
  return [feesOwed(liquidity, growth[0], last0), feesOwed(liquidity, growth[1], last1)]
}
