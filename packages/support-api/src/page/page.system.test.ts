import { useDevnet, usePostgres } from '@svc/devnet/testing'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openPageApi, type PageApi } from './page-api.fixture.ts'

const devnet = useDevnet()
const postgres = usePostgres()
const settings = { SVC_FAUCET_PER_NETWORK_DAY: '4', SVC_PAGE_APP_ID: '' }
let opened: PageApi
beforeEach(async () => {
  opened = await openPageApi(devnet(), settings)
})
afterEach(() => opened.close())

const wallet = () => privateKeyToAddress(generatePrivateKey())

const own = { 'sec-fetch-site': 'same-origin' }

function post(fields: Readonly<Record<string, string>> | string, headers: Readonly<Record<string, string>> = own) {
  const body = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString()
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  return opened.api.ask('/', { method: 'POST', body, headers: { ...type, ...headers } })
}

test.each(['SQLite', 'PostgreSQL'])(
  'a form alone brings a wallet its gas on %s, and the page says so',
  async (engine) => {
    if (engine === 'PostgreSQL') {
      await opened.close()
      opened = await openPageApi(devnet(), { ...settings, SVC_DATABASE_URL: await postgres().newSchema() })
    }
    const address = wallet()
    const before = await opened.api.ask(`/?chainId=31337&address=${address}`)
    expect(before.text).toContain('has had nothing on this chain yet')
    expect(before.text).toContain('4 of 4 left')

    const sent = await post({ address: address.toLowerCase(), chainId: '31337', appId: 'app-one' })
    expect(sent).toMatchObject({ status: 303, headers: { location: `/?chainId=31337&address=${address}` } })
    await expect
      .poll(async () => (await opened.api.ask(String(sent.headers['location']))).text)
      .toContain('0.01 ETH is in the wallet')
    expect((await opened.api.ask('/')).text).toContain('3 of 4 left')

    const again = await post({ address, chainId: '31337', appId: 'app-two' })
    expect(again.status).toBe(409)
    expect(again.text).toContain('Already claimed on ')
    expect(again.text).toMatch(/<code>0x[0-9a-f]{64}<\/code>/)
    // A look tells no more than the chain does: neither who asked nor for which app.
    const look = await opened.api.ask(String(sent.headers['location']))
    expect(look.text).not.toMatch(/app-one|127\.0\.0\.0/)
    expect(look.text).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-/)
  },
)

test.each([
  ['application/x-www-form-urlencoded; charset=utf-16', 415],
  ['application/x-www-form-urlencoded; boundary=x', 415],
  ['multipart/form-data', 415],
  ['Application/X-WWW-Form-URLencoded;charset="UTF-8"', 400],
])('a form of the type %s is answered %d', async (type, status) => {
  expect(await post('address=x', { ...own, 'content-type': type })).toMatchObject({ status })
})

test('other methods than those of a page and its form are not served', async () => {
  const headers = { allow: 'GET, HEAD, POST', 'content-type': 'application/problem+json' }
  expect(await opened.api.ask('/', { method: 'DELETE' })).toMatchObject({ status: 405, headers })
  expect(await opened.api.ask('/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
})

describe('forms of other pages are refused', () => {
  test.each([
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['another site whose name is a header', { 'sec-fetch-site': 'cross-site', origin: 'http://127.0.0.1:1' }],
    ['a neighbour', { 'sec-fetch-site': 'same-site' }],
    ['an old browser elsewhere', { origin: 'https://evil.example' }],
    ['a page without an origin', { origin: 'null' }],
    ['no browser', {}],
  ])('%s', async (_who, headers) => {
    const address = wallet()
    expect(await post({ address, chainId: '31337', appId: 'app-one' }, headers)).toMatchObject({
      status: 403,
      json: { code: 'ORIGIN_NOT_ALLOWED' },
    })
    expect((await opened.api.ask(`/?chainId=31337&address=${address}`)).text).toContain('has had nothing')
  })

  test('an old browser here is served', async () => {
    expect((await post({ address: '0x1' }, { origin: opened.api.url })).status).toBe(400)
  })
})

test.each([
  ['a broken checksum', { address: '0xf39fd6e51aad88F6F4ce6aB8827279cffFb92266' }, 400, 'The checksum does not hold'],
  ['no address', { address: '' }, 400, 'VALIDATION_FAILED'],
  ['a chain in words', { chainId: 'local' }, 400, 'VALIDATION_FAILED'],
  ['a chain that is not served', { chainId: '1' }, 400, 'FAUCET_CHAIN_NOT_SUPPORTED'],
  ['an unknown app', { appId: 'app-nine' }, 401, 'The app id is not known'],
  ['a contract', { address: '0xcA11bde05977b3631167028862bE2a173976CA11' }, 400, 'FAUCET_TARGET_CONTRACT'],
])('%s is refused on the page, which keeps what was typed', async (_what, change, status, words) => {
  const fields = { address: wallet(), chainId: '31337', appId: 'app-one', ...change }
  const answer = await post(fields)
  expect(answer).toMatchObject({ status, headers: { 'content-type': 'text/html; charset=UTF-8' } })
  expect(answer.text).toContain(words)
  expect(answer.text).toContain(`value="${fields.address}"`)
  expect(answer.text).toContain(`value="${fields.appId}"`)
})

test.each([
  ['JSON', '{}', { ...own, 'content-type': 'application/json' }, 415],
  ['a form of 2 KiB', `address=${'x'.repeat(2_048)}`, own, 413],
  ['an unknown field', 'address=0x1&amount=1', own, 400],
  ['a field twice', 'address=0x1&address=0x2', own, 400],
])('%s is no form of ours', async (_what, body, headers, status) => {
  expect((await post(body, headers)).status).toBe(status)
})

test('what the address bar brings is looked at like a form', async () => {
  for (const query of ['address=0x1', 'address=x&address=y', 'q=1', 'chainId=1&address=%00', 'address=%F0%9F']) {
    const answer = await opened.api.ask(`/?${query}`)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('Something in the form is off')
  }
})

test('the page says what the day leaves, and when it leaves nothing', async () => {
  const answers = []
  for (let turn = 0; turn < 5; turn++) {
    answers.push(await post({ address: wallet(), chainId: '31337', appId: 'app-one' }))
  }
  const refused = answers.find(({ status }) => status === 429)
  expect(refused?.text).toContain('Too many claims for today')
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(86_000)
  expect(refused?.headers).toMatchObject({
    'ratelimit-policy': '"network";q=4;w=86400',
    ratelimit: expect.stringMatching(/^"network";r=0;t=86\d{3}$/),
  })
  expect(refused?.text).toContain('0 of 4 left')
})

test('a chain that has given out its day says so, on the page and in the status', async () => {
  await opened.close()
  opened = await openPageApi(devnet(), { SVC_FAUCET_PER_CHAIN_DAY: '1' })
  expect((await post({ address: wallet(), chainId: '31337', appId: 'app-one' })).status).toBe(303)
  await expect
    .poll(async () => (await opened.api.ask('/v1/faucet/status')).json)
    .toMatchObject({ status: 'paused', chains: [{ claimsLeftToday: 0, enabled: false, reason: 'paused' }] })
  expect((await opened.api.ask('/')).text).toContain('Paused')
  const refused = await post({ address: wallet(), chainId: '31337', appId: 'app-one' })
  expect(refused.status).toBe(503)
  expect(refused.text).toContain('The faucet has given out its day')
})

test('looks at wallets are held to so many a minute', async () => {
  const look = async () => (await opened.api.ask(`/?address=${wallet()}`)).status
  const statuses: number[] = []
  while (!statuses.includes(429) && statuses.length < 5_000) {
    statuses.push(...(await Promise.all(Array.from({ length: 100 }, look))))
  }
  expect(statuses.indexOf(429)).toBeGreaterThan(200)
  expect((await opened.api.ask('/')).status).toBe(200)
})
