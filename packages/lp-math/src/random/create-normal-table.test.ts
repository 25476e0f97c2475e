import { expect, test } from 'vitest'
import { inverseNormalCdf } from '../normal/normal.ts'
import { createNormalTable, createRandom } from './create-random.ts'

test('lies within 1e-8 of the inverse normal distribution from its middle to both ends', () => {
  const random = createRandom(1)
  const words = [0, 1, 2, 3, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff]
  for (let bits = 0; bits < 32; bits += 1) {
    for (let draw = 0; draw < 500; draw += 1) words.push(random.uint32() >>> bits, ~(random.uint32() >>> bits) >>> 0)
  }
  const normals = new Float64Array(words.length)
  createNormalTable().fill(Uint32Array.from(words), normals)
  const exact = words.map((word) => inverseNormalCdf((word + 0.5) / 2 ** 32))
  expect(Math.max(...exact.map((z, at) => Math.abs(z - normals[at]!)))).toBeLessThan(1e-8)
})
