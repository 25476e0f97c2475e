import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { ConfigError } from './config/config-error.ts'
import { openServer } from './open-server.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-write-road-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const localKey = { PRIVATE_KEY: `0x${'5'.repeat(64)}` }

test.each([
  ['DATABASE_UNAVAILABLE', { ...localKey, SVC_DATABASE_URL: 'postgres://127.0.0.1/svc' }],
  [
    'MANAGED_WALLET_UNAVAILABLE',
    { WALLET_TYPE: 'managed', WALLET_APP_ID: 'app', WALLET_APP_SECRET: 'secret', WALLET_ID: 'wallet' },
  ],
])('%s: what this version cannot do is refused at the start, and nothing is written', async (code, environment) => {
  const opening = openServer(readConfig({ ...environment, SVC_DATA_DIR: dataDir, LOG_LEVEL: 'silent' }))
  await expect(opening).rejects.toBeInstanceOf(ConfigError)
  await expect(opening).rejects.toMatchObject({ problems: [{ code }] })
  expect(readdirSync(dataDir)).toEqual([])
})
