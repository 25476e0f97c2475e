import { otherChain, startFaultProxy, useDevnet, type FaultProxy } from '@svc/devnet/testing'
import { concat, createPublicClient, createTestClient, http, parseEther, type Address, type Hex } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FaucetConfig } from '../../config.ts'
import { fundedConfig, openReplica, usePlaces, type Place, type Replica } from '../faucet.fixture.ts'

const devnet = useDevnet()
const places = usePlaces()
const grantWei = parseEther('0.01')
let at: Place
let config: FaucetConfig
const replicas: Replica[] = []
let between: FaultProxy | null = null

async function prepare(engine: 'SQLite' | 'PostgreSQL'): Promise<void> {
  at = await places[engine]()
  config = await fundedConfig(devnet(), '10')
}

afterEach(async () => {
  for (const { faucet, store } of replicas.splice(0)) {
    await faucet.stop()
    await store.close()
  }
  await between?.stop()
  between = null
  await at.remove()
})

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (engine) => {
  beforeEach(() => prepare(engine))

  test('a claim that has reverted is paid in a new transaction when it is asked for again', async () => {
    const { claims, store } = await open()
    const wallet = newAddress()
    await node().setAutomine(false)
    const { id } = await claim(wallet)
    await expect.poll(async () => (await claims.find(31337, wallet))?.state).toBe('sent')
    await setCode(wallet, '0x5f5ffd')
    await node().setAutomine(true)
    await node().mine({ blocks: 1 })
    await expect.poll(async () => (await claims.find(31337, wallet))?.state).toBe('failed')
    await node().setCode({ address: wallet, bytecode: '0x' })
    expect(await claims.retry(id)).toBe(true)
    await expect.poll(async () => (await claims.find(31337, wallet))?.state).toBe('confirmed')
    expect(await balanceOf(wallet)).toBe(grantWei)
    expect((await store.journal.byRequest(id)).map(({ state }) => state)).toEqual(['reverted', 'final'])
  })
})

test('replicas with different keys do not pay side by side', async () => {
  await prepare('PostgreSQL')
  const first = await open()
  await expect.poll(() => first.facts().isLeading).toBe(true)
  const second = await open(await fundedConfig(devnet(), '10'))
  const wallet = newAddress()
  await claim(wallet)
  await expect.poll(() => balanceOf(wallet)).toBe(grantWei)
  expect(second.facts().isLeading).toBe(false)
  await replicas[0]!.faucet.stop()
  await expect.poll(() => second.facts().isLeading).toBe(true)
})

test('a deployment whose key is at work in another one says so, and pays when it no longer is', async () => {
  await prepare('PostgreSQL')
  const first = await open()
  await expect.poll(() => first.facts().isLeading).toBe(true)
  const other = await places.PostgreSQL()
  const errors: string[] = []
  const error = (event: string) => void errors.push(event)
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error }
  const second = await openReplica({ place: other.place, config, log })
  replicas.push(second)
  const { payer } = [...second.faucet.chains.values()][0]!
  second.faucet.start()
  await expect.poll(() => payer.facts()).toEqual({ isLeading: false, isDry: false, holdsUp: 'signer' })
  expect(errors).toEqual(['faucet.key-elsewhere'])
  const wallet = newAddress()
  await second.faucet.desk.make(asked(wallet))
  await first.faucet.stop()
  await expect.poll(() => balanceOf(wallet)).toBe(grantWei)
  expect(payer.facts()).toMatchObject({ isLeading: true, holdsUp: null })
})

describe('one claim', () => {
  beforeEach(() => prepare('SQLite'))

  test('whose wallet halts, jumps astray, has no end, burns gas or reverts fails, costs nothing and delays no other', async () => {
    const { claims, faucet } = await open()
    const codes: readonly Hex[] = ['0xfe', '0x600056', '0x5b600056', '0x6207a1205b60019003806004575000', '0x5f5ffd']
    const bad = codes.map(newAddress)
    await Promise.all(codes.map((code, index) => setCode(bad[index]!, code)))
    for (const wallet of bad) await claim(wallet)
    const good = newAddress()
    await claim(good)
    await expect.poll(() => balanceOf(good)).toBe(grantWei)
    const states = () => Promise.all(bad.map(async (wallet) => (await claims.find(31337, wallet))?.state))
    await expect.poll(states).toEqual(codes.map(() => 'failed'))
    expect(await client().getTransactionCount({ address: faucet.address })).toBe(1)
  })
})

describe('the chain', () => {
  beforeEach(() => prepare('SQLite'))

  test('that asks for more gas than a grant is worth gets nothing signed, and the report says so', async () => {
    between = await startFaultProxy({ target: devnet().rpcUrl })
    const dear = (block: unknown) => Object.assign({}, block, { baseFeePerGas: '0x1c6bf52634000' })
    between.setRules([{ fault: { kind: 'lie', method: 'eth_getBlockByNumber', change: dear } }])
    const { faucet, facts } = await open(through(between.url))
    const wallet = newAddress()
    await claim(wallet)
    await expect.poll(() => facts().holdsUp).toBe('fees')
    expect(await client().getBalance({ address: faucet.address })).toBe(parseEther('10'))
    between.setRules([])
    await expect.poll(() => balanceOf(wallet)).toBe(grantWei)
    await expect.poll(() => facts().holdsUp).toBeNull()
  })

  test('that is another one is paid nothing', async () => {
    between = await startFaultProxy({ target: devnet().rpcUrl, rules: [{ fault: otherChain(1) }] })
    const { facts } = await open(through(between.url))
    await claim(newAddress())
    await expect.poll(() => facts().holdsUp).toBe('wrong-chain')
    expect(between.rawTransactions().size).toBe(0)
  })

  test('that undoes a block with a confirmed grant gets it again, and what comes after it', async () => {
    const { claims, faucet } = await open()
    const id = await node().snapshot()
    const [lost, next] = [newAddress(), newAddress()]
    await claim(lost)
    await expect.poll(async () => (await claims.find(31337, lost))?.state).toBe('confirmed')
    await node().revert({ id })
    expect(await balanceOf(lost)).toBe(0n)
    await claim(next)
    await expect.poll(() => balanceOf(lost)).toBe(grantWei)
    await expect.poll(() => balanceOf(next)).toBe(grantWei)
    expect(await client().getTransactionCount({ address: faucet.address })).toBe(2)
  })
})

async function open(change = config) {
  const replica = await openReplica({ place: at.place, config: change })
  replicas.push(replica)
  const { faucet, store } = replica
  faucet.start()
  return { faucet, store, claims: store.claims, facts: () => [...faucet.chains.values()][0]!.payer.facts() }
}

function through(url: string): FaucetConfig {
  return { ...config, chains: [{ chain: devnet().chain, rpcUrls: [url] }] }
}

/** Taken in, whatever its wallet is. */
async function claim(address: Address) {
  const { faucet } = replicas[0]!
  const verdict = await faucet.desk.make(asked(address))
  if (verdict.status !== 'made') throw new Error(verdict.status)
  return verdict.claim
}

function asked(address: Address) {
  return { chainId: 31337, address, appId: 'app', network: '127.0.0.0/24', amountWei: grantWei }
}

function newAddress(): Address {
  return privateKeyToAddress(generatePrivateKey())
}

/** As if the account had delegated itself to the code. */
async function setCode(address: Address, bytecode: Hex): Promise<void> {
  const implementation = newAddress()
  await node().setCode({ address: implementation, bytecode })
  await node().setCode({ address, bytecode: concat(['0xef0100', implementation]) })
}

const node = () => createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const balanceOf = (address: Address) => client().getBalance({ address })
