import { parseTransaction } from 'viem'
import { describe, expect, test } from 'vitest'
import type { JournalEntry } from '../journal.ts'
import { freely, quick, until, useSender } from '../sender.fixture.ts'
import type { SignRequest, TransactionSigner } from './sign-request.ts'
import { feesOf } from './fees.ts'
import type { Proposal } from './replace-entry.ts'

const { bob, call, journal, node, reader, senderOver, wallet } = useSender()

describe('a transaction that offers less than the chain asks', () => {
  test('is signed again with an eighth more at least, and the one that is mined is the answer', async () => {
    const before = await reader().getBalance({ address: bob })
    const sender = senderOver()
    const stuck = await sender.broadcast(await sender.sign(await cheap()))
    await raiseBaseFee(3n)
    const watch = sender.confirm(stuck, { ...quick, replacing: freely() })
    await until(async () => (await attemptsAt(stuck)).length > 1)
    await until(async () => (await attemptsAt(stuck)).at(-1)!.state === 'broadcast')
    await node().mine({ blocks: 1 })
    const confirmed = await watch
    expect(confirmed).toMatchObject({ status: 'final', entry: { requestId: stuck.requestId, nonce: stuck.nonce } })
    expect(confirmed.entry.hash).not.toBe(stuck.hash)
    expect(confirmed).toMatchObject({ receipt: { transactionHash: confirmed.entry.hash } })
    const attempts = await attemptsAt(stuck)
    expect(attempts.map(({ state }) => state)).toEqual([...attempts.slice(1).map(() => 'replaced'), 'final'])
    for (const [index, attempt] of attempts.slice(1).entries()) {
      expect(attempt).toMatchObject({ attempt: index + 1, reservationId: stuck.reservationId, step: stuck.step })
      expectAnEighthMore(attempts[index]!, attempt)
      const { to, value, data, gas } = parseTransaction(attempt.rawTransaction)
      expect({ to, value, data, gas }).toEqual({ to: bob.toLowerCase(), value: 1n, data: undefined, gas: 60_000n })
    }
    expect(await reader().getBalance({ address: bob })).toBe(before + 1n)
    expect(await journal().open(31337, wallet().address)).toEqual([])
  })

  test('is raised by the reconcile of another process', async () => {
    const stuck = await senderOver().broadcast(await senderOver().sign(await cheap()))
    await raiseBaseFee(3n)
    const standing = await senderOver().reconcile(freely())
    expect(standing.map(({ attempt, state }) => [attempt, state])).toEqual([
      [0, 'broadcast'],
      [1, 'broadcast'],
    ])
    await node().mine({ blocks: 1 })
    expect(await senderOver().confirm(stuck, quick)).toMatchObject({ status: 'final', entry: { attempt: 1 } })
  })

  test('keeps its fees while it is young, while no rules are given, and when the chain asks no more', async () => {
    const sender = senderOver()
    const stuck = await sender.broadcast(await sender.sign(await cheap()))
    await sender.reconcile(freely({ stuckAfterMs: 3_600_000 }))
    await sender.confirm(stuck, { pollMs: 20, timeoutMs: 300, replacing: freely({ stuckAfterMs: 3_600_000 }) })
    const maxPriorityFeePerGas = await reader().estimateMaxPriorityFeePerGas()
    const asked = await sender.broadcast(await sender.sign(call({ maxPriorityFeePerGas })))
    await sender.reconcile(freely())
    expect(await attemptsAt(asked)).toHaveLength(1)
    await raiseBaseFee(3n)
    const attempts = (await attemptsAt(stuck)).length
    await sender.reconcile()
    await sender.confirm(stuck, { pollMs: 20, timeoutMs: 300 })
    expect(await attemptsAt(stuck)).toHaveLength(attempts)
  })

  test('keeps its fees when signing is stopped while it is being signed again', async () => {
    const sender = senderOver()
    const stuck = await sender.broadcast(await sender.sign(await cheap()))
    const asked: Proposal[] = []
    const isStillAllowed = async (proposal: Proposal) => {
      asked.push(proposal)
      return false
    }
    const outcome = await sender.replace(stuck, freely({ isStillAllowed }))
    expect(outcome).toMatchObject({ status: 'not-allowed', entry: { hash: stuck.hash } })
    expect(asked).toMatchObject([{ kind: 'raise', attempt: 1, replaces: { hash: stuck.hash } }])
    expect(await attemptsAt(stuck)).toHaveLength(1)
  })

  test('is raised at once when the endpoint dropped it for its fees', async () => {
    const sender = senderOver()
    const stuck = await sender.broadcast(await sender.sign(await cheap()))
    await node().dropTransaction({ hash: stuck.hash })
    await raiseBaseFee(3n)
    await sender.reconcile(freely({ stuckAfterMs: 3_600_000 }))
    await node().mine({ blocks: 1 })
    expect(await sender.confirm(stuck, quick)).toMatchObject({ status: 'final', entry: { attempt: 1 } })
  })
})

describe('a replacement', () => {
  test('is in the journal, and was allowed, before its first byte leaves', async () => {
    const seen: unknown[] = []
    const sender = senderOver(async (method, forward) => {
      if (method === 'eth_sendRawTransaction') {
        seen.push((await journal().open(31337, wallet().address)).map(({ attempt, state }) => [attempt, state]))
      }
      return forward()
    })
    const sent = await slow(sender)
    const allow = async (proposal: Proposal): Promise<boolean> => {
      seen.push([proposal, (await attemptsAt(sent)).length])
      return true
    }
    const { entry } = await sender.replace(sent, freely({ allow }))
    const { hash, requestId, step, nonce } = sent
    const proposal = { kind: 'raise', nonce, attempt: 1, replaces: { hash, requestId, step }, gasLimit: 60_000n }
    expect(seen).toEqual([
      [[0, 'signed']],
      [{ ...proposal, ...feesOf(entry) }, 1],
      [
        [0, 'broadcast'],
        [1, 'signed'],
      ],
    ])
  })

  test('is asked for when everything else has been waited for, right before the signature', async () => {
    const marks: string[] = []
    const signer: TransactionSigner = {
      address: wallet().address,
      ready: async () => void marks.push('ready'),
      signTransaction: (transaction) => {
        marks.push('sign')
        return wallet().signTransaction(transaction)
      },
    }
    const sent = await slow(senderOver())
    const allow = async () => marks.push('allow') > 0
    await senderOver(undefined, { wallet: signer }).replace(sent, freely({ allow }))
    expect(marks).toEqual(['ready', 'allow', 'sign'])
  })

  test('stays within the cap to the last wei; above it the old bytes are sent on, and that is told', async () => {
    const sender = senderOver()
    const sent = await slow(sender)
    const leastFee = (10n ** 10n * 9n) / 8n
    await node().dropTransaction({ hash: sent.hash })
    const held: unknown[] = []
    const rules = (feeCapWei: bigint) =>
      freely({ feeCapWei: async () => feeCapWei, onHeld: ({ hash }, why) => held.push([hash, why]) })
    expect(await sender.replace(sent, rules(60_000n * leastFee - 1n))).toMatchObject({ status: 'capped' })
    expect(await attemptsAt(sent)).toHaveLength(1)
    expect(held).toEqual([[sent.hash, 'capped']])
    expect((await node().getTxpoolStatus()).pending).toBe(1)
    const fees = { maxFeePerGas: 10n ** 12n, maxPriorityFeePerGas: 1n }
    const replaced = await sender.replace(sent, { ...rules(60_000n * leastFee), fees })
    expect(replaced.status).toBe('replaced')
    expect(feesOf(replaced.entry).maxFeePerGas).toBe(leastFee)
  })

  test('that is not allowed is not signed', async () => {
    const sender = senderOver()
    const sent = await slow(sender)
    expect(await sender.replace(sent, freely({ allow: async () => false }))).toMatchObject({ status: 'not-allowed' })
    expect(await attemptsAt(sent)).toHaveLength(1)
  })

  test('asked for many times at once is signed once', async () => {
    const sender = senderOver()
    const sent = await slow(sender)
    await Promise.all(Array.from({ length: 8 }, () => sender.replace(sent, freely())))
    const attempts = await attemptsAt(sent)
    for (const [index, attempt] of attempts.slice(1).entries()) expectAnEighthMore(attempts[index]!, attempt)
    await node().mine({ blocks: 1 })
    const confirmed = await sender.confirm(sent, quick)
    expect(confirmed).toMatchObject({ status: 'final', entry: { hash: attempts.at(-1)!.hash } })
  })

  test('of what is mined already signs nothing, and the nonce it is too late for is no error', async () => {
    const sender = senderOver()
    const sent = await slow(sender)
    const { entry } = await sender.replace(sent, freely())
    await node().mine({ blocks: 1 })
    expect(await sender.broadcast(sent)).toMatchObject({ nonce: sent.nonce })
    expect(await sender.confirm(sent, quick)).toMatchObject({ status: 'final', entry: { hash: entry.hash } })
    expect(await sender.replace(sent, freely())).toMatchObject({ status: 'settled' })
    expect(await attemptsAt(sent)).toHaveLength(2)
  })

  test('that loses against the first attempt is closed with it', async () => {
    const sender = senderOver()
    const sent = await slow(sender)
    const { entry } = await sender.replace(sent, freely())
    await node().dropTransaction({ hash: entry.hash })
    await reader().request({ method: 'eth_sendRawTransaction', params: [sent.rawTransaction] } as never)
    await node().mine({ blocks: 1 })
    expect(await sender.confirm(entry, quick)).toMatchObject({ status: 'final', entry: { hash: sent.hash } })
    expect((await attemptsAt(sent)).map(({ state }) => state)).toEqual(['final', 'replaced'])
  })
})

describe('a cancellation', () => {
  test('takes the nonce with nothing, also where no fee may be raised', async () => {
    const before = await reader().getBalance({ address: bob })
    const sender = senderOver()
    const sent = await slow(sender)
    const paused = freely({ allow: async ({ kind }) => kind === 'no-op' })
    const { status, entry } = await sender.cancel(sent, paused)
    expect(status).toBe('replaced')
    expectAnEighthMore(sent, entry)
    expect(entry).toMatchObject({ nonce: sent.nonce, reservationId: null, attempt: 1 })
    expect(entry.requestId).not.toBe(sent.requestId)
    await node().mine({ blocks: 1 })
    expect(await sender.confirm(sent, quick)).toMatchObject({ status: 'replaced', entry: { hash: sent.hash } })
    await sender.reconcile(paused)
    expect((await attemptsAt(sent)).map(({ state }) => state)).toEqual(['replaced', 'final'])
    expect(await reader().getBalance({ address: bob })).toBe(before)
  })

  test('asked for again raises the no-op, and what is stuck at its nonce is the no-op', async () => {
    const sender = senderOver()
    const sent = await slow(sender)
    await sender.cancel(sent, freely())
    await sender.cancel(sent, freely())
    const { entry } = await sender.replace(sent, freely())
    expect(parseTransaction(entry.rawTransaction)).toMatchObject({ to: wallet().address.toLowerCase() })
    expect((await attemptsAt(sent)).map(({ requestId }) => requestId === sent.requestId)).toEqual([
      true,
      false,
      false,
      false,
    ])
  })

  test('that comes too late says so', async () => {
    const sender = senderOver()
    const sent = await slow(sender)
    await node().mine({ blocks: 1 })
    await sender.confirm(sent, quick)
    expect(await sender.cancel(sent, freely())).toMatchObject({ status: 'settled', entry: { hash: sent.hash } })
  })
})

/** A call whose fees are just enough for the newest block; nothing is mined unless the test says so. */
async function cheap(): Promise<SignRequest> {
  await node().setAutomine(false)
  await node().setNextBlockBaseFeePerGas({ baseFeePerGas: 10n ** 9n })
  await node().mine({ blocks: 1 })
  return call({ maxFeePerGas: 10n ** 9n + 10n, maxPriorityFeePerGas: 1n })
}

/** Mines a block that has no room for what offered less than `times` the base fee before. */
async function raiseBaseFee(times: bigint): Promise<void> {
  const { baseFeePerGas } = await reader().getBlock()
  await node().setNextBlockBaseFeePerGas({ baseFeePerGas: baseFeePerGas! * times })
  await node().mine({ blocks: 1 })
}

/** Something that is out and is not mined until the test mines. */
async function slow(sender: ReturnType<typeof senderOver>): Promise<JournalEntry> {
  await node().setAutomine(false)
  return sender.broadcast(await sender.sign(call()))
}

function attemptsAt({ nonce }: JournalEntry): Promise<readonly JournalEntry[]> {
  return journal().byNonce(31337, wallet().address, nonce)
}

function expectAnEighthMore(before: JournalEntry, after: JournalEntry): void {
  const [low, high] = [feesOf(before), feesOf(after)]
  expect(high.maxFeePerGas * 1000n).toBeGreaterThanOrEqual(low.maxFeePerGas * 1125n)
  expect(high.maxPriorityFeePerGas * 1000n).toBeGreaterThanOrEqual(low.maxPriorityFeePerGas * 1125n)
}
