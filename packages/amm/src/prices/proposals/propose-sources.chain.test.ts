import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { createChainActor, v3PathOf } from '../../liquidity/chain-actor.fixture.ts'
import { openPool } from '../open-pool.fixture.ts'
import { createPricedDevnet, type PricedDevnet } from '../priced-devnet.fixture.ts'
import { proposeSources } from './propose-sources.ts'

const devnet = useDevnet()
const named = { WETH: { pools: ['v3 WETH/USDC 0.05 %'] } }
const day = 86_400

/** Proposals for a token, by its pools: what is proposed, and what is passed over with the reason. */
async function propose(
  priced: PricedDevnet,
  symbol: string,
  feed: Parameters<typeof proposeSources>[0]['feed'] = null,
) {
  const ports = { ...priced, liquidity: priced.reads, tokens: { byAddress: priced.byAddress } }
  const found = await proposeSources({ chain: priced.chain, token: await priced.token(symbol), feed }, ports)
  const label = (id: string) => devnet().pools.find((pool) => pool.id.toLowerCase() === id.toLowerCase())
  const nameOf = (id: string) => {
    const pool = label(id)
    return pool === undefined ? id : `${pool.version} ${pool.label}`
  }
  return {
    ...found,
    proposed: found.sources.pools.map(({ id }) => nameOf(id)),
    why: Object.fromEntries(found.pools.map(({ candidate, doubt }) => [nameOf(candidate.row.id), doubt])),
  }
}

async function swap(from: string, fee: number, to: string, amount: string) {
  const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
  const priced = createPricedDevnet(devnet())
  const { decimals } = await priced.token(from)
  await devnet().fund(actor.address, { [from]: amount })
  await actor.swapV3(v3PathOf(priced.addressOf(from), fee, priced.addressOf(to)), parseUnits(amount, decimals))
}

/** Eight days go by, with a trade in the pools of WBTC at their end. */
async function eightDays() {
  await devnet().mineTo(Math.floor(Date.now() / 1_000) + 8 * day)
  await swap('WETH', 3_000, 'WBTC', '1')
  await swap('WETH', 500, 'WBTC', '0.1')
}

describe('price sources that are proposed', () => {
  it('are pools deep on both sides, a week old and traded in, deepest first; others are passed over with the reason', async () => {
    const priced = createPricedDevnet(devnet(), { named })
    const young = await propose(priced, 'WBTC')
    expect(young.proposed).toEqual([])
    expect(young.why).toMatchObject({ 'v3 WBTC/WETH 0.3 %': 'it is younger than a week' })
    await devnet().mineTo(Math.floor(Date.now() / 1_000) + 8 * day)
    const idle = await propose(priced, 'WBTC')
    expect(idle.why['v3 WBTC/WETH 0.3 %']).toBe('nothing was traded in it for a week, so nobody keeps its price')
    await swap('WETH', 3_000, 'WBTC', '1')
    await swap('WETH', 500, 'WBTC', '0.1')
    const { proposed, pools, sources } = await propose(priced, 'WBTC')
    expect(proposed).toEqual(['v3 WBTC/WETH 0.3 %', 'v3 WBTC/WETH 0.05 %'])
    expect(sources).not.toHaveProperty('feed')
    const [first] = pools
    expect(first).toMatchObject({ record: { isWeekOld: true }, candidate: { depthSeconds: 1_800 } })
    expect(first!.record!.volume7dUsd).toBeCloseTo(3_000, -2)
    expect(first!.candidate.usd).toBeCloseTo(90_000, -3)
    const fot = await propose(priced, 'FOT')
    expect(fot.why['v2 FOT/WETH 0.3 %']).toMatch(/^it is thin: [\d,]+ USD of (the token|WETH) within 20 %/)
  })

  it('name v2 pairs, and v4 pools by what stands between their ticks, those of native currency as such; eight at most', async () => {
    const feed = { address: devnet().feeds.BTC.address, heartbeatSeconds: day, deviationBps: 50, decimals: 8 }
    const priced = createPricedDevnet(devnet(), { named: { ...named, WBTC: { feed, pools: ['v3 WBTC/WETH 0.3 %'] } } })
    await devnet().mineTo(Math.floor(Date.now() / 1_000) + 8 * day)
    await devnet().feeds.BTC.post(90_000)
    const traded = devnet().pools.filter(({ label }) => /^(WETH|ETH|DAI|WBTC)\/(USDC|WETH) /.test(label))
    for (const { id } of traded) await devnet().trade(1, 'proposals', [id])
    const { proposed, sources, why } = await propose(priced, 'WETH')
    expect(proposed).toHaveLength(8)
    expect(Object.values(why).filter((doubt) => doubt === '8 deeper ones are proposed')).toHaveLength(
      Object.keys(why).length - 8,
    )
    expect(proposed[0]).toBe('v3 WETH/USDC 0.05 %')
    expect(proposed).toEqual(
      expect.arrayContaining(['v2 WETH/USDC 0.3 %', 'v4 WETH/USDC 0.05 %', 'v4 ETH/USDC 0.05 %']),
    )
    const native = sources.pools.find(({ native: isNative }) => isNative === true)
    expect(native).toMatchObject({ version: 'v4', tickSpacing: 10, fee: 500 })
    expect(sources.pools.filter(({ version }) => version !== 'v4').every((row) => !('tickSpacing' in row))).toBe(true)
  })

  it('are no pools against a token that is priced by this one, unless a feed prices it, too', async () => {
    const priced = createPricedDevnet(devnet(), { named: { ...named, WBTC: { pools: ['v3 WBTC/WETH 0.3 %'] } } })
    const circular = (symbol: string) => `the price of ${symbol} comes from that of this token, and from no feed`
    expect((await propose(priced, 'WETH')).why['v3 WBTC/WETH 0.3 %']).toBe(circular('WBTC'))
    expect((await propose(priced, 'USDC')).why['v3 WETH/USDC 0.05 %']).toBe(circular('WETH'))
    const feed = { address: devnet().feeds.ETH.address, heartbeatSeconds: day, deviationBps: 50, decimals: 8 }
    await devnet().feeds.ETH.post(3_000)
    const fed = createPricedDevnet(devnet(), { named: { WETH: { ...named.WETH, feed } } })
    expect((await propose(fed, 'USDC')).why['v3 WETH/USDC 0.05 %']).not.toBe(circular('WETH'))
  })

  it('are no pool of a stranger: parked on one side, or deep and off the market', async () => {
    const parked = await openPool(devnet(), { symbol: 'WBTC', quote: 'USDT', price: 1, oneSideUsd: 5_000_000 })
    const lying = await openPool(devnet(), { symbol: 'WBTC', quote: 'USDC', price: 80_000, eachSideUsd: 3_000_000 })
    const priced = createPricedDevnet(devnet(), { named })
    await eightDays()
    await swap('USDC', 3_000, 'WBTC', '100')
    const { proposed, why } = await propose(priced, 'WBTC')
    expect(proposed).toEqual(['v3 WBTC/WETH 0.3 %', 'v3 WBTC/WETH 0.05 %'])
    expect(why[parked.id]).toMatch(/^it is thin: 0 USD of the token/)
    expect(why[lying.id]).toMatch(/^its price is -11\.\d % off that of the deepest pool$/)
  })

  it('are none of unknown age, where the endpoint has neither logs nor state of a week ago', async () => {
    const priced = createPricedDevnet(devnet(), { named })
    await eightDays()
    priced.network.losesPast = true
    priced.network.losesLogs = true
    const { proposed, why } = await propose(priced, 'WBTC')
    expect(proposed).toEqual([])
    expect(why['v3 WBTC/WETH 0.3 %']).toMatch(/^its age is not known/)
    // Either of the two tells it.
    priced.network.losesPast = false
    expect((await propose(priced, 'WBTC')).proposed).toHaveLength(2)
  })

  it('hold pools against a feed that is named, with its own decimals, and refuse one that says nothing', async () => {
    const priced = createPricedDevnet(devnet(), { named })
    await eightDays()
    const feed = { address: devnet().feeds.BTC.address, heartbeatSeconds: day, deviationBps: 50 }
    await expect(propose(priced, 'WBTC', feed)).rejects.toMatchObject({
      code: 'VALIDATION_FAILED',
      details: [{ field: '--feed', message: expect.stringMatching(/^its answer is \d+ s old$/) }],
    })
    await devnet().feeds.BTC.post(90_000)
    const { sources, proposed } = await propose(priced, 'WBTC', feed)
    expect(sources.feed).toEqual({ ...feed, decimals: 8 })
    expect(proposed).toHaveLength(2)
    await devnet().feeds.BTC.post(80_000)
    expect((await propose(priced, 'WBTC', feed)).why['v3 WBTC/WETH 0.3 %']).toMatch(
      /^its price is 12\.\d % off that of the feed$/,
    )
    const token = { ...feed, address: priced.addressOf('WBTC') }
    await expect(propose(priced, 'WBTC', token)).rejects.toMatchObject({
      details: [{ message: 'it answers no round' }],
    })
  })
})
