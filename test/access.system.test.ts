import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { devnetPolicy, type KeyTier, type Scope, scopes } from '@svc/engine'
import { catalogue } from '@svc/tool-server'
import { generatePrivateKey } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openAccess } from '../packages/tool-server/src/access.fixture.ts'
import { apiKeyFrom, keyTiers } from '../packages/tool-server/src/auth/credentials.ts'
import { startIssuer, type TestIssuer } from '../packages/tool-server/src/auth/issued/issuer.fixture.ts'
import {
  newAccount,
  register,
  signInWith,
  type SigningServer,
  startSigningServer,
} from '../packages/tool-server/src/auth/sign-in/signing-server.fixture.ts'
import { initialize, rawRequest } from '../packages/tool-server/src/raw-http.fixture.ts'
import { isInToolsets } from '../packages/tool-server/src/config/toolsets.ts'
import { refusalOf, openSocket } from '../packages/tool-server/src/transports/web-socket.fixture.ts'
import { staticToken } from '../packages/tool-server/src/test-server.fixture.ts'
import { answers, isOpen, isOpenTo, readAccess, type Transport, transports } from './docs/render-access.ts'

// Each cell of the table that readers see, by clients of both generations: what the page says is what they meet.
const page = readAccess(readFileSync(join(import.meta.dirname, '../docs/access.md'), 'utf8'))
const devnet = useDevnet()
const grantable = scopes.filter((scope) => !scope.startsWith('read:'))
const keyOf = (tier: KeyTier) => apiKeyFrom(tier, new Uint8Array(32).fill(keyTiers.indexOf(tier) + 1))
const overNetwork = transports.filter((transport) => transport !== 'stdio')
const names = catalogue.map(({ name }) => name)

type Caller = {
  readonly headers: Readonly<Record<string, string>>
  readonly isOpen: (row: Readonly<Record<string, string>>) => boolean
  /** Whether it is told which scope to ask for. */
  readonly stepsUp?: boolean
}
const callers = new Map<string, Caller>()
let [server, oauth, edge] = [] as unknown as [SigningServer, TestIssuer, TestIssuer]

const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const inColumn = (head: string) => (row: Readonly<Record<string, string>>) => row[head] === isOpen
const services = Object.fromEntries(grantable.map((scope) => [`${scope.replace(':', '-')}.access`, [scope]]))

/** One server as an operator with every way in has it, on the local chain. */
beforeAll(async () => {
  ;[oauth, edge] = [await startIssuer('ES256'), await startIssuer('RS256')]
  const wallets = {
    stranger: newAccount(),
    ungranted: newAccount(),
    participant: newAccount(),
    manager: newAccount(),
    creator: newAccount(),
  }
  const granted = [wallets.stranger, wallets.participant, wallets.manager, wallets.creator]
  const policy = {
    ...devnetPolicy(),
    rateLimits: { perIp: 1_000_000, perToken: 1_000_000, unauthenticatedPerIp: 1_000_000 },
    signIn: { wallets: Object.fromEntries(granted.map(({ address }) => [address, grantable])), services },
  }
  for (const role of ['participant', 'manager', 'creator'] as const)
    await register(devnet(), wallets[role], `vault_${role}`)
  await register(devnet(), wallets.ungranted, 'vault_creator')
  const keys = Object.fromEntries(keyTiers.map((tier) => [`SVC_API_KEY_${tier.toUpperCase()}`, keyOf(tier)]))
  const env = {
    ...keys,
    PRIVATE_KEY: generatePrivateKey(),
    MCP_AUTH_TOKEN: staticToken,
    SVC_MCP_PROFILE: 'full',
    SVC_WEBSOCKET: 'on',
    SVC_OAUTH_ISSUERS: `${oauth.url} ES256`,
    SVC_EDGE_ISSUER: edge.url,
    SVC_EDGE_KEYS_URL: edge.keysUrl,
    SVC_EDGE_AUDIENCE: 'app-1',
  }
  server = await startSigningServer(devnet(), { policy, env })
  for (const tier of keyTiers)
    callers.set(`\`${tier}\` key`, { headers: bearer(keyOf(tier)), isOpen: inColumn(`\`${tier}\` key`) })
  callers.set('static token', { headers: bearer(staticToken), isOpen: inColumn('static token') })
  for (const [name, account] of Object.entries(wallets)) {
    const { token } = await signInWith(server, account)
    const head = name === 'stranger' || name === 'ungranted' ? 'wallet' : name
    callers.set(`wallet: ${name}`, { headers: bearer(token), isOpen: inColumn(head) })
  }
  const given: readonly (readonly Scope[])[] = [[], ...scopes.map((scope) => [scope]), scopes]
  for (const some of given) {
    const caller = { headers: bearer(await accessToken(some)), stepsUp: true }
    callers.set(`OAuth: ${some.join(' ')}`, { ...caller, isOpen: (row) => isOpenTo(row, some) })
  }
  callers.set('edge', { headers: await edgeToken('plain.access'), isOpen: inColumn('edge') })
  for (const [service, some] of Object.entries(services)) {
    const isOpenHere = (row: Readonly<Record<string, string>>) => inColumn('edge')(row) || isOpenTo(row, some)
    callers.set(`edge: ${some.join(' ')}`, { headers: await edgeToken(service), isOpen: isOpenHere })
  }
})
afterAll(async () => {
  await server?.close()
  await Promise.all([oauth?.close(), edge?.close()])
})

const times = () => ({ iat: Math.floor(Date.now() / 1_000), exp: Math.floor(Date.now() / 1_000) + 3_600 })
const accessToken = (granted: readonly Scope[]) =>
  oauth.sign(
    { iss: oauth.url, aud: server.url, sub: 'somebody', client_id: 'walk', scope: granted.join(' '), ...times() },
    { typ: 'at+jwt' },
  )
const edgeToken = async (service: string) => ({
  'access-jwt-assertion': await edge.sign({ iss: edge.url, aud: ['app-1'], sub: '', common_name: service, ...times() }),
})

/** What became of every tool, listed and called by one caller over one transport, where that is not what the page says. */
async function walk(transport: Transport, caller: Caller) {
  const client = await openAccess(transport, server, caller.headers)
  const listed = new Set(await client.list())
  const differing: object[] = []
  for (const name of names) {
    const met = `${listed.has(name) ? 'listed' : 'hidden'}; ${await client.call(name)}`
    const said = saidOf(name, transport, caller)
    if (met !== said) differing.push({ name, said, met })
  }
  await client.close()
  return differing
}

function saidOf(name: string, transport: Transport, caller: Caller): string {
  const row = page.get(name) ?? {}
  // As far as its arguments, which no tool takes.
  if (caller.isOpen(row)) return 'listed; VALIDATION_FAILED'
  const scope = catalogue.find((tool) => tool.name === name)?.scope
  // Any of several would open what acts on stored writes, so none is named.
  const isAsked = caller.stepsUp === true && scope !== 'of-operation'
  const said = answers[isAsked ? 'another, by a token of OAuth' : 'another, by a key, the token, a wallet or an edge']
  const text = said[transport].replaceAll('`', '')
  return text.includes('403') ? `${text} ${scope}` : text
}

async function posted(port: number, headers: Caller['headers']) {
  const { status, json } = await rawRequest(port, { headers, body: initialize() })
  return { status, code: (json as { readonly code?: string }).code }
}

describe('docs/access.md', () => {
  it('speaks of every tool', () => {
    expect([...page.keys()].toSorted()).toEqual(names.toSorted())
  })

  it('is what whoever starts the process meets over stdio', async () => {
    expect(await walk('stdio', { headers: {}, isOpen: inColumn('stdio') })).toEqual([])
  })

  it.each(overNetwork)('is what each caller meets over %s', async (transport) => {
    expect(callers.size).toBe(24)
    for (const [name, caller] of callers) expect([name, await walk(transport, caller)]).toEqual([name, []])
  })

  it.each(overNetwork)('is what nobody known meets over %s', async (transport) => {
    const headers: readonly Caller['headers'][] = [{}, bearer('no-such-token'), { 'access-jwt-assertion': 'x' }]
    const port = Number(new URL(server.url).port)
    for (const one of headers) {
      const { status, code } =
        transport === 'WebSocket' ? await refusalOf(openSocket(port, null, { headers: one })) : await posted(port, one)
      expect(`${status} \`${String(code)}\``).toBe(answers['any, without credentials or with wrong ones'][transport])
    }
  })

  it('is what a server of another profile and of some toolsets says of what it leaves out', async () => {
    const env = {
      SVC_API_KEY_WRITE: keyOf('write'),
      SVC_MCP_PROFILE: 'data',
      SVC_MCP_TOOLSETS: 'market',
      SVC_WEBSOCKET: 'on',
    }
    const small = await startSigningServer(devnet(), { env })
    const isThere = (name: string) =>
      catalogue.some((tool) => tool.name === name && tool.inDataProfile) && isInToolsets(name, ['market'])
    for (const transport of transports) {
      const client = await openAccess(transport, small, bearer(keyOf('write')))
      expect((await client.list()).toSorted()).toEqual(names.filter(isThere).toSorted())
      const left = answers['one that profile or toolsets leave out, by whomever'][transport]
      for (const name of names.filter((one) => !isThere(one))) {
        expect([name, `hidden; \`${await client.call(name)}\``]).toEqual([name, left])
      }
      await client.close()
    }
    await small.close()
  })
})
