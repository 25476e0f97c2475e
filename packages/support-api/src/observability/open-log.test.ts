import { expect, it } from 'vitest'
import { readConfig } from '../config.ts'
import { openLog } from '../server.ts'

const key = `0x${'1f'.repeat(32)}`

it('nothing that the settings keep secret is written, in whatever a cause says', () => {
  const lines: string[] = []
  const config = readConfig({
    SVC_IDENTITY_PROVIDER_URL: 'https://wallets.example',
    SVC_DATABASE_URL: 'postgres://user:canary%2Fword@db.example/svc',
    SVC_GATEWAY_URL: 'https://gateway.example',
    SVC_PIN_BACKEND: 'pinata',
    SVC_PINNING_JWT: 'canary-jwt',
    SVC_FAUCET_PRIVATE_KEY: key,
    SVC_FAUCET_CHAINS: '84532',
    SVC_RPC_URL_84532: 'https://rpc.example/v2/canary-path',
  })
  const log = openLog(config, { write: (line) => lines.push(line) })
  const deep = new Error(`POST https://rpc.example/v2/canary-path with ${key} and ${key.slice(2).toUpperCase()}`)
  const err = new Error('canary-jwt was refused', {
    cause: new Error('canary/word and canary%2Fword', { cause: deep }),
  })
  log.error('upstream.failed', { err, url: 'https://rpc.example/v2/canary-path' })
  log.debug('unread')
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 50, event: 'upstream.failed', url: '[redacted]' })
  expect(lines[0]).toContain('[redacted] was refused')
  expect(lines[0]).not.toMatch(/canary|1f1f/i)
})

it('nor the key in an address, where who refuses it repeats it', () => {
  const lines: string[] = []
  const config = readConfig({
    SVC_IDENTITY_PROVIDER_URL: 'https://wallets.example',
    SVC_GATEWAY_URL: 'https://gateway.example',
    SVC_PIN_BACKEND: 'kubo',
    SVC_PIN_URL: 'https://kubo.example/canary-of-pins',
    SVC_FAUCET_PRIVATE_KEY: key,
    SVC_FAUCET_CHAINS: '84532',
    SVC_RPC_URL_84532: 'https://one.example/v2/canary-of-one, https://two.example/?apikey=canary%2Fof%2Ftwo',
  })
  const log = openLog(config, { write: (line) => lines.push(line) })
  log.warn('a', { err: new Error('Must be authenticated! key CANARY-of-one') })
  log.warn('b', { err: new Error('no app canary/of/two at https://kubo.example/canary-of-pins/api/v0/add') })
  expect(lines.join('')).not.toMatch(/canary/i)
  expect(lines.join('')).toContain('Must be authenticated! key [redacted]')
})
