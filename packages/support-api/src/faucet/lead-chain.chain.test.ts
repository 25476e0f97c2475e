import { useDevnet } from '@svc/devnet/testing'
import { openStore, type Store } from '@svc/store'
import { createPublicClient, createTestClient, http, parseEther, parseGwei, parseTransaction, type Address } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createBell } from './bell.ts'
import { leadChain, type LeadState } from './lead-chain.ts'

const devnet = useDevnet()
const grantWei = parseEther('0.01')
let store: Store
let account: ReturnType<typeof privateKeyToAccount>
let leaving: AbortController
let terms: Promise<unknown>[]
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

async function claim(address: Address) {
  const wanted = { chainId: 31337, address, appId: 'app', network: '127.0.0.0/24', amountWei: grantWei }
  const [verdict] = await store.claims.make([wanted], [])
  if (verdict?.status !== 'made') throw new Error(verdict?.status)
  return verdict.claim
}

function newAddress(): Address {
  return privateKeyToAddress(generatePrivateKey())
}

const node = () => createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
const client = () => createPublicClient({ transport: http(devnet().rpcUrl), cacheTime: 0 })
