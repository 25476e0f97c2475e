import { expect, test } from 'vitest'
import { backtestPicture } from './backtest/backtest-picture.ts'
import { backtestCurves, rangeResult } from './picture-data.fixture.ts'
import { type Picture, textWidth } from './frame.ts'
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
