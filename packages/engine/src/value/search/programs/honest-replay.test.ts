import { expect, it } from 'vitest'
import { errorTable } from '@svc/amm'
import { createServerGuard, serverLook } from '../guards/server-guard.fixture.ts'
import { refuse } from '../guards/guard.fixture.ts'
import { isHelpful, replayHonestly } from './honest-replay.fixture.ts'

// A tenth of `npm run bench -- value`.
it('G13: of 50 honest calls over 3 days at most one is refused, with a sentence that helps, and no person is asked', () => {
  const { calls, refused, asked } = replayHonestly({
    seed: 1,
    calls: 50,
    days: 3,
    kinds: 5,
    createGuard: createServerGuard,
    look: serverLook,
  })
  expect(calls).toBe(50)
  expect(refused.length).toBeLessThanOrEqual(1)
  expect(refused.filter(({ verdict }) => !isHelpful(verdict))).toEqual([])
  expect(asked).toEqual([])
})

it('counts what a guard refuses', () => {
  const refuseAll = () => () =>
    refuse('VALUE_LOSS_EXCEEDED', 'It pays 5.00 USD for what is worth 4.00 USD at best today.')
  const { refused } = replayHonestly({
    seed: 2,
    calls: 10,
    days: 1,
    kinds: 2,
    createGuard: refuseAll,
    look: () => null,
  })
  expect(refused.length).toBe(10)
  expect(new Set(refused.map(({ kind }) => kind))).toEqual(new Set([0, 1]))
})

it('takes a sentence for helpful that has figures, and a code that says what to do', () => {
  expect(Object.keys(errorTable)).toContain('VALUE_LOSS_EXCEEDED')
  expect(isHelpful(refuse('VALUE_LOSS_EXCEEDED', 'It pays 5.00 USD for what is worth 4.00 USD at best today.'))).toBe(
    true,
  )
  expect(isHelpful(refuse('VALUE_LOSS_EXCEEDED', 'No.'))).toBe(false)
  expect(isHelpful(refuse('NO_SUCH_CODE', 'It pays 5.00 USD for what is worth 4.00 USD at best today.'))).toBe(false)
})
