import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { awaitReceipt } from '@svc/devnet'
import { useDevnet } from '@svc/devnet/testing'
import { concat, createPublicClient, createTestClient, createWalletClient, http, parseEther, type Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FaucetConfig } from '../config.ts'
import { fundedConfig, openReplica, usePlaces, type Place, type Replica } from './faucet.fixture.ts'
import { reportFaucet } from './report-faucet.ts'
import { requestGrant } from './request-grant.ts'

const devnet = useDevnet()
const places = usePlaces()
const grantWei = parseEther('0.01')

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (engine) => {
  let at: Place
  let config: FaucetConfig
  let replicas: Replica[] = []
  beforeEach(async () => {
    at = await places[engine]()
    config = await fundedConfig(devnet(), '10')
  })
  afterEach(async () => {
    await Promise.all(replicas.splice(0).map(end))
    await at.remove()
  })

  async function open(change: Partial<FaucetConfig> = {}): Promise<Replica> {
    const replica = await openReplica({ place: at.place, config: { ...config, ...change } })
    replicas.push(replica)
    replica.faucet.start()
    return replica
  }

  async function end(replica: Replica): Promise<void> {
    replicas = replicas.filter((other) => other !== replica)
    await replica.faucet.stop()
    await replica.store.close()
  }

  test('a wallet gets 0.01 once, and is told of it from then on', async () => {
    const { desk } = await open()
    const address = newAddress()
    const grant = await claim(desk, address)
    expect(grant).toMatchObject({ address, chainId: 31337, amount: '0.01', currency: 'ETH', explorerUrl: null })
    await expect.poll(() => balanceOf(address)).toBe(grantWei)
    await expect.poll(async () => (await desk.claims.find(31337, address))?.state).toBe('confirmed')
    const settled = await desk.claims.find(31337, address)
    await expect(claim(desk, address)).rejects.toMatchObject({
      code: 'FAUCET_ALREADY_CLAIMED',
      facts: { claimId: grant.claimId, txHash: settled?.txHash, state: 'confirmed' },
    })
    expect(await balanceOf(address)).toBe(grantWei)
  })

  test('sixty wallets that each ask four times at once get one grant each, in as many transactions', async () => {
    const { desk, faucet } = await open()
    const addresses = Array.from({ length: 60 }, newAddress)
    const asked = addresses.flatMap((address) => Array.from({ length: 4 }, () => claim(desk, address)))
    const outcomes = await Promise.allSettled(asked)
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(60)
    await expect.poll(async () => (await desk.claims.queue(31337)).depth).toBe(0)
    for (const address of addresses) expect(await balanceOf(address)).toBe(grantWei)
    expect(await client().getTransactionCount({ address: faucet.address })).toBe(60)
  })

  test('what a replica took in and did not pay, the next one pays', async () => {
    const first = await openReplica({ place: at.place, config })
    const addresses = [newAddress(), newAddress()]
    await first.faucet.desk.make({ ...wanted(addresses[0]!), amountWei: grantWei })
    await first.faucet.desk.make({ ...wanted(addresses[1]!), amountWei: grantWei })
    await first.store.close()
    const second = await open()
    for (const address of addresses) await expect.poll(() => balanceOf(address)).toBe(grantWei)
    expect(await client().getTransactionCount({ address: second.faucet.address })).toBe(2)
  })

  test('a dry faucet takes no claim in, and pays what it took in once it is filled up', async () => {
    const { desk, faucet } = await open({ ...(await fundedConfig(devnet(), '0.015')) })
    const [first, second] = [newAddress(), newAddress()]
    await claim(desk, first)
    await expect.poll(() => balanceOf(first)).toBe(grantWei)
    await expect(claim(desk, second)).rejects.toMatchObject({ code: 'FAUCET_DRY', retryAfterSeconds: 600 })
    expect(await desk.claims.find(31337, second)).toBeNull()
    await faucet.desk.make({ ...wanted(second), amountWei: grantWei })
    await expect.poll(() => [...faucet.chains.values()][0]?.payer.facts().isDry).toBe(true)
    await devnet().fund(faucet.address, { ETH: '1' })
    await expect.poll(() => balanceOf(second)).toBe(grantWei)
  })

  test('a wallet that takes no transfer is paid once it does, when an operator asks for it', async () => {
    const { desk, store } = await open()
    const delegated = privateKeyToAccount(generatePrivateKey())
    await setCode(delegated.address, devnet().registry.identity)
    const reported = await claim(desk, delegated.address).catch((error: unknown) => error)
    expect(reported).toMatchObject({ code: 'FAUCET_TARGET_CONTRACT', facts: { state: 'failed', txHash: null } })
    const { id: claimId } = (await desk.claims.find(31337, delegated.address))!
    expect(reported).toMatchObject({ facts: { claimId } })
    expect(await store.claims.retry('another')).toBe(false)
    await setCode(delegated.address, devnet().simple7702Account)
    expect(await store.claims.retry(claimId)).toBe(true)
    await expect.poll(() => balanceOf(delegated.address)).toBe(grantWei)
  })

  test('caps hold for an app, a network and the chain', async () => {
    const { desk } = await open({ perAppPerDay: 1, perNetworkPerDay: 2, perChainPerDay: 3 })
    const asks = (appId: string, network: string) => requestGrant(desk, { ...wanted(newAddress()), appId, network })
    await asks('a', '1')
    await expect(asks('a', '2')).rejects.toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringContaining('app'),
    })
    await asks('b', '1')
    await expect(asks('c', '1')).rejects.toMatchObject({ message: expect.stringContaining('network') })
    await asks('c', '2')
    await expect(asks('d', '3')).rejects.toMatchObject({ code: 'FAUCET_PAUSED' })
  })
})

describe('the address', () => {
  let replica: Replica
  let folder: string
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'faucet-'))
    const config = { ...(await fundedConfig(devnet(), '1')), targetCeilingWei: parseEther('0.5') }
    replica = await openReplica({ place: { path: join(folder, 'state.db') }, config })
    replica.faucet.start()
  })
  afterEach(async () => {
    await replica.faucet.stop()
    await replica.store.close()
    await rm(folder, { recursive: true })
  })

  test('may be an account that delegated itself, and no contract, precompile or the faucet', async () => {
    const { desk, faucet } = replica
    for (const address of [devnet().registry.identity, '0x0000000000000000000000000000000000000004', faucet.address]) {
      await expect(claim(desk, address as Address)).rejects.toMatchObject({ code: 'FAUCET_TARGET_CONTRACT' })
    }
    const agent = privateKeyToAccount(generatePrivateKey())
    const authorization = await agent.signAuthorization({
      contractAddress: devnet().simple7702Account,
      chainId: 31337,
      nonce: 0,
    })
    const payer = createWalletClient({
      account: privateKeyToAccount(devnet().accounts[0]!.privateKey),
      transport: http(devnet().rpcUrl),
    })
    const hash = await payer.sendTransaction({ chain: null, to: agent.address, authorizationList: [authorization] })
    await awaitReceipt(client(), hash)
    expect(await client().getCode({ address: agent.address })).toMatch(/^0xef0100/)
    await claim(desk, agent.address)
    await expect.poll(() => balanceOf(agent.address)).toBe(grantWei)
  })

  test('may hold no more than the ceiling, on a chain that is served', async () => {
    const rich = newAddress()
    await devnet().fund(rich, { ETH: '1' })
    await expect(claim(replica.desk, rich)).rejects.toMatchObject({ code: 'FAUCET_TARGET_FUNDED' })
    await expect(requestGrant(replica.desk, { ...wanted(newAddress()), chainId: 1 })).rejects.toMatchObject({
      code: 'FAUCET_CHAIN_NOT_SUPPORTED',
      details: [{ field: 'chainId', accepted: '31337' }],
    })
  })

  test('is counted in the report, which names the faucet alone', async () => {
    await claim(replica.desk, newAddress())
    await expect.poll(async () => (await replica.desk.claims.queue(31337)).depth).toBe(0)
    const { desk, faucet } = replica
    const caps = { perAppPerDay: 1, perNetworkPerDay: 2, perChainPerDay: 3 }
    const report = await reportFaucet({ faucet, claims: desk.claims, config: caps, version: '0.2.0', now: Date.now })
    expect(report).toMatchObject({
      status: 'ok',
      chains: [
        {
          chainId: 31337,
          address: faucet.address,
          amount: '10000000000000000',
          claimsRemaining: 98,
          queueDepth: 0,
          oldestPendingSeconds: null,
          rpc: 'ok',
          enabled: true,
          reason: null,
        },
      ],
    })
    expect(report.chains[0]?.history.at(-1)).toMatchObject({ claims: 1 })
    expect(report.chains[0]?.history).toHaveLength(14)
  })
})

function claim(desk: Replica['desk'], address: Address) {
  return requestGrant(desk, wanted(address))
}

function wanted(address: Address) {
  return { chainId: 31337, address, appId: 'app', network: '127.0.0.0/24' }
}

function newAddress(): Address {
  return privateKeyToAddress(generatePrivateKey())
}

/** As if the account had delegated itself. */
function setCode(address: Address, implementation: Address) {
  const node = createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
  return node.setCode({ address, bytecode: concat(['0xef0100', implementation]) })
}

const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const balanceOf = (address: Address) => client().getBalance({ address })
