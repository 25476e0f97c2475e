import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createShutdownGate, startBackground } from './background-works.ts'
import { parsePolicy } from './policy/policy.ts'
import type { ReconcileReport } from './recovery/reconcile.ts'

beforeEach(() => vi.useFakeTimers({ now: 0 }))
afterEach(() => vi.useRealTimers())

const out: ReconcileReport = { chains: [{ chainId: 1, pending: ['0x01'], settled: [], tookBack: 0 }], failed: [] }
const unread: ReconcileReport = { chains: [], failed: [1] }
const settled: ReconcileReport = { chains: [{ chainId: 1, pending: [], settled: ['r'], tookBack: 0 }], failed: [] }

it.each([
  ['soon, and later and later while it is out', true, [out, out, settled], [250, 750, 1_750, 11_750]],
  ['soon, though a chain could not be read', true, [unread, out, settled], [250, 750, 1_750, 11_750]],
  ['later and later while the state cannot be read', true, [null, null, null], [250, 750, 1_750, 3_750]],
  ['every ten seconds where nothing was', false, [settled, out, out], [10_000, 20_000, 30_000]],
])('looks at what the process before left out %s', async (_, isAnyOut, reports, times) => {
  const looks: number[] = []
  const background = startBackground(
    {
      reconcile: async () => {
        looks.push(Date.now())
        const report = reports[looks.length - 1]
        if (report === null) throw new Error('The state cannot be read.')
        return report ?? settled
      },
      watchBalances: async () => {},
      policyNow: async () => parsePolicy({}, { production: false }),
    },
    { recordSwitches: async () => {}, recordDecisions: async () => {}, carryOutRequests: async () => {} },
    {
      gate: { isShut: () => false },
      during: (work) => work(),
      log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
      isAnyOut,
    },
  )
  for (const time of times) {
    await vi.advanceTimersByTimeAsync(time - Date.now() - 1)
    expect(looks).not.toContain(time)
    await vi.advanceTimersByTimeAsync(1)
  }
  expect(looks).toEqual(times)
  background.stop()
})

describe('the shutdown gate', () => {
  beforeEach(() => vi.useRealTimers())

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
