import { startFaultProxy, useDevnet, type FaultProxy } from '@svc/devnet/testing'
import { openStore, type Store } from '@svc/store'
import {
  createPublicClient,
  createTestClient,
  http,
  keccak256,
  parseEther,
  parseGwei,
  parseTransaction,
  type Address,
  type Hex,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createBell, leadChain, type LeadState } from './lead-chain.ts'
import { startRefusingNode } from '../refusing-node.fixture.ts'

const devnet = useDevnet()
const grantWei = parseEther('0.01')
let store: Store
let account: ReturnType<typeof privateKeyToAccount>
let leaving: AbortController
let terms: Promise<unknown>[]
const stops: (() => Promise<unknown>)[] = []
beforeEach(async () => {
  leaving = new AbortController()
  terms = []
  store = await openStore({ path: ':memory:', now: Date.now })
  account = privateKeyToAccount(generatePrivateKey())
  await devnet().fund(account.address, { ETH: '1' })
})
afterEach(async () => {
  leaving.abort()
  await Promise.allSettled(terms)
  for (const stop of stops.splice(0)) await stop()
  await store.close()
})

describe('a leader that loses its lease', () => {
  test('while it reads the chain signs nothing, and ends', async () => {
    const { id } = await claim(newAddress())
    const held = { is: true }
    const claims: Store['claims'] = {
      ...store.claims,
      async waiting(...of) {
        const waiting = await store.claims.waiting(...of)
        held.is = waiting.length === 0
        return waiting
      },
    }
    await lead({ store: { ...store, claims }, isHeld: () => held.is })
    expect(held.is).toBe(false)
    expect(await store.journal.byRequest(id)).toEqual([])
  })

  test('between its last look and the signature signs nothing, and ends', async () => {
    const { id } = await claim(newAddress())
    const held = { is: true }
    const journal: Store['journal'] = {
      ...store.journal,
      byRequest(of) {
        held.is = false
        return store.journal.byRequest(of)
      },
    }
    const term = lead({ store: { ...store, journal }, isHeld: () => held.is })
    await expect(term).rejects.toMatchObject({ code: 'LEASE_HELD' })
    expect(await store.journal.byRequest(id)).toEqual([])
    expect(await client().getTransactionCount({ address: account.address, blockTag: 'pending' })).toBe(0)
  })
})

test('fees are raised up to what is given, and never above it', async () => {
  await node().setAutomine(false)
  const wallet = newAddress()
  const { id } = await claim(wallet)
  const first = new AbortController()
  const term = lead({ signal: first.signal })
  await expect.poll(async () => (await store.claims.find(31337, wallet))?.state).toBe('sent')
  first.abort()
  await term
  const fees = async () =>
    (await store.journal.byRequest(id)).map(({ rawTransaction }) => parseTransaction(rawTransaction).maxFeePerGas ?? 0n)
  const [asked] = await fees()
  await node().setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('600000') })
  await node().mine({ blocks: 1 })
  const state: LeadState = { isLeading: false, holdsUp: null }
  // Whoever leads an hour later finds it stuck.
  void lead({ now: () => Date.now() + 3_600_000, state })
  await expect.poll(() => state.isLeading).toBe(true)
  expect(await fees()).toEqual([asked, grantWei / 21_000n])
  // A snapshot does not take this back.
  await node().setNextBlockBaseFeePerGas({ baseFeePerGas: parseGwei('1') })
})

describe('a payment that had reverted', () => {
  let wallet: Address
  let id: string
  let before: Hex
  beforeEach(async () => {
    before = await node().snapshot()
    wallet = newAddress()
    const leave = leadFor()
    await node().setAutomine(false)
    ;({ id } = await claim(wallet))
    await reached(wallet, 'sent')
    await node().setCode({ address: wallet, bytecode: '0x5f5ffd' })
    await node().setAutomine(true)
    await node().mine({ blocks: 1 })
    await reached(wallet, 'failed')
    await node().setCode({ address: wallet, bytecode: '0x' })
    await leave()
  })
  const journalOf = async () =>
    (await store.journal.byRequest(id)).map(({ step, nonce, state }) => [step, nonce, state])

  test('and was made up for is not made again when the chain undoes both', async () => {
    expect(await store.claims.retry(id)).toBe(true)
    const leave = leadFor()
    await expect.poll(() => stateOf(wallet)).toBe('confirmed')
    await leave()
    await node().revert({ id: before })
    expect(await balanceOf(wallet)).toBe(0n)
    const leaveAgain = leadFor({ now: () => Date.now() + 3_600_000 })
    await expect.poll(() => client().getTransactionCount({ address: account.address })).toBe(2)
    await leaveAgain()
    void lead()
    expect(await balanceOf(wallet)).toBe(grantWei)
    await expect.poll(journalOf).toEqual([
      [0, 0, 'replaced'],
      [1, 1, 'final'],
    ])
  })

  test('is not made again when the chain undoes it before it is made up for', async () => {
    await node().revert({ id: before })
    void lead()
    await expect.poll(journalOf).toEqual([[0, 0, 'refused']])
    expect(await store.claims.retry(id)).toBe(true)
    await expect.poll(() => stateOf(wallet)).toBe('confirmed')
    expect(await balanceOf(wallet)).toBe(grantWei)
    expect(await client().getTransactionCount({ address: account.address })).toBe(1)
  })

  test('and succeeds after all, of a node of its own accord, is not made up for', async () => {
    await node().revert({ id: before })
    const [first] = await store.journal.byRequest(id)
    await client().sendRawTransaction({ serializedTransaction: first!.rawTransaction })
    expect(await store.claims.retry(id)).toBe(true)
    const leave = leadFor()
    await expect.poll(journalOf).toEqual([[0, 0, 'refused']])
    await leave()
    void lead()
    await expect.poll(() => stateOf(wallet)).toBe('confirmed')
    expect(await journalOf()).toEqual([[0, 0, 'final']])
    expect(await balanceOf(wallet)).toBe(grantWei)
  })
})

test('a grant that was undone and is declined now is named with the words of the node', async () => {
  const wallet = newAddress()
  const before = await node().snapshot()
  const leave = leadFor()
  await claim(wallet)
  await expect.poll(() => stateOf(wallet)).toBe('confirmed')
  await leave()
  await node().revert({ id: before })
  const declining = await startRefusingNode(devnet().rpcUrl)
  stops.push(() => declining.stop())
  const declines = { code: -32_000, message: 'max fee per gas less than block base fee' }
  declining.setRefusal(({ method }) => (method === 'eth_sendRawTransaction' ? declines : null))
  const { log, logged } = listen()
  void lead({ client: createPublicClient({ transport: http(declining.url), cacheTime: 0 }), log })
  await expect.poll(() => logged('faucet.undone-declined').map(({ err }) => String(err))).toHaveLength(1)
  expect(String(logged('faucet.undone-declined')[0]?.['err'])).toContain(declines.message)
})

test('what another key has signed for a claim holds up that claim alone, until it is known what became of it', async () => {
  const old = privateKeyToAccount(generatePrivateKey())
  await devnet().fund(old.address, { ETH: '1' })
  const [wallet, other] = [newAddress(), newAddress()]
  const { id: requestId } = await claim(wallet)
  const fees = { gas: 21_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 1n }
  const call = { type: 'eip1559', chainId: 31337, nonce: 0, to: wallet, value: grantWei, ...fees } as const
  const rawTransaction = await old.signTransaction(call)
  const slot = { requestId, step: 0, chainId: 31337, from: old.address, nonce: 0, attempt: 0, reservationId: null }
  const { hash } = await store.journal.recordSigned({ ...slot, rawTransaction, hash: keccak256(rawTransaction) })
  await store.journal.mark(hash, 'refused')
  await claim(other)
  const { log, logged } = listen()
  const state: LeadState = { isLeading: false, holdsUp: null }
  const leave = leadFor({ log, state })
  await expect.poll(() => stateOf(other)).toBe('confirmed')
  expect(state.holdsUp).toBeNull()
  expect(logged('faucet.other-signer')).toMatchObject([{ others: [old.address] }])
  expect([await balanceOf(wallet), await stateOf(wallet)]).toEqual([0n, 'queued'])
  await leave()
  await client().sendRawTransaction({ serializedTransaction: rawTransaction })
  void lead()
  await expect.poll(() => stateOf(wallet)).toBe('confirmed')
  expect(await balanceOf(wallet)).toBe(grantWei)
})

describe('an endpoint that says nothing', () => {
  let proxy: FaultProxy
  const silent = () =>
    createPublicClient({ transport: http(proxy.url, { timeout: 600_000, retryCount: 0 }), cacheTime: 0 })
  beforeEach(async () => {
    proxy = await startFaultProxy({ target: devnet().rpcUrl })
    stops.push(() => proxy.stop())
  })

  test.each([
    ['looks back', 'eth_getTransactionCount', true],
    ['reads what a grant takes', 'eth_estimateGas', false],
  ] as const)('is left at once while the leader %s', async (_, method, wasPaid) => {
    if (wasPaid) {
      const wallet = newAddress()
      const leave = leadFor()
      await claim(wallet)
      await reached(wallet, 'confirmed')
      await leave()
    }
    await claim(newAddress())
    proxy.setRules([{ methods: [method], fault: { kind: 'stall' } }])
    const leave = leadFor({ client: silent() })
    await expect.poll(() => proxy.faults().get('stall') ?? 0).toBeGreaterThan(0)
    await leave()
  })
})

test('a claim that is declined is signed again after a rest, and at once when another grant is through', async () => {
  const declining = await startRefusingNode(devnet().rpcUrl)
  stops.push(() => declining.stop())
  const declines = { code: -32_000, message: 'exceeds block gas limit' }
  declining.setRefusal(({ method }) => (method === 'eth_sendRawTransaction' ? declines : null))
  const [early, late] = [newAddress(), newAddress()]
  const { id } = await claim(early)
  const states = async () => (await store.journal.byRequest(id)).map(({ state }) => state)
  let at = 0
  const client = createPublicClient({ transport: http(declining.url), cacheTime: 0 })
  void lead({ client, steady: () => at })
  await expect.poll(states).toEqual(['refused'])
  at = 1_000
  await expect.poll(states).toEqual(['refused', 'refused'])
  declining.setRefusal(() => null)
  await claim(late)
  await expect.poll(() => stateOf(late)).toBe('confirmed')
  await expect.poll(() => stateOf(early)).toBe('confirmed')
  expect(await states()).toHaveLength(3)
  expect([await balanceOf(early), await balanceOf(late)]).toEqual([grantWei, grantWei])
})

test('a clock that is set back lets no claim rest for longer', async () => {
  const declining = await startRefusingNode(devnet().rpcUrl)
  stops.push(() => declining.stop())
  let offers = 0
  declining.setRefusal(({ method }) => {
    if (method !== 'eth_sendRawTransaction') return null
    offers += 1
    return offers === 1 ? { code: -32_000, message: 'exceeds block gas limit' } : null
  })
  const wallet = newAddress()
  const { id } = await claim(wallet)
  const signed = async () => (await store.journal.byRequest(id))[0]?.state
  let behindMs = 0
  const now = () => realNow() - behindMs
  const realNow = Date.now
  Date.now = now
  stops.push(async () => void (Date.now = realNow))
  void lead({ client: createPublicClient({ transport: http(declining.url), cacheTime: 0 }), now })
  await expect.poll(signed).toBe('refused')
  behindMs = 86_400_000
  await expect.poll(() => stateOf(wallet)).toBe('confirmed')
})

function lead(change: Partial<Parameters<typeof leadChain>[0]> = {}): Promise<void> {
  const quiet = () => {}
  const term = leadChain({
    chain: devnet().chain,
    client: client(),
    isWrongChain: () => false,
    account,
    store,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    now: Date.now,
    isHeld: () => true,
    bell: createBell(),
    state: { isLeading: false, holdsUp: null },
    signal: leaving.signal,
    ...change,
  })
  terms.push(term)
  return term
}

/** Gives how to end the term. */
function leadFor(change: Partial<Parameters<typeof leadChain>[0]> = {}): () => Promise<void> {
  const term = new AbortController()
  const leading = lead({ ...change, signal: term.signal })
  return async () => {
    term.abort()
    await leading
  }
}

async function claim(address: Address) {
  const wanted = { chainId: 31337, address, appId: 'app', network: '127.0.0.0/24', amountWei: grantWei }
  const [verdict] = await store.claims.make([wanted], [])
  if (verdict?.status !== 'made') throw new Error(verdict?.status)
  return verdict.claim
}

function listen() {
  const lines: { readonly event: string; readonly facts: Readonly<Record<string, unknown>> }[] = []
  const note = (event: string, facts: Readonly<Record<string, unknown>> = {}) => void lines.push({ event, facts })
  return {
    log: { debug: note, info: note, warn: note, error: note },
    logged: (event: string) => lines.filter((line) => line.event === event).map(({ facts }) => facts),
  }
}

function newAddress(): Address {
  return privateKeyToAddress(generatePrivateKey())
}

const node = () => createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
const balanceOf = (address: Address) => client().getBalance({ address })
const stateOf = async (address: Address) => (await store.claims.find(31337, address))?.state
const reached = (address: Address, state: string) =>
  vi.waitUntil(async () => (await stateOf(address)) === state, { timeout: 60_000 })
