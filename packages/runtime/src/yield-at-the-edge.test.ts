import { afterEach, expect, test, vi } from 'vitest'
import { yieldToEventLoop } from './yield-at-the-edge.ts'

afterEach(() => void vi.unstubAllGlobals())

test('whoever waits goes on, though the round of one that came before never comes', async () => {
  const rounds: (() => void)[] = []
  vi.stubGlobal('setImmediate', (begin: () => void) => void rounds.push(begin))
  const resumed: string[] = []
  for (const who of ['left', 'stays']) void yieldToEventLoop().then(() => resumed.push(who))
  rounds[1]?.()
  await Promise.resolve()
  await Promise.resolve()
  expect(resumed).toEqual(['stays'])
})
