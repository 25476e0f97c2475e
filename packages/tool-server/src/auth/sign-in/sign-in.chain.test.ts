import { useDevnet } from '@svc/devnet/testing'
import { createRemoteJWKSet, jwtVerify } from 'jose'
import { createTestClient, http } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { connectFirst, connectModern } from '../../test-server.fixture.ts'
import { challengeOf, newAccount, register, signInWith, startSigningServer } from './signing-server.fixture.ts'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

async function start(options?: Parameters<typeof startSigningServer>[1]) {
  const server = await startSigningServer(devnet(), options)
  closers.push(server.close)
  return server
}

const reads = ['read:market', 'read:portfolio']

describe('sign-in with a wallet', () => {
  it('answers whoever sends no credentials with a challenge, each time another', async () => {
    const { url } = await start()
    const answer = await fetch(url)
    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="mcp"')
    const { challenge, ...problem } = (await answer.json()) as Record<string, unknown>
    expect(problem).toMatchObject({ code: 'AUTHENTICATION_REQUIRED', retryable: false })
    const { host } = new URL(url)
    const members = { type: 'siwe', domain: host, uri: url, chainId: devnet().chainId, version: '1' }
    expect(challenge).toEqual({
      ...members,
      nonce: expect.stringMatching(/^[0-9a-f]{76}$/),
      issuedAt: expect.any(String),
      expirationTime: expect.any(String),
      statement: expect.stringMatching(/^[ -~]+$/),
    })
    const [one, other] = [await challengeOf(url), await challengeOf(url)]
    expect(Date.parse(one.expirationTime) - Date.parse(one.issuedAt)).toBe(5 * 60_000)
    expect(one.nonce).not.toBe(other.nonce)
  })

  it('gives a token in one call of the client, which both SDKs use in both eras, with what a stranger may', async () => {
    const server = await start()
    const account = newAccount()
    const before = Math.floor(Date.now() / 1_000)
    const { token, tokenType, expiresAt, claims } = await signInWith(server, account)
    const { origin } = new URL(server.url)
    const own = { agentId: null, address: account.address, role: null, tier: 'read', scopes: reads }
    const standard = { iss: origin, aud: server.url, sub: `siwe:${account.address}` }
    expect(claims).toEqual({
      ...own,
      ...standard,
      jti: expect.any(String),
      iat: expect.any(Number),
      exp: expect.any(Number),
    })
    expect(tokenType).toBe('Bearer')
    expect(Date.parse(expiresAt)).toBe(Number(claims['exp']) * 1_000)
    expect(Number(claims['exp']) - Number(claims['iat'])).toBe(15 * 60)
    expect(Number(claims['iat'])).toBeGreaterThanOrEqual(before)
    const keys = createRemoteJWKSet(new URL('/.well-known/jwks.json', server.url))
    const { protectedHeader, payload } = await jwtVerify(token, keys, { issuer: origin, audience: server.url })
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'at+jwt', kid: expect.any(String) })
    expect(payload).toEqual(claims)
    const clients = [
      await connectFirst(server.url, token),
      await connectModern(server.url, token, 'legacy'),
      await connectModern(server.url, token, 'modern'),
    ]
    for (const { client } of clients) {
      closers.push(() => client.close())
      const { tools } = await client.listTools()
      expect(tools.length).toBeGreaterThan(20)
      const answer = await client.callTool({ name: 'list_supported_chains', arguments: {} })
      expect(answer.isError).toBeUndefined()
      // It reads, and needs another scope: a stranger does not see it.
      expect(tools.map(({ name }) => name)).not.toContain('check_safety_status')
      const refused = await client.callTool({ name: 'check_safety_status', arguments: {} })
      expect(refused._meta).toMatchObject({ 'svc/error': { code: 'INSUFFICIENT_KEY_TIER' } })
    }
  })

  it('knows an agent by its registration, and gives it of its role what the policy grants', async () => {
    const account = newAccount()
    const tokenId = await register(devnet(), account, 'vault_creator')
    const agentId = `${devnet().chainId}:${tokenId}`
    const policy = { signIn: { wallets: { [account.address]: ['admin:wallet'] } } }
    const server = await start({ policy })
    const { token, claims } = await signInWith(server, account)
    expect(claims).toMatchObject({ agentId, role: 'vault_creator', tier: 'write', scopes: [...reads, 'admin:wallet'] })
    const { client } = await connectModern(server.url, token, 'modern')
    closers.push(() => client.close())
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('check_safety_status')
    const named = { agentId, registry: devnet().registry.identity }
    expect((await signInWith(server, account, named)).claims).toMatchObject({ agentId, role: 'vault_creator' })
    // Somebody else's is nobody's to name.
    await expect(signInWith(server, newAccount(), named)).rejects.toMatchObject({
      code: 'SIGN_IN_REFUSED',
      details: { status: 401, serverCode: 'SIGN_IN_REFUSED' },
    })
  })

  it('signs nobody in, by name, while the time of the chain is far from its own', async () => {
    const { local: _local, ...chain } = { ...devnet().chain, maxHeadAgeSeconds: 60 }
    const server = await startSigningServer({ ...devnet(), chain })
    closers.push(server.close)
    const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
    await node.setNextBlockTimestamp({ timestamp: BigInt(Math.floor(Date.now() / 1_000) + 600) })
    await node.mine({ blocks: 1 })
    await expect(signInWith(server, newAccount())).rejects.toMatchObject({
      code: 'SIGN_IN_UNAVAILABLE',
      details: { status: 503, serverCode: 'CLOCK_OFF' },
    })
  })
})
