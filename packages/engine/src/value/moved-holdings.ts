import { v3PoolAbi, v3PositionManagerAbi } from '@svc/amm/abis'
import { type Address, isAddressEqual, type Log, parseEventLogs, zeroAddress } from 'viem'
import { type CallBounds, isSpending, isTradeAlone, type OrderBounds } from '../calldata/call-bounds.ts'
import type { DepositBounds } from '../calldata/deposit-bounds.ts'
import type { Inspected, PositionState } from '../simulation/inspection.ts'
import { broughtBy } from '../simulation/inspect-vaults.ts'
import { heldOf, type Moved } from './moved.ts'
import { depositOutcomes, simulatedDeposit } from './simulated-deposit.ts'
import type { RangePosition, TrustedPrices } from './trusted-value.ts'
import type { MovedOutcomes, Outcome } from './weigh-change.ts'

/**
 * What leaves a wallet and what arrives: of the whole intent as simulated, and of each AMM call as its calldata permits. A trade
 * may take its maximum and bring no more than its minimum; a deposit is made at the price of its pool, or at either end of the
 * prices at which it may still be mined. Each call is taken by itself there: a later one may never happen, and what positions
 * pay out beside a deposit was the owner's already. Shares that are given back to their vault are worth what comes. An order, which is sold over time, counts as if all of it were sold at once.
 */
export function outcomesOf(moved: Moved, prices: TrustedPrices): MovedOutcomes {
  return {
    whole: simulatedOutcome(moved),
    areTradesAlone: moved.calls.length > 0 && moved.calls.every(isTradeAlone),
    calls: moved.calls.filter(isSpending).map((bounds) => {
      return {
        feeBps: bounds.feeBps,
        outcomes: [
          ...tradeOutcomes(bounds, moved),
          ...depositOutcomes(bounds, moved, prices),
          ...orderOutcomes(bounds, moved),
          ...vaultOutcomes(bounds, moved),
        ],
      }
    }),
  }
}

function tradeOutcomes({ trades, pays, brings }: CallBounds, moved: Moved): readonly Outcome[] {
  if (trades.length === 0) return []
  return [{ leaves: heldOf(pays, moved), arrives: heldOf(brings, moved) }]
}

function orderOutcomes({ orders }: CallBounds, moved: Moved): readonly Outcome[] {
  return orders.map((order) => ({
    leaves: heldOf(new Map([[order.tokenIn, order.amountIn]]), moved),
    arrives: heldOf(new Map([[order.tokenOut, proceedsOf(order, moved)]]), moved),
  }))
}

/** A deposit into a vault may take all of its allowance, and is worth what its shares bring at once. */
function vaultOutcomes({ vaultDeposits }: CallBounds, { inspected }: Moved): readonly Outcome[] {
  return inspected.vaultDeposits
    .filter(({ deposit }) => vaultDeposits.includes(deposit))
    .map(({ token, most, brings }) => {
      const held = (amount: bigint) => ({ tokens: new Map([[token.toLowerCase(), amount]]), positions: [], shares: [] })
      return { leaves: held(most), arrives: held(brings ?? 0n) }
    })
}

/** Nothing where the pool cannot take it, or it was not asked. */
function proceedsOf(order: OrderBounds, { inspected }: Moved): bigint {
  return inspected.orders.find((one) => one.order === order)?.brings ?? 0n
}

function simulatedOutcome(moved: Moved): Outcome {
  const vaults = moved.inspected.vaultDeposits
  const left = moved.calls.flatMap(({ leaves }) => leaves)
  const shares = new Set([...vaults.map(({ deposit }) => deposit), ...left].map(({ vault }) => vault))
  const deltas = [...moved.deltas].filter(([key]) => !shares.has(key))
  const gone = new Map(deltas.flatMap(([key, delta]) => (delta < 0n ? [[key, -delta] as const] : [])))
  const come = new Map(deltas.filter(([, delta]) => delta > 0n))
  const ordered = moved.calls.flatMap(({ orders }) =>
    orders.map((one) => [one.tokenOut, proceedsOf(one, moved)] as const),
  )
  const redeemed = vaults.map((one) => {
    return [one.token.toLowerCase(), broughtBy(one, moved.deltas.get(one.deposit.vault) ?? 0n)] as const
  })
  for (const [key, amount] of [...moved.paid, ...ordered, ...redeemed]) come.set(key, (come.get(key) ?? 0n) + amount)
  return {
    leaves: { ...heldOf(gone, moved), positions: changedPositions(moved, -1n) },
    arrives: { ...heldOf(come, moved), positions: [...mintedPositions(moved), ...changedPositions(moved, 1n)] },
  }
}

function mintedPositions(moved: Moved): readonly RangePosition[] {
  const deposits = moved.calls.flatMap((call) => call.deposits)
  return deposits.flatMap((bounds): readonly RangePosition[] => {
    const { position, atPrice } = simulatedDeposit(bounds, moved)
    if (bounds.positionId !== null || position === null || atPrice === null) return []
    return [{ ...position, liquidity: atPrice.liquidity }]
  })
}

/** What was added to positions, or taken out of them, on balance: once, however many parts name them. */
function changedPositions({ inspected }: Moved, sign: 1n | -1n): readonly RangePosition[] {
  return inspected.positions.flatMap(({ pool, tickLower, tickUpper, liquidityBefore, liquidityAfter }) => {
    const liquidity = (liquidityAfter - liquidityBefore) * sign
    const { token0, token1 } = pool
    return liquidity <= 0n ? [] : [{ token0, token1, tickLower, tickUpper, liquidity }]
  })
}

/**
 * What a call that was mined has moved, with the liquidity that really went in and out: how much of which token a deposit takes follows
 * the price of its pool, and what it took is in the position, so that only both together tell what was lost. In v4 the calldata
 * fixes the liquidity, in v3 the position manager announces it.
 */
export function minedOutcome(deltas: ReadonlyMap<string, bigint>, call: MinedCall): Outcome {
  const { simulated, inspected } = call
  const deposits = call.calls.flatMap((one) => one.deposits)
  const changes = inspected.positions.map((position) => ({ position, by: changeOf(position, deposits, call) }))
  const changed = (sign: 1n | -1n) =>
    changes.flatMap(({ position, by }) => (by * sign > 0n ? [rangeOf(position, by * sign)] : []))
  const moved = (sign: 1n | -1n) => {
    const amountOf = (token: string) => (deltas.get(token) ?? 0n) * sign
    const shares = (sign > 0n ? simulated.arrives : simulated.leaves).shares
    return {
      tokens: new Map([...deltas.keys()].flatMap((token) => (amountOf(token) > 0n ? [[token, amountOf(token)]] : []))),
      shares: shares.flatMap((share) =>
        amountOf(share.pair) > 0n ? [{ ...share, amount: amountOf(share.pair) }] : [],
      ),
    }
  }
  return {
    leaves: { ...moved(-1n), positions: changed(-1n) },
    arrives: { ...moved(1n), positions: [...changed(1n), ...fixedIn(deposits), ...mintedIn(deposits, call)] },
  }
}

export type MinedCall = {
  readonly wallet: Address
  readonly simulated: Outcome
  readonly inspected: Inspected
  readonly calls: readonly Pick<CallBounds, 'deposits' | 'removals'>[]
  /** Of its transactions, in order. */
  readonly logs: readonly Log[]
}

/** By how much more liquidity a position that stood before has now. */
function changeOf(position: PositionState, deposits: readonly DepositBounds[], { calls, logs }: MinedCall): bigint {
  const { contract, id, liquidityBefore, liquidityAfter } = position
  const isOwn = (one: { readonly contract: Address; readonly positionId: bigint | null }) =>
    one.positionId === id && isAddressEqual(one.contract, contract)
  if (!deposits.some((one) => one.version === 'v3' && isOwn(one))) return liquidityAfter - liquidityBefore
  const added = eventsOf(logs, [contract]).flatMap((event) =>
    event.eventName === 'IncreaseLiquidity' && event.args.tokenId === id ? [event.args.liquidity] : [],
  )
  const removed = calls.flatMap(({ removals }) => removals.filter(isOwn).map(({ liquidity }) => liquidity))
  return sumOf(added) - sumOf(removed)
}

function rangeOf({ pool, tickLower, tickUpper }: PositionState, liquidity: bigint): RangePosition {
  return { token0: pool.token0, token1: pool.token1, tickLower, tickUpper, liquidity }
}

function fixedIn(deposits: readonly DepositBounds[]): readonly RangePosition[] {
  return deposits.flatMap(({ positionId, pool, ticks, liquidity }) => {
    if (positionId !== null || pool === null || ticks === null || liquidity === null) return []
    return [{ token0: pool.token0, token1: pool.token1, ...ticks, liquidity }]
  })
}

/**
 * New positions of v3: nothing comes between the three logs, in which the pool tells ticks and liquidity, and the position manager whose
 * it is.
 */
function mintedIn(deposits: readonly DepositBounds[], { wallet, logs }: MinedCall): readonly RangePosition[] {
  const minting = deposits.filter(({ version, positionId }) => version === 'v3' && positionId === null)
  if (minting.length === 0) return []
  const managers = minting.map(({ contract }) => contract)
  const pools = new Map(minting.flatMap(({ pool }) => (pool === null ? [] : [[pool.id.toLowerCase(), pool] as const])))
  const events = eventsOf(logs, [...managers, ...pools.keys()])
  return events.flatMap((event, at): readonly RangePosition[] => {
    const [transfer, increase] = [events[at + 1], events[at + 2]]
    const pool = pools.get(event.address.toLowerCase())
    if (event.eventName !== 'Mint' || pool === undefined) return []
    if (transfer?.eventName !== 'Transfer' || increase?.eventName !== 'IncreaseLiquidity') return []
    const { from, to, tokenId } = transfer.args
    const isNew = from === zeroAddress && isAddressEqual(to, wallet) && increase.args.tokenId === tokenId
    const { tickLower, tickUpper, amount: liquidity } = event.args
    if (!isNew || increase.args.liquidity !== liquidity) return []
    return [{ token0: pool.token0, token1: pool.token1, tickLower, tickUpper, liquidity }]
  })
}

const abi = [...v3PoolAbi, ...v3PositionManagerAbi] as const

function eventsOf(logs: readonly Log[], contracts: readonly string[]) {
  const known = new Set(contracts.map((contract) => contract.toLowerCase()))
  const own = logs.filter(({ address }) => known.has(address.toLowerCase()))
  return parseEventLogs({ abi, eventName: ['Mint', 'Transfer', 'IncreaseLiquidity'], logs: own })
}

function sumOf(values: readonly bigint[]): bigint {
  return values.reduce((all, one) => all + one, 0n)
}
