import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { certificate, certificateKey } from '../transports/tls.fixture.ts'
import { checkAccess } from './check-access.ts'

let dataDir: string
beforeEach(() => void (dataDir = mkdtempSync(join(tmpdir(), 'svc-access-'))))
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

function wrong(env: Readonly<Record<string, string>>, now = Date.now()) {
  const checks = checkAccess(readConfig({ SVC_DATA_DIR: dataDir, ...env }), 'D', () => now)
  return checks.filter(({ status }) => status !== 'pass').map(({ id, status, fix }) => [id, status, fix])
}

const managed = {
  WALLET_TYPE: 'managed',
  WALLET_APP_ID: 'a',
  WALLET_APP_SECRET: 's',
  WALLET_ID: 'w',
  WALLET_AUTH_PRIVATE_KEY: 'k',
}

it('warns of a managed wallet without the rules of production', () => {
  expect(wrong({})).toEqual([])
  expect(wrong({ ...managed, NODE_ENV: 'production' })).toEqual([])
  expect(wrong(managed)).toEqual([['production', 'warn', "Run: echo 'NODE_ENV=production' >> D/.env"]])
})

it('warns of pages over plain http in production', () => {
  const origins = { SVC_ALLOWED_ORIGINS: 'http://app.example.com,https://app.example.com,http://127.0.0.1:5173' }
  expect(wrong(origins)).toEqual([])
  expect(wrong({ ...origins, NODE_ENV: 'production' })).toMatchObject([
    ['origins', 'warn', expect.stringContaining('https')],
  ])
})

it('looks at certificate and key of TLS', () => {
  const [cert, key] = [join(dataDir, 'cert.pem'), join(dataDir, 'key.pem')]
  writeFileSync(cert, certificate)
  writeFileSync(key, certificateKey, { mode: 0o600 })
  const env = { SVC_LISTEN: '0.0.0.0:0', SVC_TLS_CERT: cert, SVC_TLS_KEY: key }
  expect(wrong(env)).toEqual([])
  expect(wrong(env, Date.now() + 500 * 365 * 86_400_000)).toMatchObject([
    ['tls', 'fail', expect.stringContaining('openssl x509')],
  ])
  chmodSync(key, 0o644)
  expect(wrong(env)).toEqual([['tls', 'fail', `Run: chmod 600 ${key}`]])
  rmSync(key)
  expect(wrong(env)).toMatchObject([['tls', 'fail', expect.stringContaining('SVC_TLS_KEY=PATH')]])
  writeFileSync(key, certificateKey, { mode: 0o600 })
  writeFileSync(cert, 'no certificate')
  expect(wrong(env)).toMatchObject([['tls', 'fail', expect.stringContaining('SVC_TLS_CERT=PATH')]])
})
