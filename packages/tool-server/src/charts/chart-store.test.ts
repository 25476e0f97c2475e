import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { rangeResult } from './picture-data.fixture.ts'
import { draw } from '../workers/run-work.ts'
import { createChartStore, type ReadPicture } from './chart-store.ts'

const drawing = { kind: 'range', result: rangeResult, horizonDays: 30 } as const
const tool = 'optimize_lp_range'

function open() {
  const clock = { at: 1_000 }
  return { clock, chartStore: createChartStore({ newId: randomUUID, now: () => clock.at, draw }) }
}

test('a picture is read as SVG and as PNG, by its own principal alone', async () => {
  const { chartStore } = open()
  const [svg, png] = chartStore.put({ principalId: 'one', tool, drawing })
  expect(chartStore.list('one')).toEqual([svg, png])
  expect(svg?.title).toBe(
    'Range of WETH/USDC 0.05 %, 1970-01-01 00:00 UTC (SVG), kept for an hour; dark with ?theme=dark, narrow with ?width=360',
  )
  expect(await chartStore.read('one', svg?.uri ?? '')).toMatchObject({ text: expect.stringContaining('WETH/USDC') })
  const read = await chartStore.read('one', png?.uri ?? '')
  expect(read).toMatchObject({ uri: png?.uri, mimeType: 'image/png', blob: expect.stringMatching(/^iVBORw0KGgo/) })
  expect(await chartStore.read('other', svg?.uri ?? '')).toBeNull()
  expect(chartStore.list('other')).toEqual([])
})

test('is dark for who asks for it; an SVG nobody asked so has the colours that its viewer prefers', async () => {
  const { chartStore } = open()
  const links = chartStore.put({ principalId: 'one', tool, drawing })
  for (const { uri } of links) {
    const [plain, light, dark] = await Promise.all(
      ['', '?theme=light', '?theme=dark'].map((theme) => chartStore.read('one', `${uri}${theme}`)),
    )
    expect(dark?.uri).toBe(`${uri}?theme=dark`)
    const groundOf = (read: ReadPicture | null | undefined) =>
      read && 'text' in read ? /fill="(#[0-9a-f]{6})"/.exec(read.text)?.[1] : read?.blob
    const grounds = [plain, light, dark].map(groundOf)
    expect(grounds[0]).toBe(grounds[1])
    expect(grounds[0]).not.toBe(grounds[2])
    const follows = [plain, light, dark].map(
      (read) => read && 'text' in read && read.text.includes('prefers-color-scheme'),
    )
    expect(follows).toEqual([uri.endsWith('.svg'), false, false])
  }
})

test('no colour of a picture stays light for a viewer that prefers dark', async () => {
  const svg = await draw({ drawing, format: 'svg' })
  const [, style = '', body = ''] = /<style>([^]*?)<\/style>([^]*)/.exec(String(svg)) ?? []
  // What is cut along is black, and what has no width has any colour: neither is seen.
  const seen = body.replace(/<clipPath[^]*?<\/clipPath>/g, '').replace(/stroke="[^"]*" stroke-width="0"/g, '')
  const used = new Set(seen.match(/(?:fill|stroke)="#[0-9a-f]+"/g))
  expect(used.size).toBeGreaterThan(6)
  expect([...used].filter((attribute) => !style.includes(`[${attribute}]{`))).toEqual([])
})

test('is as wide as is asked, with its words broken to fit', async () => {
  const { chartStore } = open()
  const [svg, png] = chartStore.put({ principalId: 'one', tool, drawing })
  const narrow = await chartStore.read('one', `${svg?.uri}?theme=dark&width=360`)
  const text = narrow !== null && 'text' in narrow ? narrow.text : ''
  expect(text).toMatch(/^<svg width="360"/)
  const lines = [...text.matchAll(/<text[^>]*>([^<]+)<\/text>/g)].map(([, line = '']) => line)
  expect(lines.length).toBeGreaterThan(8)
  expect(lines.filter((line) => line.length > 60)).toEqual([])
  expect(await chartStore.read('one', `${png?.uri}?width=360`)).toMatchObject({ mimeType: 'image/png' })
  for (const other of ['?theme=red', '?width=100', '?width=9000', '?width=3.6', '?', '?height=300', '?width=360&x=1']) {
    expect(await chartStore.read('one', `${svg?.uri}${other}`)).toBeNull()
  }
})

test('is gone after an hour', async () => {
  const { chartStore, clock } = open()
  const [svg] = chartStore.put({ principalId: 'one', tool, drawing })
  clock.at += 3_599_999
  expect(chartStore.list('one')).toHaveLength(2)
  clock.at += 1
  expect(await chartStore.read('one', svg?.uri ?? '')).toBeNull()
  expect(chartStore.list('one')).toEqual([])
})

test('the newest sixteen of a principal are kept, and 256 of all', () => {
  const { chartStore } = open()
  const first = chartStore.put({ principalId: 'one', tool, drawing })
  chartStore.put({ principalId: 'other', tool, drawing })
  for (let more = 0; more < 16; more++) chartStore.put({ principalId: 'one', tool, drawing })
  expect(chartStore.list('one')).toHaveLength(32)
  expect(chartStore.list('one')).not.toContainEqual(first[0])
  expect(chartStore.list('other')).toHaveLength(2)
  for (let more = 0; more < 300; more++) chartStore.put({ principalId: `p${more}`, tool, drawing })
  const kept = Array.from({ length: 300 }, (_, more) => chartStore.list(`p${more}`).length / 2)
  expect(kept.reduce((sum, count) => sum + count, 0)).toBe(256)
})

test.each([
  '',
  'svc://charts/',
  'svc://charts/../../etc/passwd',
  'file:///etc/passwd',
  `svc://charts/${randomUUID()}.svg`,
])('knows nothing by the name %j', async (uri) => {
  expect(await open().chartStore.read('one', uri)).toBeNull()
})
