import { expect, test } from 'vitest'
import { createZiggurat } from './create-random.ts'

const words = 2 ** 31

test('its layers have equal areas and close at the density of 0', () => {
  const { limit, width } = createZiggurat(() => 0.5)
  const edge = (layer: number) => width[layer]! * words
  const height = (layer: number) => Math.exp(-0.5 * edge(layer) ** 2)
  expect(limit[1]).toBe(0)
  for (let layer = 2; layer < 256; layer += 1) {
    expect(edge(layer) * (height(layer - 1) - height(layer))).toBeCloseTo(0.00492867323399, 12)
    expect(limit[layer]! / words).toBeCloseTo(edge(layer - 1) / edge(layer), 12)
  }
})

test('beyond its limit a layer keeps a place where the draw falls below the density, and asks again above', () => {
  let draw = 0
  const { limit, width, beyond } = createZiggurat(() => draw)
  const layer = 100
  const [inner, outer] = [layer - 1, layer].map((at) => Math.exp(-0.5 * (width[at]! * words) ** 2))
  const word = ((Math.round((limit[layer]! + words) / 2) & ~255) | layer) >> 0
  const place = word * width[layer]!
  const share = (Math.exp(-0.5 * place * place) - outer!) / (inner! - outer!)
  draw = share - 1e-9
  expect(beyond(word)).toBe(place)
  draw = share + 1e-9
  expect(beyond(word)).toBeNull()
})
