import { expect, test } from 'vitest'
import { backtestPicture } from './backtest/backtest-picture.ts'
import { backtestCurves, rangeResult } from './picture-data.fixture.ts'
import { type Picture, textWidth, niceScale } from './frame.ts'
import { rangePicture } from './range/range-picture.ts'
import { renderSvg } from '../workers/run-work.ts'

test.each([1_000, 720, 700, 360])(
  'no item of a legend lies on the words of the one before, at %i pixels and in a wide font',
  async (width) => {
    for (const picture of [rangePicture(rangeResult, 30, { width }), backtestPicture(backtestCurves(), { width })]) {
      const texts = await legendTexts(picture)
      expect(texts.length).toBeGreaterThan(5)
      for (const { words, x, y } of texts) {
        const next = texts.filter((one) => one.y === y && one.x > x).toSorted((one, two) => one.x - two.x)[0]
        // The mark of the next one begins at least its width and a gap before its words.
        const room = next === undefined ? width : next.x - 18
        expect(x + textWidth(words, 11), `${words} | ${next?.words}`).toBeLessThanOrEqual(room)
      }
    }
  },
)

test.each([1_000, 720, 700, 360])('no legend reaches into the chart below it, at %i pixels', async (width) => {
  const past = [-20, -10, 0].map((days) => ({ days, price: 3_000 }))
  const depth = [{ priceLower: 1_000, priceUpper: 9_000, liquidity: 1 }]
  const pictures = [
    rangePicture({ ...rangeResult, past, depth }, 30, { width }),
    backtestPicture(backtestCurves(), { width }),
  ]
  for (const picture of pictures) {
    const grids = [picture.option.grid ?? []].flat() as { left: number; top: number; width: number }[]
    for (const { words, x, y } of await legendTexts(picture)) {
      const below = grids.filter((grid) => grid.top > y - 40 && grid.left <= x + 40 && x < grid.left + grid.width)
      const next = Math.min(...below.map(({ top }) => top))
      expect(y + 6, `${words}, above a chart`).toBeLessThan(next)
    }
  }
})

/** The words of the legends as the SVG places them: those of an item begin right of its mark. */
async function legendTexts({ option, ...size }: Picture) {
  const svg = await renderSvg({ option, ...size })
  const legends = [option.legend ?? []].flat() as { data: (string | { name: string })[] }[]
  const names = new Set(
    legends.flatMap(({ data }) => data.map((item) => (typeof item === 'string' ? item : item.name))),
  )
  const found = svg.matchAll(
    /<text[^>]* x="([\d.]+)"[^>]*transform="translate\(([\d.]+) ([\d.]+)\)"[^>]*>([^<]*)<\/text>/g,
  )
  return [...found]
    .map(([, own = '', x = '', y = '', words = '']) => ({ words, x: Number(own) + Number(x), y: Number(y) }))
    .filter(({ words }) => names.has(words.replaceAll('&amp;', '&')))
}

test('a scale is round, holds its values and 0, and has an extent', () => {
  expect(niceScale([-5.86, -0.29])).toEqual({ min: -6, max: 0, interval: 2 })
  expect(niceScale([3, 52])).toEqual({ min: 0, max: 60, interval: 20 })
  expect(niceScale([-27, 11])).toEqual({ min: -30, max: 20, interval: 10 })
  expect(niceScale([9_002, 10_140], { withZero: false })).toEqual({ min: 9_000, max: 10_250, interval: 250 })
  expect(niceScale([], { withZero: false })).toEqual(niceScale([]))
  expect(niceScale([])).toEqual({ min: 0, max: 1, interval: 0.2 })
  expect(niceScale([0, 3e-9])).toMatchObject({ min: 0, max: expect.closeTo(3e-9, 15) })
})
