import { Resvg } from '@resvg/resvg-js'
import { expect, test } from 'vitest'
import { rangeResult } from './picture-data.fixture.ts'
import { rangePicture } from './range/range-picture.ts'
import { canRenderPng, renderPng } from './render-png.ts'
import { renderSvg } from '../workers/run-work.ts'

test('a PNG of twice the size, with letters drawn by the shipped font alone', async () => {
  const svg = await renderSvg(rangePicture(rangeResult, 30))
  const png = Buffer.from(await renderPng(svg))
  expect(png.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]))
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([2_000, 1_572])
  // Without a font the same drawing has no letters, and its pixels take far less room.
  const silent = new Resvg(svg, { font: { loadSystemFonts: false }, fitTo: { mode: 'zoom', value: 2 } }).render()
  expect(png.length - silent.asPng().length).toBeGreaterThan(60_000)
})

test('none where its renderer is not installed', () => {
  expect(canRenderPng()).toBe(true)
  const notInstalled = () => {
    throw new Error('Cannot find module')
  }
  expect(canRenderPng(notInstalled)).toBe(false)
})
