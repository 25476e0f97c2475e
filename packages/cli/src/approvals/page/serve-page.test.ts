import { request as httpRequest } from 'node:http'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openDirectory, plan, planHash } from '../../../../tool-server/src/operator/operations.fixture.ts'
import { htmlText, listView, readList } from '@svc/tool-server/operator-page'
import { servePage, type ServedPage } from './serve-page.ts'

const ofUsdc = {
  token: '0x1',
  symbol: 'USDC',
  amount: '4470.299',
  usd: 4470,
  raw: '4470299000',
  decimals: 6,
  isListed: true,
}

/** A swap that nothing bounds from below, though the simulation brought something. */
const unboundSwap = { ...plan, deposits: [], deltas: [ofUsdc] }

let page: ServedPage
let place: Awaited<ReturnType<typeof openDirectory>>
let tokens: number
beforeEach(async () => {
  tokens = 0
  place = await openDirectory([{}, { id: 'op-2' }])
  const newToken = () => `token-${(tokens += 1)}`
  page = await servePage({ operations: place.operations, port: 0, by: 'operator:test', now: Date.now, newToken })
})
afterEach(async () => {
  await page.close()
  await place.store.close()
})

type Asked = {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Bare HTTP: a browser would not let a test choose Host and Origin. */
function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  const { port } = new URL(page.url)
  return new Promise<Answer>((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => void (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    request.once('error', reject)
    request.end(body)
  })
}

type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
}

/** Opens the page as a browser does; returns what it sends from then on. */
async function enter() {
  const url = new URL(page.url)
  const opened = await ask(`${url.pathname}${url.search}`)
  const [set = ''] = (opened.headers['set-cookie'] ?? []) as readonly string[]
  return { opened, set, cookie: set.split(';')[0] ?? '', origin: url.origin }
}

const word = (more: Readonly<Record<string, unknown>> = {}) =>
  JSON.stringify({ id: 'op-1', planHash, approved: true, ...more })
const stateOf = async (id: string) => (await place.operations.byId(id))?.state

describe('the approval page', () => {
  it('opens once, for one browser, and takes the token out of the address', async () => {
    const { opened, set, cookie } = await enter()
    expect(opened).toMatchObject({ status: 303, headers: { location: '/' } })
    expect(set).toMatch(/^svc_approvals_\d+=token-2; Path=\/; HttpOnly; SameSite=Strict$/)
    expect((await enter()).opened.status).toBe(401)
    expect((await ask('/')).status).toBe(401)
    expect((await ask('/', { headers: { cookie: cookie.replace('token-2', 'token-1') } })).status).toBe(401)
    expect((await ask('/list')).status).toBe(401)
    expect((await ask('/', { headers: { cookie: `other=1; ${cookie}` } })).status).toBe(200)
  })

  it('shows the list without JavaScript, strangers’ text as text, under a policy that loads nothing foreign', async () => {
    const { cookie } = await enter()
    const { text, headers } = await ask('/', { headers: { cookie } })
    expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/)
    expect(headers['cache-control']).toBe('no-store')
    for (const shown of [plan.why, planHash, '1.5 WETH', '9,000.00 USD', 'key:write:1f9c2a7e', 'tickLower']) {
      expect(text).toContain(shown)
    }
    expect(text).not.toMatch(/<img|\u202e|javascript:|https?:/)
    expect(text).toContain('US\\u202eDC&#60;img src=x')
  })

  it('shows where a deposit goes, its range in prices, and what to weigh', async () => {
    const { cookie } = await enter()
    const { text } = await ask('/', { headers: { cookie } })
    const [card = ''] = text.match(/<article aria-labelledby="why-op-1"[\s\S]*?<details/) ?? []
    for (const shown of [
      'a new position in the v3 pool WETH/&#34;US\\u202eDC&#60;img src=x onerror=...&#34; at 0.3 %',
      '2,700 to 3,300 &#34;US\\u202eDC',
      '2,998.8 &#34;US\\u202eDC',
      '0xd0b53D9277642d899DF5C87A3966A349A798F224',
      '<li>The price lies outside of &#60;b&#62;the&#60;/b&#62; range',
      '<li>A spend of 9,000 USD needs an approval; up to 250 USD do not.</li>',
    ]) {
      expect(card).toContain(shown)
    }
  })

  it('says amounts to six digits, and misses a guarantee only where a token could arrive', async () => {
    const { cookie } = await enter()
    const { text } = await ask('/', { headers: { cookie } })
    const [card = ''] = text.match(/<article aria-labelledby="why-op-1"[\s\S]*?<details/) ?? []
    expect(card).toMatch(/title="4,500\.000001 [^"]*token 0x833589[^"]*"\s*>4,500\.01 &#34;US/)
    expect(card).toContain('<dd>no token: it becomes the position</dd>')
    const swapped = await openDirectory([{ plan: JSON.stringify(unboundSwap) }])
    const swapPage = listView(await readList(swapped.operations, { all: true }), 0)
    expect(htmlText(swapPage)).toContain('<dd>nothing guaranteed</dd>')
    await swapped.store.close()
  })

  it('asks with what is approved, not with a hash', async () => {
    const { cookie } = await enter()
    const { text } = await ask('/', { headers: { cookie } })
    const [, question = ''] = /data-question="([^"]+)"/.exec(text) ?? []
    for (const line of [
      'Approve this? Add 1.5 WETH and 4,500 USDC',
      'Leaves at most: 1.5 WETH and 4,500.01 &#34;US\\u202eDC',
      'Arrives at least: no token: it becomes the position',
      'Goes into: a new position in the v3 pool',
      'Range: 2,700 to 3,300',
      'Price when planned: 2,998.8',
      'Counts as: 9,000.00 USD of the limits',
      'Note: The price lies outside',
    ]) {
      expect(question).toContain(line)
    }
    expect(question).not.toContain(planHash)
    expect((await ask('/page.js', { headers: { cookie } })).text).toContain('confirm(question)')
  })

  it('says what a swap comes to at worst', async () => {
    const bounds = { ...plan.bounds, spendsAtMost: plan.bounds.spendsAtMost.slice(0, 1), receivesAtLeast: [ofUsdc] }
    const swap = { ...plan, deposits: [], bounds }
    const swapped = await openDirectory([{ plan: JSON.stringify(swap) }])
    const shown = htmlText(listView(await readList(swapped.operations, { all: true }), 0))
    expect(shown).toMatch(/<dt>Price<\/dt>\s*<dd>at least 2,980\.19 USDC per WETH<\/dd>/)
    await swapped.store.close()
  })

  it('says of an allowance who may take what and until when, what counts, and who asks, in plain words', async () => {
    const spender = '0x03a520b32C04BF3bEEf7BEb72E919cf822Ed34f1'
    const call = { function: 'approve', arguments: { spender, amount: '4470299000' }, amounts: { amount: ofUsdc } }
    const steps = [{ ...plan.steps[0], calls: [{ ...call, contracts: { spender: 'the v3 position manager' } }] }]
    const values = { leavesUsd: '0', arrivesUsd: '0', arrivesAtWorstUsd: '0' }
    const bounds = { spendsAtMost: [], receivesAtLeast: [] }
    const approval = { ...plan, steps, bounds, values, deposits: [], deltas: [], gasCostAtMost: '0.0001318000021088' }
    const directory = await openDirectory([
      { plan: JSON.stringify(approval), tool: 'approve_token', principalId: 'api-key:46e505e74bee7278' },
    ])
    const [shown = '', question = ''] = htmlText(
      listView(await readList(directory.operations, { all: true }), 0),
    ).split('data-question=')
    for (const text of [
      /<dt>Leaves at most<\/dt>\s*<dd>\s*nothing by itself\s*<\/dd>/,
      /<dt>May be taken afterwards<\/dt>\s*<dd><span[^>]*>4,470\.3 USDC<\/span\s*><small>4,470\.00 USD<\/small><\/dd>/,
      /<dt>By<\/dt>\s*<dd>the v3 position manager 0x03a520b32C04BF3bEEf7BEb72E919cf822Ed34f1<\/dd>/,
      /<dt>Until<\/dt>\s*<dd>a write to it has used it up, or approve_token with 0 takes it back/,
      /<small[^>]*>of the spending limits: /,
      /asked by\s*<span[^>]*>whoever holds the API key 46e505e74bee7278<\/span>/,
      /at worst 0\.000131801 ETH/,
    ]) {
      expect(shown).toMatch(text)
    }
    expect(shown).not.toContain('0 USD leave')
    expect(question).toContain('Allows: 4,470.299 USDC (4,470.00 USD, token 0x1) to the v3 position manager 0x03a5')
    await directory.store.close()
  })

  it('shows the tokens of a deposit in the order of its prices, and what the shares of a pair are worth', async () => {
    const shares = { ...ofUsdc, token: '0x2', symbol: 'UNI-V2', amount: '0.00005', usd: null, raw: '5', decimals: 18 }
    const values = { leavesUsd: '9000', arrivesUsd: '9000', arrivesAtWorstUsd: '8955' }
    const bounds = { spendsAtMost: plan.bounds.spendsAtMost.toReversed(), receivesAtLeast: [shares] }
    const directory = await openDirectory([{ plan: JSON.stringify({ ...plan, bounds, values }) }])
    const shown = htmlText(listView(await readList(directory.operations, { all: true }), 0))
    expect(shown).toMatch(/<dt>Leaves at most<\/dt>\s*<dd>\s*<span[^>]*>1\.5 WETH</)
    expect(shown).toMatch(/0\.00005 UNI-V2<\/span\s*><small>8,955\.00 USD<\/small>/)
    await directory.store.close()
  })

  it('decides once, on exactly the plan it showed', async () => {
    const { cookie, origin } = await enter()
    const headers = { cookie, origin, 'content-type': 'application/json' }
    const changed = await ask('/decide', { method: 'POST', headers, body: word({ planHash: `0x${'00'.repeat(32)}` }) })
    expect(changed.status).toBe(409)
    expect(await stateOf('op-1')).toBe('awaiting_approval')
    const done = await ask('/decide', { method: 'POST', headers, body: word() })
    expect(done.status).toBe(200)
    expect(done.text, 'and what comes next').toContain(
      'Approved. It is carried out once, as soon as the caller calls execute_plan with planId op-1',
    )
    expect(await place.operations.byId('op-1')).toMatchObject({ state: 'approved', decidedBy: 'operator:test' })
    expect((await ask('/decide', { method: 'POST', headers, body: word({ approved: false }) })).status).toBe(409)
    expect(
      (await ask('/decide', { method: 'POST', headers, body: word({ id: 'op-2', approved: false }) })).status,
    ).toBe(200)
    expect(await stateOf('op-2')).toBe('denied')
    expect((await ask('/list', { headers: { cookie } })).text).toContain('Nothing awaits a decision')
  })

  it.each<[string, number, (own: Readonly<Record<string, string>>) => Asked]>([
    ['no cookie', 401, ({ cookie: _cookie, ...headers }) => ({ headers })],
    ['a foreign origin', 403, (own) => ({ headers: { ...own, origin: 'http://evil.example' } })],
    ['no origin', 403, ({ origin: _origin, ...headers }) => ({ headers })],
    ['another name for this machine', 403, (own) => ({ headers: { ...own, host: 'rebound.example' } })],
    ['a form of another site', 415, (own) => ({ headers: { ...own, 'content-type': 'text/plain' } })],
    ['another alphabet', 415, (own) => ({ headers: { ...own, 'content-type': 'application/json; charset=utf-16' } })],
    ['a body with more in it', 400, (headers) => ({ headers, body: word({ by: 'operator:someone' }) })],
    ['a body that is no JSON', 400, (headers) => ({ headers, body: '{' })],
    ['a body without end', 400, (headers) => ({ headers, body: `{"id":"${'x'.repeat(100_000)}"}` })],
    ['another method', 404, (headers) => ({ headers, method: 'PUT' })],
  ])('refuses a decision with %s', async (_name, status, change) => {
    const { cookie, origin } = await enter()
    const asked = change({ cookie, origin, 'content-type': 'application/json' })
    expect((await ask('/decide', { method: 'POST', body: word(), ...asked })).status).toBe(status)
    expect(await stateOf('op-1')).toBe('awaiting_approval')
  })

  it('cancels what is approved or scheduled, and only for the browser that opened the page', async () => {
    const { cookie, origin } = await enter()
    await place.operations.decide('op-1', { approved: true, by: 'operator:test', planHash })
    const { text } = await ask('/', { headers: { cookie } })
    expect([...text.matchAll(/data-word="cancel"\s+data-id="([^"]+)"/g)].map(([, id]) => id)).toEqual(['op-1'])
    const body = JSON.stringify({ id: 'op-1' })
    const headers = { origin, 'content-type': 'application/json' }
    expect((await ask('/cancel', { method: 'POST', body, headers })).status).toBe(401)
    expect((await ask('/cancel', { method: 'POST', body, headers: { ...headers, cookie, origin: '' } })).status).toBe(
      403,
    )
    expect((await ask('/cancel', { method: 'POST', body: '{}', headers: { ...headers, cookie } })).status).toBe(400)
    expect(await stateOf('op-1')).toBe('approved')
    const done = await ask('/cancel', { method: 'POST', body, headers: { ...headers, cookie } })
    expect([done.status, done.text]).toEqual([200, '{"message":"Cancelled."}'])
    expect(await place.operations.byId('op-1')).toMatchObject({ state: 'cancelled', decidedBy: 'operator:test' })
    const none = await ask('/cancel', { method: 'POST', body: '{"id":"nothing"}', headers: { ...headers, cookie } })
    expect(none.status).toBe(409)
  })

  it('shows nothing to another name or origin, cookie or not', async () => {
    const { cookie } = await enter()
    expect((await ask('/', { headers: { cookie, host: 'localhost' } })).status).toBe(403)
    expect((await ask('/list', { headers: { cookie, origin: 'null' } })).status).toBe(403)
  })
})
