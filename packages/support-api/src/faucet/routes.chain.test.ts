import { useDevnet } from '@svc/devnet/testing'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useEngines, type TestPlace } from '../../../store/src/engines.fixture.ts'
import { openTestApi, type Sent, type TestApi } from '../test-api.fixture.ts'
import { writeChainsFile } from './chains-file.fixture.ts'

const devnet = useDevnet()
let api: TestApi
let env: Readonly<Record<string, string>>
let removeFile: () => Promise<void>

beforeEach(async () => {
  const privateKey = generatePrivateKey()
  await devnet().fund(privateKeyToAddress(privateKey), { ETH: '1' })
  const file = await writeChainsFile(devnet().chain)
  removeFile = () => file.remove()
  env = {
    SVC_FAUCET_PRIVATE_KEY: privateKey,
    SVC_FAUCET_CHAINS: '31337',
    SVC_CHAINS_FILE: file.path,
    SVC_RPC_URL_31337: devnet().rpcUrl,
  }
  api = await openTestApi({ env })
})
afterEach(async () => {
  await api.close()
  await removeFile()
})

const wallet = () => privateKeyToAddress(generatePrivateKey())

function ask(body: unknown, sent: Sent = {}) {
  const headers = { 'content-type': 'application/json', ...sent.headers }
  return api.ask('/v1/faucet/request', { method: 'POST', body: JSON.stringify(body), ...sent, headers })
}

describe.each(useEngines())('on $engine', ({ newPlace }) => {
  let at: TestPlace
  beforeEach(async () => {
    await api.close()
    at = await newPlace()
    api = await openTestApi({ place: at.place, env })
  })
  afterEach(async () => {
    await api.close()
    await at.remove()
  })

  test('a wallet is paid once, and told of its transaction when it asks again', async () => {
    const status = () => api.ask('/v1/faucet/status')
    expect((await status()).json).toMatchObject({ chains: [{ lastClaimAt: null }] })
    const address = wallet()
    const first = await ask({ address, chainId: 31337, appId: 'app-one' })
    expect(first.status).toBe(200)
    expect(first.json).toMatchObject({ address, chainId: 31337, amount: '0.01', currency: 'ETH' })
    // Though the status was looked at a moment before, and is remembered for a while.
    expect((await status()).json).toMatchObject({
      chains: [
        {
          lastClaimAt: expect.stringMatching(/^\d{4}-/),
          history: expect.arrayContaining([{ day: expect.any(String), claims: 1 }]),
        },
      ],
    })
    const again = await ask({ address: address.toLowerCase(), chainId: 31337, appId: 'app-two' })
    expect(again).toMatchObject({ status: 409, headers: { 'content-type': 'application/problem+json' } })
    expect(again.json).toMatchObject({
      code: 'FAUCET_ALREADY_CLAIMED',
      status: 409,
      claimId: first.json['claimId'],
      claimedAt: expect.stringMatching(/^\d{4}-/),
    })
  })

  test('a claim that was settled is counted and told in the log, by the replica that leads', async () => {
    const { json } = await ask({ address: wallet(), chainId: 31337, appId: 'app-one' })
    const figures = async () => (await api.ask('/metrics')).text
    await expect.poll(figures).toContain('svc_api_faucet_settled_total{outcome="confirmed"} 1')
    const line = api
      .log()
      .split('\n')
      .find((text) => text.includes('faucet.settled'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 30, claimId: json['claimId'], state: 'confirmed' })
    await expect.poll(figures).toMatch(/^svc_api_faucet_leading\{chain="[\w-]+"\} 1$/m)
  })
})

test.each([
  ['no JSON', {}, { body: '{' }, 400, 'VALIDATION_FAILED'],
  ['text', {}, { headers: { 'content-type': 'text/plain' } }, 415, 'MEDIA_TYPE_NOT_SUPPORTED'],
  ['a body of 2 KiB', { filler: 'x'.repeat(2_048) }, {}, 413, 'PAYLOAD_TOO_LARGE'],
  ['an unknown field', { amount: '1' }, {}, 400, 'VALIDATION_FAILED'],
  ['a broken checksum', { address: '0xf39fd6e51aad88F6F4ce6aB8827279cffFb92266' }, {}, 400, 'VALIDATION_FAILED'],
  ['a short address', { address: '0x12' }, {}, 400, 'VALIDATION_FAILED'],
  ['a name', { address: 'vitalik.eth' }, {}, 400, 'VALIDATION_FAILED'],
  ['a chain in words', { chainId: '31337' }, {}, 400, 'VALIDATION_FAILED'],
  ['half a chain', { chainId: 0.5 }, {}, 400, 'VALIDATION_FAILED'],
  ['a chain that is not served', { chainId: 1 }, {}, 400, 'FAUCET_CHAIN_NOT_SUPPORTED'],
  ['no app', { appId: undefined }, {}, 400, 'VALIDATION_FAILED'],
  ['an unknown app', { appId: 'app-nine' }, {}, 401, 'APP_ID_INVALID'],
  ['a path for an app', { appId: '../admin' }, {}, 401, 'APP_ID_INVALID'],
  ['a contract', { address: '0xcA11bde05977b3631167028862bE2a173976CA11' }, {}, 400, 'FAUCET_TARGET_CONTRACT'],
] as const)(
  '%s is refused with the field and the code, and no claim is made',
  async (_what, change, sent, status, code) => {
    const answer = await ask({ address: wallet(), chainId: 31337, appId: 'app-one', ...change }, sent)
    expect(answer).toMatchObject({ status, json: { code, status } })
    const { json } = await api.ask('/v1/faucet/status')
    expect(json).toMatchObject({ chains: [{ queueDepth: 0, lastClaimAt: null }] })
  },
)

test('GET is not the way to ask', async () => {
  expect(await api.ask('/v1/faucet/request')).toMatchObject({ status: 405, headers: { allow: 'POST' } })
})

describe('the status', () => {
  test('names balance, queue and limits, for pages of any origin', async () => {
    const answer = await api.ask('/v1/faucet/status', { headers: { origin: 'https://page.example' } })
    expect(answer).toMatchObject({ status: 200, headers: { 'access-control-allow-origin': '*' } })
    expect(answer.json).toMatchObject({
      status: 'ok',
      chains: [{ chainId: 31337, balance: '1000000000000000000', claimsRemaining: 100, rpc: 'ok', enabled: true }],
      limits: { claimsPerAddressAndChain: 1 },
    })
    expect(JSON.stringify(answer.json)).not.toContain('app-')
  })

  test('stands in the description with the other routes, and the replica is ready', async () => {
    const { json } = await api.ask('/openapi.json')
    expect(Object.keys(json['paths'] as object)).toEqual(
      expect.arrayContaining(['/v1/ipfs/pin', '/v1/faucet/request', '/v1/faucet/status', '/ipfs/{cid}']),
    )
    expect(await api.ask('/readyz')).toMatchObject({ status: 200 })
  })
})
