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

describe('the operator page on this machine', () => {
  it('shows limits, value lost, what waits and last writes without sign-in, and no button', async () => {
    open = await openOperated({ from: 'here' })
    const { status, text } = await get('/operator')
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
    for (const path of ['/operator', '/operator/state', '/operator/chains']) {
      const { text } = await get(path)
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
    const page = await get('/operator', { host })
    expect(page.headers['set-cookie']).toBeUndefined()
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
    const answer = await get('/operator', headers)
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
    expect((await get('/operator/nothing')).status).toBe(404)
    const without = await openTestServer()
    expect((await rawRequest(without.port, { method: 'GET', path: '/operator' })).status).toBe(404)
    await without.server.close()
  })
})
