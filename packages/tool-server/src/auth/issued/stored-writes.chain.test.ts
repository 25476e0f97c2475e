import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy } from '@svc/engine'
import { openStore } from '@svc/store'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { generatePrivateKey } from 'viem/accounts'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { rawRequest } from '../../raw-http.fixture.ts'
import { startSigningServer } from '../sign-in/signing-server.fixture.ts'
import { startIssuer, type TestIssuer } from './issuer.fixture.ts'
import { oauthId } from './protected-resource.ts'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
let [oauth, dropped, edge] = [] as unknown as [TestIssuer, TestIssuer, TestIssuer]
beforeEach(async () => {
  ;[oauth, dropped, edge] = [await startIssuer(), await startIssuer(), await startIssuer('RS256')]
  closers.push(...[oauth, dropped, edge].map((issuer) => () => issuer.close()))
})
afterEach(async () => {
  vi.useRealTimers()
  for (const close of closers.splice(0).toReversed()) await close()
})

const [granted, revoked] = ['a1.access', 'a2.access'] as const
const trades = ['write:trade']
const times = () => ({ iat: Math.floor(Date.now() / 1_000), exp: Math.floor(Date.now() / 1_000) + 600 })
const client = 'a-program'

/** The headers of a caller at one of the issuers, for a server at this URL. */
async function oauthHeaders(issuer: TestIssuer, subject: string, aud: string) {
  const claims = { iss: issuer.url, aud, sub: subject, client_id: client, scope: 'write:trade', ...times() }
  return { authorization: `Bearer ${await issuer.sign(claims, { typ: 'at+jwt' })}` }
}
async function edgeHeaders(service: string) {
  const claims = { iss: edge.url, aud: ['app-1'], sub: '', common_name: service, ...times() }
  return { 'access-jwt-assertion': await edge.sign(claims) }
}

const policyOf = (services: object, routine: number) => ({
  ...devnetPolicy(),
  proxyDelay: true,
  delaySeconds: { routine },
  signIn: { services },
})
const settings = (issuers: readonly TestIssuer[], more: Readonly<Record<string, string>>) => ({
  ...more,
  SVC_OAUTH_ISSUERS: issuers.map(({ url }) => `${url} ES256`).join(','),
  SVC_EDGE_ISSUER: edge.url,
  SVC_EDGE_KEYS_URL: edge.keysUrl,
  SVC_EDGE_AUDIENCE: 'app-1',
})

/** Asks for a swap that waits, as one request of the newer era, and gives the id of its operation. */
async function schedule(url: string, headers: Readonly<Record<string, string>>): Promise<string> {
  const swap = { chain: `${devnet().chainId}`, tokenIn: 'USDC', tokenOut: 'WETH', amount: '10' }
  const prefix = 'io.modelcontextprotocol/'
  const _meta = {
    [`${prefix}protocolVersion`]: '2026-07-28',
    [`${prefix}clientInfo`]: { name: 'raw', version: '1' },
    [`${prefix}clientCapabilities`]: {},
  }
  const params = { name: 'execute_swap', arguments: swap, _meta }
  const modern = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'execute_swap' }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const { json } = await rawRequest(Number(new URL(url).port), { body, headers: { ...modern, ...headers } })
  expect(json).toMatchObject({ result: { structuredContent: { status: 'scheduled' } } })
  return (json as { result: { structuredContent: { operationId: string } } }).result.structuredContent.operationId
}

it('of tokens of others run when their time comes, unless who asked was revoked, lost the grant, or came by an issuer that is named no more', async () => {
  const privateKey = generatePrivateKey()
  await devnet().fund(new ServiceWallet({ mode: 'local', privateKey }).address, { ETH: '10', USDC: '50000' })
  const services = { [granted]: trades, [revoked]: trades }
  const policy = policyOf(services, 1)
  const env = { PRIVATE_KEY: privateKey }
  const first = await startSigningServer(devnet(), { policy, env: settings([oauth, dropped], env) })
  closers.push(first.close)
  const store = await openStore({ path: join(first.dataDir, 'state.db'), now: Date.now })
  closers.push(() => store.close())
  const stateOf = async (id: string) => (await store.operations.byId(id))?.state
  const ofAnn = await oauthHeaders(oauth, 'ann', first.url)
  for (const headers of [ofAnn, await edgeHeaders(granted)]) {
    const id = await schedule(first.url, headers)
    await expect.poll(() => stateOf(id)).toBe('done')
  }

  first.setPolicy(policyOf(services, 600))
  const isLater = async (id: string) => ((await store.operations.byId(id))?.executeAfter ?? 0) > Date.now() + 300_000
  await expect.poll(async () => isLater(await schedule(first.url, ofAnn))).toBe(true)
  const waiting = [
    await schedule(first.url, ofAnn),
    await schedule(first.url, await edgeHeaders(granted)),
    await schedule(first.url, await edgeHeaders(revoked)),
    await schedule(first.url, await oauthHeaders(dropped, 'bob', first.url)),
  ]
  await first.close()
  const subject = oauthId({ issuer: oauth.url, subject: 'ann', client })
  for (const one of [subject, `edge-access:${revoked}`])
    await store.signIns.revoke({ subject: one, by: 'operator:cid', until: null })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 601_000 })
  const second = await startSigningServer(devnet(), {
    dataDir: first.dataDir,
    policy: policyOf({ [revoked]: trades }, 600),
    env: settings([oauth], env),
  })
  closers.push(second.close)
  for (const id of waiting) {
    await expect.poll(() => stateOf(id)).toBe('failed')
    expect(JSON.parse((await store.operations.byId(id))?.answer ?? '{}')).toMatchObject({ code: 'PRINCIPAL_REVOKED' })
  }
})
