import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, createRedactor } from '@svc/runtime'
import { createAuthorizationKey } from '@svc/wallet/provisioning'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { restoringName } from '../config/env-file.ts'
import { createProvision } from './create-provision.ts'
import { walletNotePath } from './obtain-wallet.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-provision-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** Asks for a wallet on these settings, of a provider that nobody can reach. */
function provision(
  settings: Readonly<Record<string, string>> = {},
  { randomBytes = (size: number) => Buffer.alloc(size), redactor = createRedactor() } = {},
) {
  const config = readConfig({
    SVC_DATA_DIR: dataDir,
    WALLET_TYPE: 'managed',
    WALLET_APP_ID: 'app',
    WALLET_APP_SECRET: 'app-secret-of-test',
    SVC_WALLET_API_URL: 'http://127.0.0.1:1',
    SVC_PROVISION_ROLE: 'vault_participant',
    SVC_PROVISION_OWNER_KEY: createAuthorizationKey().publicKey,
    SVC_PROVISION_CHAINS: 'base',
    ...settings,
  })
  const openWrite = () => expect.unreachable()
  const withProvision = { ...config, provision: config.provision! }
  const provide = createProvision({ config: withProvision, openWrite, randomBytes, redactor })
  return provide({ requestId: 'request', principalId: 'agent' })
}

it('answers what no table of ours names with one fixed sentence: no path, no word of a system or library', async () => {
  const failures = [
    Object.assign(new Error("EACCES: permission denied, open '/srv/keys/wallet'"), { code: 'EACCES' }),
    new TypeError("Cannot read properties of undefined (reading 'keys')"),
    'words alone',
  ]
  for (const failure of failures) {
    const randomBytes = () => {
      throw failure
    }
    const asked = provision({}, { randomBytes })
    await expect(asked).rejects.toMatchObject({
      name: 'ToolError',
      code: 'INTERNAL',
      message: 'The wallet could not be made.',
    })
  }
})

it('says in words of ours what of the settings, or of an earlier run, stands in the way', async () => {
  const refused = (message: string) => ({ code: 'WALLET_NOT_CONFIGURED', message: expect.stringContaining(message) })
  const { privateKey, publicKey } = createAuthorizationKey()
  const same = { WALLET_AUTH_PRIVATE_KEY: privateKey, SVC_PROVISION_OWNER_KEY: publicKey }
  await expect(provision(same)).rejects.toMatchObject(refused('are the same: then no policy holds'))
  const note = { appId: 'other', externalId: 'svc-1', authPrivateKey: privateKey, ownerPublicKey: publicKey }
  writeFileSync(walletNotePath(dataDir), JSON.stringify({ ...note, ownerPrivateKey: null }))
  await expect(provision()).rejects.toMatchObject(refused('with another app or other keys'))
  writeFileSync(walletNotePath(dataDir), JSON.stringify({ ...note, authPrivateKey: 5 }))
  const damaged = provision()
  await expect(damaged).rejects.toMatchObject(refused('WALLET_NOTE_DAMAGED (D/wallet-in-the-making.json)'))
  await expect(damaged).rejects.not.toThrow(dataDir)
})

it('blanks the key that it made out of lines of a log that was opened before', async () => {
  const redactor = createRedactor()
  const lines: string[] = []
  const log = createLog({ level: 'info', redactor, destination: { write: (line) => void lines.push(line) } })
  await expect(provision({}, { redactor })).rejects.toMatchObject({ code: 'SIGNER_UNAVAILABLE' })
  const { authPrivateKey } = JSON.parse(readFileSync(walletNotePath(dataDir), 'utf8'))
  log.warn('test', { said: `the key ${authPrivateKey} was refused` })
  expect(lines.join('')).toContain('the key [redacted] was refused')
})

it('writes nothing into a directory that a restore has not finished, and says so', async () => {
  mkdirSync(join(dataDir, restoringName))
  await expect(provision()).rejects.toMatchObject({
    code: 'WALLET_NOT_CONFIGURED',
    message: expect.stringContaining('RESTORE_UNFINISHED'),
  })
  expect(readdirSync(dataDir)).toEqual([restoringName])
})
