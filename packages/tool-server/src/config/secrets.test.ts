import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { createRedactor } from '../observability/redact.ts'
import { secretsOf } from './secrets.ts'

it.each([
  ['a segment of the path', 'https://rpc.example/v2/canary-key', 'canary-key'],
  ['a value of the query', 'https://rpc.example/?apikey=canary-key&v=2', 'canary-key'],
  ['an escaped value, as written', 'https://rpc.example/?apikey=canary%2Ckey', 'canary%2Ckey'],
  ['an escaped value, as read', 'https://rpc.example/?apikey=canary%2Ckey', 'canary,key'],
])('%s of an endpoint is a secret on its own', (_what, url, part) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'svc-secrets-'))
  const redactor = createRedactor(secretsOf(readConfig({ SVC_DATA_DIR: dataDir, SVC_RPC_URL_8453: url })))
  expect(redactor.text(`no project ${part} on rpc.example/v2`)).toBe('no project [redacted] on rpc.example/v2')
})
