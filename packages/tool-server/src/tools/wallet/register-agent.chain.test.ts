import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { awaitReceipt } from '@svc/devnet'
import { startFakeBundler, startPaymaster } from '@svc/devnet/sponsoring'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, hexToString, http, parseAbi } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { repeatOf } from '../answer.fixture.ts'
import { openWorld, owner, ownPolicy, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet(), { upstream: { ipfsMode: 'inline' } })
})
afterEach(async () => {
  await world.close()
})

const card = {
  role: 'vault_manager',
  name: 'Keeper of pools',
  description: 'Keeps pools.',
  mcpEndpoint: 'https://keeper.invalid/mcp',
}
const abi = parseAbi([
  'function ownerOf(uint256) view returns (address)',
  'function tokenURI(uint256) view returns (string)',
  'function getMetadata(uint256, string) view returns (bytes)',
  'function balanceOf(address) view returns (uint256)',
  'function transferFrom(address, address, uint256)',
  'function register(string) returns (uint256)',
])
const registry = () => ({ chain: null, address: devnet().registry.identity, abi }) as const
const sent = () => world.client.getTransactionCount({ address: world.wallet })
const owned = () => world.client.readContract({ ...registry(), functionName: 'balanceOf', args: [world.wallet] })

test('register_agent registers the wallet, and what it answers is what the chain says', async () => {
  const done = await world.call('register_agent', card)
  const tokenId = BigInt(done.text('tokenId'))
  expect(done.data).toMatchObject({
    status: 'success',
    alreadyRegistered: false,
    agentId: `${devnet().chainId}:${tokenId}`,
    registrationMethod: 'direct-contract',
    agentRegistry: `eip155:${devnet().chainId}:${devnet().registry.identity}`,
    owner: world.wallet,
    atomicity: 'single',
    notes: [],
  })
  const [holder, uri, role] = await Promise.all([
    world.client.readContract({ ...registry(), functionName: 'ownerOf', args: [tokenId] }),
    world.client.readContract({ ...registry(), functionName: 'tokenURI', args: [tokenId] }),
    world.client.readContract({ ...registry(), functionName: 'getMetadata', args: [tokenId, 'role'] }),
  ])
  expect([holder, uri, hexToString(role)]).toEqual([world.wallet, done.text('agentURI'), card.role])
  expect(await sent()).toBe(1)

  const shown = await world.call('query_agent_identity', { agentId: done.text('agentId') })
  const agent = {
    agentId: done.text('agentId'),
    owner: holder,
    agentURI: `data:application/json;base64,... (${uri.length} characters, see card)`,
    fileStatus: 'inline',
    card: {
      name: card.name,
      description: card.description,
      services: expect.arrayContaining([{ name: 'MCP', endpoint: card.mcpEndpoint }]),
    },
    metadata: { role: card.role },
    endpointLive: false,
  }
  expect(shown.data).toMatchObject({ agents: [agent], complete: true })
  const listed = await world.call('query_agent_identity', { address: world.wallet })
  expect(listed.data).toMatchObject({ agents: [agent], agentIds: [agent.agentId], complete: true })
})

test('register_agent goes as a user operation where bundler and paymaster are there, and pays itself where they refuse', async () => {
  await world.close()
  const [bundler, paymaster] = [
    await startFakeBundler({ devnet: devnet() }),
    await startPaymaster({ devnet: devnet() }),
  ]
  try {
    const { chainId, simple7702Account } = devnet()
    const policy = { ...ownPolicy(devnet()), batchDelegate: { [chainId]: simple7702Account } }
    const sponsors = { bundlerUrl: bundler.url, paymasterUrl: paymaster.url }
    world = await openWorld(devnet(), { upstream: { ipfsMode: 'inline' }, policy, sponsors })
    const before = await world.balance('ETH')
    const done = await world.call('register_agent', card)
    expect(done.data).toMatchObject({
      atomicity: 'user-operation',
      gasCostUsd: 0,
      notes: ['A paymaster paid the gas.'],
    })
    const args = [BigInt(done.text('tokenId'))] as const
    expect(await world.client.readContract({ ...registry(), functionName: 'ownerOf', args })).toBe(world.wallet)
    expect(await world.balance('ETH')).toBe(before)
    paymaster.setFaults([{ fault: { kind: 'refuse', message: 'over budget' } }])
    const paid = await world.call('register_agent', { ...card, force: true })
    expect(paid.text('atomicity')).toBe('single')
    expect(paid.at('notes')).toEqual([expect.stringMatching(/^The wallet paid the gas itself\. The paymaster refuses/)])
    expect(await owned()).toBe(2n)
    expect(await world.balance('ETH')).toBeLessThan(before)
  } finally {
    await Promise.all([bundler.stop(), paymaster.stop()])
  }
})

test('register_agent asks the faucet for an empty wallet, and else says whom to ask, sending nothing', async () => {
  await world.close()
  const grants: unknown[] = []
  const grant = async (request: IncomingMessage, response: ServerResponse) => {
    grants.push(JSON.parse(await text(request)))
    const isDry = request.url === '/dry/v1/faucet/request'
    if (!isDry) await devnet().fund(world.wallet, { ETH: '0.01' })
    const body = isDry ? { code: 'FAUCET_DRY' } : { status: 'confirmed', txHash: `0x${'11'.repeat(32)}` }
    response.writeHead(isDry ? 503 : 200).end(JSON.stringify(body))
  }
  const faucet = createServer((request, response) => void grant(request, response))
  await new Promise<void>((resolve) => void faucet.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(faucet.address() as AddressInfo).port}`
  const open = (apiUrl: string) =>
    openWorld(devnet(), {
      upstream: { ipfsMode: 'inline', appId: 'an-app', apiUrl },
      chain: { faucet: true },
      funds: { ETH: '0' },
    })
  try {
    world = await open(`${url}/dry`)
    const refusal = await world.refuse('register_agent', card)
    expect(refusal).toMatchObject({
      code: 'INSUFFICIENT_BALANCE',
      message: expect.stringContaining('The faucet gave no gas: The faucet answers 503 (FAUCET_DRY).'),
      suggestion: expect.stringContaining(`send ETH to ${world.wallet} on local`),
    })
    expect([await sent(), grants.length]).toEqual([0, 1])
    expect((await world.call('register_agent', { ...card, dryRun: true })).at('status')).toBe('planned')
    expect(grants).toHaveLength(1)
    await world.close()
    world = await open(url)
    const done = await world.call('register_agent', card)
    expect(done.at('notes')).toEqual(['The faucet of the support API gave the gas.'])
    expect(grants[1]).toEqual({ address: world.wallet, chainId: devnet().chainId, appId: 'an-app' })
  } finally {
    await new Promise((resolve) => void faucet.close(resolve))
  }
})

test('register_agent gives the identity that is there back, and mints another only by force', async () => {
  const first = await world.call('register_agent', card)
  const again = await world.call('register_agent', { ...card, name: 'Another name' })
  const { agentId, tokenId, agentURI, agentRegistry, owner } = first.data as Record<string, string>
  expect(again.data).toMatchObject({
    alreadyRegistered: true,
    txHash: null,
    transactions: [],
    agentId,
    tokenId,
    agentURI,
    agentRegistry,
    owner,
  })
  expect([await sent(), await owned()]).toEqual([1, 1n])
  const other = await world.call('register_agent', { ...card, force: true })
  expect(other.at('alreadyRegistered')).toBe(false)
  expect([await owned(), other.text('agentId') === agentId]).toEqual([2n, false])
})

test('register_agent plans first and sends nothing, and execute_plan registers what was shown', async () => {
  const planned = await world.call('register_agent', { ...card, dryRun: true })
  expect(planned.at('status')).toBe('planned')
  expect(planned.list('plan.steps').map((step) => step.text('contract'))).toEqual(['the identity registry'])
  expect([await sent(), await owned()]).toEqual([0, 0n])
  const done = await world.call('execute_plan', { planId: planned.text('plan.planId') })
  expect(done.data).toMatchObject({ alreadyRegistered: false, owner: world.wallet })
  expect([await sent(), await owned()]).toEqual([1, 1n])
})

test('register_agent mints one identity however many ask at once', async () => {
  const asked = await Promise.all(
    Array.from({ length: 4 }, () =>
      world.dispatch.call({
        name: 'register_agent',
        arguments: { ...card, chain: 'local' },
        principal: owner,
        signal: new AbortController().signal,
      }),
    ),
  )
  const codes = asked.map((result) => result._meta?.['svc/error']?.code ?? 'success')
  expect(codes.toSorted()).toEqual([...Array.from({ length: 3 }, () => 'SIMULATION_DRIFT'), 'success'])
  expect([await sent(), await owned()]).toEqual([1, 1n])
  expect((await world.call('register_agent', card)).at('alreadyRegistered')).toBe(true)
})

test('a plan finds an identity that was registered since, and mints no second one', async () => {
  const planned = await world.call('register_agent', { ...card, dryRun: true })
  const first = await world.call('register_agent', card)
  const done = await world.call('execute_plan', { planId: planned.text('plan.planId') })
  expect(done.data).toMatchObject({ alreadyRegistered: true, agentId: first.text('agentId'), txHash: null })
  expect([await sent(), await owned()]).toEqual([1, 1n])
})

test('register_agent says the same for the same idempotency key, and registers once', async () => {
  const asked = { ...card, force: true, idempotencyKey: 'register-1' }
  const first = await world.call('register_agent', asked)
  expect((await world.call('register_agent', asked)).data).toEqual(repeatOf(first.data))
  expect([await sent(), await owned()]).toEqual([1, 1n])
})

test('register_agent takes no agent for its own that somebody else registered and sent', async () => {
  const account = privateKeyToAccount(devnet().accounts[0]!.privateKey)
  const stranger = createWalletClient({ account, transport: http(devnet().rpcUrl) })
  const mint = await stranger.writeContract({ ...registry(), functionName: 'register', args: ['https://evil.invalid'] })
  const { logs } = await awaitReceipt(world.client, mint)
  const tokenId = BigInt(logs[0]!.topics[3]!)
  const give = { functionName: 'transferFrom', args: [account.address, world.wallet, tokenId] } as const
  await awaitReceipt(world.client, await stranger.writeContract({ ...registry(), ...give }))
  const done = await world.call('register_agent', card)
  expect(done.at('alreadyRegistered')).toBe(false)
  expect(done.text('tokenId')).not.toBe(`${tokenId}`)
})

test('register_agent keeps to the limits of every write, which count its gas', async () => {
  const strict = await openWorld(devnet(), {
    policy: { limitsUsd: { perTransaction: '0', perSession: '0', daily: '0' } },
  })
  expect(await strict.refuse('register_agent', card)).toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
  expect(await strict.client.getTransactionCount({ address: strict.wallet })).toBe(0)
  await strict.close()
})

test('register_agent pins the card before it registers, and a plan pins nothing', async () => {
  const { proxy, pinning, planned } = await planOverProxy()
  expect(proxy.pins).toEqual([])
  const done = await pinning.call('execute_plan', { planId: planned.text('plan.planId') })
  expect(done.data).toMatchObject({ alreadyRegistered: false, agentURI: `ipfs://${proxy.cid}` })
  expect(proxy.pins).toEqual([{ app: 'Bearer app', name: card.name }])
  const agent = await pinning.call('query_agent_identity', { address: pinning.wallet })
  expect(agent.data).toMatchObject({ agents: [{ agentURI: `ipfs://${proxy.cid}`, fileStatus: 'not-fetched' }] })
  await Promise.all([pinning.close(), proxy.close()])
})

test('register_agent carries no plan out whose card cannot be pinned any more', async () => {
  const { proxy, pinning, planned } = await planOverProxy()
  await proxy.close()
  const refusal = await pinning.refuse('execute_plan', { planId: planned.text('plan.planId') })
  expect(refusal.code).toBe('SIMULATION_DRIFT')
  expect(await pinning.client.getTransactionCount({ address: pinning.wallet })).toBe(0)
  await pinning.close()
})

async function planOverProxy() {
  const proxy = await openPinProxy()
  const pinning = await openWorld(devnet(), { upstream: { apiUrl: proxy.url, appId: 'app' } })
  const planned = await pinning.call('register_agent', { ...card, dryRun: true })
  const [call] = planned.list('plan.steps')[0]!.list('calls')
  proxy.cid = call!.text('arguments.agentURI').replace('ipfs://', '')
  expect(proxy.cid).toMatch(/^bafkrei[a-z2-7]{52}$/)
  return { proxy, pinning, planned }
}

/** The pin proxy of the support API, as far as a card goes: it gives the address that it is told the card has. */
async function openPinProxy() {
  const pins: { app: string | undefined; name: string }[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const { agentCard } = JSON.parse(await text(request)) as { agentCard: { name: string } }
    pins.push({ app: request.headers.authorization, name: agentCard.name })
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ cid: proxy.cid }))
  }
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = () => {
    server.closeAllConnections()
    return new Promise<void>((resolve) => void server.close(() => resolve()))
  }
  const proxy = { url, pins, close, cid: '' }
  return proxy
}

test('register_agent registers by handle where the row of the chain says so, and there by force alone', async () => {
  const identityRegistry = { address: devnet().registry.handle, form: 'handle-v0' } as const
  const older = await openWorld(devnet(), { chain: { identityRegistry } })
  expect(await older.refuse('register_agent', card)).toMatchObject({ code: 'AGENT_ID_UNKNOWN' })
  const named = { ...card, name: older.wallet, force: true }
  const done = await older.call('register_agent', named)
  expect(done.data).toMatchObject({ alreadyRegistered: false, owner: older.wallet })
  const tokenId = BigInt(done.text('tokenId'))
  const of = { address: identityRegistry.address, abi, functionName: 'tokenURI', args: [tokenId] } as const
  expect(await older.client.readContract(of)).toBe(done.text('agentURI'))
  const shown = await older.call('query_agent_identity', { agentId: `${tokenId}` })
  expect(shown.data).toMatchObject({ agents: [{ owner: older.wallet, card: { name: older.wallet } }] })
  await older.close()
})

test('register_agent says what stands in the way: no name, no registry, no account for pins', async () => {
  const { name: _, ...nameless } = card
  expect(await world.refuse('register_agent', nameless)).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ field: 'name' }],
  })
  expect(await world.refuse('register_agent', { ...card, ipfsMode: 'pinata' })).toMatchObject({
    code: 'VALIDATION_PINNING_JWT_MISSING',
  })
  const fallen = await world.call('register_agent', { ...card, ipfsMode: 'proxy' })
  expect(fallen.at('notes')).toEqual([expect.stringContaining('SVC_API_URL')])
  expect(fallen.text('agentURI')).toMatch(/^data:application\/json;base64,/)
})
