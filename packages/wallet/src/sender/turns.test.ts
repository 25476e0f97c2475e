import { expect, test } from 'vitest'
import { createTurns } from './mutex.ts'

test('work of one key runs in the order it came, beside that of other keys', async () => {
  const turns = createTurns()
  const seen: string[] = []
  const first = turns('a', async () => {
    await turns('b', async () => void seen.push('b'))
    seen.push('a 1')
  })
  const others = [2, 3].map((index) => turns('a', async () => void seen.push(`a ${index}`)))
  await Promise.all([first, ...others])
  expect(seen).toEqual(['b', 'a 1', 'a 2', 'a 3'])
})

test('work that fails, and work that is given up, hold up nobody', async () => {
  const turns = createTurns()
  const calling = new AbortController()
  const failing = turns('a', async () => {
    calling.abort(new Error('called off'))
    throw new Error('failed')
  })
  const waiting = turns('a', async () => 'late', calling.signal)
  const next = turns('a', async () => 'next')
  await expect(failing).rejects.toThrow('failed')
  await expect(waiting).rejects.toThrow('called off')
  expect(await next).toBe('next')
})
