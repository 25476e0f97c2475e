import { afterEach, describe, expect, it } from 'vitest'
import { rawBytes, rawExchange, rawRequest } from '../raw-http.fixture.ts'
import { openTestServer } from '../test-server.fixture.ts'
import { type Operated, openOperated } from './operated-server.fixture.ts'
import { plan, planHash } from './operations.fixture.ts'
import { makePasskey } from './passkey.fixture.ts'

let open: Operated
afterEach(() => open.close())

const get = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  rawRequest(open.port, { method: 'GET', path, headers })

/** Opens the page as its script does with a link, by its token; gives what is sent from then on. */
const use = (token: string, headers: Readonly<Record<string, string>> = {}) =>
  get('/operator/open', { ...headers, 'svc-operator-link': token })

async function enter(): Promise<{ readonly 'svc-operator-session': string }> {
  return { 'svc-operator-session': sessionIn(await use(await open.token())) }
}

/** What the page's script keeps of an answer. */
function sessionIn({ text }: { readonly text: string }): string {
  return (JSON.parse(text) as { readonly session: string }).session
}

describe('the operator page on this machine', () => {
  it('shows limits, value lost, what waits and last writes to whoever has a link, and no button', async () => {
    open = await openOperated({ from: 'here' })
    const { status, text } = await get('/operator/state', await enter())
    expect(status).toBe(200)
    for (const shown of [
      'Signing is on.',
      'Spent, gas included',
      'Value in bad trades, at most',
      plan.why,
      planHash,
      'Last writes',
    ])
      expect(text).toContain(shown)
    expect(text).toMatch(
      /<meter\s+id="gauge-spent"\s+min="0"\s+max="2000"\s+low="1600"\s+high="2000"\s+optimum="0"\s+value="0"/,
    )
    expect(text).not.toMatch(/<button|Approve this plan/)
  })

  it('shows what agents and chains say as text', async () => {
    const hostile = '</p><script>alert(1)</script><img src=x onerror=alert(1)>'
    const item = {
      chain: 'base',
      version: 'v3',
      positionId: '1',
      pair: `${hostile}/USDC`,
      amount0: '1',
      amount1: '2',
      place: 0.5,
    } as const
    const held = { owner: `0x${'1'.repeat(40)}`, items: [item], unread: [hostile] } as const
    const setup = {
      profile: 'full',
      version: '0',
      checks: [{ id: hostile, status: 'fail', message: hostile, fix: hostile }],
    } as const
    const standing = [
      { alert: 'daily_spend', severity: 'warning', summary: hostile, condition: '', since: hostile },
    ] as const
    const operations = [
      { plan: JSON.stringify({ ...plan, why: hostile, warnings: [hostile] }), tool: hostile, id: 'op-1' },
    ]
    open = await openOperated({ from: 'here', operations, held, setup, standing })
    const reader = await enter()
    for (const path of ['/operator/state', '/operator/chains']) {
      const { text } = await get(path, reader)
      expect(text, `at ${path}`).toContain('alert(1)')
      expect(text, `at ${path}`).not.toMatch(/<img|<script>/)
    }
  })

  it('takes no decision, whatever comes with it', async () => {
    const ada = makePasskey()
    open = await openOperated({ from: 'here', operators: { ada: [ada] } })
    const host = `127.0.0.1:${open.port}`
    const headers = { host, origin: `http://${host}`, authorization: `Bearer ${open.keys.write}` }
    for (const path of ['challenge', 'sign-in', 'ask', 'decide', 'state', 'open']) {
      const answer = await rawRequest(open.port, { path: `/operator/${path}`, body: '{}', headers })
      expect(answer, `at ${path}`).toMatchObject({ status: 405, json: { code: 'METHOD_NOT_ALLOWED' } })
    }
    const page = await get('/operator/state', { host, ...(await enter()) })
    expect([page.status, page.headers['set-cookie']]).toEqual([200, undefined])
  })

  it('opens once with a link, for a session that no cookie holds and that is asked for wherever something is shown', async () => {
    open = await openOperated({ from: 'here' })
    const token = await open.token()
    const shell = await get(`/operator?token=${token}`)
    expect([shell.status, shell.text.includes('op-1'), shell.text.includes(token)]).toEqual([200, false, false])
    const opened = await use(token)
    expect([opened.status, opened.headers['set-cookie'], opened.headers['cache-control']]).toEqual([
      200,
      undefined,
      'no-store',
    ])
    const session = sessionIn(opened)
    expect(session).toMatch(/^[\w-]{43}$/)
    expect(await use(token)).toMatchObject({ status: 401, json: { code: 'SIGN_IN_REFUSED' } })
    for (const path of ['/operator/state', '/operator/chains']) {
      expect((await get(path, { 'svc-operator-session': session })).status, `at ${path}`).toBe(200)
      const wrong = ['A'.repeat(43), '', token, `${session}, ${session}`].map((value) => ({
        'svc-operator-session': value,
      }))
      // What a browser sends to every port of this machine opens nothing.
      const cookies = ['svc-operator-session', `svc_operator_${open.port}`, '__Host-svc-operator'].map((name) => ({
        cookie: `${name}=${session}`,
      }))
      for (const headers of [{}, ...wrong, ...cookies]) {
        const missing = await get(path, headers)
        expect(missing, `at ${path} with ${JSON.stringify(headers)}`).toMatchObject({
          status: 401,
          json: { code: 'AUTHENTICATION_REQUIRED', suggestion: expect.stringContaining('svc status --page') },
        })
        expect(missing.text).not.toContain('op-1')
      }
    }
    expect((await get('/healthz')).status).toBe(200)
  })

  it('takes no link that is wrong, over, or replaced by another, and no session that is', async () => {
    open = await openOperated({ from: 'here' })
    const refused = { status: 401, json: { code: 'SIGN_IN_REFUSED' } }
    expect(await use('A'.repeat(43)), 'there is none').toMatchObject(refused)
    const first = await open.token()
    const second = await open.token()
    expect(await use('A'.repeat(43))).toMatchObject(refused)
    expect(await use('')).toMatchObject(refused)
    expect(await get('/operator/open')).toMatchObject(refused)
    expect(await use(first)).toMatchObject(refused)
    open.world.now += 600_000
    expect(await use(second)).toMatchObject(refused)
    const reader = await enter()
    open.world.now += 12 * 3_600_000 - 1
    expect((await get('/operator/state', reader)).status).toBe(200)
    open.world.now += 1
    expect((await get('/operator/state', reader)).status).toBe(401)
  })

  it('shows nothing to a stranger whom a proxy that hides, or a forwarded port, brings', async () => {
    open = await openOperated({ from: 'here', limits: { unauthenticatedPerMinute: 3 } })
    const host = `127.0.0.1:${open.port}`
    const page = await get('/operator', { host })
    expect([page.status, page.text.includes('op-1'), (await get('/operator/state', { host })).status]).toEqual([
      200,
      false,
      401,
    ])
    const guess = () => use('A'.repeat(43), { host })
    const statuses = [await guess(), await guess(), await guess(), await guess()].map(({ status }) => status)
    expect(statuses).toEqual([401, 401, 401, 429])
  })

  it.each(['cross-site', 'same-site'])(
    'looks at no link, and counts none, where a %s page leads to it',
    async (site) => {
      open = await openOperated({ from: 'here', limits: { unauthenticatedPerMinute: 1 } })
      const token = await open.token()
      const led = { 'sec-fetch-site': site }
      for (const path of [`/operator?token=${token}`, '/operator/open', '/operator/open', '/operator/state'])
        expect(await get(path, { ...led, 'svc-operator-link': token }), `at ${path}`).toMatchObject({
          status: 403,
          json: { code: 'ORIGIN_NOT_ALLOWED', suggestion: expect.stringContaining('paste it into the address bar') },
        })
      expect(await use('A'.repeat(43)), 'the first that counts').toMatchObject({ status: 401 })
      expect((await use(token, { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    },
  )

  it.each<[string, Readonly<Record<string, string>>]>([
    ['a rebound name', { host: 'rebound.example' }],
    ['a name that the server answers to otherwise', { host: 'other.example.com' }],
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['an origin that may call the tools', { origin: 'https://app.example.com' }],
    ['a proxy that nobody named', { 'x-forwarded-for': '203.0.113.7' }],
    ['another such proxy', { via: '1.1 edge' }],
  ])('shows nothing to %s', async (_what, headers) => {
    const env = { SVC_ALLOWED_ORIGINS: 'https://app.example.com', SVC_ALLOWED_HOSTS: 'other.example.com' }
    open = await openOperated({ from: 'here', env })
    const answer = await get('/operator/state', { ...(await enter()), ...headers })
    expect([answer.status, answer.text.includes('op-1')]).toEqual([403, false])
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  it('takes two names of its host for none', async () => {
    open = await openOperated({ from: 'here' })
    const twice = [
      ['host', `127.0.0.1:${open.port}`],
      ['host', 'evil.example'],
    ] as const
    expect([400, 403]).toContain((await rawExchange(open.port, rawBytes('GET /operator', twice))).status)
  })

  it('is nothing elsewhere, and nowhere where it is off', async () => {
    open = await openOperated({ from: 'here' })
    expect((await get('/operators')).status).toBe(404)
    expect((await get('/operator/nothing', await enter())).status).toBe(404)
    const without = await openTestServer()
    expect((await rawRequest(without.port, { method: 'GET', path: '/operator' })).status).toBe(404)
    await without.server.close()
  })
})
