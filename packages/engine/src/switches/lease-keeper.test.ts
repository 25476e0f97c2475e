import { openStore, type Store } from '@svc/store'
import type { Chain } from '@svc/wallet/core'
import { zeroAddress } from 'viem'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { GuardedSigner } from '../signatures/guarded-signer.ts'
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts'

const chain = { id: 1 } as Chain
const server = { name: 'server', holder: 'another', within: 'store' } as const
let store: Store
beforeEach(async () => {
  store = await openStore({ path: ':memory:', now: Date.now })
})
afterEach(() => store.close())

test('the start waits for a server that is just ending, and refuses one that stays', async () => {
  const other = await store.leases.acquire(server)
  const starting = createLeaseKeeper(store.leases, 'us').requireServer()
  await other.release()
  await starting
  const second = createLeaseKeeper(store.leases, 'them').requireServer()
  await expect(second).rejects.toMatchObject({ code: 'LEASE_HELD', message: expect.stringContaining('us') })
})

test('many that need a lease at once acquire it once, and again when it was lost', async () => {
  const acquired: string[] = []
  let state = true
  const keeper = createLeaseKeeper(
    {
      async acquire({ name }) {
        acquired.push(name)
        state = true
        return { name, isHeld: () => state, confirm: async () => state, onLost: () => {}, release: async () => {} }
      },
    },
    'us',
  )
  const signer = keeper.signerFor(signing([]), chain)
  await Promise.all(Array.from({ length: 5 }, () => sign(signer)))
  state = false
  await Promise.all(Array.from({ length: 5 }, () => sign(signer)))
  expect(acquired).toEqual(['writer:1:0xab', 'writer:1:0xab'])
})

test('without its lease a wallet signs nothing, and work of the server is not done', async () => {
  await store.leases.acquire(server)
  const writer = await store.leases.acquire({ name: 'writer:1:0xab', holder: 'another' })
  const keeper = createLeaseKeeper(store.leases, 'us')
  const signed: unknown[] = []
  const signer = keeper.signerFor(signing(signed), chain)
  await expect(sign(signer)).rejects.toMatchObject({
    code: 'STORAGE_UNAVAILABLE',
  })
  const done: string[] = []
  await expect(keeper.asServer(async () => done.push('work'))).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
  expect([signed, done]).toEqual([[], []])
  await writer.release()
  await sign(signer)
  expect(signed).toHaveLength(1)
})

test('a lease that is lost after the last look is not waited for: nothing is signed', async () => {
  let isHeld = true
  const leases = {
    acquire: async ({ name }: { readonly name: string }) => ({
      name,
      isHeld: () => isHeld,
      confirm: async () => isHeld,
      onLost: () => {},
      release: async () => {},
    }),
  }
  const signed: unknown[] = []
  const signer = createLeaseKeeper(leases, 'us').signerFor(signing(signed), chain)
  const typedData = { domain: {}, types: {}, primaryType: 'Nothing', message: {} }
  const ways = [
    () => signer.signTransaction({ type: 'eip1559', chainId: 1 }),
    () => signer.signAuthorization({ contractAddress: zeroAddress, chainId: 1, nonce: 0 }),
    () => signer.signGranted(typedData, {} as never),
  ]
  const refuseAll = async () => {
    for (const sign of ways) await expect(sign()).rejects.toMatchObject({ code: 'STORAGE_UNAVAILABLE' })
    expect(signed).toEqual([])
  }
  await refuseAll()
  await signer.ready()
  isHeld = false
  await refuseAll()
  isHeld = true
  for (const sign of ways) await sign()
  expect(signed).toHaveLength(3)
})

/** As the sender signs: everything is waited for first. */
async function sign(signer: ReturnType<LeaseKeeper['signerFor']>): Promise<unknown> {
  await signer.ready()
  return signer.signTransaction({ type: 'eip1559', chainId: 1 })
}

function signing(signed: unknown[]): GuardedSigner {
  return {
    address: '0xAb',
    async signTransaction(transaction) {
      signed.push(transaction)
      return '0x'
    },
    async signAuthorization(authorization) {
      signed.push(authorization)
      return { address: zeroAddress, chainId: 1, nonce: 0, r: '0x', s: '0x', yParity: 0 }
    },
    async signGranted(typedData) {
      signed.push(typedData)
      return '0x'
    },
  }
}
