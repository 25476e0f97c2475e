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

/** Opens the page as a browser does that was given a link; gives what it sends from then on. */
async function enter(): Promise<{ readonly cookie: string }> {
  const { headers } = await get(await open.link())
  return { cookie: String(headers['set-cookie']?.[0]).split(';')[0] ?? '' }
}

describe('the operator page on this machine', () => {
  it('shows limits, value lost, what waits and last writes to whoever has a link, and no button', async () => {
    open = await openOperated({ from: 'here' })
    const { status, text } = await get('/operator', await enter())
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
    for (const path of ['/operator', '/operator/state', '/operator/chains']) {
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
    for (const path of ['challenge', 'sign-in', 'ask', 'decide', 'state']) {
      const answer = await rawRequest(open.port, { path: `/operator/${path}`, body: '{}', headers })
      expect(answer, `at ${path}`).toMatchObject({ status: 405, json: { code: 'METHOD_NOT_ALLOWED' } })
    }
    const page = await get('/operator', { host, ...(await enter()) })
    expect([page.status, page.headers['set-cookie']]).toEqual([200, undefined])
  })

  it('opens once with a link, which stands in no address afterwards and is asked for under each path', async () => {
    open = await openOperated({ from: 'here' })
    const link = await open.link()
    const opened = await get(link)
    expect([opened.status, opened.headers['location'], opened.text]).toEqual([303, '/operator', ''])
    const [set = ''] = opened.headers['set-cookie'] ?? []
    expect(set).toMatch(
      new RegExp(`^svc_operator_${open.port}=[\\w-]{43}; Path=/operator; HttpOnly; SameSite=Strict; Max-Age=43200$`),
    )
    const cookie = set.split(';')[0] ?? ''
    expect(await get(link)).toMatchObject({ status: 401, json: { code: 'SIGN_IN_REFUSED' } })
    expect((await get('/operator', { cookie: `other=1; ${cookie}` })).status).toBe(200)
    for (const path of ['/operator', '/operator/state', '/operator/chains']) {
      const missing = await get(path)
      expect(missing, `at ${path}`).toMatchObject({
        status: 401,
        json: { code: 'AUTHENTICATION_REQUIRED', suggestion: expect.stringContaining('svc status --page') },
      })
      expect(missing.text).not.toContain('op-1')
    }
    const [name, value = ''] = cookie.split('=')
    for (const wrong of [`${name}=${'A'.repeat(43)}`, `${cookie}; ${cookie}`, `svc_operator_1=${value}`])
      expect((await get('/operator', { cookie: wrong })).status, `with ${wrong}`).toBe(401)
    expect((await get('/healthz')).status).toBe(200)
  })

  it('takes no link that is wrong, over, or replaced by another, and no session that is', async () => {
    open = await openOperated({ from: 'here' })
    const refused = { status: 401, json: { code: 'SIGN_IN_REFUSED' } }
    expect(await get(`/operator?token=${'A'.repeat(43)}`), 'there is none').toMatchObject(refused)
    const first = await open.link()
    const second = await open.link()
    expect(await get(`/operator?token=${'A'.repeat(43)}`)).toMatchObject(refused)
    expect(await get('/operator?token=')).toMatchObject(refused)
    expect(await get(first)).toMatchObject(refused)
    open.world.now += 600_000
    expect(await get(second)).toMatchObject(refused)
    const reader = await enter()
    open.world.now += 12 * 3_600_000 - 1
    expect((await get('/operator', reader)).status).toBe(200)
    open.world.now += 1
    expect((await get('/operator', reader)).status).toBe(401)
  })

  it('shows nothing to a stranger whom a proxy that hides, or a forwarded port, brings', async () => {
    open = await openOperated({ from: 'here', limits: { unauthenticatedPerMinute: 3 } })
    const asStranger = (path: string) => get(path, { host: `127.0.0.1:${open.port}` })
    expect([(await asStranger('/operator')).status, (await asStranger('/operator/state')).status]).toEqual([401, 401])
    const guess = () => asStranger(`/operator?token=${'A'.repeat(43)}`)
    const statuses = [await guess(), await guess(), await guess(), await guess()].map(({ status }) => status)
    expect(statuses).toEqual([401, 401, 401, 429])
  })

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
    const answer = await get('/operator', { ...(await enter()), ...headers })
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
