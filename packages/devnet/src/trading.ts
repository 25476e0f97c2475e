import { setTimeout as sleep } from 'node:timers/promises'
import type { Hex } from 'viem'
import { arbitrageCall } from './arbitrage-call.ts'
import type { Call } from './block-writer.ts'
import type { ChainClient } from './chain-client.ts'
import type { Layout, PlacedPool } from './layout.ts'
import { pricesNow } from './market.ts'
import type { UsdPrices } from './prices.ts'
import { createRandom, type Random } from './random.ts'
import { readPool } from './read-pool.ts'
import type { Asset } from './token-specs.ts'
import { randomSwap } from './trading-hour.ts'

/** Trading by other people on a running chain: a number of trades at once, or one every so often until stopped. */
export function createTrading(chain: {
  readonly client: ChainClient
  readonly layout: Layout
  readonly send: (call: Call) => Promise<void>
}): Trading {
  const running = new Set<Trader>()
  const trade = async (count: number, seed: string, pools?: readonly Hex[]) => {
    const next = await openSession(chain, seed, pools)
    for (let i = 0; i < count; i++) await next()
  }
  const startTrader = (options: TraderOptions): Trader => {
    const halt = new AbortController()
    let trades = 0
    const work = async () => {
      const next = await openSession(chain, String(options.seed), options.pools)
      while (!halt.signal.aborted) {
        await next()
        trades += 1
        await sleep(options.intervalMs, null, { signal: halt.signal }).catch(() => {})
      }
    }
    const finished = work()
    // Whoever stops the trader learns of its failure; until then it must not end the process.
    finished.catch(() => {})
    const trader: Trader = {
      trades: () => trades,
      stop: async () => {
        halt.abort()
        running.delete(trader)
        await finished
      },
    }
    running.add(trader)
    return trader
  }
  const stopAll = async () => void (await Promise.allSettled([...running].map(async (trader) => await trader.stop())))
  return { trade, startTrader, stopAll }
}

export type Trading = {
  /** So many trades now, each in its block. The same seed on the same state gives the same trades. */
  readonly trade: (count: number, seed: string, pools?: readonly Hex[]) => Promise<void>
  readonly startTrader: (options: TraderOptions) => Trader
  readonly stopAll: () => Promise<void>
}

export type TraderOptions = {
  readonly seed: string | number
  /** Pause between two trades. */
  readonly intervalMs: number
  /** Trades in these pools only, by id; all when absent. */
  readonly pools?: readonly Hex[]
}

export type Trader = {
  /** Waits for the trade under way. Rejects when trading had failed. */
  stop(): Promise<void>
  /** How many trades were mined so far. */
  trades(): number
}

type Chain = Parameters<typeof createTrading>[0]

/** From the prices on the chain on, each step moves the market a little, sends one trade and lets arbitrage follow. */
async function openSession(chain: Chain, seed: string, ids: readonly Hex[] | undefined): Promise<() => Promise<void>> {
  const pools = choosePools(chain.layout, ids)
  const random = createRandom(`${seed}:trader`)
  let usd = await readPrices(chain)
  return async () => {
    usd = nextPrices(usd, random)
    await chain.send(randomSwap(chain.layout, pickPool(pools, random), usd, random))
    await chain.send(arbitrageCall(chain.layout, usd, new Set(pools)))
  }
}

function choosePools(layout: Layout, ids: readonly Hex[] | undefined): readonly PlacedPool[] {
  if (!ids) return layout.pools
  return ids.map((id) => {
    const pool = layout.pools.find((each) => each.id.toLowerCase() === id.toLowerCase())
    if (!pool) throw new Error(`The local chain has no pool ${id}`)
    return pool
  })
}

/** A pool by its share of the trades. */
function pickPool(pools: readonly PlacedPool[], random: Random): PlacedPool {
  let left = random.next() * pools.reduce((sum, pool) => sum + pool.perHour, 0)
  const picked = pools.find((pool) => (left -= pool.perHour) < 0) ?? pools.at(-1)
  if (!picked) throw new Error('Trading needs at least one pool')
  return picked
}

/** What the deepest pools say; tokens without a market keep their first price. */
async function readPrices({ client, layout }: Chain): Promise<UsdPrices> {
  const deepest = (base: Asset, quote: Asset) =>
    layout.pools
      .filter((pool) => pool.base === base && pool.quote === quote)
      .reduce((best, pool) => (pool.tvlUsd > best.tvlUsd ? pool : best))
  const price = async (base: Asset, quote: Asset) => (await readPool(client, layout, deepest(base, quote))).price
  const ETH = await price('WETH', 'USDC')
  const WBTC = (await price('WBTC', 'WETH')) * ETH
  const [USDT, DAI] = [1 / (await price('USDC', 'USDT')), await price('DAI', 'USDC')]
  return { ...pricesNow, ETH, WETH: ETH, WBTC, USDT, DAI }
}

/** 3 basis points per trade: a hundred trades move ether as an hour of the history does. */
const tradeSigma = 0.0003

function nextPrices(usd: UsdPrices, random: Random): UsdPrices {
  const move = Math.exp(tradeSigma * random.normal())
  return { ...usd, ETH: usd.ETH * move, WETH: usd.WETH * move, WBTC: usd.WBTC * move }
}
