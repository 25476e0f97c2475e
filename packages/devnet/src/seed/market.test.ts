import { expect, test } from 'vitest'
import { createMarket, pricesNow } from './market.ts'

const hours = Array.from({ length: 721 }, (_, hour) => hour)

test('ends at the same prices whatever the seed, by another way', () => {
  const [one, two] = [createMarket({ seed: '1', nowHour: 720 }), createMarket({ seed: '2', nowHour: 720 })]
  expect(one.pricesAt(720).ETH).toBe(pricesNow.ETH)
  expect(two.pricesAt(720).WBTC).toBe(pricesNow.WBTC)
  expect(one.pricesAt(0).ETH).not.toBe(two.pricesAt(0).ETH)
})

test('the same seed gives the same walk, in whatever order it is asked', () => {
  const [forward, backward] = [createMarket({ seed: '1', nowHour: 720 }), createMarket({ seed: '1', nowHour: 720 })]
  const backwards = [...hours].reverse().map((hour) => backward.pricesAt(hour))
  expect(hours.map((hour) => forward.pricesAt(hour))).toEqual(backwards.reverse())
})

test('moves as much as ether does, and stable coins stay near a dollar', () => {
  const market = createMarket({ seed: '3', nowHour: 720 })
  const path = Array.from({ length: 8_000 }, (_, hour) => market.pricesAt(hour))
  const returns = path.slice(1).map((prices, hour) => Math.log(prices.ETH / path[hour]!.ETH))
  const annual = Math.sqrt((returns.reduce((sum, r) => sum + r * r, 0) / returns.length) * 8_760)
  expect(annual).toBeGreaterThan(0.52)
  expect(annual).toBeLessThan(0.58)
  expect(path.every(({ USDT, DAI }) => Math.abs(USDT - 1) < 0.001 && Math.abs(DAI - 1) < 0.001)).toBe(true)
})
