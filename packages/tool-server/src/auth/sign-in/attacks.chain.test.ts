import { readFileSync, writeFileSync } from 'node:fs'
import { startFaultProxy, useDevnet } from '@svc/devnet/testing'
import { createWalletClient, getAddress, type Hex, http } from 'viem'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { deployer, hostileWallets, ownedWallet, setCode, walletToCome } from './contract-wallets.fixture.ts'
import {
  challengeOf,
  messageOf,
  newAccount,
  post,
  postSigned,
  register,
  registryAbi,
  signInWith,
  type SigningServer,
  startSigningServer,
  statusWith,
  walletOf,
} from './signing-server.fixture.ts'
import { signIn } from '@svc/wallet'

const devnet = useDevnet()
const closers: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

/** One server for all attacks that need none of their own: its start takes longer than they do. */
let common: Promise<SigningServer> | null = null
const rateLimits = { unauthenticatedPerIp: 100_000, perIp: 100_000 }
afterAll(async () => (await common)?.close())

async function start(options?: Parameters<typeof startSigningServer>[1]) {
  if (options === undefined) return (common ??= startSigningServer(devnet(), { policy: { rateLimits } }))
  const server = await startSigningServer(devnet(), options)
  closers.push(server.close)
  return server
}

const reads = ['read:market', 'read:portfolio']
const refused = { status: 401, body: { code: 'SIGN_IN_REFUSED' } }

describe('a sign-in', () => {
  it('counts once, also when it is posted many times at once, and its failure uses the challenge up', async () => {
    const { url } = await start()
    const account = newAccount()
    const message = messageOf(await challengeOf(url), account)
    const signature = await account.signMessage({ message })
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(url, { message, signature })))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    const others = answers.filter(({ status }) => status !== 200)
    for (const other of others) expect(other).toMatchObject(refused)
    // Each refusal brings the next challenge, and no word of what was sent.
    expect(others[0]?.body).toMatchObject({ challenge: { type: 'siwe' } })
    expect(others[0]?.headers.get('www-authenticate')).toBe('Bearer realm="mcp"')
    for (const { headers } of answers) {
      expect(headers.get('ratelimit-policy')).toBe('"unauthenticated";q=100000;w=60')
      expect(headers.get('ratelimit')).toMatch(/^"unauthenticated";r=\d+$/)
    }
    const failed = messageOf(await challengeOf(url), account)
    expect(await post(url, { message: failed, signature })).toMatchObject(refused)
    expect(await postSigned(url, account, failed)).toMatchObject(refused)
  })

  it.each([
    ['of another chain', { chainId: 1 }, 'message.chainId'],
    ['for a look-alike of the host', { domain: '127.0.0.1.evil.example' }, 'message.domain'],
    ['for another port', { domain: '127.0.0.1:1' }, 'message.domain'],
    ['for another server', { uri: 'https://evil.example/mcp' }, 'message.uri'],
    ['with a statement of somebody else', { statement: 'I agree to everything.' }, 'message.statement'],
    ['with a resource that is none of the registry', { resources: ['https://evil.example/'] }, 'message.resources'],
  ])('%s is refused by name', async (_name, more, field) => {
    const { url } = await start()
    const account = newAccount()
    const answer = await postSigned(url, account, messageOf(await challengeOf(url), account, more))
    expect(answer).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED', details: [{ field }] } })
    expect(JSON.stringify(answer.body)).not.toContain('evil')
  })

  it('with extra lines, a made-up nonce, a longer life or a time to come is refused', async () => {
    const { url } = await start()
    const account = newAccount()
    const challenge = await challengeOf(url)
    const extra = `${messageOf(challenge, account)}\nGrant: write`
    expect(await postSigned(url, account, extra)).toMatchObject({
      status: 400,
      body: { details: [{ field: 'message' }] },
    })
    const later = (ms: number) => new Date(Date.parse(challenge.expirationTime) + ms)
    for (const more of [
      { nonce: 'a'.repeat(76) },
      { nonce: challenge.nonce.slice(0, 20) },
      { expirationTime: later(1) },
      { expirationTime: new Date(Date.now() - 1) },
      { issuedAt: later(-1), expirationTime: later(0) },
    ]) {
      expect(await postSigned(url, account, messageOf(challenge, account, more))).toMatchObject(refused)
    }
    // None of that used the challenge up.
    expect(await postSigned(url, account, messageOf(challenge, account))).toMatchObject({ status: 200 })
  })

  it('by another key, with parts of a signature, or with more in its body is refused', async () => {
    const { url } = await start()
    const [account, other] = [newAccount(), newAccount()]
    const message = messageOf(await challengeOf(url), account)
    expect(await postSigned(url, other, message)).toMatchObject(refused)
    const signature = await account.signMessage({ message })
    for (const body of [
      { message },
      { signature },
      { message, signature: 'x' },
      { message, signature: '0x' },
      { message, signature: `0x${'ab'.repeat(8_193)}` },
      { message: 7, signature },
      { message: 'x'.repeat(4_097), signature },
      { message, signature, address: account.address },
      [message, signature],
      null,
    ]) {
      expect(await post(url, body)).toMatchObject({ status: 400, body: { code: 'VALIDATION_FAILED' } })
    }
    const more = Object.fromEntries(Array.from({ length: 3_000 }, (_, index) => [`member${index}`, '']))
    const { status, body } = await post(url, { message, signature, ...more })
    expect([status, JSON.stringify(body).includes('member')]).toEqual([400, false])
    expect((await post(url, { message, signature, more: 'x'.repeat(65_536) })).status).toBe(413)
  })

  it('is served where it is, by its method, in JSON, and to no page of others', async () => {
    const { url } = await start()
    const at = new URL('/auth/siwe', url)
    const status = async (init: RequestInit, place: URL = at) => (await fetch(place, init)).status
    expect(await status({})).toBe(405)
    expect(await status({ method: 'POST', body: '{}' })).toBe(415)
    const headers = { 'content-type': 'application/json' }
    expect(await status({ method: 'POST', headers, body: '{' })).toBe(400)
    expect(await status({ method: 'POST', headers: { ...headers, origin: 'https://evil.example' }, body: '{}' })).toBe(
      403,
    )
    expect(await status({ method: 'POST', headers }, new URL('/.well-known/jwks.json', url))).toBe(405)
    expect(await status({ headers: { origin: 'null' } }, new URL('/.well-known/jwks.json', url))).toBe(403)
    expect(await status({}, new URL('/auth', url))).toBe(404)
  })
})

describe('a contract wallet', () => {
  it('signs in by its owner, deployed or still to come, and by nobody else', async () => {
    const server = await start()
    const [owner, stranger, place] = [newAccount(), newAccount(), newAccount().address]
    await setCode(devnet().rpcUrl, place, ownedWallet(owner.address))
    expect((await signIn(walletOf(owner, place), server.url)).claims).toMatchObject({ address: place, scopes: reads })
    await expect(signIn(walletOf(stranger, place), server.url)).rejects.toMatchObject({ code: 'SIGN_IN_REFUSED' })
    await setCode(devnet().rpcUrl, deployer.address, deployer.code)
    const coming = walletToCome(owner.address)
    const signer = (account: typeof owner) => ({
      getAddress: async () => coming.address,
      signMessage: async (message: Parameters<ReturnType<typeof walletOf>['signMessage']>[0]) =>
        coming.wrap(await walletOf(account).signMessage(message)),
    })
    expect((await signIn(signer(owner), server.url)).claims).toMatchObject({ address: coming.address, scopes: reads })
    await expect(signIn(signer(stranger), server.url)).rejects.toMatchObject({ code: 'SIGN_IN_REFUSED' })
    // One that would be somewhere else says nothing of an ordinary address.
    const elsewhere = { ...signer(owner), getAddress: async () => stranger.address }
    await expect(signIn(elsewhere, server.url)).rejects.toMatchObject({ code: 'SIGN_IN_REFUSED' })
  })

  it.each(Object.entries(hostileWallets))('that %s signs nobody in, and the server goes on', async (_name, code) => {
    const server = await start()
    const [owner, place] = [newAccount(), newAccount().address]
    await setCode(devnet().rpcUrl, place, code)
    await expect(signIn(walletOf(owner, place), server.url)).rejects.toMatchObject({ code: 'SIGN_IN_REFUSED' })
    expect((await signInWith(server, newAccount())).claims).toMatchObject({ scopes: reads })
  })
})

describe('a registry', () => {
  /** A server whose row names a contract of an attacker as its registry. */
  async function startWith(code: Hex, policy: object = {}) {
    const place = newAccount().address
    await setCode(devnet().rpcUrl, place, code)
    const dataDir = (await start()).dataDir
    const rows = JSON.parse(readFileSync(`${dataDir}/chains.json`, 'utf8')) as object[]
    const chains = `${dataDir}/lying.json`
    const lying = { identityRegistry: { address: place, form: 'erc8004-v1' } }
    writeFileSync(chains, JSON.stringify(rows.map((row) => Object.assign(row, lying))))
    return { place, server: await start({ policy, env: { SVC_CHAINS_FILE: chains } }) }
  }

  const named = (place: Hex) => ({ agentId: `${devnet().chainId}:7`, registry: place })
  const policy = { signIn: { wallets: { [newAccount().address]: ['write:trade'] } } }

  it('that says the caller owns whatever is asked for, and is a creator, gives nobody more than the policy does', async () => {
    const account = newAccount()
    const { place, server } = await startWith(creatorOfEverything(account.address), policy)
    const { claims } = await signInWith(server, account, named(place))
    expect(claims).toMatchObject({ role: 'vault_creator', scopes: reads })
    expect((await signInWith(server, account)).claims).toMatchObject({ agentId: null, scopes: reads })
  })

  it.each([
    ['answers with a megabyte', '0x620fffff6000f3'],
    ['loops for ever', '0x5b600056'],
    ['reverts', '0x60006000fd'],
  ] as const)('that %s makes nobody an agent', async (_name, code) => {
    const { place, server } = await startWith(code, policy)
    await expect(signInWith(server, newAccount(), named(place))).rejects.toMatchObject({ code: 'SIGN_IN_REFUSED' })
    expect((await signInWith(server, newAccount())).claims).toMatchObject({ agentId: null, scopes: reads })
  })

  it('gives an agent that registers again as something higher no more than its address was granted', async () => {
    const account = newAccount()
    const first = await register(devnet(), account, 'vault_participant')
    const server = await start({ policy: { signIn: { wallets: { [account.address]: ['write:trade'] } } } })
    expect((await signInWith(server, account)).claims).toMatchObject({
      role: 'vault_participant',
      scopes: [reads[0], reads[1], 'write:trade'],
    })
    const second = await register(devnet(), account, 'vault_creator')
    expect(second).not.toBe(first)
    expect((await signInWith(server, account)).claims).toMatchObject({
      role: 'vault_creator',
      scopes: [...reads, 'write:trade'],
    })
    await register(devnet(), account, 'operator')
    expect((await signInWith(server, account)).claims).toMatchObject({ role: null, scopes: reads })
  })

  it('takes what an agent was granted away from whoever sold it', async () => {
    const [seller, buyer] = [newAccount(), newAccount()]
    const tokenId = await register(devnet(), seller, 'vault_manager')
    const agentId = `${devnet().chainId}:${tokenId}`
    const registry = devnet().registry.identity
    const server = await start({ policy: { signIn: { agents: { [agentId]: ['write:liquidity'] } } } })
    const granted = { agentId, scopes: [...reads, 'write:liquidity'] }
    expect((await signInWith(server, seller, { agentId, registry })).claims).toMatchObject(granted)
    await createWalletClient({ account: seller, transport: http(devnet().rpcUrl) }).writeContract({
      chain: null,
      address: registry,
      abi: registryAbi,
      functionName: 'transferFrom',
      args: [seller.address, buyer.address, BigInt(tokenId)],
    })
    await expect
      .poll(() =>
        signInWith(server, buyer, { agentId, registry }).then(
          ({ claims }) => claims,
          () => null,
        ),
      )
      .toMatchObject(granted)
    await expect(signInWith(server, seller, { agentId, registry })).rejects.toMatchObject({ code: 'SIGN_IN_REFUSED' })
    expect((await signInWith(server, seller)).claims).toMatchObject({ agentId: null, scopes: reads })
  })
})

describe('an endpoint', () => {
  it('that is away lets nobody in whose signature or agent it would have to tell of', async () => {
    const proxy = await startFaultProxy({ target: devnet().rpcUrl })
    closers.push(() => proxy.stop().catch(() => {}))
    const server = await start({ env: { [`SVC_RPC_URL_${devnet().chainId}`]: proxy.url } })
    expect((await signInWith(server, newAccount())).claims).toMatchObject({ scopes: reads })
    await proxy.stop()
    await expect(signInWith(server, newAccount())).rejects.toMatchObject({
      code: 'SIGN_IN_UNAVAILABLE',
      details: { serverCode: expect.stringMatching(/^RPC_/) },
    })
  })
})

describe('a token', () => {
  it('of another server is none here, and none of its sessions is anybody else\u2019s', async () => {
    const [one, other] = [await start(), await start({})]
    const { token } = await signInWith(one, newAccount())
    expect([await statusWith(one.url, token), await statusWith(other.url, token)]).toEqual([400, 401])
  })
})

/** Answers every question with an address, and with a role where bytes are asked for: `getMetadata` is told by its selector. */
function creatorOfEverything(owner: Hex): Hex {
  const role = Buffer.from('vault_creator').toString('hex').padEnd(64, '0')
  const words = `7f${'20'.padStart(64, '0')}600052 7f${'0d'.padStart(64, '0')}602052 7f${role}604052 60606000f3`
  const answer = words.replaceAll(' ', '')
  const other = `73${getAddress(owner).slice(2)}60005260206000f3`
  // Jumps to the role where the selector is that of getMetadata(uint256,string).
  const start = `60003560e01c63cb4799f214`
  const jump = `60${(start.length / 2 + 3 + other.length / 2).toString(16).padStart(2, '0')}57`
  return `0x${start}${jump}${other}5b${answer}`
}
