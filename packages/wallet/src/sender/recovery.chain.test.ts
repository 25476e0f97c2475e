import type { Address } from 'viem'
import { describe, expect, test } from 'vitest'
import { freely, quick, until, useSender } from '../sender.fixture.ts'

const { bob, call, journal, node, reader, run, sendElsewhere, senderOver, wallet } = useSender()

test('what the node dropped is sent again by reconcile, the same bytes', async () => {
  await node().setAutomine(false)
  const sent = await senderOver().broadcast(await senderOver().sign(call()))
  await node().dropTransaction({ hash: sent.hash })
  await senderOver().reconcile(freely({ stuckAfterMs: 3_600_000 }))
  await node().mine({ blocks: 1 })
  expect(await senderOver().confirm(sent, quick)).toMatchObject({ status: 'final', entry: { hash: sent.hash } })
})

test('a receipt that cannot be had keeps what else is out waiting until its nonce is settled, and is read when it can be', async () => {
  let isHad = false
  const sender = senderOver(
    (method, pass) =>
      method === 'eth_getTransactionReceipt' && !isHad ? Promise.reject(new Error('too big')) : pass(),
    { confirmations: 3 },
  )
  await node().mine({ blocks: 3 })
  const sent = await sender.broadcast(await sender.sign(call()))
  const asked: string[] = []
  const onUnread = ({ hash }: { hash: string }) => (asked.push(hash), true)
  await expect(sender.reconcile(freely({ onUnread }))).rejects.toThrow('too big')
  expect(asked).toEqual([])
  await node().mine({ blocks: 3 })
  await expect(sender.reconcile(freely({ onUnread: () => false }))).rejects.toThrow('too big')
  expect(await sender.reconcile(freely({ onUnread }))).toEqual([])
  expect(asked).toEqual([sent.hash])
  expect(await journal().byHash(sent.hash)).toMatchObject({ state: 'broadcast' })
  const next = await sender.broadcast(await sender.sign(call()))
  expect(next.nonce).toBe(sent.nonce + 1)
  isHad = true
  expect(await sender.reconcile(freely({ onUnread }))).toMatchObject([
    { hash: sent.hash, state: 'final' },
    { hash: next.hash },
  ])
})

test('a foreign transaction with the same key ends the request, which may be made again at the next nonce', async () => {
  const before = await reader().getBalance({ address: bob })
  const sender = senderOver()
  const signed = await sender.sign(call({ requestId: 'first' }))
  await sendElsewhere(signed.nonce)
  await sendElsewhere(signed.nonce + 1)
  expect(await sender.reconcile(freely())).toMatchObject([{ hash: signed.hash, state: 'superseded' }])
  const again = await run(sender, call({ requestId: 'again' }))
  expect(again).toMatchObject({ status: 'final', entry: { nonce: signed.nonce + 2 } })
  expect(await reader().getBalance({ address: bob })).toBe(before + 15n)
})

describe.each([1, 2, 3])('a reorg of depth %s', (depth) => {
  test('takes what it undid back to broadcast, sends it again, and each is mined once', async () => {
    const before = await reader().getBalance({ address: bob })
    // The blocks that are asked for are then of this test: of those the chain was loaded with it keeps no state, and a
    // look before the first of ours is mined would be refused.
    await node().mine({ blocks: depth })
    const sender = senderOver(undefined, { confirmations: depth + 1 })
    const sent = []
    for (let index = 0; index < depth; index += 1) sent.push(await sender.broadcast(await sender.sign(call())))
    await until(async () => {
      await sender.reconcile()
      return (await journal().open(31337, wallet().address)).every(({ state }) => state === 'mined')
    })
    await node().setAutomine(false)
    await node().request({ method: 'anvil_reorg', params: [depth, []] } as never)
    expect((await sender.reconcile(freely({ stuckAfterMs: 3_600_000 }))).map(({ state }) => state)).toEqual(
      sent.map(() => 'broadcast'),
    )
    await until(async () => (await node().getTxpoolStatus()).pending === depth)
    await node().mine({ blocks: depth + 1 })
    for (const entry of sent) {
      expect(await sender.confirm(entry, quick)).toMatchObject({ status: 'final', entry: { hash: entry.hash } })
    }
    expect(await reader().getBalance({ address: bob })).toBe(before + BigInt(depth))
  })
})

test('a replacement that a reorg undoes gives way to whichever attempt is mined then', async () => {
  const before = await reader().getBalance({ address: bob })
  await node().setAutomine(false)
  const sender = senderOver(undefined, { confirmations: 2 })
  const sent = await sender.broadcast(await sender.sign(call()))
  const { entry } = await sender.replace(sent, freely())
  await node().mine({ blocks: 1 })
  await sender.reconcile()
  expect(await journal().byHash(entry.hash)).toMatchObject({ state: 'mined' })
  await node().request({ method: 'anvil_reorg', params: [1, []] } as never)
  await node().request({ method: 'anvil_dropAllTransactions' } as never)
  await reader().request({ method: 'eth_sendRawTransaction', params: [sent.rawTransaction] } as never)
  await node().mine({ blocks: 2 })
  expect(await sender.confirm(entry, quick)).toMatchObject({ status: 'final', entry: { hash: sent.hash } })
  expect(await journal().open(31337, wallet().address)).toEqual([])
  expect(await reader().getBalance({ address: bob })).toBe(before + 1n)
})

describe('an account with delegated code', () => {
  test('has one transaction out at a time, and all are mined', async () => {
    await node().setCode({ address: wallet().address, bytecode: `0xef0100${'11'.repeat(20)}` })
    const pooled: number[] = []
    const sender = senderOver(async (method, forward) => {
      const answer = await forward()
      if (method === 'eth_sendRawTransaction') pooled.push(await waitingOf(wallet().address))
      return answer
    })
    await node().setAutomine(false)
    await node().setIntervalMining({ interval: 1 })
    try {
      const confirmed = await Promise.all(Array.from({ length: 4 }, () => run(sender, call())))
      expect(confirmed.map(({ status }) => status)).toEqual(Array(4).fill('final'))
      expect(pooled).toHaveLength(4)
      expect(Math.max(...pooled)).toBeLessThanOrEqual(1)
    } finally {
      await node().setIntervalMining({ interval: 0 })
    }
  })

  test('that the node calls by that name is waited with, and the request does not fail', async () => {
    let refusals = 0
    const sender = senderOver(async (method, forward) => {
      if (method === 'eth_sendRawTransaction' && refusals < 3) {
        refusals += 1
        throw new Error('in-flight transaction limit reached for delegated accounts')
      }
      return forward()
    })
    expect(await run(sender, call())).toMatchObject({ status: 'final', entry: { attempt: 0 } })
    expect(refusals).toBe(3)
  })
})

describe('G3: fifty in flight', () => {
  test('with blocks by the clock are all mined, at contiguous nonces, without a word about nonces', async () => {
    const address = wallet().address
    const first = await reader().getTransactionCount({ address })
    const before = await reader().getBalance({ address: bob })
    const sender = senderOver()
    await node().setAutomine(false)
    await node().setIntervalMining({ interval: 1 })
    try {
      const confirmed = await Promise.all(
        Array.from({ length: 50 }, async () => {
          const entry = await sender.broadcast(await sender.sign(call()))
          expect(entry).toMatchObject({ state: 'broadcast', attempt: 0 })
          return sender.confirm(entry, { ...quick, replacing: freely({ stuckAfterMs: 30_000 }) })
        }),
      )
      expect(confirmed.map(({ status }) => status)).toEqual(Array(50).fill('final'))
      const nonces = confirmed.map(({ entry }) => entry.nonce).sort((a, b) => a - b)
      expect(nonces).toEqual(Array.from({ length: 50 }, (_, index) => first + index))
      expect(await reader().getBalance({ address: bob })).toBe(before + 50n)
      expect(await journal().open(31337, address)).toEqual([])
    } finally {
      await node().setIntervalMining({ interval: 0 })
    }
  })
})

/**
 * How many transactions of one account wait for a block; others may have left theirs in the pool. The node counts a block
 * before it takes its transactions out of the pool, so the count is read after the pool and decides.
 */
async function waitingOf(account: Address): Promise<number> {
  const { pending } = await node().getTxpoolContent()
  const count = await reader().getTransactionCount({ address: account, blockTag: 'latest' })
  const own = Object.entries(pending).filter(([address]) => address.toLowerCase() === account.toLowerCase())
  return own.flatMap(([, byNonce]) => Object.keys(byNonce)).filter((nonce) => Number(nonce) >= count).length
}
