import {
  applyPoolEvent,
  createPoolState,
  createRandom,
  getAmountsForLiquidity,
  getSqrtPriceAtTick,
  type PoolEvent,
  type PoolState,
  positionKey,
  swapInPool,
} from '@svc/lp-math'

export const startsAt = 1_750_032_000
export const range = { tickLower: -120, tickUpper: 180 }
export const liquidity = 3n * 10n ** 17n

/** Two days of orders in a v3 pool of 0.3 %, in which `me` holds a position from the second hour on and pokes it at the end. */
export function someEvents(): { readonly events: readonly PoolEvent[]; readonly state: PoolState } {
  const random = createRandom(3)
  const state = createPoolState({ feePips: 3000, tickSpacing: 60 })
  const events: PoolEvent[] = []
  const apply = (event: PoolEvent) => {
    applyPoolEvent(state, event)
    events.push(event)
  }
  const mint = (owner: string, bounds: typeof range, amount: bigint, timestamp: number) => {
    const prices = [getSqrtPriceAtTick(bounds.tickLower), getSqrtPriceAtTick(bounds.tickUpper)] as const
    const worth = getAmountsForLiquidity(state.sqrtPriceX96, ...prices, amount, true)
    apply({ eventName: 'Mint', args: { owner, ...bounds, amount, ...worth }, timestamp })
  }
  apply({ eventName: 'Initialize', args: { sqrtPriceX96: 2n ** 96n, tick: 0 }, timestamp: startsAt })
  mint('0xothers', { tickLower: -6000, tickUpper: 6000 }, 10n ** 18n, startsAt)
  for (let order = 0; order < 96; order++) {
    const timestamp = startsAt + 1800 * order + 60
    if (order === 4) mint('0xme', range, liquidity, timestamp)
    const amountSpecified = BigInt(Math.round(4e6 * Math.exp(random.normal()))) * 10n ** 9n
    const args = swapInPool(state, { zeroForOne: random.uniform() < 0.5, exactIn: true, amountSpecified, timestamp })
    events.push({ eventName: 'Swap', args, timestamp })
  }
  const nothing = { amount: 0n, amount0: 0n, amount1: 0n }
  apply({ eventName: 'Burn', args: { owner: '0xme', ...range, ...nothing }, timestamp: startsAt + 1800 * 96 })
  return { events, state }
}

/** What the pool owes `me`, in smallest units. */
export function owed({ positions }: PoolState): readonly [string, string] {
  const position = positions.get(positionKey({ owner: '0xme', ...range }))
  return [String(position?.tokensOwed0), String(position?.tokensOwed1)]
}

/** The same trade as a v4 pool logs it: the trader's side, the fee with each swap, and the key of the pool at the beginning. */
export function asV4(events: readonly PoolEvent[], hooks: string): readonly object[] {
  return events.map(({ eventName, args, timestamp }) => {
    if (eventName === 'Initialize')
      return { eventName, args: { ...args, fee: 3000, tickSpacing: 60, hooks }, timestamp }
    if (eventName === 'Swap') {
      return { eventName, args: { ...args, amount0: -args.amount0, amount1: -args.amount1, fee: 3000 }, timestamp }
    }
    if (eventName !== 'Mint' && eventName !== 'Burn') throw new TypeError('no other event is drawn')
    const { owner: sender, tickLower, tickUpper, amount } = args
    const salt = `0x${'00'.repeat(32)}`
    const liquidityDelta = eventName === 'Mint' ? amount : -amount
    return { eventName: 'ModifyLiquidity', args: { sender, tickLower, tickUpper, liquidityDelta, salt }, timestamp }
  })
}

export function jsonLines(events: readonly object[]): string {
  const line = (event: object) =>
    JSON.stringify(event, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
  return `${events.map(line).join('\n')}\n`
}

export function csvOf(events: readonly PoolEvent[]): string {
  const names = [...new Set(events.flatMap(({ args }) => Object.keys(args)))]
  const rows = events.map(({ eventName, timestamp, args }) => {
    const fields: Readonly<Record<string, string | number | bigint>> = { ...args }
    return [eventName, timestamp, ...names.map((name) => String(fields[name] ?? ''))].join(',')
  })
  return `${[['eventName', 'timestamp', ...names].join(','), ...rows].join('\n')}\n`
}
