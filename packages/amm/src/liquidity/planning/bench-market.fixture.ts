import type { Devnet } from '@svc/devnet'
import { parseAmount } from '@svc/lp-math'
import { getAddress, type Address } from 'viem'
import type { AddRequest, Liquidity, PairShare, Position, Token } from '../../ports.ts'
import { benchTrade } from './bench-trade.fixture.ts'
import { createBench } from './bench.fixture.ts'

export type RangedVersion = 'v3' | 'v4'

/** The positions of one wallet and the trades of another in the pools of ether and USDC. */
export async function openMarket(devnet: Devnet) {
  const bench = await createBench(devnet)
  const other = await createBench(devnet, 1)
  const [eth, weth, usdc] = await Promise.all([bench.token('ETH'), bench.token('WETH'), bench.token('USDC')])
  await devnet.fund(other.address, { WETH: '1000', USDC: '3000000', ETH: '1000' })
  const { liquidity, chain } = bench
  const common = { slippageBps: 50, deadline: bench.deadline }

  async function add(facts: Pick<AddRequest, 'version' | 'token0' | 'token1' | 'fee' | 'range'>, amount0: string) {
    const planned = await liquidity.planAdd(chain, {
      ...common,
      hooks: null,
      amount0: parseAmount(amount0, facts.token0.decimals),
      amount1: null,
      recipient: bench.address,
      ...facts,
    })
    return (await planned.decode(await bench.run(planned.intent))).positionId
  }

  const read = (version: RangedVersion, positionId: string) => liquidity.position(chain, version, positionId)

  /** Trades of others, each moving the price by some basis points and paying fees. */
  async function trade(version: RangedVersion, base: Token, tokensIn: readonly Token[], parts = 1n) {
    for (const tokenIn of tokensIn) {
      const [tokenOut, amount] =
        tokenIn === usdc ? ([base, parseAmount('60000', 6)] as const) : ([usdc, parseAmount('20', 18)] as const)
      await benchTrade(other, version, tokenIn, tokenOut, amount / parts)
    }
  }

  return {
    bench,
    other,
    eth,
    weth,
    usdc,
    trade,
    read,
    /** The two tokens of a pool, in its order. */
    sides: ({ pool }: Position | PairShare) => [pool.token0, pool.token1],
    /** A position of five ether's worth on each side, and what trades of others since have earned it. */
    async open(version: RangedVersion, base: Token, tokensIn: readonly Token[] = [base, usdc]): Promise<Position> {
      const range = { pctEachSide: 15 }
      const positionId = await add({ version, token0: base, token1: usdc, fee: 500, range }, '5')
      await trade(version, base, tokensIn)
      return await read(version, positionId)
    },
    /** A share of a v2 pair. */
    async share(token0: Token, token1: Token, amount0: string): Promise<PairShare> {
      const pair = await add({ version: 'v2', token0, token1, fee: null, range: null }, amount0)
      return await liquidity.pairShare(chain, getAddress(pair), bench.address)
    },
    /** About one ether's worth of the pool's token0. */
    some({ pool }: Position): bigint {
      return parseAmount(pool.token0.decimals === 6 ? '3000' : '1', pool.token0.decimals)
    },
    collect: (position: Position) =>
      liquidity.planCollect(chain, position, { deadline: bench.deadline, recipient: bench.address }),
    remove: (
      position: Position | PairShare,
      facts: { percentage?: number; collectFees?: boolean; slippageBps?: number; recipient?: Address } = {},
    ) => {
      const request = { percentage: 100, collectFees: true, recipient: bench.address, ...common, ...facts }
      return liquidity.planRemove(chain, position, request)
    },
    compound: (
      position: Position,
      facts: {
        slippageBps?: number
        swapToRatio?: boolean
        atomicRoute?: Parameters<Liquidity['planCompound']>[2]['atomicRoute']
      } = {},
    ) => {
      const request = { swapToRatio: false, atomicRoute: async () => null, recipient: bench.address }
      return liquidity.planCompound(chain, position, { ...request, ...common, ...facts })
    },
    rebalance: (
      position: Position,
      facts: Partial<Pick<Parameters<typeof liquidity.planRebalance>[2], 'range' | 'swapToRatio' | 'inverted'>> = {},
    ) => {
      const request = { range: { pctEachSide: 15 }, inverted: false, swapToRatio: true, recipient: bench.address }
      return liquidity.planRebalance(chain, position, { ...request, ...common, ...facts })
    },
    increase: (
      position: Position,
      amount0: bigint,
      amount1: bigint | null,
      facts: { payNative?: boolean; slippageBps?: number } = {},
    ) => liquidity.planIncrease(chain, position, { amount0, amount1, payNative: false, ...common, ...facts }),
  }
}

/** Where positions are tested: the native currency is a side of its own in v4 alone. */
export const places = [
  { version: 'v3', base: 'weth' },
  { version: 'v4', base: 'weth' },
  { version: 'v4', base: 'eth' },
] as const
