import { useDevnet } from '@svc/devnet/testing'
import type { ReferencePool } from '@svc/wallet/core'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import type { PriceMemory } from '../ports.ts'
import { createChainActor, v3PathOf } from '../liquidity/chain-actor.fixture.ts'
import { createPriceMemory } from './create-price-memory.ts'
import { openPool } from './open-pool.fixture.ts'
import { createPricedDevnet, type PricedDevnet } from './priced-devnet.fixture.ts'
import { poolSubject } from './create-chain-prices.ts'

const devnet = useDevnet()
const deep = 'v3 WETH/USDC 0.05 %'
const thin = 'v3 WETH/USDC 1 %'

describe('a price of named sources', () => {
  it('is a band over the means of v2, v3 and v4, through the quotes, in one request for all tokens and blocks', async () => {
    const priced = createPricedDevnet(devnet(), {
      named: {
        WETH: { pools: [deep, 'v2 WETH/USDC 0.3 %', 'v4 WETH/USDC 0.05 %', 'v4 ETH/USDC 0.05 %'] },
        WBTC: { pools: ['v3 WBTC/WETH 0.3 %'] },
        DAI: { pools: ['v3 DAI/USDC 0.01 %'] },
      },
    })
    await priced.passTime(35)
    priced.network.requests.length = 0
    const symbols = ['ETH', 'WETH', 'WBTC', 'DAI', 'USDC']
    const [ether, weth, wbtc, dai, usdc] = await Promise.all(symbols.map((symbol) => priced.usd(symbol)))
    // The head, and then everything.
    expect(priced.network.requests).toHaveLength(2)
    expect(ether).toEqual(weth)
    expect(weth).toMatchObject({ band: { basis: 'pools' }, method: 'pool_twap', doubt: null, mostE18: null })
    expect(weth!.usd).toBeCloseTo(3_000, -1)
    expect((await priced.band('WETH')).said).toEqual([
      'v3 pool: mean of 30 min from its own oracle',
      'v2 pool: mean of 30 min from older blocks',
      'v4 pool: mean of 24 min from older blocks',
      'v4 pool: mean of 24 min from older blocks',
    ])
    expect(wbtc!.usd).toBeCloseTo(90_000, -2)
    expect(dai).toMatchObject({ band: { basis: 'feed' }, method: 'peg', confidence: 'HIGH' })
    expect(usdc).toMatchObject({ usd: 1, band: { lowE18: 10n ** 18n, highE18: 10n ** 18n }, pools: [] })
  })

  it('is read at the block that is named, without asking for the head', async () => {
    const priced = createPricedDevnet(devnet(), { named: { WETH: { pools: [deep] } } })
    const before = await priced.rpc.head(priced.chain)
    await swap(priced, ['WETH', 500, 'USDC'], '1000')
    priced.network.requests.length = 0
    const price = await priced.prices.usd(priced.chain, await priced.token('WETH'), before)
    expect(price).toMatchObject({ blockNumber: before.number, readAt: Number(before.timestamp) })
    expect(priced.network.requests).toHaveLength(1)
  })

  it('is read once a block', async () => {
    const priced = createPricedDevnet(devnet(), { named: { WETH: { pools: [deep] } } })
    const first = await priced.usd('WETH')
    priced.network.requests.length = 0
    expect(await Promise.all([priced.usd('WETH'), priced.usd('WETH'), priced.usd('USDC')])).toMatchObject([
      first,
      first,
      {},
    ])
    // The head, and whether there is anything new of it; the dollar was read along with the rest.
    expect(priced.network.requests).toHaveLength(1)
  })

  it('is kept for later only of pools that sum something up, since moments of others make no mean', async () => {
    const kept: string[] = []
    const keep: PriceMemory['keep'] = (_chain, sightings) => void kept.push(...sightings.map(({ subject }) => subject))
    const pools = [deep, 'v2 WETH/USDC 0.3 %', 'v4 WETH/USDC 0.05 %']
    const priced = createPricedDevnet(devnet(), {
      named: { WETH: { pools } },
      memory: { recall: async () => [], keep },
    })
    await priced.usd('WETH')
    const ofPools = kept.filter((subject) => subject.startsWith('pool'))
    expect(ofPools).toEqual([deep, 'v2 WETH/USDC 0.3 %'].map((label) => poolSubject(priced.pool(label).id)))
  })

  it('rests on what a person confirmed rather than on the row of the chain', async () => {
    const rows = { pools: [poolRowOf('v2 WETH/USDC 0.3 %')] }
    const named = { WETH: { pools: [deep] } }
    const priced = createPricedDevnet(devnet(), {
      named,
      confirmed: (_, token) => (token === wethOf() ? rows : undefined),
    })
    expect((await priced.band('WETH')).said.map((line) => line.slice(0, 7))).toEqual(['v2 pool'])
  })

  it('is none where the row of a pool means another, though reports have one', async () => {
    const wrong = { ...poolRowOf(deep), fee: 3_000 }
    const priced = createPricedDevnet(devnet(), { named: { WETH: { pools: [wrong] } } })
    await priced.passTime(35)
    expect(await priced.usd('WETH')).toMatchObject({ band: null, doubt: 'silent', mostE18: null, method: 'pool_twap' })
    const exacting = createPricedDevnet(devnet(), { named: { WETH: { pools: [wrong] } }, leastLiquidityUsd: 1e9 })
    expect(await exacting.usd('WETH')).toBeNull()
    expect(await exacting.prices.doubt(exacting.chain, await exacting.token('WETH'))).toBe('silent')
  })
})

describe('a v3 pool of one record, whose memory a trade pushes out', () => {
  it('is known by older blocks; by what the server saw where the endpoint has lost them; else by the moment', async () => {
    const row = await openPool(devnet(), { symbol: 'WBTC', quote: 'USDC', price: 90_000 })
    const memory = createPriceMemory({ store: () => null, now: Date.now })
    const priced = createPricedDevnet(devnet(), { named: { WBTC: { pools: [row] } }, memory })
    const bare = createPricedDevnet(devnet(), { named: { WBTC: { pools: [row] } } })
    await priced.passTime(35)
    const calm = await priced.band('WBTC')
    await priced.passTime(20)
    await swap(priced, ['USDC', 3_000, 'WBTC'], '200000')

    const byBlocks = await bare.band('WBTC')
    expect(byBlocks).toMatchObject({ basis: 'pools', said: [expect.stringMatching('from older blocks')] })
    for (const one of [priced, bare]) one.network.losesPast = true
    await priced.passTime(1)
    const bySightings = await priced.band('WBTC')
    expect(bySightings).toMatchObject({ basis: 'pools', said: [expect.stringMatching('from earlier sightings')] })
    // Both are means, of which the trade of a moment is next to nothing.
    for (const { low, high } of [byBlocks, bySightings])
      expect([low / calm.low, high / calm.high]).toEqual([expect.closeTo(1, 1), expect.closeTo(1, 1)])

    bare.network.requests.length = 0
    const byMoment = await bare.band('WBTC')
    // What is gone is not asked for again: the head, and then everything.
    expect(bare.network.requests).toHaveLength(2)
    expect(byMoment).toMatchObject({ basis: 'cold', said: [expect.stringMatching('price of the moment')] })
    expect(byMoment.low).toBeGreaterThan(calm.high)
    expect(await bare.usd('WBTC')).toMatchObject({ confidence: 'LOW', method: 'pool_spot' })
  })
})

describe('a v4 pool whose past is gone', () => {
  it('is as wide as the push that is presumed now, which follows the policy', async () => {
    let pushBudgetUsd = 200
    const named = { WETH: { pools: ['v4 WETH/USDC 0.05 %'] } }
    const priced = createPricedDevnet(devnet(), { named, pushBudgetUsd: () => pushBudgetUsd })
    priced.network.losesPast = true
    const wide = await priced.band('WETH')
    pushBudgetUsd = 0
    await priced.passTime(1)
    const narrow = await priced.band('WETH')
    expect([wide.basis, narrow.basis]).toEqual(['cold', 'cold'])
    expect(wide.high / wide.low).toBeGreaterThan(1.001)
    expect(narrow.high / narrow.low).toBeCloseTo(1, 6)
  })
})

describe('G7: prices that nobody can forge for less than they are worth', () => {
  it('a pool of a stranger, parked on one side for an hour, is no source and no veto', async () => {
    const priced = createPricedDevnet(devnet(), {
      named: { WETH: { pools: [deep] }, WBTC: { pools: ['v3 WBTC/WETH 0.3 %'] } },
    })
    await priced.passTime(5)
    const before = await priced.band('WBTC')
    await openPool(devnet(), { symbol: 'WBTC', quote: 'USDC', price: 1, oneSideUsd: 30_000 })
    await priced.passTime(60)
    const after = await priced.band('WBTC')
    expect(after.said).toHaveLength(before.said.length)
    expect([after.low / before.low, after.high / before.high]).toEqual([expect.closeTo(1, 3), expect.closeTo(1, 3)])
  })

  it.each([
    ['v2', 'v2 WETH/USDC 0.3 %'],
    ['v3', deep],
    ['v4', 'v4 WETH/USDC 0.05 %'],
  ])('a %s pool that is pushed in one block does not move the band', async (_version, label) => {
    const priced = createPricedDevnet(devnet(), { named: { WETH: { pools: [label] } } })
    await priced.passTime(35)
    const before = await priced.band('WETH')
    const spotBefore = await spotOf(priced, label)
    await push(priced, label)
    expect(Math.abs((await spotOf(priced, label)) / spotBefore - 1)).toBeGreaterThan(0.2)
    const after = await priced.band('WETH')
    expect(after.basis).toBe('pools')
    expect([after.low / before.low, after.high / before.high]).toEqual([expect.closeTo(1, 3), expect.closeTo(1, 3)])
  })

  it('a thin pool held off for longer than a mean is left out, a deep one stretches the band', async () => {
    const priced = createPricedDevnet(devnet(), { named: { WETH: { pools: [deep, thin] } } })
    await swap(priced, ['WETH', 10_000, 'USDC'], '50')
    await priced.passTime(35)
    const withThin = await priced.band('WETH')
    expect(withThin.said[1]).toMatch(/^v3 pool \(not\).*too thin to contradict the others/)
    expect(withThin.low).toBeCloseTo(3_000, -1)
    await swap(priced, ['WETH', 500, 'USDC'], '1500')
    await priced.passTime(35)
    const withDeep = await priced.band('WETH')
    expect(withDeep.low).toBeLessThan(2_700)
    const beside = createPricedDevnet(devnet(), { named: { WETH: { pools: [deep, 'v3 WETH/USDC 0.3 %'] } } })
    const both = await beside.band('WETH')
    expect(both.low).toBeLessThan(2_700)
    expect(both.high).toBeCloseTo(3_000, -1)
  })

  it('a price that jumps is held to where it can have come from, as long as no feed says so too', async () => {
    const memory = createPriceMemory({ store: () => null, now: Date.now })
    const priced = createPricedDevnet(devnet(), { named: { WETH: { pools: [deep] } }, memory })
    await priced.passTime(5)
    await priced.band('WETH')
    await swap(priced, ['WETH', 500, 'USDC'], '1500')
    await priced.passTime(35)
    const jumped = await priced.band('WETH')
    expect(jumped.low).toBeLessThan(2_700)
    expect(jumped.high).toBeGreaterThan(2_900)
    expect(jumped.said.at(-1)).toMatch(/^seen before/)
    await priced.passTime(6)
    // And it is not remembered as if it had been seen.
    expect((await priced.band('WETH')).said.at(-1)).toMatch(/^seen before/)
  })
})

function poolRowOf(label: string): ReferencePool {
  const { version, id, token0, token1, fee } = devnet().pools.find((one) => `${one.version} ${one.label}` === label)!
  return { version, id, fee, quote: token0 === wethOf() ? token1 : token0 }
}

function wethOf() {
  return devnet().tokens.find(({ symbol }) => symbol === 'WETH')!.address
}

async function swap(priced: PricedDevnet, [from, fee, to]: readonly [string, number, string], amount: string) {
  const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
  const { decimals } = await priced.token(from)
  await devnet().fund(actor.address, { [from]: amount })
  await actor.swapV3(v3PathOf(priced.addressOf(from), fee, priced.addressOf(to)), parseUnits(amount, decimals))
}

/** Sells as much ether into a pool of it as moves its price by a fifth and more. */
async function push(priced: PricedDevnet, label: string): Promise<void> {
  const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
  await devnet().fund(actor.address, { WETH: '5000' })
  const { version, token0, token1, fee, tickSpacing, hooks } = priced.pool(label)
  const [weth, usdc] = [priced.addressOf('WETH'), priced.addressOf('USDC')]
  const amount = parseUnits('3000', 18)
  if (version === 'v2') await actor.swapV2([weth, usdc], amount)
  else if (version === 'v3') await actor.swapV3(v3PathOf(weth, fee, usdc), amount)
  else {
    const key = { currency0: token0, currency1: token1, fee, tickSpacing: tickSpacing!, hooks: hooks! }
    await actor.swapV4(key, token0 === weth, amount)
  }
}

async function spotOf(priced: PricedDevnet, label: string): Promise<number> {
  const { version, id } = priced.pool(label)
  const { sqrtPriceX96, token0 } = await priced.reads.pool(priced.chain, { version, id })
  const raw = (Number(sqrtPriceX96) / 2 ** 96) ** 2
  return token0.address === wethOf() ? raw : 1 / raw
}
