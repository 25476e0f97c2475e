import { useDevnet } from '@svc/devnet/testing'
import { getAddress, parseUnits } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Quote, Version } from '../../ports.ts'
import { v3PositionManagerAbi } from '../../abis/v3.ts'
import { createChainActor, v3PathOf, type ChainActor } from '../chain-actor.fixture.ts'
import { createReadsBench } from '../reads-bench.fixture.ts'
import { poolKeyOf } from '../v4/pool-key.ts'

const devnet = useDevnet()
let bench: ReturnType<typeof createReadsBench>
let actor: ChainActor

beforeEach(async () => {
  bench = createReadsBench(devnet())
  actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
})

describe('a quote is what the swap delivers', () => {
  it.each([
    ['v2', 'WETH', 'USDC', '3'],
    ['v2', 'USDC', 'WETH', '4321.123456'],
    ['v3', 'WETH', 'USDC', '3'],
    ['v3', 'USDC', 'WETH', '4321.123456'],
    ['v3', 'WBTC', 'USDC', '0.12345678'],
    ['v4', 'WETH', 'USDC', '3'],
    ['v4', 'ETH', 'USDC', '3'],
    ['v4', 'USDC', 'ETH', '4321.123456'],
  ] as const)('in %s from %s to %s', async (version, from, to, amount) => {
    const [tokenIn, tokenOut] = await Promise.all([bench.token(from), bench.token(to)])
    const amountIn = parseUnits(amount, tokenIn.decimals)
    const quote = await bench.reads.quote(bench.chain, { tokenIn, tokenOut, amountIn, versions: [version] })
    expect(quote).toMatchObject({ version, amountIn })
    // The wallet pays gas in ether; the manager of v4 pools does not.
    const { poolManager } = bench.chain.amm.v4!
    const held = () =>
      tokenOut.isNative
        ? actor.client.getBalance({ address: poolManager }).then((balance) => -balance)
        : actor.balanceOf(tokenOut.address)
    const before = await held()
    const { gasUsed } = await swap(quote)
    expect((await held()) - before).toBe(quote.amountOut)
    expect(Number(quote.gasEstimate) / Number(gasUsed)).toBeGreaterThan(0.8)
    expect(Number(quote.gasEstimate) / Number(gasUsed)).toBeLessThan(1.3)
  })
})

describe('a quote of an exact output', () => {
  it.each([
    ['v2', 'WETH', 'USDC', '3000'],
    ['v3', 'USDC', 'WETH', '1.5'],
    ['v3', 'WBTC', 'USDC', '4321.123456'],
    ['v4', 'USDC', 'ETH', '1.5'],
    ['v4', 'WETH', 'USDT', '300'],
  ] as const)(
    'in %s from %s to %s is what an input of that size buys, to the rounding of it',
    async (version, from, to, amount) => {
      const [tokenIn, tokenOut] = await Promise.all([bench.token(from), bench.token(to)])
      const amountOut = parseUnits(amount, tokenOut.decimals)
      const pair = { tokenIn, tokenOut, versions: [version] }
      const quote = await bench.reads.quote(bench.chain, { ...pair, amountOut })
      expect(quote).toMatchObject({ version, amountOut, isExactOut: true })
      const back = await bench.reads.quote(bench.chain, { ...pair, amountIn: quote.amountIn })
      expect(back.amountOut).toBeGreaterThanOrEqual(amountOut)
      const less = await bench.reads.quote(bench.chain, { ...pair, amountIn: (quote.amountIn * 99_999n) / 100_000n })
      expect(less.amountOut).toBeLessThan(amountOut)
    },
  )

  it('is the least of all versions and routes, and refused where no pool holds so much', async () => {
    const [tokenIn, tokenOut] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const ask = (amount: string, versions?: Version[]) =>
      bench.reads.quote(bench.chain, {
        tokenIn,
        tokenOut,
        amountOut: parseUnits(amount, 6),
        ...(versions && { versions }),
      })
    const best = await ask('90000')
    for (const version of ['v2', 'v3', 'v4'] as Version[]) {
      expect((await ask('90000', [version])).amountIn).toBeGreaterThanOrEqual(best.amountIn)
    }
    await expect(ask('900000000000')).rejects.toMatchObject({ code: 'INSUFFICIENT_LIQUIDITY' })
  })

  it.each(['v3', undefined] as const)(
    'is too much, and no missing way, where three hops of %s lead there and none holds so much',
    async (version) => {
      const [tokenIn, tokenOut] = await Promise.all([bench.token('WBTC'), bench.token('USDT')])
      const versions = version === undefined ? {} : { versions: [version] }
      const ask = (amount: string) =>
        bench.reads.quote(bench.chain, { tokenIn, tokenOut, amountOut: parseUnits(amount, 6), ...versions })
      expect((await ask('300')).route).toHaveLength(3)
      await expect(ask('900000000000')).rejects.toMatchObject({ code: 'INSUFFICIENT_LIQUIDITY' })
    },
  )
})

describe('quote', () => {
  it('is the best of all versions and routes', async () => {
    const [tokenIn, tokenOut] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const amountIn = parseUnits('40', 18)
    const best = await bench.reads.quote(bench.chain, { tokenIn, tokenOut, amountIn })
    for (const version of ['v2', 'v3', 'v4'] as Version[]) {
      const one = await bench.reads.quote(bench.chain, { tokenIn, tokenOut, amountIn, versions: [version] })
      expect(one.version).toBe(version)
      expect(one.amountOut <= best.amountOut).toBe(true)
    }
  })

  it('goes over a token in between where no pool joins the two', async () => {
    const [tokenIn, tokenOut] = await Promise.all([bench.token('WBTC'), bench.token('DAI')])
    const quote = await bench.reads.quote(overWrapped(), { tokenIn, tokenOut, amountIn: parseUnits('0.5', 8) })
    expect(quote.route.map(({ tokenIn, tokenOut }) => `${tokenIn.symbol}-${tokenOut.symbol}`)).toEqual([
      'WBTC-WETH',
      'WETH-DAI',
    ])
    expect(new Set(quote.route.map(({ pool }) => pool.version)).size).toBe(1)
  })

  it('goes over any token that the chain lists, though it be no dollar and the last of many', async () => {
    const stranger = (index: number) => ({
      ...bench.chain.tokens[0]!,
      symbol: `S${index}`,
      address: getAddress(`0x${'5'.repeat(38)}${10 + index}`),
    })
    const strangers = Array.from({ length: 8 }, (_, index) => stranger(index))
    const listed = bench.chain.tokens.map((token) => Object.assign({ ...token }, { usdPegged: false }))
    const usdcLast = listed.toSorted((one, other) => Number(one.symbol === 'USDC') - Number(other.symbol === 'USDC'))
    const chain = { ...bench.chain, tokens: [...strangers, ...usdcLast] }
    const [tokenIn, tokenOut] = await Promise.all([bench.token('WETH'), bench.token('USDT')])
    const request = { tokenIn, tokenOut, amountIn: 10n ** 17n, versions: ['v4'] } as const
    const quote = await bench.reads.quote(chain, request)
    expect(quote.route.map(({ tokenOut }) => tokenOut.symbol)).toEqual(['USDC', 'USDT'])
    expect(quote.amountOut).toBe((await bench.reads.quote(bench.chain, request)).amountOut)
    const without = { ...chain, tokens: chain.tokens.filter(({ symbol }) => symbol !== 'USDC') }
    await expect(bench.reads.quote(without, request)).rejects.toMatchObject({ code: 'POOL_NOT_FOUND' })
  })

  it('takes native currency through the wrapped token in v2 and v3', async () => {
    const [tokenIn, tokenOut] = await Promise.all([bench.token('ETH'), bench.token('USDC')])
    const request = { tokenOut, amountIn: 10n ** 18n, versions: ['v3'] as const }
    const native = await bench.reads.quote(bench.chain, { ...request, tokenIn })
    const wrapped = await bench.reads.quote(bench.chain, { ...request, tokenIn: await bench.token('WETH') })
    expect(native).toEqual(wrapped)
    expect(native.route[0]!.tokenIn).toMatchObject({ symbol: 'WETH', isNative: false })
  })

  it('tells the price impact without the fee', async () => {
    const [tokenIn, tokenOut] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    const impactOf = async (amount: string) =>
      (await bench.reads.quote(bench.chain, { tokenIn, tokenOut, amountIn: parseUnits(amount, 18), versions: ['v2'] }))
        .priceImpactBps
    expect(await impactOf('0.0001')).toBeLessThan(0.05)
    const [pair] = await bench.reads.findPools(bench.chain, tokenIn, tokenOut, ['v2'])
    const reserve = tokenIn.address === pair!.token0.address ? pair!.reserve0! : pair!.reserve1!
    // Constant product: the share of the output lost is input / (reserve + input), the fee taken from the input.
    const expected = (amount: bigint) => (Number(amount) * 0.997) / (Number(reserve) + Number(amount) * 0.997)
    expect(await impactOf('10')).toBeCloseTo(expected(parseUnits('10', 18)) * 10_000, 1)
  })

  it('refuses what no pool can take, and what no pool joins', async () => {
    const [weth, usdc, fot] = await Promise.all([bench.token('WETH'), bench.token('USDC'), bench.token('FOT')])
    const ask = (tokenIn: typeof weth, tokenOut: typeof weth, amountIn: bigint, versions?: Version[]) =>
      bench.reads.quote(bench.chain, { tokenIn, tokenOut, amountIn, ...(versions && { versions }) })
    await expect(ask(weth, usdc, 10n ** 30n, ['v3', 'v4'])).rejects.toMatchObject({
      code: 'INSUFFICIENT_LIQUIDITY',
      details: [{ field: 'amount', accepted: 'a smaller amount' }],
    })
    await expect(ask(weth, usdc, 2n ** 200n)).rejects.toMatchObject({ code: 'INSUFFICIENT_LIQUIDITY' })
    await expect(ask(weth, usdc, 1n)).rejects.toMatchObject({
      code: 'AMOUNT_TOO_SMALL',
      details: [{ field: 'amount', accepted: 'a larger amount' }],
    })
    await expect(ask(weth, usdc, 0n)).rejects.toMatchObject({ code: 'AMOUNT_TOO_SMALL' })
    const [usdt, wbtc] = await Promise.all([bench.token('USDT'), bench.token('WBTC')])
    await expect(ask(usdt, wbtc, 1n)).rejects.toMatchObject({ code: 'AMOUNT_TOO_SMALL' })
    await expect(ask(fot, usdc, 10n ** 18n, ['v3', 'v4'])).rejects.toMatchObject({ code: 'POOL_NOT_FOUND' })
    await expect(ask(weth, weth, 10n ** 18n)).rejects.toMatchObject({ code: 'POOL_NOT_FOUND' })
    await expect(ask(await bench.token('ETH'), weth, 10n ** 18n)).rejects.toMatchObject({ code: 'POOL_NOT_FOUND' })
  })

  it('refuses an amount of which a pool would take a part only', async () => {
    const [wbtc, usdt] = await Promise.all([bench.token('WBTC'), bench.token('USDT')])
    const [token0, token1] = [wbtc.address, usdt.address].toSorted((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1))
    const { positionManager } = bench.chain.amm.v3!
    const pool = [token0, token1, 3_000, 2n ** 96n]
    await actor.write(positionManager, v3PositionManagerAbi, 'createAndInitializePoolIfNecessary', pool)
    const range = { tickLower: -600, tickUpper: 600, amount0Desired: 10n ** 7n, amount1Desired: 10n ** 7n }
    await actor.mintV3({ token0: token0!, token1: token1!, fee: 3_000, ...range })
    const ask = (amountIn: bigint) => bench.reads.quote(overWrapped(), { tokenIn: wbtc, tokenOut: usdt, amountIn })
    await expect(ask(10n ** 7n)).resolves.toMatchObject({ version: 'v3' })
    await expect(ask(13n * 10n ** 6n)).rejects.toMatchObject({ code: 'INSUFFICIENT_LIQUIDITY' })
  })

  it('asks in two requests: the block with the pools, then the quotes', async () => {
    let requests = 0
    const counting = createReadsBench(devnet(), () => {
      requests += 1
      return null
    })
    const [tokenIn, tokenOut] = await Promise.all([bench.token('DAI'), bench.token('USDT')])
    await counting.reads.quote(counting.chain, { tokenIn, tokenOut, amountIn: parseUnits('10', 18) })
    expect(requests).toBe(2)
  })

  it('takes a failing endpoint for no missing liquidity', async () => {
    const failing = createReadsBench(devnet(), (body) =>
      body.includes('eth_call') ? new Response('no', { status: 502 }) : null,
    )
    const [tokenIn, tokenOut] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
    await expect(failing.reads.quote(failing.chain, { tokenIn, tokenOut, amountIn: 10n ** 18n })).rejects.toMatchObject(
      { code: 'RPC_UNAVAILABLE' },
    )
  })
})

/** The chain with nothing on its list: between two tokens there is native currency alone. */
function overWrapped() {
  return { ...bench.chain, tokens: [] }
}

/** Carries the route of a quote out with the real routers. */
async function swap({ version, route, amountIn }: Quote) {
  const [first] = route
  if (version === 'v2') {
    return actor.swapV2([first!.tokenIn.address, ...route.map(({ tokenOut }) => tokenOut.address)], amountIn)
  }
  if (version === 'v3') {
    const path = route.flatMap(({ pool, tokenOut }) => [pool.fee, tokenOut.address])
    return actor.swapV3(v3PathOf(first!.tokenIn.address, ...path), amountIn)
  }
  const key = poolKeyOf(first!.pool)
  return actor.swapV4(key, first!.tokenIn.address === key.currency0, amountIn)
}
