import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { createRedactor } from '@svc/runtime'
import { secretsOf } from './secrets.ts'

it.each([
  ['a segment of the path', 'https://rpc.example/v2/canary-key', 'canary-key'],
  ['a value of the query', 'https://rpc.example/?apikey=canary-key&v=2', 'canary-key'],
  ['an escaped value, as written', 'https://rpc.example/?apikey=canary%2Ckey', 'canary%2Ckey'],
  ['an escaped value, as read', 'https://rpc.example/?apikey=canary%2Ckey', 'canary,key'],
  ['a password', 'https://:canary%2Ckey@rpc.example/', 'canary,key'],
  ['a user', 'https://canary-user@rpc.example/', 'canary-user'],
  ['what both are sent as', 'https://canary-user:ké@rpc.example/', Buffer.from('canary-user:ké').toString('base64')],
])('%s of an endpoint is a secret on its own', (_what, url, part) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-secrets-'))
  const redactor = createRedactor(secretsOf(readConfig({ SVC_DATA_DIR: dataDir, SVC_RPC_URL_8453: url })))
  expect(redactor.text(`no project ${part} on rpc.example/v2`)).toBe('no project [redacted] on rpc.example/v2')
})

it('a segment of the path of a private endpoint is one too', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-secrets-'))
  const env = { SVC_DATA_DIR: dataDir, SVC_PRIVATE_RPC_URL_8453: 'https://rpc.example/v2/canary-key' }
  expect(createRedactor(secretsOf(readConfig(env))).text('no project canary-key')).toBe('no project [redacted]')
})

it('a password in the row of a chain is one too', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-secrets-'))
  const file = join(dataDir, 'chains.json')
  const row = {
    id: 8453,
    publicRpcUrls: ['https://reader:canary-rpc@rpc.example'],
    subgraphs: { v3: 'https://reader:canary-graph@graph.example/v3' },
  }
  writeFileSync(file, JSON.stringify([row]))
  const config = readConfig({ SVC_DATA_DIR: dataDir, SVC_CHAINS_FILE: file })
  expect(createRedactor(secretsOf(config)).text('canary-rpc, canary-graph on rpc.example')).toBe(
    '[redacted], [redacted] on rpc.example',
  )
})

it('a segment of the path of the webhook, its secret and the key behind its prefix are some too', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-secrets-'))
  const key = Buffer.alloc(32, 'random').toString('base64')
  const webhook = { SVC_WEBHOOK_URL: 'https://hooks.example/in/canary-path', SVC_WEBHOOK_SECRET: `whsec_${key}` }
  const redactor = createRedactor(secretsOf(readConfig({ SVC_DATA_DIR: dataDir, ...webhook })))
  expect(redactor.text(`canary-path whsec_${key} ${key}`)).toBe('[redacted] [redacted] [redacted]')
})
