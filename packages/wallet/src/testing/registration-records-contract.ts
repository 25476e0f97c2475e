import assert from 'node:assert/strict'
import type { Address } from 'viem'
import type { RegistrationRecord, RegistrationRecords } from '../agent/registration/registration-records.ts'

/**
 * What all records of registrations must do, as named cases that throw when broken. Each case gets fresh, empty records.
 */
export const registrationRecordsContract: readonly RegistrationRecordsCase[] = [
  {
    name: 'give back what was saved, to the last member',
    async run(records) {
      const update = { tokenId: '0', rest: ['0x12'] } as const
      const saved = sample({ userOperation: { nonce: '0x1', list: [1, null, 'a'] }, userOperationHash: '0xab', update })
      await records.save(saved)
      assert.deepEqual(await records.load(saved.token), saved)
      assert.equal(await records.load('another'), null)
    },
  },
  {
    name: 'replace the record of a token, and no other',
    async run(records) {
      const other = sample({ token: 'b', registry: bob })
      for (const record of [sample({}), other, sample({ state: 'registered', tokenId: '0' })])
        await records.save(record)
      assert.deepEqual(await records.load('a'), sample({ state: 'registered', tokenId: '0' }))
      assert.deepEqual(await records.load('b'), other)
      assert.deepEqual(await records.find(1, alice, alice), sample({ state: 'registered', tokenId: '0' }))
    },
  },
  {
    name: 'find the newest that is not ended, or else the newest',
    async run(records) {
      assert.equal(await records.find(1, alice, alice), null)
      await records.save(sample({ token: 'a', state: 'deferred', updatedAt: 1 }))
      await records.save(sample({ token: 'b', state: 'sent', updatedAt: 2 }))
      await records.save(sample({ token: 'c', state: 'registered', updatedAt: 4 }))
      await records.save(sample({ token: 'd', state: 'failed', updatedAt: 3 }))
      assert.equal((await records.find(1, alice, alice))?.token, 'b')
      await records.save(sample({ token: 'b', state: 'failed', updatedAt: 2 }))
      assert.equal((await records.find(1, alice, alice))?.token, 'a')
      await records.save(sample({ token: 'a', state: 'failed', updatedAt: 1 }))
      assert.equal((await records.find(1, alice, alice))?.token, 'c')
    },
  },
  {
    name: 'keep chains, registries and wallets apart, whatever the case of an address',
    async run(records) {
      await records.save(sample({}))
      assert.equal((await records.find(1, lower(alice), lower(alice)))?.token, 'a')
      assert.equal(await records.find(10, alice, alice), null)
      assert.equal(await records.find(1, bob, alice), null)
      assert.equal(await records.find(1, alice, bob), null)
    },
  },
  {
    name: 'keep registrations and the updates of each agent apart',
    async run(records) {
      await records.save(sample({ token: 'registration', state: 'registered', tokenId: '0', updatedAt: 1 }))
      await records.save(sample({ token: 'of 0', update: { tokenId: '0', rest: [] }, updatedAt: 2 }))
      await records.save(sample({ token: 'of 7', update: { tokenId: '7', rest: [] }, updatedAt: 3 }))
      assert.equal((await records.find(1, alice, alice))?.token, 'registration')
      assert.equal((await records.find(1, alice, alice, '0'))?.token, 'of 0')
      assert.equal((await records.find(1, alice, alice, '7'))?.token, 'of 7')
      assert.equal(await records.find(1, alice, alice, '8'), null)
    },
  },
  {
    name: 'lose none of many that are saved at once',
    async run(records) {
      const tokens = Array.from({ length: 20 }, (_, index) => `token ${index}`)
      await Promise.all(tokens.map((token) => records.save(sample({ token }))))
      for (const token of tokens) assert.equal((await records.load(token))?.token, token)
    },
  },
  {
    name: 'let one work at a time on a matter, whatever the case of an address and however the work before it ended',
    async run(records) {
      const seen: string[] = []
      const step = (name: string) => async () => {
        seen.push(`${name} begins`)
        await records.save(sample({ token: name }))
        seen.push(`${name} ends`)
        if (name === 'b') throw new Error('failed')
        return name
      }
      const works = ['a', 'b', 'c'].map((name, index) =>
        records.inTurn(index === 1 ? { ...matter, owner: lower(alice) } : matter, step(name)),
      )
      const [a, b, c] = await Promise.allSettled(works)
      assert.deepEqual(a, { status: 'fulfilled', value: 'a' })
      assert.equal(b?.status === 'rejected' && b.reason instanceof Error && b.reason.message, 'failed')
      assert.deepEqual(c, { status: 'fulfilled', value: 'c' })
      assert.equal(seen.length, 6)
      for (const index of [0, 2, 4]) assert.equal(seen[index]?.at(0), seen[index + 1]?.at(0))
    },
  },
  {
    name: 'let other matters be worked on meanwhile',
    async run(records) {
      const others = [
        { ...matter, chainId: 10 },
        { ...matter, registry: bob },
        { ...matter, owner: bob },
        { ...matter, updateOf: '0' },
        { ...matter, updateOf: '7' },
      ]
      const reached = await records.inTurn(matter, () =>
        Promise.all(others.map((other, index) => records.inTurn(other, async () => index))),
      )
      assert.deepEqual(reached, [0, 1, 2, 3, 4])
    },
  },
  {
    name: 'give up work that still waits when its signal says so, and none that has begun',
    async run(records) {
      const calling = new AbortController()
      const done: string[] = []
      await records.inTurn(matter, async () => {
        const waiting = records.inTurn(matter, async () => void done.push('given up'), calling.signal)
        const reason = new Error('called off')
        calling.abort(reason)
        await assert.rejects(waiting, reason)
      })
      const late = new AbortController()
      await records.inTurn(
        matter,
        async () => {
          late.abort()
          done.push('begun')
        },
        late.signal,
      )
      await records.inTurn(matter, async () => void done.push('next'))
      assert.deepEqual(done, ['begun', 'next'])
    },
  },
]

/** One promise of records; `run` throws when it is broken. */
export type RegistrationRecordsCase = {
  readonly name: string
  run(records: RegistrationRecords): Promise<void>
}

const alice: Address = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const bob: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const matter = { chainId: 1, registry: alice, owner: alice }

function sample(change: Partial<RegistrationRecord>): RegistrationRecord {
  return {
    token: 'a',
    chainId: 1,
    registry: alice,
    owner: alice,
    state: 'prepared',
    method: 'direct-contract',
    agentURI: 'data:,',
    data: '0x8ea42286',
    txHash: null,
    userOperation: null,
    userOperationHash: null,
    tokenId: null,
    updatedAt: 1,
    ...change,
  }
}

function lower(address: Address): Address {
  return `0x${address.slice(2).toLowerCase()}`
}
