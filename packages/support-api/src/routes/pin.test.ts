import { canonicalBytes, contentAddress, pinCard, registrationFile } from '@svc/wallet/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { useEngines } from '../../../store/src/engines.fixture.ts'
import { pinProxy } from '../../../wallet/src/agent/card/pin-card.ts'
import { openTestApi, testCard, type TestApi } from '../test-api.fixture.ts'

const start = Date.UTC(2026, 0, 1)
const hourMs = 3_600_000

describe.each(useEngines())('pins on $engine', ({ newPlace }) => {
  let at = start
  let place: Awaited<ReturnType<typeof newPlace>>
  const open: TestApi[] = []
  const openApi = async (env: Readonly<Record<string, string>> = {}): Promise<TestApi> => {
    const api = await openTestApi({ place: place.place, env, surroundings: { now: () => at, clock: 'process' } })
    open.push(api)
    return api
  }
  beforeEach(async () => {
    at = start
    place = await newPlace()
  })
  afterEach(async () => {
    for (const api of open.splice(0)) await api.close()
    await place.remove()
  })

  it('a card is pinned under the address of its canonical registration file, and served from there', async () => {
    const api = await openApi()
    const bytes = canonicalBytes(registrationFile(testCard()))
    const cid = contentAddress(bytes)
    const answer = await api.pin(testCard())
    expect(answer.json).toEqual({ cid, uri: `ipfs://${cid}`, gatewayUrl: `https://gateway.example/ipfs/${cid}` })
    expect(answer).toMatchObject({
      status: 200,
      headers: { 'ratelimit-policy': '"app";q=10;w=3600', ratelimit: '"app";r=9', 'cache-control': 'no-store' },
    })
    expect((await api.ask(`/ipfs/${cid}?format=raw`)).text).toBe(new TextDecoder().decode(bytes))
  })

  it('of twenty that come at once ten are pinned, and the next when the hour of the first is over', async () => {
    const api = await openApi()
    const names = Array.from({ length: 20 }, (_, index) => `Agent ${index}`)
    const answers = await Promise.all(names.map((name) => api.pin(testCard(name))))
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
    expect(refused).toHaveLength(10)
    expect(refused[0]).toMatchObject({
      headers: { 'retry-after': '3600', ratelimit: '"app";r=0;t=3600' },
      json: { code: 'PIN_RATE_LIMITED', retryable: true },
    })
    const other = await api.pin(testCard('Other'), { headers: { authorization: 'Bearer app-two' } })
    expect(other.status).toBe(200)
    at = start + hourMs - 1
    expect((await api.pin(testCard('Late'))).status).toBe(429)
    at = start + hourMs
    expect((await api.pin(testCard('Late'))).status).toBe(200)
  })

  it('the limit holds over all replicas that the engine takes', async () => {
    const replicas = 'url' in place.place ? [await openApi(), await openApi()] : [await openApi()]
    const names = Array.from({ length: 20 }, (_, index) => `Agent ${index}`)
    const answers = await Promise.all(
      names.map((name, index) => replicas[index % replicas.length]!.pin(testCard(name))),
    )
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  })

  it('the same card again is free, also at the limit and many at once', async () => {
    const api = await openApi({ SVC_PIN_PER_APP_HOUR: '2' })
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.pin(testCard())))
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await api.pin(testCard('Bob'))).headers['ratelimit']).toBe('"app";r=0')
    expect((await api.pin(testCard('Cy'))).status).toBe(429)
    const again = await api.pin({ ...testCard(), metadata: { ...testCard().metadata } })
    expect(again).toMatchObject({ status: 200, text: answers[0]!.text })
    expect(again.headers['ratelimit']).toBeUndefined()
  })

  it('a range of addresses has a limit beside the app, and what it refuses costs the app nothing', async () => {
    const api = await openApi({
      SVC_TRUSTED_PROXIES: '127.0.0.1',
      SVC_PIN_PER_NETWORK_HOUR: '1',
      SVC_PIN_PER_APP_HOUR: '3',
    })
    const from = (address: string) => ({ headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': address } })
    expect((await api.pin(testCard('A'), from('203.0.113.1'))).status).toBe(200)
    const refused = await api.pin(testCard('B'), from('203.0.113.200'))
    expect(refused).toMatchObject({ status: 429, headers: { ratelimit: '"network";r=0;t=3600' } })
    expect((await api.pin(testCard('B'), from('198.51.100.7'))).headers['ratelimit']).toBe('"app";r=1')
    expect((await api.pin(testCard('C'), from('2001:db8::1'))).status).toBe(200)
    expect((await api.pin(testCard('D'), from('2001:db8:0:0:ffff::2'))).status).toBe(429)
  })

  it('all apps and addresses together have a day, and what it refuses costs nobody else', async () => {
    const api = await openApi({ SVC_TRUSTED_PROXIES: '127.0.0.1', SVC_PIN_PER_DAY: '2', SVC_PIN_PER_APP_HOUR: '2' })
    const from = (address: string, app = 'app-one') => ({
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-for': address, authorization: `Bearer ${app}` },
    })
    expect((await api.pin(testCard('A'), from('203.0.113.1'))).status).toBe(200)
    expect((await api.pin(testCard('B'), from('198.51.100.1', 'app-two'))).status).toBe(200)
    for (const name of ['C', 'D', 'E']) {
      expect(await api.pin(testCard(name), from('192.0.2.1'))).toMatchObject({
        status: 429,
        headers: { 'retry-after': '86400', ratelimit: '"all";r=0;t=86400', 'ratelimit-policy': '"all";q=2;w=86400' },
        json: { code: 'PIN_RATE_LIMITED' },
      })
    }
    expect((await api.pin(testCard('A'), from('192.0.2.1'))).status).toBe(200)
    at = start + 24 * hourMs
    expect((await api.pin(testCard('C'), from('192.0.2.1'))).headers['ratelimit']).toBe('"app";r=1')
  })

  it('what is pinned outlives the process', async () => {
    const cid = String((await (await openApi()).pin(testCard())).json['cid'])
    await open.splice(0)[0]!.close()
    const api = await openApi()
    expect((await api.ask(`/ipfs/${cid}`)).status).toBe(200)
    expect((await api.pin(testCard())).headers['ratelimit']).toBeUndefined()
  })

  it('serves the pin client of the wallet package', async () => {
    const api = await openApi()
    const cid = await pinCard(testCard(), pinProxy(api.url, 'app-one'), { fetch })
    expect((await api.ask(`/ipfs/${cid}`)).status).toBe(200)
    await expect(pinCard(testCard(), pinProxy(api.url, 'app-none'), { fetch })).rejects.toMatchObject({
      code: 'PIN_FAILED',
      details: { status: 401 },
    })
  })
})
