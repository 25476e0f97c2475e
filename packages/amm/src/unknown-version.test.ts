import { expect, test } from 'vitest'
import type { Version } from './ports.ts'
import { unknownVersion } from './ports/pools.ts'

test('a version that was not told apart is a fault for the compiler, and named where it comes all the same', () => {
  const reached = (version: Version) => {
    if (version === 'v2' || version === 'v3' || version === 'v4') return version
    return unknownVersion(version)
  }
  expect(reached('v9' as 'v4')).toEqual(new TypeError('There is no version v9 here.'))
  const careless = (version: Version) => {
    if (version === 'v2' || version === 'v3') return version
    // @ts-expect-error: v4 is left.
    return unknownVersion(version)
  }
  expect(careless('v4')).toBeInstanceOf(TypeError)
})
