import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createSerialQueue } from './serial-queue.ts'

const here = new AbortController().signal

describe('the queue', () => {
  it('runs one after the other per key, keys side by side, whatever fails', async () => {
    const queue = createSerialQueue({ inLine: 10, perCaller: 10 })
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
    const queue = createSerialQueue({ inLine: 10, perCaller: 10 })
    const leaving = new AbortController()
    const first = queue('a', here, () => pause(10))
    const second = queue('a', leaving.signal, () => Promise.resolve('ran'))
    leaving.abort()
    await first
    // Whatever waits here signs: no word of simulations.
    await expect(second).rejects.toMatchObject({
      code: 'CANCELLED',
      suggestion: 'Nothing was signed. Call again and wait for the answer.',
    })
  })

  it('tells who waits too long, and passes it over when its turn comes', async () => {
    const queue = createSerialQueue({ inLine: 10, perCaller: 10 }, 30)
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
    const queue = createSerialQueue({ inLine: 2, perCaller: 2 })
    const two = [queue('a', here, () => pause(5)), queue('a', here, () => pause(5))]
    await expect(queue('a', here, () => Promise.resolve())).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    await Promise.all(two)
    await expect(queue('a', here, () => Promise.resolve(1))).resolves.toBe(1)
  })

  it('lets callers take turns, however many of one came first', async () => {
    const queue = createSerialQueue({ inLine: 10, perCaller: 5 })
    const begun: string[] = []
    const come = (caller: string, name: string) => queue('a', here, async () => begun.push(name), caller)
    await Promise.all([
      ...['f1', 'f2', 'f3', 'f4'].map((name) => come('flood', name)),
      come('b', 'b1'),
      come('b', 'b2'),
    ])
    expect(begun).toEqual(['f1', 'f2', 'b1', 'f3', 'b2', 'f4'])
  })

  it('has room for others when one caller has filled its own', async () => {
    const queue = createSerialQueue({ inLine: 4, perCaller: 2 })
    const come = (caller: string) => queue('a', here, () => pause(5), caller)
    const two = [come('flood'), come('flood')]
    await expect(come('flood')).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    const other = [come('b'), come('c')]
    await expect(come('d')).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    await Promise.all([...two, ...other])
    await expect(come('flood')).resolves.toBeUndefined()
  })
})
