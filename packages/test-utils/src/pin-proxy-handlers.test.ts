import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { apiUrl, chainId, registered, rpcUrl, walletOf } from './agent.fixture.ts'
import {
  createTestServer,
  pinProxyHandlers,
  registryHandlers,
  type PinFault,
  type PinProxyHandlers,
  type TestServer,
} from './index.ts'

let pins: PinProxyHandlers
let server: TestServer
beforeEach(() => {
  pins = pinProxyHandlers({ apiUrl, appId: 'app-1', gatewayUrl: 'https://gateway.example' })
  server = createTestServer(...pins, ...registryHandlers({ rpcUrl, chainId }))
  server.listen()
})
afterEach(() => server.close())

test('registerAgent pins its card, and the gateway gives the bytes that the CID names', async () => {
  const result = await registered(walletOf('Ada'))
  expect(result).toMatchObject({ registrationMethod: 'sdk-ipfs', warnings: [] })
  const cid = result.agentURI.slice('ipfs://'.length)
  expect([...pins.pins().keys()]).toEqual([cid])
  const bytes = Buffer.from(await (await fetch(`https://gateway.example/ipfs/${cid}`)).arrayBuffer())
  expect(JSON.parse(bytes.toString())).toMatchObject({ name: 'Ada', services: [{ name: 'MCP' }, { name: 'OASF' }] })
  // Version 1, raw, sha2-256, in base32: the last 51 digits are those of the hash, after three bits of what is before it.
  const digits = Array.from(cid.slice(1), (digit) => 'abcdefghijklmnopqrstuvwxyz234567'.indexOf(digit).toString(2))
  const bits = digits.map((digit) => digit.padStart(5, '0')).join('')
  const read = (bits.match(/.{8}/g) ?? [])
    .map((byte) => Number.parseInt(byte, 2).toString(16).padStart(2, '0'))
    .join('')
  expect(read).toBe(`01551220${createHash('sha256').update(bytes).digest('hex')}`)
  expect((await fetch('https://gateway.example/ipfs/bafkreiunknown')).status).toBe(404)
})

describe('what goes wrong at the pin proxy sends registerAgent on to the URI itself:', () => {
  test.each<[string, PinFault, string]>([
    ['it is down', { fault: 'down' }, 'PIN_FAILED'],
    ['it names another CID', { fault: 'other-cid' }, 'PIN_CID_MISMATCH'],
    ['it has had enough', { fault: 'rate-limit', retryAfterSeconds: 60 }, 'PIN_FAILED'],
    ['it knows no such app', { fault: 'unauthorized' }, 'PIN_FAILED'],
    ['it cannot reach what pins', { fault: 'unavailable' }, 'PIN_FAILED'],
  ])('%s', async (_what, fault, code) => {
    pins.setFaults([fault])
    const result = await registered(walletOf('Ada'))
    expect(result).toMatchObject({ registrationMethod: 'sdk-inline', agentId: `${chainId}:0` })
    expect(result.attempts[0]).toMatchObject({ tier: 'sdk-ipfs', outcome: 'failed', code })
  })
})

test('a fault that is used up is over, and one that is slow answers all the same', async () => {
  pins.setFaults([
    { fault: 'down', times: 1 },
    { fault: 'slow', delayMs: 5, times: 1 },
  ])
  expect(await registered(walletOf('Ada'))).toMatchObject({ registrationMethod: 'sdk-inline' })
  expect(await registered(walletOf('Bob'))).toMatchObject({ registrationMethod: 'sdk-ipfs' })
})

test('the answers to what is refused are those of the support API', async () => {
  const ask = async (authorization: string, body: unknown) => {
    const headers = { authorization, 'content-type': 'application/json' }
    const response = await fetch(`${apiUrl}/v1/ipfs/pin`, { method: 'POST', headers, body: JSON.stringify(body) })
    return [response.status, ((await response.json()) as { code: string }).code, response.headers.get('retry-after')]
  }
  expect(await ask('Bearer another', {})).toEqual([401, 'APP_ID_INVALID', null])
  expect(await ask('', {})).toEqual([401, 'APP_ID_INVALID', null])
  expect(await ask('Bearer app-1', { agentCard: { name: 'Ada' } })).toEqual([400, 'VALIDATION_FAILED', null])
  pins.setFaults([{ fault: 'rate-limit', retryAfterSeconds: 7 }])
  expect(await ask('Bearer app-1', {})).toEqual([429, 'PIN_RATE_LIMITED', '7'])
})
