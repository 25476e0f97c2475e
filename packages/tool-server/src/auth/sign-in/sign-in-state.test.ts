import { openStore } from '@svc/store'
import { afterEach, expect, it } from 'vitest'
import { openSignInState } from './sign-in-state.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** Over a real store that a test can make read-only. */
async function open() {
  const world = { now: Date.now(), isReadOnly: false, failures: [] as unknown[] }
  const now = () => world.now
  const store = await openStore({ path: ':memory:', now })
  closers.push(() => store.close())
  const state = await openSignInState({
    signIns: {
      ...store.signIns,
      async publishKey(key, rotation) {
        if (world.isReadOnly) throw new Error('The database is read-only.')
        await store.signIns.publishKey(key, rotation)
      },
    },
    signsTokens: true,
    now,
    onLooked: () => {},
    onError: (error) => world.failures.push(error),
  })
  closers.push(() => state.close())
  return { state, signIns: store.signIns, world }
}

it.each([
  ['changed', 20_000, true],
  ['published for longer', 31 * 60_000, false],
])(
  'what was read is what is known where the key cannot be %s: revocations are felt, and tokens taken',
  async (_name, later, isAsked) => {
    const { state, signIns, world } = await open()
    const { kid } = state.seen()
    world.isReadOnly = true
    if (isAsked) await signIns.rotate({ overlapMs: 60_000 })
    await signIns.revoke({ subject: 'jti:one', by: 'operator:ann', until: null })
    world.now += later
    await state.nextLook()
    expect([state.isFresh(), state.isRevoked('jti:one')]).toEqual([true, true])
    expect(world.failures).toMatchObject([{ message: 'The database is read-only.' }])
    const signing = state.signingKey().then(
      (key) => key.kid,
      (error: Error) => error.message,
    )
    expect(await signing).toBe(isAsked ? 'The key of this server could not be changed yet.' : kid)
    world.isReadOnly = false
    await state.nextLook()
    expect([(await state.signingKey()).kid === kid, state.isFresh()]).toEqual([!isAsked, true])
  },
)

it('nobody waits for a look that does not come', async () => {
  const { state } = await open()
  const waiting = state.nextLook()
  state.close()
  await waiting
  await state.nextLook()
})
