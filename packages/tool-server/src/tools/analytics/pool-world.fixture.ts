import { getSqrtPriceAtTick, MAX_TICK, MIN_TICK, priceFromTick } from '@svc/lp-math'
import { createColumns } from '../../../../amm/src/history/bars/bar-columns.ts'
import type { WorkRequest } from '../../workers/compute.ts'
import { runWork, type WorkMessage } from '../../workers/run-work.ts'
import type { Pool, PoolBars, Token } from '@svc/amm'
import type { Ports, Work, WorkKind } from '../../ports.ts'
import type { TickRow } from '../../../../amm/src/ports.ts'
import type { WriteContext } from '../../tool-context.ts'
import { createTraffic } from '../../traffic.ts'
import { untouchedWorld } from '../refusals.fixture.ts'

/** Twenty days of hours of one pool around a tick; every hour as much came in of each token as its liquidity over a hundred. */
export function poolWorld({
  decimals,
  tick,
  step = 0,
  liquidity = 10n ** 18n,
  withoutGasPrice = false,
  ticks = [],
}: Market): WriteContext {
  const bare = untouchedWorld()
  const nowSeconds = Math.floor(bare.now() / 1_000)
  const start = nowSeconds - hours * 3_600
  const token = (symbol: string, place: number): Token => ({
    symbol,
    name: symbol,
    isNative: false,
    listed: true,
    usdPegged: false,
    address: `0x${String(place + 1).repeat(40)}`,
    decimals: decimals[place]!,
  })
  const tokens = [token('AAA', 0), token('BBB', 1)] as const
  const pool: Pool = {
    version: 'v3',
    id: `0x${'3'.repeat(40)}`,
    token0: tokens[0],
    token1: tokens[1],
    fee: 3_000,
    tickSpacing: 60,
    hooks: null,
    reserve0: null,
    reserve1: null,
    feeGrowthGlobal0X128: 0n,
    feeGrowthGlobal1X128: 0n,
    protocolFee: 0,
    blockNumber: 1n,
    sqrtPriceX96: getSqrtPriceAtTick(tick),
    tick,
    liquidity,
  }
  const bars = { ...createColumns({ start, count: hours, barSeconds: 3_600 }), feeGrowth: null }
  const root = 1.0001 ** (tick / 2)
  const inside = (at: number) => Math.min(MAX_TICK, Math.max(MIN_TICK, at))
  for (const bar of bars.startsAt.keys()) {
    const close = inside(tick + (bar % 2 === 0 ? step : 0))
    const open = inside(tick + (bar % 2 === 0 ? 0 : step))
    ;[bars.openTick[bar], bars.closeTick[bar]] = [open, close]
    ;[bars.lowTick[bar], bars.highTick[bar]] = [Math.min(open, close), Math.max(open, close)]
    bars.liquidity[bar] = Number(liquidity)
    bars.amount0In[bar] = Number(liquidity) / root / 100
    bars.amount1In[bar] = (Number(liquidity) * root) / 100
  }
  const feesUsd = new Float64Array(hours).fill(1)
  const completeness = { barsExpected: hours, barsFound: hours, hasAllTrades: true, gaps: 0, gapsAt: [], note: null }
  const history: PoolBars = {
    bars,
    source: 'rpc',
    completeness,
    isEstimate: false,
    figures: {
      volumeUsd: feesUsd.map(() => 333),
      feesUsd,
      tvlUsd: null,
      trades: null,
    },
  }
  const price = priceFromTick(tick, decimals[0], decimals[1])
  const usd = (of: Token) => ({ usd: of === tokens[1] ? 1 : of === tokens[0] ? price : 3_000 }) as never
  const ports: Partial<Ports> = {
    tokens: {
      ...bare.tokens,
      resolve: async (_chain, text) => tokens[text === 'AAA' ? 0 : 1],
      byAddress: async () => tokens[0],
    },
    liquidity: { ...({} as Ports['liquidity']), findPools: async () => [pool], ticks: async () => ticks },
    rpc: {
      ...({} as Ports['rpc']),
      head: async () => ({ number: 1n, baseFeePerGas: 1_000_000n }) as never,
      client: () =>
        ({
          getFeeHistory: async () =>
            withoutGasPrice ? Promise.reject(new Error('no method')) : { reward: [[1n, 2n, 3n]] },
        }) as never,
    },
    prices: { usd: async (_chain, of) => usd(of), ratio: async () => null, doubt: async () => 'unnamed' as const },
    history: { read: async () => history },
    workers: { run: here },
  }
  return { ...bare, ...ports }
}

export type Market = {
  readonly decimals: readonly [number, number]
  readonly tick: number
  /** How far each hour moves, in ticks, up and down in turn. */
  readonly step?: number
  readonly liquidity?: bigint
  readonly withoutGasPrice?: boolean
  readonly ticks?: readonly TickRow[]
}

const hours = 24 * 20

/** What a thread would do, in this one. */
async function here<Kind extends WorkKind>(kind: Kind, input: Work[Kind]['input']): Promise<never> {
  const said: WorkMessage[] = []
  const request = { kind, input } as WorkRequest
  await runWork(
    { ...request, stop: new Int32Array(1), traffic: createTraffic().counts },
    (message) => void said.push(message),
  )
  const last = said.at(-1)
  if (last?.kind !== 'result') throw new Error(JSON.stringify(last))
  return last.output as never
}
