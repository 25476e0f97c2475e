import { expect, test } from 'vitest'
import { createMutex } from './mutex.ts'

test('works run one after the other in the order they came, and a failure ends its own alone', async () => {
  const inTurn = createMutex()
  const steps: string[] = []
  const work = (name: string, ticks: number) => async () => {
    steps.push(`${name} begins`)
    for (let tick = 0; tick < ticks; tick += 1) await Promise.resolve()
    steps.push(`${name} ends`)
    if (name === 'two') throw new Error(name)
    return name
  }
  const outcomes = await Promise.allSettled([inTurn(work('one', 9)), inTurn(work('two', 3)), inTurn(work('three', 0))])
  expect(steps).toEqual(['one begins', 'one ends', 'two begins', 'two ends', 'three begins', 'three ends'])
  expect(outcomes).toMatchObject([{ value: 'one' }, { reason: new Error('two') }, { value: 'three' }])
})

test('a work that fails before it waits ends its own alone as well', async () => {
  const inTurn = createMutex()
  const failing = inTurn(() => {
    throw new Error('at once')
  })
  await expect(failing).rejects.toThrow('at once')
  expect(await inTurn(async () => 'next')).toBe('next')
})
