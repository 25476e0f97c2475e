import { useDevnet } from '@svc/devnet/testing'
import { describe, expect, it } from 'vitest'
import { createPricedDevnet } from '../../adapters/prices/priced-devnet.fixture.ts'
import { openConcentrated, openStranger, passBlocks } from './attack-kit.fixture.ts'

const devnet = useDevnet()

describe('G7: the depth that bounds what a day moves of a token that pools price', () => {
  // Open: 18 million dollars within twenty ticks make 27,000 dollars of depth 5.2 million, for the gas of it.
  it.fails('is not what somebody parked next to the price for ten minutes', async () => {
    const pool = await openConcentrated(devnet(), { low: 75_000, high: 108_000, wbtc: '0.3', usdc: '30000' })
    const priced = createPricedDevnet(devnet(), { named: { WBTC: { pools: [pool.source] } } })
    const stranger = await openStranger(devnet())
    await passBlocks(devnet(), stranger, 160)
    const honest = (await priced.band('WBTC')).depthUsdMicros
    const now = pool.tickAt(90_000)
    await pool.mint(stranger, [now - 10, now + 10], { wbtc: '100', usdc: '9000000' })
    await passBlocks(devnet(), stranger, 60)
    const parked = (await priced.band('WBTC')).depthUsdMicros
    expect(Number(parked) / Number(honest)).toBeLessThan(2)
  })
})
