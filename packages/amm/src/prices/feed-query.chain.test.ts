import { useDevnet } from '@svc/devnet/testing'
import type { Chain, UsdFeed } from '@svc/wallet/core'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import { createPricedDevnet, type PricedDevnet } from './priced-devnet.fixture.ts'
import { type Answers, standContract } from './stand-contract.fixture.ts'

const devnet = useDevnet()
const address: Address = '0x000000000000000000000000000000000000f00d'
const uptime: Address = '0x000000000000000000000000000000000000f00e'
const row: UsdFeed = { address, heartbeatSeconds: 3_600, deviationBps: 50, decimals: 8 }
const deep = 'v3 WETH/USDC 0.05 %'
const decimals = [8n]

describe('a feed', () => {
  it('is a source while it is fresh, beside the pools', async () => {
    await stand({ [address]: (now) => ({ latestRoundData: round(3_000, -3_000)(now), decimals }) })
    const priced = pricedBy({ feed: row, pools: [deep] })
    expect(await priced.usd('WETH')).toMatchObject({ usd: 3_000, method: 'feed', confidence: 'HIGH' })
    expect(await priced.band('WETH')).toMatchObject({
      basis: 'feed',
      lowE18: 2_985n * 10n ** 18n,
      highE18: 3_015n * 10n ** 18n,
    })
  })

  it.each<readonly [string, AnswersAt, string]>([
    ['is stale', (now) => ({ latestRoundData: round(3_000, -3_661)(now), decimals }), 'old'],
    ['is from the future', (now) => ({ latestRoundData: round(3_000, 1)(now), decimals }), 'future'],
    ['answers zero', (now) => ({ latestRoundData: round(0, 0)(now), decimals }), 'above zero'],
    ['answers less', (now) => ({ latestRoundData: round(-1, 0)(now), decimals }), 'above zero'],
    ['is at its bound', (now) => ({ latestRoundData: round(10_000, 0)(now), decimals }), 'upper bound'],
    ['has other decimals', (now) => ({ latestRoundData: round(3_000, 0)(now), decimals: [18n] }), 'decimals'],
    [
      'knows a latest answer and not how old it is',
      () => ({ latestAnswer: [3_000n * 10n ** 8n], decimals }),
      'no round',
    ],
    ['does not stand', () => ({}), 'no round'],
  ])('that %s says nothing, and the pools speak', async (_what, answers, why) => {
    await stand({ [address]: answers })
    const priced = pricedBy({ feed: { ...row, maxAnswer: 10_000n * 10n ** 8n }, pools: [deep] })
    const band = await priced.band('WETH')
    expect(band.basis).toBe('pools')
    expect(band.said[0]).toMatch(new RegExp(`^feed .not.: .*${why}`))
    expect(band.high).toBeCloseTo(3_000, -1)
  })

  it.each<readonly [string, bigint, number, string | null]>([
    ['has been up for long', 0n, -3_601, null],
    ['is down', 1n, -90_000, 'silent'],
    ['has only just come back', 0n, -3_600, 'silent'],
  ])('under a sequencer that %s', async (_what, answer, since, doubt) => {
    await stand({
      [address]: (now) => ({ latestRoundData: round(3_000, 0)(now), decimals }),
      [uptime]: (now) => ({ latestRoundData: [1n, answer, BigInt(now + since), 0n, 1n] }),
    })
    const priced = pricedBy({ feed: row }, { sequencerUptimeFeed: { address: uptime, graceSeconds: 3_600 } })
    expect(await priced.usd('WETH')).toMatchObject({ doubt, method: doubt === null ? 'feed' : 'pool_twap' })
  })
})

describe('a dollar token', () => {
  it('off its peg is priced by its feed, and is no quote', async () => {
    await stand({ [address]: (now) => ({ latestRoundData: round(0.9, 0)(now), decimals }) })
    const [dai, both] = [{ feed: row }, ['v3 DAI/WETH 0.3 %', deep]]
    const priced = createPricedDevnet(devnet(), { named: { DAI: dai, WETH: { pools: both } } })
    expect((await priced.band('DAI')).high).toBeCloseTo(0.9045, 6)
    expect((await priced.band('WETH')).said).toEqual([
      'v3 pool (not): its other token is off its peg',
      expect.stringMatching('^v3 pool: mean'),
    ])
    const alone = createPricedDevnet(devnet(), { named: { DAI: dai, WETH: { pools: both.slice(0, 1) } } })
    expect(await alone.usd('WETH')).toMatchObject({ band: null, doubt: 'silent' })
  })
})

function pricedBy(weth: { feed: UsdFeed; pools?: readonly string[] }, chain: Partial<Chain> = {}): PricedDevnet {
  return createPricedDevnet(devnet(), { named: { WETH: weth }, chain })
}

/** From the time of the block that is read. */
type AnswersAt = (now: number) => Answers

function round(dollars: number, secondsFromNow: number) {
  return (at: number) => [1n, BigInt(Math.round(dollars * 1e8)), 0n, BigInt(at + secondsFromNow), 1n]
}

/** Lets contracts stand, and mines the block that is read. */
async function stand(contracts: Readonly<Record<Address, AnswersAt>>): Promise<void> {
  const { timestamp } = await createPricedDevnet(devnet()).rpc.head(devnet().chain)
  const now = Number(timestamp) + 60
  for (const [at, answers] of Object.entries(contracts)) await standContract(devnet(), at as Address, answers(now))
  await devnet().mineTo(now)
}
