import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

const here = new AbortController().signal

describe('the queue', () => {
  it('runs one after the other per key, keys side by side, whatever fails', async () => {
    const queue = createSerialQueue(10)
    const seen: string[] = []
    const work = (name: string, ms: number) => async () => {
      seen.push(`+${name}`)
      await pause(ms)
      seen.push(`-${name}`)
      if (name === 'a1') throw new Error('broken')
      return name
    }
    const outcomes = await Promise.allSettled([
      queue('a', here, work('a1', 20)),
      queue('a', here, work('a2', 1)),
      queue('b', here, work('b1', 5)),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(seen).toEqual(['+a1', '+b1', '-b1', '-a1', '+a2', '-a2'])
  })

  it('passes over who has left by the time of its turn', async () => {
    const queue = createSerialQueue(10)
    const leaving = new AbortController()
    const first = queue('a', here, () => pause(10))
    const second = queue('a', leaving.signal, () => Promise.resolve('ran'))
    leaving.abort()
    await first
    await expect(second).rejects.toMatchObject({ code: 'CANCELLED' })
  })

  it('tells who waits too long, and passes it over when its turn comes', async () => {
    const queue = createSerialQueue(10, 30)
    const begun: string[] = []
    let finish = (): void => {}
    const first = queue('a', here, () => new Promise<void>((resolve) => (finish = resolve)))
    const second = queue('a', here, async () => begun.push('second'))
    await expect(second).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    const third = queue('a', here, async () => begun.push('third'))
    finish()
    await Promise.all([first, third])
    expect(begun).toEqual(['third'])
  })

  it('refuses newcomers when it is full, and takes them again later', async () => {
    const queue = createSerialQueue(2)
    const two = [queue('a', here, () => pause(5)), queue('a', here, () => pause(5))]
    await expect(queue('a', here, () => Promise.resolve())).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    await Promise.all(two)
    await expect(queue('a', here, () => Promise.resolve(1))).resolves.toBe(1)
  })
})
