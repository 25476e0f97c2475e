import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { rawBytes, rawExchange, rawRequest } from '../raw-http.fixture.ts'
import { type Operated, openOperated, origin } from './operated-server.fixture.ts'
import { planHash } from './operations.fixture.ts'
import { makePasskey, type TestPasskey } from './passkey.fixture.ts'

const [ada, bob, stranger] = [makePasskey(), makePasskey(), makePasskey()]
const approve = { kind: 'approve', id: 'op-1', planHash } as const

let open: Operated
beforeEach(async () => {
  open = await openOperated({ operators: { ada: [ada], bob: [bob] } })
})
afterEach(() => open.close())

const place = { host: 'mcp.example.com', 'x-forwarded-proto': 'https' }
const own = { ...place, origin, 'sec-fetch-site': 'same-origin' }
const post = (path: string, body: unknown, headers: Readonly<Record<string, string>> = own) =>
  rawRequest(open.port, { path: `/operator/${path}`, body: JSON.stringify(body), headers })
const get = (path: string, headers: Readonly<Record<string, string>> = place) =>
  rawRequest(open.port, { method: 'GET', path, headers })
const challengeIn = ({ json }: { readonly json: unknown }) => (json as { readonly challenge: string }).challenge

/** Signs in as a browser does, and gives what it sends from then on. */
async function enter(passkey: TestPasskey = ada) {
  const challenge = challengeIn(await post('challenge', {}))
  const answer = await post('sign-in', passkey.confirm({ challenge, origin }))
  const [cookie = ''] = answer.headers['set-cookie'] ?? []
  return { answer, set: cookie, headers: { ...own, cookie: cookie.split(';')[0] ?? '' } }
}

async function ask(headers: Readonly<Record<string, string>>, decision: unknown = approve) {
  return challengeIn(await post('ask', decision, headers))
}

describe('an operator from afar', () => {
  it('sees nothing before a passkey of the policy opened a session, and everything after', async () => {
    const before = await get('/operator')
    expect(before.text).toContain('Sign in with a passkey')
    expect(before.text).not.toContain('op-1')
    for (const path of ['/operator/state', '/operator/chains']) expect((await get(path)).status, `at ${path}`).toBe(401)
    const { answer, set, headers } = await enter()
    expect([answer.status, answer.json]).toEqual([200, { operator: 'ada' }])
    expect(set).toMatch(/^__Host-svc-operator=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=3600$/)
    const { text } = await get('/operator', { ...place, cookie: headers.cookie })
    expect(text).toMatch(/Signed in as\s+<strong id="operator">ada<\/strong>/)
    expect(text).toContain('Approve this plan')
    expect((await post('sign-out', {}, headers)).headers['set-cookie']?.[0]).toContain('Max-Age=0')
    expect((await get('/operator/state', { ...place, cookie: headers.cookie })).status).toBe(401)
  })

  it('approves, denies and cancels, each confirmed, on record before it is done and in the name of who did', async () => {
    const { headers } = await enter()
    const decide = async (decision: object) => {
      const challenge = await ask(headers, decision)
      return post('decide', { decision, assertion: ada.confirm({ challenge, origin }) }, headers)
    }
    expect(await decide(approve)).toMatchObject({
      status: 200,
      json: { message: expect.stringContaining('Approved.') },
    })
    expect(await open.place.operations.byId('op-1')).toMatchObject({ state: 'approved', decidedBy: 'operator:ada' })
    const otherPlan = { ...approve, kind: 'cancel', planHash: `0x${'00'.repeat(32)}` }
    expect((await decide(otherPlan)).json).toMatchObject({ code: 'OPERATION_CHANGED' })
    expect((await decide({ ...approve, kind: 'cancel' })).json).toEqual({
      message: 'Cancelled. It is not carried out.',
    })
    expect((await decide({ ...approve, kind: 'deny', id: 'op-2' })).json).toEqual({ message: 'Denied.' })
    expect([await open.stateOf('op-1'), await open.stateOf('op-2')]).toEqual(['cancelled', 'denied'])
    const actor = { principal: 'operator:ada', stage: 'passkey' }
    const confirmed = { event: 'operator.confirmed', actor, planHash }
    expect(open.world.audit).toEqual([
      { event: 'operator.signed-in', actor, passkey: ada.id },
      { ...confirmed, decision: 'approve', operationId: 'op-1' },
      { ...confirmed, decision: 'cancel', operationId: 'op-1', planHash: otherPlan.planHash },
      { ...confirmed, decision: 'cancel', operationId: 'op-1' },
      { ...confirmed, decision: 'deny', operationId: 'op-2' },
    ])
    expect((await decide(approve)).json).toMatchObject({ code: 'OPERATION_STATE' })
  })

  it('pauses at a server that follows another one, where nothing else is decided', async () => {
    const { headers } = await enter()
    const decide = async (decision: object) => {
      const challenge = await ask(headers, decision)
      return post('decide', { decision, assertion: ada.confirm({ challenge, origin }) }, headers)
    }
    open.world.isFollowing = true
    const audited = open.world.audit.length
    expect(await decide(approve)).toMatchObject({ status: 503, json: { code: 'NOT_LEADER' } })
    expect(await decide({ kind: 'pause', reason: null })).toMatchObject({ status: 200 })
    const { text } = await get('/operator', { ...place, cookie: headers.cookie })
    const [, since = ''] = /data-paused="([^"]+)"/.exec(text) ?? []
    expect(await decide({ kind: 'resume', since })).toMatchObject({ json: { code: 'NOT_LEADER' } })
    expect([await open.stateOf('op-1'), open.world.audit.length]).toEqual(['awaiting_approval', audited])
  })

  it('pauses and resumes, but not another pause than the one that was shown', async () => {
    const { headers } = await enter()
    const decide = async (decision: object) => {
      const challenge = await ask(headers, decision)
      return post('decide', { decision, assertion: ada.confirm({ challenge, origin }) }, headers)
    }
    expect((await decide({ kind: 'pause', reason: '<b>odd</b>' })).json).toEqual({
      message: 'Paused: nothing more is signed.',
    })
    const { text } = await get('/operator/state', { ...place, cookie: headers.cookie })
    const [, since = ''] = /data-paused="([^"]+)"/.exec(text) ?? []
    expect(text).toContain(`Paused since ${since} by operator:ada, because &#34;&#60;b&#62;odd&#60;/b&#62;&#34;.`)
    expect((await decide({ kind: 'resume', since: '2026-01-01T00:00:00.000Z' })).json).toMatchObject({
      code: 'OPERATION_CHANGED',
    })
    expect((await decide({ kind: 'resume', since })).json).toEqual({ message: 'Resumed.' })
    expect(open.world.audit.map(({ decision }) => decision)).toEqual([undefined, 'pause', 'resume', 'resume'])
  })
})

describe('what confirms nothing', () => {
  const refused = { status: 401, json: { code: 'SIGN_IN_REFUSED' } }
  const waits = async () =>
    expect([await open.stateOf('op-1'), await open.stateOf('op-2')]).toEqual(Array(2).fill('awaiting_approval'))

  it('a confirmation that was used', async () => {
    const { headers } = await enter()
    const challenge = await ask(headers, { ...approve, kind: 'deny' })
    const word = { decision: { ...approve, kind: 'deny' }, assertion: ada.confirm({ challenge, origin }) }
    expect((await post('decide', word, headers)).status).toBe(200)
    expect(await post('decide', word, headers)).toMatchObject(refused)
    await ask(headers, { ...approve, id: 'op-2' })
    expect(await post('decide', { ...word, decision: { ...approve, id: 'op-2' } }, headers)).toMatchObject(refused)
    expect(await open.stateOf('op-2')).toBe('awaiting_approval')
  })

  it.each<[string, object]>([
    ['another operation', { ...approve, id: 'op-2' }],
    ['another plan of the same operation', { ...approve, planHash: `0x${'00'.repeat(32)}` }],
    ['the other decision', { ...approve, kind: 'deny' }],
    ['something else altogether', { kind: 'pause', reason: null }],
  ])('one for %s', async (_what, decision) => {
    const { headers } = await enter()
    const challenge = await ask(headers, decision)
    expect(
      await post('decide', { decision: approve, assertion: ada.confirm({ challenge, origin }) }, headers),
    ).toMatchObject(refused)
    await waits()
  })

  it('one that came too late, one after another question, and the one that opened the session', async () => {
    const { headers } = await enter()
    const late = ada.confirm({ challenge: await ask(headers), origin })
    open.world.now += 120_000
    expect(await post('decide', { decision: approve, assertion: late }, headers)).toMatchObject(refused)
    const first = ada.confirm({ challenge: await ask(headers), origin })
    await ask(headers)
    expect(await post('decide', { decision: approve, assertion: first }, headers)).toMatchObject(refused)
    const challenge = challengeIn(await post('challenge', {}))
    await ask(headers)
    expect(
      await post('decide', { decision: approve, assertion: ada.confirm({ challenge, origin }) }, headers),
    ).toMatchObject(refused)
    await waits()
  })

  it('the passkey of another operator, of nobody, or of one whom the policy names no more', async () => {
    const { headers } = await enter()
    for (const passkey of [bob, stranger]) {
      const challenge = await ask(headers)
      const assertion = passkey.confirm({ challenge, origin })
      expect(await post('decide', { decision: approve, assertion }, headers)).toMatchObject(refused)
      expect(
        await post('decide', { decision: approve, assertion: { ...assertion, id: ada.id } }, headers),
      ).toMatchObject(refused)
    }
    const assertion = ada.confirm({ challenge: await ask(headers), origin })
    open.name({ bob: [bob] })
    expect(await post('decide', { decision: approve, assertion }, headers)).toMatchObject({ status: 401 })
    expect((await enter()).answer).toMatchObject(refused)
    await waits()
  })

  it('a sign-in that was used, that is over, or whose challenge is not ours', async () => {
    const challenge = challengeIn(await post('challenge', {}))
    const assertion = ada.confirm({ challenge, origin })
    expect((await post('sign-in', assertion)).status).toBe(200)
    expect(await post('sign-in', assertion)).toMatchObject(refused)
    const late = ada.confirm({ challenge: challengeIn(await post('challenge', {})), origin })
    open.world.now += 300_000
    expect(await post('sign-in', late)).toMatchObject(refused)
    const made = ada.confirm({ challenge: Buffer.alloc(38, 1).toString('base64url'), origin })
    expect(await post('sign-in', made)).toMatchObject(refused)
    expect((await enter(stranger)).answer).toMatchObject(refused)
  })

  it('anything, while the audit log cannot be written', async () => {
    const { headers } = await enter()
    const challenge = await ask(headers)
    open.world.isAuditFull = true
    const word = { decision: approve, assertion: ada.confirm({ challenge, origin }) }
    expect((await post('decide', word, headers)).json).toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    await waits()
  })

  it('any credential of a caller of the tools: no agent approves what it asked for', async () => {
    const { headers } = await enter()
    const challenge = await ask(headers)
    const word = { decision: approve, assertion: ada.confirm({ challenge, origin }) }
    for (const token of [open.keys.write, open.keys.bearer]) {
      const withKey = { ...own, authorization: `Bearer ${token}` }
      expect(await post('decide', word, withKey)).toMatchObject({
        status: 401,
        json: { code: 'AUTHENTICATION_REQUIRED' },
      })
      expect((await post('ask', approve, withKey)).status).toBe(401)
      expect((await get('/operator/state', { ...place, authorization: `Bearer ${token}` })).status).toBe(401)
    }
    await waits()
  })
})

describe('other sites', () => {
  it.each<[string, number, Readonly<Record<string, string>>]>([
    ['a foreign origin', 403, { origin: 'https://evil.example' }],
    ['an origin that may call the tools', 403, { origin: 'https://app.example.com' }],
    ['the origin of a sandbox', 403, { origin: 'null' }],
    ['our name over plain http', 403, { origin: 'http://mcp.example.com' }],
    ['our name at another port', 403, { origin: 'https://mcp.example.com:8443' }],
    ['a form of another site', 403, { 'sec-fetch-site': 'cross-site' }],
    ['a page of a name beside ours', 403, { 'sec-fetch-site': 'same-site' }],
    ['what a form can send', 415, { 'content-type': 'text/plain' }],
    ['a rebound name', 403, { host: 'localhost' }],
    ['another name of ours', 403, { host: 'other.example.com' }],
  ])('are refused with %s, whatever cookie comes with it', async (_what, status, change) => {
    await open.close()
    const env = { SVC_ALLOWED_ORIGINS: 'https://app.example.com', SVC_ALLOWED_HOSTS: 'other.example.com' }
    open = await openOperated({ operators: { ada: [ada] }, env })
    const { headers } = await enter()
    const challenge = await ask(headers)
    const word = { decision: approve, assertion: ada.confirm({ challenge, origin }) }
    const answer = await post('decide', word, { ...headers, ...change })
    expect(answer.status).toBe(status)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
    expect(await open.stateOf('op-1')).toBe('awaiting_approval')
  })

  it('are refused without an origin, and cannot have one of two header fields believed', async () => {
    const { headers } = await enter()
    const challenge = await ask(headers)
    const body = JSON.stringify({ decision: approve, assertion: ada.confirm({ challenge, origin }) })
    const fields = Object.entries({ ...headers, 'content-type': 'application/json' })
    const send = (more: readonly (readonly [string, string])[], dropped = '') =>
      rawExchange(
        open.port,
        rawBytes('POST /operator/decide', [...fields.filter(([name]) => name !== dropped), ...more], body),
      )
    expect((await send([], 'origin')).status).toBe(403)
    expect((await send([['origin', 'https://evil.example']])).status).toBe(403)
    expect([400, 403]).toContain((await send([['host', 'evil.example']])).status)
    expect((await send([['content-type', 'text/plain']])).status).toBe(415)
    expect((await send([['cookie', '__Host-svc-operator=planted']])).status).toBe(401)
    expect(await open.stateOf('op-1')).toBe('awaiting_approval')
    expect((await send([])).status, 'and the same as it should be is taken').toBe(200)
  })

  it('cannot frame the page, load anything into it, or read it', async () => {
    const { headers } = await get('/operator')
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    )
    expect(headers).toMatchObject({ 'cross-origin-resource-policy': 'same-origin', 'cache-control': 'no-store' })
    expect((await get('/operator', { ...place, origin: 'https://evil.example' })).status).toBe(403)
  })

  it('are counted: guesses against the few that an address has without credentials', async () => {
    await open.close()
    open = await openOperated({ operators: { ada: [ada] }, limits: { unauthenticatedPerMinute: 2 } })
    const guess = async () =>
      post('sign-in', stranger.confirm({ challenge: challengeIn(await post('challenge', {})), origin }))
    expect([(await guess()).status, (await guess()).status, (await guess()).status]).toEqual([401, 401, 429])
  })
})
