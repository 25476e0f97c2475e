import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from './engines.fixture.ts'
import { openStore, type Store } from './open-store.ts'

const hourMs = 3_600_000

describe.each(useEngines())('sign-ins on $engine', ({ newPlace }) => {
  let at: TestPlace
  let stores: readonly Store[]
  let now = 0

  const open = () => openStore({ ...at.place, now: () => now })

  beforeEach(async () => {
    now = 1_700_000_000_000
    at = await newPlace()
    stores = [await open(), await open()]
  })
  afterEach(async () => {
    for (const store of stores) await store.close()
    await at.remove()
  })

  test('a nonce is used once, whoever races for it, and stays used over a restart and a clock that comes back', async () => {
    const [one, other] = stores
    const both = stores.map(
      ({ signIns }) =>
        () =>
          signIns.spendNonce('a', now + 1),
    )
    const races = Array.from({ length: 10 }, () => both.map((spend) => spend())).flat()
    expect((await Promise.all(races)).filter(Boolean)).toHaveLength(1)
    await one?.close()
    stores = [await open(), ...stores.slice(1)]
    expect(await stores[0]?.signIns.spendNonce('a', now + 1)).toBe(false)
    now += hourMs - 1
    await other?.signIns.spendNonce('b', now + 1)
    now -= hourMs - 1
    expect(await other?.signIns.spendNonce('a', now + 1)).toBe(false)
    // Long over, it is forgotten.
    now += 2 * hourMs
    await other?.signIns.spendNonce('c', now)
    expect(await other?.signIns.spendNonce('a', now)).toBe(true)
  })

  test('a change of keys ends those of now after the overlap, and whoever was about to renew one renews it no more', async () => {
    const [one, other] = stores.map(({ signIns }) => signIns)
    const untilOf = async () =>
      Object.fromEntries((await other!.state()).keys.map((key) => [key.kid, key.acceptedUntil]))
    await one?.publishKey({ kid: 'long', publicJwk: '{}', acceptedUntil: now + hourMs })
    await one?.publishKey({ kid: 'short', publicJwk: '{}', acceptedUntil: now + 5 })
    await one?.publishKey({ kid: 'long', publicJwk: '{}', acceptedUntil: now + 2 * hourMs }, 0)
    await other?.rotate({ overlapMs: 60_000 })
    expect(await untilOf()).toEqual({ long: now + 60_000, short: now + 5 })
    await one?.publishKey({ kid: 'long', publicJwk: '{}', acceptedUntil: now + hourMs }, 0)
    await one?.publishKey({ kid: 'new', publicJwk: '{}', acceptedUntil: now + hourMs }, 1)
    expect(await untilOf()).toEqual({ long: now + 60_000, short: now + 5, new: now + hourMs })
    await other?.rotate({ overlapMs: 0 })
    expect(await untilOf()).toEqual({ long: 0, short: 0, new: 0 })
  })

  test('one secret is shared, whoever comes first', async () => {
    const secrets = await Promise.all(stores.map((store, index) => store.signIns.sharedSecret(`secret ${index}`)))
    expect(new Set(secrets).size).toBe(1)
    expect(await stores[1]?.signIns.sharedSecret('another')).toBe(secrets[0])
  })

  test('keys, rotations and revocations of one process are seen by the other, and each raises the epoch', async () => {
    const [one, other] = stores.map(({ signIns }) => signIns)
    const epochs: (number | undefined)[] = [await other?.epoch()]
    const after = async (work: Promise<unknown> | undefined) => {
      const outcome = await work
      epochs.push(await other?.epoch())
      return outcome
    }
    await after(one?.publishKey({ kid: 'k', publicJwk: '{}', acceptedUntil: now + 5 }))
    await after(one?.publishKey({ kid: 'k', publicJwk: '{}', acceptedUntil: now + 9 }))
    await after(one?.rotate({ overlapMs: 60_000 }))
    expect(await after(one?.revoke({ subject: 'jti:1', by: 'ann', until: now + 9 }))).toBe(true)
    expect(await after(one?.revoke({ subject: 'jti:1', by: 'bob', until: null }))).toBe(false)
    await after(one?.revoke({ subject: 'address:0xA', by: 'ann', until: null }))
    expect(await other?.state()).toEqual({
      epoch: 6,
      rotation: 1,
      keys: [{ kid: 'k', publicJwk: '{}', createdAt: now, acceptedUntil: now + 9 }],
      revocations: expect.arrayContaining([
        { subject: 'jti:1', by: 'ann', revokedAt: now, until: now + 9 },
        { subject: 'address:0xA', by: 'ann', revokedAt: now, until: null },
      ]),
    })
    expect(await after(one?.restore('address:0xA'))).toBe(true)
    expect(await after(one?.restore('address:0xA'))).toBe(false)
    expect(epochs).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    // What is over goes with the next of its kind; a revocation without an end never does.
    await one?.revoke({ subject: 'address:0xB', by: 'ann', until: null })
    now += 2 * hourMs
    await one?.publishKey({ kid: 'l', publicJwk: '{}', acceptedUntil: now })
    await one?.revoke({ subject: 'jti:2', by: 'ann', until: now })
    const { keys, revocations } = (await other?.state()) ?? { keys: [], revocations: [] }
    expect(keys.map(({ kid }) => kid)).toEqual(['l'])
    expect(revocations.map(({ subject }) => subject).toSorted()).toEqual(['address:0xB', 'jti:2'])
  })
})
