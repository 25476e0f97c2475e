import { inflateSync } from 'node:zlib'
import axe, { type AxeResults } from 'axe-core'
import type { Frame } from 'playwright-core'
import { expect, test } from 'vitest'
import { hostile } from './tools.fixture.ts'
import { openViewHost } from './view-host.fixture.ts'

const { show, tell, text, page } = openViewHost()
const [white, dark] = ['rgb(255, 255, 255)', 'rgb(22, 27, 34)']
const background = (view: Frame) => view.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor')
/** The colour of the chart's ground, as it was drawn. */
const ground = (view: Frame) =>
  view.evaluate<number[]>(`{
    const copy = document.createElement('canvas').getContext('2d')
    copy.drawImage(document.querySelector('canvas'), 0, 0)
    Array.from(copy.getImageData(2, 2, 1, 1).data)
  }`)

test('follows the theme of the host and the width it is given, and tells how high it is', async () => {
  const { call, view, close } = await show('optimize_lp_range', { theme: 'dark' })
  await call({ token0: 'WETH' })
  await view.locator('canvas').waitFor()
  expect(await background(view)).toBe(dark)
  expect(await ground(view)).toEqual([22, 27, 34, 255])
  await tell('theme', 'light')
  await expect.poll(() => background(view)).toBe(white)
  expect(await ground(view)).toEqual([255, 255, 255, 255])
  const height = () => page().evaluate<number>('appHost.sizes.at(-1)[1]')
  const wide = await height()
  await page().setViewportSize({ width: 360, height: 800 })
  await expect.poll(height).toBeGreaterThan(wide + 300)
  await expect.poll(() => view.evaluate('document.documentElement.scrollHeight - innerHeight')).toBe(0)
  await close()
})

test('nothing stands in the way of anybody: in light and dark, wide and at 360 pixels, with long and hostile names', async () => {
  for (const tool of ['optimize_lp_range', 'backtest_lp_strategy'] as const) {
    const { call, view, close } = await show(tool)
    await call({ token0: `${hostile}${'W'.repeat(60)}` })
    await view.locator('canvas').waitFor()
    expect(await text()).toContain(hostile)
    expect(await view.locator('img').count()).toBe(0)
    for (const theme of ['light', 'dark']) {
      await tell('theme', theme)
      await expect.poll(() => background(view)).toBe(theme === 'light' ? white : dark)
      for (const width of [1_180, 360]) {
        await page().setViewportSize({ width, height: 800 })
        await expect.poll(() => view.evaluate('innerWidth')).toBe(width)
        expect(await view.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        expect(await violations(view)).toEqual([])
      }
    }
    await close()
  }
})

test('a table that goes on to the right says so at its edge until its end is reached, by the keyboard too', async () => {
  const { call, view, close } = await show('optimize_lp_range')
  await call({ token0: 'WETH' })
  const table = view.getByRole('region', { name: 'Ranges compared' })
  const edge = async () => {
    await table.scrollIntoViewIfNeeded()
    const { x, y, width } = (await table.boundingBox())!
    // Right of the caption, where no letter stands.
    return colourAt(x + width - 3, y + 4)
  }
  const onWhite = [255, 255, 255]
  expect(await edge(), 'all of it is in sight').toEqual(onWhite)
  await page().setViewportSize({ width: 360, height: 800 })
  await expect.poll(edge, { timeout: 20_000 }).not.toEqual(onWhite)
  await tell('theme', 'dark')
  const onDark = [22, 27, 34]
  await expect.poll(() => background(view)).toBe(dark)
  expect(await edge()).not.toEqual(onDark)
  // Of itself only Chromium lets the keyboard come to what scrolls.
  expect(await table.getAttribute('tabindex')).toBe('0')
  await table.focus()
  const goOn = async () => {
    for (let pressed = 0; pressed < 8; pressed += 1) await page().keyboard.press('ArrowRight')
    return edge()
  }
  await expect.poll(goOn, { timeout: 20_000 }).toEqual(onDark)
  await close()
})

/** What axe finds, by rule and place. */
async function violations(view: Frame): Promise<readonly string[]> {
  await view.evaluate(axe.source)
  const found = await view.evaluate<AxeResults>('axe.run()')
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 120)}`))
}

/** Of one pixel of the page: a PNG of it is one line of one pixel, after the byte that names its filter. */
async function colourAt(x: number, y: number): Promise<readonly number[]> {
  const png = await page().screenshot({ clip: { x: Math.floor(x), y: Math.floor(y), width: 1, height: 1 } })
  const data: Buffer[] = []
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
    if (png.toString('latin1', at + 4, at + 8) === 'IDAT')
      data.push(png.subarray(at + 8, at + 8 + png.readUInt32BE(at)))
  return [...inflateSync(Buffer.concat(data))].slice(1, 4)
}
