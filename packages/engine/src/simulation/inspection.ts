import { unpackPositionInfo } from '@svc/lp-math'
import type { Chain } from '@svc/wallet/core'
import { type Address, getAddress, isAddress, maxUint128, zeroAddress } from 'viem'
import {
  erc20Abi,
  v2FactoryAbi,
  v2PairAbi,
  v3PoolAbi,
  v3PositionManagerAbi,
  v4PositionManagerAbi,
  v4QuoterAbi,
  v4StateViewAbi,
} from '@svc/amm/abis'
import { supplyWithFee } from '@svc/amm/liquidity'
import { contractFunction, type ContractRead } from '@svc/amm/rpc'
import type { Intent } from '@svc/amm'
import type { CalledContracts } from '../calldata/known-contracts.ts'
import type { SimulatedCall, SimulatedResult } from './asset-changes.ts'
import type { CallBounds, OrderBounds } from '../calldata/call-bounds.ts'
import { type InspectedVaultDeposit, type PaidVaultDeposit, redemptionsOf } from './inspect-vaults.ts'
import { identityOfKey, type PoolIdentity, poolIdentity } from '../calldata/pool-identity.ts'

/**
 * What is read around the steps of a simulation so that positions, pools and orders can be valued: the positions that the calldata
 * names, and the pools that it deposits into or orders in, before and after, and before them what the whole of each order would bring
 * at once; and behind all else what the shares of each deposit into a vault bring. All of it rides in the same request.
 */
export function inspectionOf(chain: Chain, wanted: InspectedParts): Inspection {
  const { positions, pools, orders, vaultDeposits, wallet } = wanted
  const redemptions = redemptionsOf(vaultDeposits, wallet)
  const positionReads = positions.flatMap((position) => readsOfPosition(chain, position))
  const poolReads = pools.flatMap((pool) => readsOfPool(chain, pool))
  const orderReads = orders.map((order) => readOfOrder(chain, order))
  return {
    before: [...positionReads, ...poolReads, ...orderReads].map(toCall),
    after: [...positionReads, ...poolReads].map(toCall),
    last: redemptions.calls,
    decode(before, after, last) {
      const start = valuesOf([...positionReads, ...poolReads], before)
      const end = valuesOf([...positionReads, ...poolReads], after)
      let at = 0
      const states = positions.map((position): PositionState | null => {
        const count = readsOfPosition(chain, position).length
        const state = positionState(chain, position, start.slice(at, at + count), end.slice(at, at + count))
        at += count
        return state
      })
      const poolStates = pools.map((pool): PoolAfter => {
        const count = readsOfPool(chain, pool).length
        const state = poolAfter(pool, start.slice(at, at + count), end.slice(at, at + count))
        at += count
        return state
      })
      const proceeds = valuesOf(orderReads, before.slice(at))
      return {
        positions: states.filter((state) => state !== null),
        pools: poolStates,
        orders: orders.map((order, index) => ({ order, brings: amountOf(proceeds[index]) })),
        vaultDeposits: redemptions.decode(last),
      }
    },
  }
}

export type InspectedParts = {
  readonly positions: CalledContracts['positions']
  readonly pools: readonly InspectedPool[]
  readonly orders: readonly OrderBounds[]
  readonly vaultDeposits: readonly PaidVaultDeposit[]
  readonly wallet: Address
}

export type InspectedPool = PoolIdentity & { readonly version: 'v2' | 'v3' | 'v4' }

/** The pools that the calldata names, and those that the intent says a position it names is of. */
export function poolsToInspect(
  callBounds: readonly CallBounds[],
  intent: Pick<Intent, 'deposits'>,
): readonly InspectedPool[] {
  const deposits = callBounds.flatMap((call) => call.deposits)
  const named = deposits.flatMap(({ pool, version }) => (pool === null ? [] : [Object.assign({ version }, pool)]))
  const declared = (intent.deposits ?? []).map(({ pool, version, token0, token1, hooks }) => {
    const [one, other] = [token0.toLowerCase(), token1.toLowerCase()]
    return { id: pool, version, token0: one, token1: other, hooks: hooks?.toLowerCase() ?? null }
  })
  const ordered = callBounds.flatMap(({ orders }) => orders.map(({ pool }) => ({ version: 'v4' as const, ...pool })))
  const pools = [...named, ...declared, ...ordered]
  return [...new Map(pools.map((pool) => [pool.id.toLowerCase(), pool])).values()]
}

export type Inspection = {
  readonly before: readonly SimulatedCall[]
  readonly after: readonly SimulatedCall[]
  /** What changes the state that everything else is read from. */
  readonly last: readonly SimulatedCall[]
  decode(
    before: readonly SimulatedResult[],
    after: readonly SimulatedResult[],
    last: readonly SimulatedResult[],
  ): Inspected
}

export type Inspected = {
  /** Of the calldata's positions, those that exist before the steps. */
  readonly positions: readonly PositionState[]
  readonly pools: readonly PoolAfter[]
  /** What the whole of each would bring if it were sold at once before the steps; `null` where the pool cannot take it. */
  readonly orders: readonly { readonly order: OrderBounds; readonly brings: bigint | null }[]
  readonly vaultDeposits: readonly InspectedVaultDeposit[]
}

/** Where nothing is to be valued. */
export const noInspection: Inspection = {
  before: [],
  after: [],
  last: [],
  decode: () => ({ positions: [], pools: [], orders: [], vaultDeposits: [] }),
}

export type PositionState = {
  readonly contract: Address
  readonly id: bigint
  readonly pool: PoolIdentity
  /** Whether code of somebody else has a say in what the pool pays: v4 alone has hooks. */
  readonly isHooked: boolean
  readonly tickLower: number
  readonly tickUpper: number
  readonly liquidityBefore: bigint
  readonly liquidityAfter: bigint
}

/** A pool after the steps; `null` where it does not stand. */
export type PoolAfter = InspectedPool & {
  /** It had a price before the steps, so they do not open it. */
  readonly stoodBefore: boolean
  readonly sqrtPriceX96: bigint | null
  /** v2 alone; without what lay in it beside its reserves before the steps, which whoever put it there may take out again. */
  readonly pair: { readonly reserve0: bigint; readonly reserve1: bigint; readonly burnSupply: bigint } | null
}

type Read = ContractRead<unknown>

type Position = CalledContracts['positions'][number]

function isV4(chain: Chain, { contract }: Position): boolean {
  return chain.amm.v4?.positionManager.toLowerCase() === contract.toLowerCase()
}

function readsOfPosition(chain: Chain, position: Position): readonly Read[] {
  const { contract: to, id } = position
  if (!isV4(chain, position)) return [readPosition(to, [id])]
  return [readPositionInfo(to, [id]), readPositionLiquidity(to, [id])]
}

function readsOfPool(chain: Chain, { version, id, token0, token1 }: InspectedPool): readonly Read[] {
  if (version === 'v4') {
    const to = chain.amm.v4?.stateView ?? zeroAddress
    return [readV4Price(to, [id])]
  }
  const to = getAddress(id)
  if (version === 'v3') return [readV3Price(to, [])]
  return [
    readReserves(to, []),
    readSupply(to, []),
    readLastProduct(to, []),
    readFeeTo(chain.amm.v2?.factory ?? zeroAddress, []),
    ...[token0, token1].map((token) => readBalance(getAddress(token), [to])),
  ]
}

function readOfOrder(chain: Chain, { key, zeroForOne, amountIn }: OrderBounds): Read {
  const exactAmount = amountIn < maxUint128 ? amountIn : maxUint128
  const asked = { poolKey: key, zeroForOne, exactAmount, hookData: '0x' } as const
  return readV4Quote(chain.amm.v4?.quoter ?? zeroAddress, [asked])
}

/** The first member of what the quoter answers. */
function amountOf(answer: unknown): bigint | null {
  const amount: unknown = Array.isArray(answer) ? answer[0] : null
  return typeof amount === 'bigint' && amount > 0n ? amount : null
}

const readPosition = contractFunction(v3PositionManagerAbi, 'positions')
const readPositionInfo = contractFunction(v4PositionManagerAbi, 'getPoolAndPositionInfo')
const readPositionLiquidity = contractFunction(v4PositionManagerAbi, 'getPositionLiquidity')
const readV3Price = contractFunction(v3PoolAbi, 'slot0')
const readV4Price = contractFunction(v4StateViewAbi, 'getSlot0')
const readV4Quote = contractFunction(v4QuoterAbi, 'quoteExactInputSingle')
const readReserves = contractFunction(v2PairAbi, 'getReserves')
const readSupply = contractFunction(v2PairAbi, 'totalSupply')
const readLastProduct = contractFunction(v2PairAbi, 'kLast')
const readFeeTo = contractFunction(v2FactoryAbi, 'feeTo')
const readBalance = contractFunction(erc20Abi, 'balanceOf')

function toCall({ to, data }: Read): SimulatedCall {
  return { to, data, value: 0n, mustSucceed: false }
}

/** What each read answered; `null` where it failed or nothing stands there. */
function valuesOf(reads: readonly Read[], results: readonly SimulatedResult[]): readonly unknown[] {
  return reads.map((read, index) => {
    const result = results[index]
    if (result === undefined || !result.ok || result.returnData === '0x') return null
    try {
      return read.decode(result.returnData)
    } catch {
      return null
    }
  })
}

function positionState(
  chain: Chain,
  position: Position,
  before: readonly unknown[],
  after: readonly unknown[],
): PositionState | null {
  const own = { contract: position.contract, id: position.id }
  if (isV4(chain, position)) {
    const [info, liquidityBefore] = before
    if (!Array.isArray(info) || typeof liquidityBefore !== 'bigint') return null
    const [key, packed]: readonly unknown[] = info
    if (typeof packed !== 'bigint' || packed === 0n) return null
    const { tickLower, tickUpper } = unpackPositionInfo(packed)
    const liquidityAfter = typeof after[1] === 'bigint' ? after[1] : 0n
    const pool = identityOfKey(key as Key)
    const isHooked = BigInt((key as Key).hooks) !== 0n
    return { ...own, pool, isHooked, tickLower, tickUpper, liquidityBefore, liquidityAfter }
  }
  const [row, left] = [before[0], after[0]]
  if (!isV3Row(row)) return null
  const [, , token0, token1, fee, tickLower, tickUpper, liquidityBefore] = row
  return {
    ...own,
    pool: poolIdentity(chain, token0.toLowerCase(), token1.toLowerCase(), fee),
    isHooked: false,
    tickLower,
    tickUpper,
    liquidityBefore,
    // A burnt position answers no more.
    liquidityAfter: isV3Row(left) ? left[7] : 0n,
  }
}

type Key = Parameters<typeof identityOfKey>[0]

/** What `positions` of v3's position manager answers, up to the liquidity. */
type V3Row = readonly [bigint, Address, Address, Address, number, number, number, bigint]

function isV3Row(value: unknown): value is V3Row {
  return Array.isArray(value) && value.length > 7
}

function poolAfter(pool: InspectedPool, before: readonly unknown[], after: readonly unknown[]): PoolAfter {
  const own = { ...pool, stoodBefore: priceOrReserve(before[0]) > 0n, sqrtPriceX96: null, pair: null }
  const [first] = after
  if (!Array.isArray(first)) return own
  if (pool.version !== 'v2') return { ...own, sqrtPriceX96: priceOrReserve(first) > 0n ? priceOrReserve(first) : null }
  const stands = pairState(after)
  if (stands === null) return own
  const { reserve0, reserve1, totalSupply } = stands
  const burnSupply = supplyWithFee(stands, stands.feeTo)
  const gifts = besideReserves(before)
  const held = [withoutGift(reserve0, gifts[0]), withoutGift(reserve1, gifts[1])] as const
  const { paid, made } = sharesPaid(before, held, totalSupply)
  // Shares that the gift made are worth nothing: those that were paid for are as much as all that come.
  const worth = (reserve: bigint) =>
    made > paid ? (reserve * paid * totalSupply) / (made * (totalSupply - made + paid)) : reserve
  return { ...own, pair: { reserve0: worth(held[0]), reserve1: worth(held[1]), burnSupply } }
}

/**
 * How many shares a deposit makes, and how many of these its own amounts pay for, without what lay beside the reserves. The pair first
 * makes what it owes the protocol, which is no part of either.
 */
function sharesPaid(
  before: readonly unknown[],
  [held0, held1]: readonly [bigint, bigint],
  totalSupply: bigint,
): { readonly paid: bigint; readonly made: bigint } {
  const nothing = { paid: 0n, made: 0n }
  const pair = pairState(before)
  if (pair === null || pair.reserve0 * pair.reserve1 === 0n) return nothing
  const supply = supplyWithFee(pair, pair.feeTo)
  const of = (held: bigint, reserve: bigint) => (held > reserve ? ((held - reserve) * supply) / reserve : 0n)
  const [paid0, paid1] = [of(held0, pair.reserve0), of(held1, pair.reserve1)]
  return { paid: paid0 < paid1 ? paid0 : paid1, made: totalSupply - supply }
}

/** Reserves, supply and what it takes to tell the protocol's share; `null` where one of them is not answered. */
function pairState([reserves, totalSupply, kLast, feeTo]: readonly unknown[]) {
  if (!Array.isArray(reserves) || typeof totalSupply !== 'bigint' || typeof kLast !== 'bigint') return null
  const [reserve0, reserve1]: readonly unknown[] = reserves
  if (typeof reserve0 !== 'bigint' || typeof reserve1 !== 'bigint') return null
  return typeof feeTo === 'string' && isAddress(feeTo) ? { reserve0, reserve1, totalSupply, kLast, feeTo } : null
}

/** What a pair holds of both tokens and does not count among its reserves: a deposit takes it in, and `skim` takes it away. */
function besideReserves([reserves, , , , ...held]: readonly unknown[]): readonly [bigint, bigint] {
  const counted: readonly unknown[] = Array.isArray(reserves) ? reserves : []
  const beside = (at: 0 | 1): bigint => {
    const [balance, reserve = 0n] = [held[at], counted[at]]
    return typeof balance === 'bigint' && typeof reserve === 'bigint' && balance > reserve ? balance - reserve : 0n
  }
  return [beside(0), beside(1)]
}

/** A pair never holds nothing of a token: it would have no price then. */
function withoutGift(reserve: bigint, gift: bigint): bigint {
  return reserve > gift ? reserve - gift : reserve > 0n ? 1n : 0n
}

/** The first member of `slot0` or `getReserves`. */
function priceOrReserve(answer: unknown): bigint {
  const value: unknown = Array.isArray(answer) ? answer[0] : null
  return typeof value === 'bigint' ? value : 0n
}
