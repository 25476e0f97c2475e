import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RoleFacts } from '@svc/engine'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { apiKeyFrom, keyTiers, agreeOnKeys, shareNoKeys } from './credentials.ts'

let dataDir: string
/** What the leader has said. */
let said: string | null
let leads: 'a' | 'b'
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-shared-keys-'))
  said = null
  leads = 'a'
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const newKeys = () =>
  Object.fromEntries(
    keyTiers.map((tier) => [
      `SVC_API_KEY_${tier.toUpperCase()}`,
      apiKeyFrom(tier, crypto.getRandomValues(new Uint8Array(32))),
    ]),
  )
const configOf = (keys: Readonly<Record<string, string>>) => readConfig({ ...keys, SVC_DATA_DIR: dataDir })

function serverOf(name: 'a' | 'b', onRead: () => void = () => {}) {
  const facts = (): RoleFacts => ({
    role: leads === name ? 'leader' : 'follower',
    leader: leads,
    epoch: 1n,
    takeovers: 0,
  })
  return {
    role: facts,
    sharedKeys: {
      read: async () => {
        onRead()
        return said
      },
      keep: async (text: string) => {
        if (leads === name) said = text
        return leads === name
      },
    },
  }
}

test('one that starts beside a leader which has not said its keys yet waits for them, and takes the same', async () => {
  const keys = newKeys()
  let reads = 0
  const b = agreeOnKeys(
    configOf(keys),
    serverOf('b', () => (reads += 1)),
  )
  await expect.poll(() => reads).toBeGreaterThan(1)
  await agreeOnKeys(configOf(keys), serverOf('a'))
  expect((await b).write.reveal()).toBe(keys['SVC_API_KEY_WRITE'])
})

test('one that follows makes no keys of its own: it serves with those of the leader or not at all', async () => {
  const b = agreeOnKeys(configOf({}), serverOf('b'))
  const refused = b.catch((error: unknown) => error)
  await agreeOnKeys(configOf(newKeys()), serverOf('a'))
  expect(await refused).toMatchObject({ problems: keyTiers.map(() => ({ code: 'API_KEYS_DIFFER' })) })
  expect(existsSync(join(dataDir, '.env'))).toBe(false)
})

test('where the leader never says its keys it is refused with the fix, and has made none', async () => {
  await expect(agreeOnKeys(configOf({}), serverOf('b'), { forMs: 0 })).rejects.toMatchObject({
    problems: [{ code: 'API_KEYS_UNKNOWN', fix: expect.stringContaining('once that one listens') }],
  })
  expect(existsSync(join(dataDir, '.env'))).toBe(false)
})

test('one that takes the lead while it waits makes its own, and says them', async () => {
  let reads = 0
  const b = agreeOnKeys(
    configOf({}),
    serverOf('b', () => (reads += 1)),
  )
  await expect.poll(() => reads).toBeGreaterThan(0)
  leads = 'b'
  expect((await b).read.reveal()).toMatch(/^svc_read_/)
  expect(said).not.toBeNull()
})

test('beside a leader whose clients come without keys it needs all of its own from the settings', async () => {
  await shareNoKeys(serverOf('a'))
  await expect(agreeOnKeys(configOf({}), serverOf('b'))).rejects.toMatchObject({
    problems: keyTiers.map((tier) => ({ code: 'API_KEYS_UNKNOWN', setting: `SVC_API_KEY_${tier.toUpperCase()}` })),
  })
  const keys = newKeys()
  expect((await agreeOnKeys(configOf(keys), serverOf('b'))).read.reveal()).toBe(keys['SVC_API_KEY_READ'])
})

test('a server that closes waits no longer', async () => {
  const closing = new AbortController()
  const b = agreeOnKeys(configOf({}), serverOf('b'), { signal: closing.signal })
  closing.abort()
  await expect(b).rejects.toMatchObject({ name: 'AbortError' })
})
