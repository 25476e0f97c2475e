import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parsePolicy } from '@svc/engine/policy'
import { openStore, type Store } from '@svc/store'
import { chains } from '@svc/wallet/core'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openSignIn } from './open-sign-in.ts'
import type { SignInEvent, WalletPlace } from './sign-in.ts'
import { createSignInRecord } from './sign-in-state.ts'

const policy = parsePolicy({}, { production: true })
const address = `address:0x${'5a'.repeat(20)}`
const [chain] = chains
if (chain === undefined) throw new Error('There is a chain.')
const client = {} as WalletPlace['client']
let directory: string
let store: Store
let told: SignInEvent[]

beforeEach(async () => {
  told = []
  directory = mkdtempSync(join(tmpdir(), 'svc-sign-in-record-'))
  store = await openStore({ path: join(directory, 'state.db'), now: Date.now })
})
afterEach(async () => {
  await store.close()
  rmSync(directory, { recursive: true, force: true })
})

/** Runs a server's stages on the state for as long as this takes. */
async function whileServing(work: () => unknown): Promise<void> {
  const signIn = await openSignIn({
    signIns: store.signIns,
    wallets: { chain: { ...chain!, id: 8_453 }, client },
    oauth: [],
    edge: null,
    fetch,
    policies: { latest: () => policy, current: async () => policy },
    audit: async (event) => void told.push(event),
    recordsIn: directory,
    log: { info: () => {}, warn: () => {} },
    now: Date.now,
  })
  await work()
  await signIn.close()
}

it('tells what was done while no server ran, once, before anything is served; and what is done while one runs', async () => {
  await store.signIns.revoke({ subject: address, by: 'operator:ann', until: null })
  await store.signIns.rotate({ overlapMs: 900_000 })
  await whileServing(() => {
    expect(told).toEqual([
      { event: 'auth.revoked', subject: address, by: 'operator:ann', revokedAt: expect.stringMatching(/Z$/) },
      { event: 'auth.keys-rotated', kid: expect.any(String) },
    ])
  })
  await whileServing(() => expect(told).toHaveLength(2))
  await store.signIns.restore(address)
  await store.signIns.revoke({ subject: address, by: 'operator:bob', until: null })
  await whileServing(async () => {
    expect(told.slice(2)).toMatchObject([{ event: 'auth.restored' }, { event: 'auth.revoked', by: 'operator:bob' }])
    await store.signIns.restore(address)
    await store.signIns.rotate({ overlapMs: 900_000 })
    await expect.poll(() => told.slice(4).map(({ event }) => event)).toEqual(['auth.restored', 'auth.keys-rotated'])
  })
  await whileServing(() => expect(told).toHaveLength(6))
})

it('lets no server start on a record that cannot be read, and names it and the mend', async () => {
  const path = join(directory, 'recorded-sign-ins.json')
  for (const text of ['{"revoked":[', '{}']) {
    writeFileSync(path, text)
    await expect(whileServing(() => {})).rejects.toThrow(`${path} cannot be read`)
    await expect(whileServing(() => {})).rejects.toThrow('Put it back from a copy, or remove it')
  }
  rmSync(path)
  await whileServing(() => {})
})

it('tells what could not be told with a later look, and says so once', async () => {
  const errors: unknown[] = []
  let isFull = true
  const record = createSignInRecord({
    directory,
    async report(event) {
      if (isFull) throw new Error('The disk is full.')
      told.push(event)
    },
    onError: (error) => errors.push(error),
  })
  const revocation = { subject: address, by: 'operator:ann', revokedAt: 1, until: null }
  const seen = { epoch: 1, revocations: [revocation], rotation: 0, kid: null }
  await record.look(seen)
  await record.look(seen)
  expect([told.length, errors.length]).toEqual([0, 1])
  isFull = false
  await record.look(seen)
  await record.look(seen)
  expect(told).toHaveLength(1)
})

it('tells nothing of a token whose time is over, and of a state that it finds where it keeps no record', async () => {
  const report = async (event: SignInEvent) => void told.push(event)
  const onError = (error: unknown) => {
    throw error
  }
  const record = createSignInRecord({ directory: null, report, onError })
  const revocation = { subject: 'jti:1', by: 'operator:ann', revokedAt: 1, until: 2 }
  const seen = { rotation: 0, kid: null }
  await record.look({ ...seen, epoch: 1, revocations: [revocation] })
  await record.look({ ...seen, epoch: 2, revocations: [] })
  expect(told).toEqual([])
  await record.look({ ...seen, epoch: 3, revocations: [{ ...revocation, subject: 'jti:2' }] })
  expect(told).toMatchObject([{ event: 'auth.revoked', subject: 'jti:2' }])
})
