import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createShutdownGate } from './shutdown-gate.ts'

describe('the shutdown gate', () => {
  it('lets nobody in once it is shut, and waits for those inside, whatever becomes of them', async () => {
    const gate = createShutdownGate()
    const left: string[] = []
    const slow = gate.during(async () => {
      await pause(20)
      left.push('slow')
    })
    const failing = gate.during(() => Promise.reject(new Error('broken')))
    await expect(failing).rejects.toThrow('broken')
    gate.requireOpen()
    const shut = gate.shut(5_000)
    await expect(gate.during(() => Promise.resolve())).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    expect(() => gate.requireOpen()).toThrow('signs nothing more')
    expect(await shut).toBe(true)
    expect(left).toEqual(['slow'])
    await slow
  })

  it('waits no longer than it is told', async () => {
    const gate = createShutdownGate()
    void gate.during(() => new Promise(() => {}))
    expect(await gate.shut(10)).toBe(false)
  })
})
