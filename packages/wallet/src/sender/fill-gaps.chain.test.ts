import { parseEther, type Hex } from 'viem'
import { describe, expect, test, vi } from 'vitest'
import type { JournalEntry } from '../journal.ts'
import { freely, quick, until, useSender } from '../sender.fixture.ts'
import type { Proposal } from './replace-entry.ts'

const { bob, call, journal, node, reader, run, senderOver, wallet } = useSender()

describe('G3: a nonce that nothing waits at', () => {
  test('because the chain was miscounted twice is used up by a no-op, and what waits above it is mined', async () => {
    const before = await reader().getBalance({ address: bob })
    const waiting = await signedAbove(2)
    const proposals: Proposal[] = []
    const allow = async (proposal: Proposal): Promise<boolean> => proposals.push(proposal) > 0
    const standing = await senderOver().reconcile(freely({ allow }))
    expect(proposals).toMatchObject([
      { kind: 'no-op', nonce: waiting.nonce - 2, attempt: 0, replaces: null },
      { kind: 'no-op', nonce: waiting.nonce - 1, attempt: 0, replaces: null },
    ])
    expect(standing.map(({ requestId }) => requestId === waiting.requestId)).toEqual([true, false, false])
    expect(await senderOver().confirm(waiting, quick)).toMatchObject({ status: 'final' })
    await settleAll()
    expect(await reader().getBalance({ address: bob })).toBe(before + 1n)
    expect(await run(senderOver(), call())).toMatchObject({ status: 'final', entry: { nonce: waiting.nonce + 1 } })
  })

  test('because it was refused below an open one is used up, and the refused call is proved never to be mined', async () => {
    const sender = senderOver()
    const [poor, next] = [await sender.sign(call({ valueWei: parseEther('99999999') })), await sender.sign(call())]
    const waiting = await sender.broadcast(next)
    expect(await sender.broadcast(poor)).toMatchObject({ state: 'refused' })
    await sender.reconcile(freely())
    expect(await sender.confirm(waiting, quick)).toMatchObject({ status: 'final' })
    await settleAll()
    expect((await journal().byNonce(31337, wallet().address, poor.nonce)).map(({ state }) => state)).toEqual([
      'replaced',
      'final',
    ])
  })

  test('because its refusal was the last word is left to a new call for a minute, then used up', async () => {
    const clock = { ms: Date.now() }
    const sender = senderOver(undefined, { now: () => clock.ms })
    const poor = await sender.broadcast(await sender.sign(call({ valueWei: parseEther('99999999') })))
    expect(poor.state).toBe('refused')
    clock.ms += 50_000
    expect(await sender.reconcile(freely())).toEqual([])
    clock.ms += 15_000
    expect(await sender.reconcile(freely())).toMatchObject([{ nonce: poor.nonce, attempt: 1 }])
    await settleAll()
    expect(await journal().byHash(poor.hash)).toMatchObject({ state: 'replaced' })
  })

  test('whose no-op is refused as well is tried again ever more seldom', async () => {
    const clock = { ms: Date.now() }
    let offers = 0
    const refuse = async (method: string, forward: () => Promise<unknown>): Promise<unknown> => {
      if (method !== 'eth_sendRawTransaction') return forward()
      offers += 1
      throw new Error('insufficient funds for gas * price + value')
    }
    const sender = senderOver(refuse, { now: () => clock.ms })
    await sender.broadcast(await sender.sign(call()))
    const tried: number[] = []
    for (let minute = 1; minute <= 20; minute += 1) {
      clock.ms = Date.now() + minute * 60_000 + 1_000
      const seen = offers
      await sender.reconcile(freely())
      if (offers > seen) tried.push(minute)
    }
    // The journal's clock stands still here, so the first no-op and all after it are as young as the call.
    expect(tried).toEqual([1, 2, 4, 8, 16])
  })

  test('is filled three at a time', async () => {
    await signedAbove(5)
    const sender = senderOver()
    await node().setAutomine(false)
    expect(await newNonces(() => sender.reconcile(freely()))).toHaveLength(3)
    expect(await newNonces(() => sender.reconcile(freely()))).toHaveLength(2)
    expect(await newNonces(() => sender.reconcile(freely()))).toHaveLength(0)
  })

  test('is not filled without rules or without leave', async () => {
    await signedAbove(1)
    await senderOver().reconcile()
    await senderOver().reconcile(freely({ allow: async () => false }))
    expect(await journal().open(31337, wallet().address)).toHaveLength(1)
  })

  test('is not filled above the cap', async () => {
    await signedAbove(1)
    await senderOver().reconcile(freely({ feeCapWei: async () => 0n }))
    expect(await journal().open(31337, wallet().address)).toHaveLength(1)
  })
})

describe('a count that is not to be trusted', () => {
  test('fills nothing while two endpoints disagree, and goes on when they agree', async () => {
    const waiting = await signedAbove(1)
    const count = waiting.nonce - 1
    for (const counts of [
      [count, count + 1],
      [count - 1, count],
    ]) {
      await senderOver(undefined, { counts: async () => counts }).reconcile(freely())
      expect(await journal().open(31337, wallet().address)).toHaveLength(1)
    }
    await senderOver(undefined, { counts: async () => [count, count] }).reconcile(freely())
    expect(await senderOver().confirm(waiting, quick)).toMatchObject({ status: 'final' })
  })

  test('fills nothing while an endpoint gives another number each time', async () => {
    const waiting = await signedAbove(2)
    let reads = 0
    const sender = senderOver(async (method, forward) => {
      const answer = await forward()
      if (method !== 'eth_getTransactionCount') return answer
      reads += 1
      return `0x${(Number(answer) + (reads % 2)).toString(16)}`
    })
    await sender.reconcile(freely())
    expect(reads).toBeGreaterThan(1)
    expect(await journal().open(31337, wallet().address)).toMatchObject([{ hash: waiting.hash }])
  })
})

describe('bytes an endpoint refused and forwarded all the same', () => {
  test('are noticed once the chain counts their nonce, and settled with their receipt', async () => {
    const { entry, forward } = await refusedAndKept()
    await forward()
    expect(await senderOver().reconcile()).toMatchObject([{ hash: entry.hash, state: 'final', gasUsed: 21_000n }])
    expect(await run(senderOver(), call())).toMatchObject({ status: 'final', entry: { nonce: entry.nonce + 1 } })
  })

  test('are mined at most once beside the call that took their nonce, and each request hears the truth', async () => {
    const before = await reader().getBalance({ address: bob })
    const { entry, forward } = await refusedAndKept()
    const other = await senderOver().sign(call())
    expect(other).toMatchObject({ nonce: entry.nonce, attempt: 1 })
    await forward()
    expect(await senderOver().confirm(await senderOver().broadcast(other), quick)).toMatchObject({
      status: 'replaced',
    })
    await settleAll()
    expect(await journal().byHash(entry.hash)).toMatchObject({ state: 'final' })
    expect(await reader().getBalance({ address: bob })).toBe(before + 1n)
  })

  test('count as replaced once another call of ours was mined at their nonce', async () => {
    const { entry } = await refusedAndKept()
    await run(senderOver(), call())
    expect(await journal().byHash(entry.hash)).toMatchObject({ state: 'replaced' })
  })
})

/** Something signed too far above the chain's count, because an endpoint gave a wrong one twice. */
async function signedAbove(gap: number): Promise<JournalEntry> {
  const sender = senderOver(async (method, forward) => {
    const answer = await forward()
    return method === 'eth_getTransactionCount' ? `0x${(Number(answer) + gap).toString(16)}` : answer
  })
  const signed = await sender.sign(call())
  return senderOver().broadcast(signed)
}

/** A call the endpoint refused, and the way in which it reaches a block nonetheless. */
async function refusedAndKept(): Promise<{ readonly entry: JournalEntry; readonly forward: () => Promise<void> }> {
  const sender = senderOver(async (method, forward) => {
    if (method === 'eth_sendRawTransaction') throw new Error('insufficient funds for gas * price + value')
    return forward()
  })
  const entry = await sender.broadcast(await sender.sign(call()))
  expect(entry.state).toBe('refused')
  const forward = async (): Promise<void> => {
    const hash: Hex = await reader().request({
      method: 'eth_sendRawTransaction',
      params: [entry.rawTransaction],
    })
    await vi.waitFor(() => reader().getTransactionReceipt({ hash }), { timeout: 60_000, interval: 20 })
  }
  return { entry, forward }
}

/** Reconciles until nothing is open. */
async function settleAll(): Promise<void> {
  await until(async () => {
    await senderOver().reconcile()
    return (await journal().open(31337, wallet().address)).length === 0
  })
}

async function newNonces(work: () => Promise<unknown>): Promise<readonly number[]> {
  const open = async () => (await journal().open(31337, wallet().address)).map(({ nonce }) => nonce)
  const before = await open()
  await work()
  return (await open()).filter((nonce) => !before.includes(nonce))
}
