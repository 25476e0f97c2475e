import { expect, test } from 'vitest'
import type { ChartRequest } from './chart-spec.ts'
import { createDrawnPictures } from './chart-store.ts'
import { rangeResult } from './picture-data.fixture.ts'

const request: ChartRequest = {
  drawing: { kind: 'range', result: rangeResult, horizonDays: 30 },
  theme: 'light',
  format: 'png',
}

test('a picture is drawn once for all who read it, at the same time or later', async () => {
  let drawings = 0
  const pictures = createDrawnPictures(async () => `drawing ${(drawings += 1)}`)
  const reads = await Promise.all(Array.from({ length: 60 }, () => pictures.of('one', request, 'somebody')))
  expect(new Set([...reads, await pictures.of('one', request, 'somebody')])).toEqual(new Set(['drawing 1']))
  expect(await pictures.of('other', request, 'somebody')).toBe('drawing 2')
})

test('a drawing that failed is tried again', async () => {
  let drawings = 0
  const pictures = createDrawnPictures(async () => {
    if ((drawings += 1) === 1) throw new Error('no thread')
    return 'drawn'
  })
  await expect(pictures.of('one', request, 'somebody')).rejects.toThrow('no thread')
  expect(await pictures.of('one', request, 'somebody')).toBe('drawn')
})

test('those asked for last are kept, up to so many bytes of all together', async () => {
  const drawn: string[] = []
  const pictures = createDrawnPictures(async (_, principalId) => {
    drawn.push(principalId)
    return new Uint8Array(principalId === 'huge' ? 31 : 10)
  }, 30)
  const read = async (...names: string[]) => {
    for (const name of names) await pictures.of(name, request, name)
    return drawn.splice(0)
  }
  expect(await read('a', 'b', 'c', 'a', 'b', 'c')).toEqual(['a', 'b', 'c'])
  expect(await read('a', 'd', 'a', 'c', 'b'), 'b was asked for longest ago').toEqual(['d', 'b'])
  expect(await read('huge', 'huge'), 'what has no place is drawn anew').toEqual(['huge', 'huge'])
})
