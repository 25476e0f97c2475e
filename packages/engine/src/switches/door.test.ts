import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createDoor } from './door.ts'

describe('the door', () => {
  it('lets nobody in once it is shut, and waits for those inside, whatever becomes of them', async () => {
    const door = createDoor()
    const left: string[] = []
    const slow = door.during(async () => {
      await pause(20)
      left.push('slow')
    })
    const failing = door.during(() => Promise.reject(new Error('broken')))
    await expect(failing).rejects.toThrow('broken')
    door.requireOpen()
    const shut = door.shut(5_000)
    await expect(door.during(() => Promise.resolve())).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    expect(() => door.requireOpen()).toThrow('signs nothing more')
    expect(await shut).toBe(true)
    expect(left).toEqual(['slow'])
    await slow
  })

  it('waits no longer than it is told', async () => {
    const door = createDoor()
    void door.during(() => new Promise(() => {}))
    expect(await door.shut(10)).toBe(false)
  })
})
