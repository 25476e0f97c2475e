import { afterEach, expect, it } from 'vitest'
import { callCommand } from '../calls.fixture.ts'
import { openDirectory } from '../../../tool-server/src/operator/operations.fixture.ts'

let place: Awaited<ReturnType<typeof openDirectory>>
afterEach(() => place.store.close())

it.each([
  ['denied', 'approve', 'It is denied already; only what awaits approval can be decided.'],
  ['expired', 'approve', 'It is expired already; '],
  ['approved', 'approve', 'It was approved already; nothing more is asked.'],
  ['approved', 'deny', 'It was approved already; svc approvals cancel takes it back'],
] as const)(
  'says of one that is %s, asked to %s it, how it stands, also without a terminal',
  async (state, word, says) => {
    place = await openDirectory([state === 'expired' ? { expiresAt: Date.now() - 1 } : {}])
    if (state !== 'expired') {
      const { planHash } = (await place.operations.byId('op-1'))!
      await place.operations.decide('op-1', { approved: state === 'approved', by: 'operator:ada', planHash })
    }
    const { code, stderr } = await callCommand(['approvals', word, 'op-1', '--data-dir', place.dataDir])
    expect(code).toBe(1)
    expect(stderr).toContain(says)
    expect(stderr).not.toContain('terminal')
  },
)
