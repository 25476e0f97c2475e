import { useDevnet } from '@svc/devnet/testing'
import { parseAmount } from '@svc/lp-math'
import {
  createTestClient,
  encodeFunctionData,
  http,
  maxUint256,
  parseAbi,
  parseGwei,
  parseUnits,
  zeroAddress,
} from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import type { Quote, QuoteRequest, Token, Version } from '../ports.ts'
import { hookedToken } from '../../../devnet/src/contracts.gen.ts'
import { universalRouterAbi } from './v4/plan-swap.ts'
import { benchPool, benchToken, mint, withListed } from './planning/bench-pools.fixture.ts'
import { benchTrade } from './planning/bench-trade.fixture.ts'
import { type Bench, createBench } from './planning/bench.fixture.ts'

const devnet = useDevnet()
let bench: Bench
const tokens = new Map<string, Token>()
const token = (symbol: string) => tokens.get(symbol)!

beforeEach(async () => {
  bench = await createBench(devnet())
  for (const symbol of ['ETH', 'WETH', 'USDC', 'USDT', 'WBTC', 'DAI', 'FOT'])
    tokens.set(symbol, await bench.token(symbol))
  await devnet().fund(bench.address, {
    DAI: '2000000',
    USDC: '2000000',
    WETH: '2000',
    WBTC: '200',
    FOT: '100000',
    ETH: '5000',
  })
})

const ask = (request: QuoteRequest, chain = bench.chain) => bench.liquidity.quote(chain, request)
const waysOf = ({ route }: Quote) => route.map(({ pool }) => pool.version)

async function plan(quote: Quote, tokenIn: Token, tokenOut: Token, slippageBps = 50) {
  const request = { tokenIn, tokenOut, slippageBps, deadline: bench.deadline, recipient: bench.address }
  return await bench.liquidity.planSwap(bench.chain, quote, request)
}

/** What the router holds of every token of a route. */
async function leftInRouter(quote: Quote): Promise<readonly bigint[]> {
  const { address } = bench.chain.amm.universalRouter!
  const all = new Map(
    quote.route.flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut]).map((one) => [one.address, one]),
  )
  const abi = parseAbi(['function balanceOf(address) view returns (uint256)'])
  return await Promise.all(
    [...all.keys()].map((held) =>
      held === zeroAddress
        ? bench.client.getBalance({ address })
        : bench.client.readContract({ address: held, abi, functionName: 'balanceOf', args: [address] }),
    ),
  )
}

/** Carries a quote out, and holds what moved to it to the wei, at both ends and in between. */
async function expectAsQuoted(quote: Quote, tokenIn: Token, tokenOut: Token) {
  const planned = await plan(quote, tokenIn, tokenOut)
  const between = quote.route
    .slice(1)
    .map((hop) => hop.tokenIn)
    .filter((one) => !one.isNative)
  const { result, changes } = await bench.changes([tokenIn, tokenOut, ...between], () => bench.run(planned.intent))
  expect(changes).toEqual([-quote.amountIn, quote.amountOut, ...between.map(() => 0n)])
  expect(planned.intent.calls).toHaveLength(1)
  expect(planned.intent.receives).toEqual([{ token: tokenOut.address, amount: (quote.amountOut * 9950n) / 10_000n }])
  const outcome = await planned.decode(result)
  expect(outcome).toMatchObject({ amountIn: quote.amountIn, amountOut: quote.amountOut })
  expect((await leftInRouter(quote)).every((left) => left === 0n)).toBe(true)
  const { gasUsed } = await bench.client.getTransactionReceipt({ hash: result.main.hash })
  const strays = Math.abs(Number(gasUsed) / Number(quote.gasEstimate) - 1)
  // What handing over between versions is weighed with.
  expect(quote.version === 'mixed' ? strays : 0).toBeLessThan(0.3)
  return { planned, outcome }
}

describe('where pools of several versions alone lead', () => {
  const orders = [
    ['v2', 'v3'],
    ['v3', 'v4'],
    ['v4', 'v2'],
  ] as const

  it.each(orders)(
    'a route goes through %s and then %s, to the wei, and nothing stays on the way',
    async (first, second) => {
      const [from, to] = [await benchToken(bench, 'FROM'), await benchToken(bench, 'TO')]
      await benchPool(bench, first, [from, '50000'], [token('DAI'), '50000'])
      await benchPool(bench, second, [token('DAI'), '50000'], [to, '100000'])
      const request = { tokenIn: from, tokenOut: to, amountIn: parseUnits('500', 18), maySplit: true } as const
      const quote = await ask(request)
      expect([quote.version, waysOf(quote), quote.parts]).toEqual(['mixed', [first, second], undefined])
      const { outcome } = await expectAsQuoted(quote, from, to)
      expect(outcome.through).toEqual(quote.route.map(({ pool }) => ({ version: pool.version, pool: pool.id })))
    },
  )

  it.each([
    ['v4', 'v3', 'ETH', 'WETH'],
    ['v2', 'v4', 'WETH', 'ETH'],
  ] as const)(
    'native currency is turned into its token or back between %s and %s',
    async (first, second, one, other) => {
      const [from, to] = [await benchToken(bench, 'FROM'), await benchToken(bench, 'TO')]
      await benchPool(bench, first, [from, '50000'], [token(one), '20'])
      await benchPool(bench, second, [token(other), '20'], [to, '100000'])
      const quote = await ask({ tokenIn: from, tokenOut: to, amountIn: parseUnits('500', 18), maySplit: true })
      expect([quote.version, waysOf(quote)]).toEqual(['mixed', [first, second]])
      await expectAsQuoted(quote, from, to)
    },
  )

  it.each([
    ['WETH', 'ETH'],
    ['ETH', 'WETH'],
  ] as const)('a trade of %s goes through a pool of v4 that holds %s, either way', async (traded, held) => {
    const end = await benchToken(bench, 'END')
    await benchPool(bench, 'v4', [token(held), '50'], [end, '50000'])
    for (const [from, to, amount] of [
      [token(traded), end, '1'],
      [end, token(traded), '500'],
    ] as const) {
      const quote = await ask({ tokenIn: from, tokenOut: to, amountIn: parseUnits(amount, 18), maySplit: true })
      expect([quote.version, waysOf(quote), quote.parts]).toEqual(['mixed', ['v4'], undefined])
      const other = await bench.changes([token(held)], () => expectAsQuoted(quote, from, to))
      expect(other.changes).toEqual([0n])
    }
  })

  it.each(['WETH', 'ETH'])('a trade of %s goes on from the other form of it over one more pool', async (traded) => {
    const held = traded === 'WETH' ? 'ETH' : 'WETH'
    const [end, middle] = [await benchToken(bench, 'END'), await benchToken(bench, 'MIDDLE')]
    const chain = withListed(bench, [middle])
    await benchPool(bench, 'v4', [token(held), '50'], [middle, '50000'])
    await benchPool(bench, 'v3', [middle, '50000'], [end, '100000'])
    const sold = await ask(
      { tokenIn: token(traded), tokenOut: end, amountIn: parseUnits('1', 18), maySplit: true },
      chain,
    )
    expect(waysOf(sold)).toEqual(['v4', 'v3'])
    await expectAsQuoted(sold, token(traded), end)
    const bought = await ask(
      { tokenIn: end, tokenOut: token(traded), amountIn: parseUnits('500', 18), maySplit: true },
      chain,
    )
    expect(waysOf(bought)).toEqual(['v3', 'v4'])
    await expectAsQuoted(bought, end, token(traded))
  })

  it('a trade of WETH is shared by its own pools and those of native currency, to the wei', async () => {
    const end = await benchToken(bench, 'END')
    await benchPool(bench, 'v4', [token('ETH'), '50'], [end, '50000'])
    await benchPool(bench, 'v3', [token('WETH'), '50'], [end, '50000'])
    for (const [from, to, amount] of [
      [token('WETH'), end, '5'],
      [end, token('WETH'), '5000'],
    ] as const) {
      const quote = await ask({ tokenIn: from, tokenOut: to, amountIn: parseUnits(amount, 18), maySplit: true })
      expect(new Set(quote.parts?.flatMap(({ route }) => route.map(({ pool }) => pool.version)))).toEqual(
        new Set(['v3', 'v4']),
      )
      await expectAsQuoted(quote, from, to)
    }
  })

  it('no exact output of WETH goes through pools of native currency: the refusal says what does', async () => {
    const end = await benchToken(bench, 'END')
    await benchPool(bench, 'v4', [token('ETH'), '50'], [end, '50000'])
    await expect(
      ask({ tokenIn: token('WETH'), tokenOut: end, amountOut: parseUnits('500', 18), maySplit: true }),
    ).rejects.toMatchObject({ code: 'POOL_NOT_FOUND', details: [{ accepted: 'exact_in without version' }] })
  })

  it.each([
    ['ETH', 'v4'],
    ['ETH', 'v2'],
  ] as const)('%s goes in and comes out of %s at the ends', async (symbol, version) => {
    const end = await benchToken(bench, 'END')
    const other = 'v3'
    const middle = await benchToken(bench, 'MIDDLE')
    const chain = withListed(bench, [middle])
    await benchPool(bench, version, [token(symbol), '50'], [middle, '50000'])
    await benchPool(bench, other, [middle, '50000'], [end, '100000'])
    const into = await ask(
      { tokenIn: token(symbol), tokenOut: end, amountIn: parseUnits('1', 18), maySplit: true },
      chain,
    )
    expect(waysOf(into)).toEqual([version, other])
    await expectAsQuoted(into, token(symbol), end)
    const back = await ask(
      { tokenIn: end, tokenOut: token(symbol), amountIn: parseUnits('500', 18), maySplit: true },
      chain,
    )
    expect(waysOf(back)).toEqual([other, version])
    await expectAsQuoted(back, end, token(symbol))
  })

  it('three hops go through one version each, over any two listed tokens', async () => {
    const [from, one, two, to] = await inTurn(['FROM', 'ONE', 'TWO', 'TO'])
    const chain = withListed(bench, [one!, two!])
    await benchPool(bench, 'v2', [from!, '50000'], [one!, '50000'])
    await benchPool(bench, 'v3', [one!, '50000'], [two!, '70000'])
    await benchPool(bench, 'v4', [two!, '50000'], [to!, '100000'])
    const quote = await ask({ tokenIn: from!, tokenOut: to!, amountIn: parseUnits('500', 18), maySplit: true }, chain)
    expect([quote.version, waysOf(quote)]).toEqual(['mixed', ['v2', 'v3', 'v4']])
    await expectAsQuoted(quote, from!, to!)
  })

  it('an exact output, a version by name and a trade that is a part of others are refused by what does lead there', async () => {
    const [from, to] = [await benchToken(bench, 'FROM'), await benchToken(bench, 'TO')]
    await benchPool(bench, 'v2', [from, '50000'], [token('DAI'), '50000'])
    await benchPool(bench, 'v3', [token('DAI'), '50000'], [to, '100000'])
    const amount = parseUnits('500', 18)
    const refusals: readonly QuoteRequest[] = [
      { tokenIn: from, tokenOut: to, amountOut: amount, maySplit: true },
      { tokenIn: from, tokenOut: to, amountIn: amount, versions: ['v2'] },
      { tokenIn: from, tokenOut: to, amountIn: amount },
    ]
    for (const request of refusals) {
      await expect(ask(request)).rejects.toMatchObject({
        code: 'POOL_NOT_FOUND',
        details: [{ field: 'type', accepted: 'exact_in without version' }],
      })
    }
  })
})

describe('three hops of one version', () => {
  it.each(['v2', 'v3', 'v4'] as const)(
    'lead through %s where no shorter way does, for an exact side either way',
    async (version) => {
      const [from, one, two, to] = await inTurn(['FROM', 'ONE', 'TWO', 'TO'])
      const chain = withListed(bench, [one!, two!])
      for (const [near, far] of [
        [from!, one!],
        [one!, two!],
        [two!, to!],
      ] as const)
        await benchPool(bench, version, [near, '50000'], [far, '60000'])
      const pair = { tokenIn: from!, tokenOut: to! }
      const sold = await ask({ ...pair, amountIn: parseUnits('500', 18) }, chain)
      expect([sold.version, sold.route.length]).toEqual([version, 3])
      await expectAsQuoted(sold, from!, to!)
      const bought = await ask({ ...pair, amountOut: parseUnits('500', 18) }, chain)
      expect([bought.version, bought.route.length]).toEqual([version, 3])
      const planned = await plan(bought, from!, to!)
      const { changes } = await bench.changes([from!, one!, two!, to!], () => bench.run(planned.intent))
      expect(changes).toEqual([-bought.amountIn, 0n, 0n, bought.amountOut])
    },
  )
})

describe('a mixed route beside others', () => {
  const shallow = async (version: Version) => {
    const from = await benchToken(bench, 'FROM')
    await benchPool(bench, version, [from, '2000'], [token('USDC'), '2000'])
    await benchPool(bench, 'v2', [from, '500000'], [token('DAI'), '500000'])
    return from
  }

  it('is taken where it brings more than each alone, and left where its gas is dearer than that', async () => {
    const from = await shallow('v3')
    const request = { tokenIn: from, tokenOut: token('USDC'), amountIn: parseUnits('300', 18) } as const
    const single = await ask(request)
    const quote = await ask({ ...request, maySplit: true })
    expect([single.version, quote.version]).toEqual(['v3', 'mixed'])
    expect(quote.amountOut).toBeGreaterThan(single.amountOut)
    const dear = await atBaseFee('3000', () => ask({ ...request, maySplit: true }))
    expect([dear.version, dear.route.map(({ pool }) => pool.id)]).toEqual([
      'v3',
      single.route.map(({ pool }) => pool.id),
    ])
    await expectAsQuoted(await ask({ ...request, maySplit: true }), from, token('USDC'))
  })

  it('is refused on chain by its minimum where another trade came in between, and nothing moves', async () => {
    const from = await shallow('v3')
    const quote = await ask({ tokenIn: from, tokenOut: token('USDC'), amountIn: parseUnits('300', 18), maySplit: true })
    expect(quote.version).toBe('mixed')
    const planned = await plan(quote, from, token('USDC'))
    await bench.approve(planned.intent)
    await benchTrade(bench, 'v2', from, token('DAI'), parseUnits('20000', 18))
    const { changes } = await bench.changes([from, token('DAI'), token('USDC')], async () => {
      await expect(bench.run(planned.intent)).rejects.toThrow(/revert|InsufficientToken/i)
    })
    expect(changes).toEqual([0n, 0n, 0n])
  })

  it('gives the wallet what a pool that runs empty on the way does not take', async () => {
    const [from, to] = await inTurn(['FROM', 'TO'])
    const middle = token('DAI')
    await benchPool(bench, 'v2', [from!, '50000'], [middle, '50000'])
    await benchPool(bench, 'v3', [middle, '1000'], [to!, '1000'], { pctEachSide: 10 })
    const quote = await ask({ tokenIn: from!, tokenOut: to!, amountIn: parseUnits('1000', 18), maySplit: true })
    expect(waysOf(quote)).toEqual(['v2', 'v3'])
    const planned = await plan(quote, from!, to!, 1_000)
    await bench.approve(planned.intent)
    await benchTrade(bench, 'v3', middle, to!, parseUnits('130', 18), 3_000)
    const { changes } = await bench.changes([from!, middle, to!], () => bench.run({ ...planned.intent, approvals: [] }))
    expect(changes[0]).toBe(-quote.amountIn)
    expect(changes[1]).toBeGreaterThan(0n)
    expect(changes[2]).toBeGreaterThanOrEqual(planned.intent.receives[0]!.amount)
    expect((await leftInRouter(quote)).every((left) => left === 0n)).toBe(true)
  })

  it('never brings less, net of its gas, than the best single route of the same block', async () => {
    const gasPrice = await bench.client.getGasPrice()
    const trades = [
      ['WBTC', 'USDT', '0.05'],
      ['WBTC', 'USDT', '4'],
      ['USDT', 'WBTC', '30000'],
      ['DAI', 'USDT', '90000'],
      ['FOT', 'DAI', '10'],
      ['ETH', 'USDT', '30'],
      ['USDT', 'ETH', '3000'],
      ['WBTC', 'DAI', '1'],
    ] as const
    for (const [from, to, amount] of trades) {
      const request = { tokenIn: token(from), tokenOut: token(to), amountIn: parseAmount(amount, token(from).decimals) }
      const [single, quote] = [await ask(request).catch(() => null), await ask({ ...request, maySplit: true })]
      if (single === null) continue
      const { amountOut } = await ask({
        tokenIn: token('WETH'),
        tokenOut: token(to),
        amountIn: parseUnits('1', 18),
      }).catch(() => ({ amountOut: parseUnits('1', 18) }))
      const net = (one: Quote) => one.amountOut - (one.gasEstimate * gasPrice * amountOut) / parseUnits('1', 18)
      expect([from, to, net(quote) >= net(single)]).toEqual([from, to, true])
    }
  })
})

describe('a hostile token in the middle', () => {
  it('that keeps a part of each transfer brings less than the minimum, and leaves nothing in the router where it is enough', async () => {
    const to = await benchToken(bench, 'TO')
    await benchPool(bench, 'v3', [to, '90000'], [token('WETH'), '30'])
    const chain = withListed(bench, [token('FOT')])
    const end = await benchToken(bench, 'END')
    await benchPool(bench, 'v2', [end, '50000'], [token('FOT'), '50000'])
    const pair = { tokenIn: end, tokenOut: token('DAI') }
    const quote = await ask({ ...pair, amountIn: parseUnits('5', 18), maySplit: true }, chain)
    expect(waysOf(quote)).toEqual(['v2', 'v2', 'v3'])
    const planned = await plan(quote, end, token('DAI'))
    const { changes } = await bench.changes([end, token('FOT'), token('DAI')], async () => {
      await expect(bench.run(planned.intent)).rejects.toThrow(/revert|InsufficientToken/i)
    })
    expect(changes).toEqual([0n, 0n, 0n])
    const patient = await plan(quote, end, token('DAI'), 1_500)
    const moved = await bench.changes([end, token('FOT'), token('DAI')], () => bench.run(patient.intent))
    expect(moved.changes.slice(0, 2)).toEqual([-quote.amountIn, 0n])
    expect(moved.changes[2]! >= patient.intent.receives[0]!.amount && moved.changes[2]! < quote.amountOut).toBe(true)
    expect((await leftInRouter(quote)).every((left) => left === 0n)).toBe(true)
  })

  /** Pools on both sides of a token that calls whatever it is told to in the middle of its transfers. */
  async function aroundHooked() {
    const [from, middle, to] = await inTurn(['FROM', 'MIDDLE', 'TO'])
    await benchPool(bench, 'v2', [from!, '50000'], [middle!, '50000'])
    await benchPool(bench, 'v3', [middle!, '50000'], [to!, '50000'])
    const request = { tokenIn: from!, tokenOut: to!, amountIn: parseUnits('500', 18), maySplit: true } as const
    const quote = await ask(request, withListed(bench, [middle!]))
    expect(waysOf(quote)).toEqual(['v2', 'v3'])
    return { from: from!, middle: middle!, to: to!, quote }
  }

  /** Before the next transfer of a token Multicall3 makes calls, each of which may fail. */
  async function setHook(middle: Token, calls: readonly { to: `0x${string}`; data: `0x${string}` }[]) {
    const abi = parseAbi(['function aggregate3((address target, bool allowFailure, bytes callData)[] calls)'])
    const args = [calls.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }))] as const
    const call = encodeFunctionData({ abi, functionName: 'aggregate3', args })
    const hooked = encodeFunctionData({
      abi: hookedToken.abi,
      functionName: 'setHook',
      args: [bench.chain.multicall3, call],
    })
    await bench.send({ to: middle.address, data: hooked })
  }

  it('that enters the router again gets nothing out of it', async () => {
    const { from, middle, to, quote } = await aroundHooked()
    const planned = await plan(quote, from, to)
    const thief = bench.devnet.accounts[3]!.address
    const sweep = { abi: parseAbi(['function sweep(address token, address recipient, uint256 least)']) }
    const input =
      `0x${encodeFunctionData({ ...sweep, functionName: 'sweep', args: [middle.address, thief, 0n] }).slice(10)}` as const
    const data = encodeFunctionData({
      abi: universalRouterAbi,
      functionName: 'execute',
      args: ['0x04', [input], BigInt(bench.deadline)],
    })
    await bench.approve(planned.intent)
    await setHook(middle, [{ to: bench.chain.amm.universalRouter!.address, data }])
    const { changes } = await bench.changes([from, middle, to], () => bench.run({ ...planned.intent, approvals: [] }))
    expect(changes).toEqual([-quote.amountIn, 0n, quote.amountOut])
    const abi = parseAbi(['function balanceOf(address) view returns (uint256)'])
    expect(
      await bench.client.readContract({ address: middle.address, abi, functionName: 'balanceOf', args: [thief] }),
    ).toBe(0n)
  })

  it('that trades before the second pool is refused by the minimum of the whole', async () => {
    const { from, middle, to, quote } = await aroundHooked()
    const planned = await plan(quote, from, to)
    await bench.approve(planned.intent)
    const { multicall3, amm } = bench.chain
    await mint(bench, middle.address, multicall3)
    const approveFor = encodeFunctionData({
      abi: hookedToken.abi,
      functionName: 'approveFor',
      args: [multicall3, amm.v3!.swapRouter02, maxUint256],
    })
    await bench.send({ to: middle.address, data: approveFor })
    const abi = parseAbi([
      'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)',
    ])
    const params = {
      tokenIn: middle.address,
      tokenOut: to.address,
      fee: 3_000,
      recipient: multicall3,
      amountIn: parseUnits('5000', 18),
      amountOutMinimum: 0n,
      sqrtPriceLimitX96: 0n,
    }
    const data = encodeFunctionData({ abi, functionName: 'exactInputSingle', args: [params] })
    await setHook(middle, [{ to: amm.v3!.swapRouter02, data }])
    const { changes } = await bench.changes([from, middle, to], async () => {
      await expect(bench.run({ ...planned.intent, approvals: [] })).rejects.toThrow(/revert|InsufficientToken/i)
    })
    expect(changes).toEqual([0n, 0n, 0n])
  })
})

async function atBaseFee<Result>(gwei: string, act: () => Promise<Result>): Promise<Result> {
  const test = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  const { baseFeePerGas } = await bench.client.getBlock()
  const next = async (fee: bigint) => {
    await test.setNextBlockBaseFeePerGas({ baseFeePerGas: fee })
    await test.mine({ blocks: 1 })
  }
  await next(parseGwei(gwei))
  try {
    return await act()
  } finally {
    // What the next block costs outlives the test.
    await next(baseFeePerGas!)
  }
}

async function inTurn(symbols: readonly string[]): Promise<readonly Token[]> {
  const made: Token[] = []
  for (const symbol of symbols) made.push(await benchToken(bench, symbol))
  return made
}
