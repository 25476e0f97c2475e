import { feesOwed } from '@svc/lp-math'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  isAddressEqual,
  maxUint128,
  numberToHex,
  type PublicClient,
} from 'viem'
import type { Chain } from '@svc/wallet/core'
import { v3PositionManagerAbi, v4StateViewAbi } from '@svc/amm/abis'
import { contractRead, readOne } from '@svc/amm/rpc'
import type { Intent } from '@svc/amm'
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
 * cannot be read in the older block, or was not the wallet's there, nothing is settled. `undefined` where nothing is approved, sent along
 * or put in: no fee that goes is made up for then.
 */
export async function settledFees(
  question: FeesQuestion,
  { inspected, blockNumber }: { readonly inspected: Inspected; readonly blockNumber: bigint },
): Promise<ReadonlyMap<string, bigint> | undefined> {
  const { intent, callBounds, chain } = question
  const takes = intent.approvals.length > 0 || intent.calls.some(({ valueWei }) => valueWei > 0n)
  if (!takes || callBounds.every(({ deposits }) => deposits.length === 0)) return undefined
  const depth = BigInt(Math.max(leastDepth, chain.confirmations))
  const blocks = [blockNumber, blockNumber > depth ? blockNumber - depth : 0n]
  const settled = new Map<string, bigint>()
  await Promise.all(
    inspected.positions.map(async (position) => {
      const { token0, token1 } = position.pool
      const [now, then] = await Promise.all(blocks.map((at) => feesAt(question, position, at).catch(() => null)))
      for (const [side, token] of [token0, token1].entries()) {
        const [one, other] = [now?.[side] ?? 0n, then?.[side] ?? 0n]
        settled.set(token, (settled.get(token) ?? 0n) + (one < other ? one : other))
      }
    }),
  )
  return settled
}

type FeesQuestion = {
  readonly client: PublicClient
  readonly chain: Chain
  readonly wallet: Address
  readonly intent: Pick<Intent, 'approvals' | 'calls'>
  readonly callBounds: readonly Pick<CallBounds, 'deposits'>[]
}

/** Reorganisations that are no rare thing replace one block, or two. */
const leastDepth = 2

/** What would be collected at a block; `null` where the position does not stand, or is somebody else's. */
async function feesAt(question: FeesQuestion, position: PositionState, at: bigint): Promise<Fees | null> {
  const { v4 } = question.chain.amm
  const isV4 = v4 !== undefined && isAddressEqual(v4.positionManager, position.contract)
  return isV4 ? v4FeesAt(question, position, at, v4) : v3FeesAt(question, position, at)
}

type Fees = readonly [bigint, bigint]

async function v3FeesAt({ client, wallet }: FeesQuestion, position: PositionState, at: bigint): Promise<Fees | null> {
  const { contract: to, id: tokenId } = position
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
  { id, pool, tickLower, tickUpper }: PositionState,
  at: bigint,
  { stateView, positionManager }: { readonly stateView: Address; readonly positionManager: Address },
): Promise<Fees | null> {
  const salt = numberToHex(id, { size: 32 })
  const place = [pool.id, tickLower, tickUpper] as const
  const own = [pool.id, positionManager, tickLower, tickUpper, salt] as const
  const [growth, kept] = await Promise.all([
    readOne(client, contractRead(stateView, v4StateViewAbi, 'getFeeGrowthInside', place), at),
    readOne(client, contractRead(stateView, v4StateViewAbi, 'getPositionInfo', own), at),
  ])
  if (growth === null || kept === null) return null
  const [liquidity, last0, last1] = kept
  return [feesOwed(liquidity, growth[0], last0), feesOwed(liquidity, growth[1], last1)]
}
