import { createPublicClient, createWalletClient } from 'viem'
import { toAccount } from 'viem/accounts'
import { describe, expect, test, vi } from 'vitest'
import type { JournalEntry } from './journal.ts'
import { quick, useSender } from './sender.fixture.ts'

const { bob, call, journal, node, reader, requests, run, senderOver, transport, wallet } = useSender()

describe('a transaction', () => {
  test('is signed into the journal, sent, and settled with the facts of its block', async () => {
    const sender = senderOver()
    const signed = await sender.sign(call())
    expect(signed).toMatchObject({ state: 'signed', attempt: 0, from: wallet().address, chainId: 31337 })
    expect(await reader().getTransactionCount({ address: wallet().address })).toBe(signed.nonce)

    const sent = await sender.broadcast(signed)
    expect(sent.state).toBe('broadcast')
    const confirmed = await sender.confirm(sent, quick)
    const receipt = await reader().getTransactionReceipt({ hash: signed.hash })
    expect(confirmed).toMatchObject({ status: 'final', receipt: { transactionHash: signed.hash } })
    expect(await journal().byHash(signed.hash)).toMatchObject({
      state: 'final',
      blockNumber: receipt.blockNumber,
      blockHash: receipt.blockHash,
      gasUsed: receipt.gasUsed,
    })
    expect(await reader().getTransaction({ hash: signed.hash })).toMatchObject({ to: bob.toLowerCase(), value: 1n })
  })

  test('is in the journal before its first byte leaves', async () => {
    const atSend: (JournalEntry | null)[] = []
    const sender = senderOver(async (method, forward) => {
      if (method === 'eth_sendRawTransaction') atSend.push((await journal().open(31337, wallet().address))[0] ?? null)
      return forward()
    })
    const signed = await sender.sign(call())
    await sender.broadcast(signed)
    expect(atSend).toEqual([signed])
  })

  test('that reverts is settled as reverted', async () => {
    // PUSH0 PUSH0 REVERT
    await node().setCode({ address: bob, bytecode: '0x5f5ffd' })
    const confirmed = await run(senderOver(), call({ data: '0x01' }))
    expect(confirmed).toMatchObject({ status: 'reverted', receipt: { status: 'reverted' } })
  })

  test('sent twice has one effect', async () => {
    const sender = senderOver()
    const before = await reader().getBalance({ address: bob })
    const sent = await sender.broadcast(await sender.sign(call()))
    await sender.broadcast({ ...sent, state: 'signed' })
    await sender.confirm(sent, quick)
    await sender.broadcast(sent)
    expect(await reader().getBalance({ address: bob })).toBe(before + 1n)
  })

  test('asked for again by the same request is the one signed before', async () => {
    const sender = senderOver()
    const first = await sender.sign(call({ requestId: 'same' }))
    expect(await sender.sign(call({ requestId: 'same' }))).toEqual(first)
    await expect(sender.sign(call({ requestId: 'same', valueWei: 2n }))).rejects.toMatchObject({
      code: 'REQUEST_CONFLICT',
    })
    expect((await sender.sign(call({ requestId: 'same', step: 1, valueWei: 2n }))).nonce).toBe(first.nonce + 1)
  })

  test('is asked for when everything else has been waited for, right before the signature', async () => {
    const marks: string[] = []
    const signer = {
      address: wallet().address,
      ready: async () => void marks.push('ready'),
      signTransaction: (transaction: Parameters<ReturnType<typeof wallet>['signTransaction']>[0]) => {
        marks.push('sign')
        return wallet().signTransaction(transaction)
      },
    }
    const allow = async () => void marks.push('allow')
    const counting: Parameters<typeof senderOver>[0] = (method, forward) => {
      if (method === 'eth_getTransactionCount') marks.push('count')
      return forward()
    }
    const sender = senderOver(counting, { wallet: signer })
    const sent = await sender.broadcast(await sender.sign(call({ allow })))
    expect(marks.slice(-4)).toEqual(['ready', 'allow', 'sign', 'allow'])
    expect(marks.indexOf('count')).toBeLessThan(marks.indexOf('ready'))
    await sender.confirm(sent, quick)
    const refuse = () => Promise.reject(new Error('stopped'))
    await expect(sender.sign(call({ requestId: 'stopped', allow: refuse }))).rejects.toThrow('stopped')
    expect(marks.filter((mark) => mark === 'sign')).toHaveLength(1)
    expect(await journal().byRequest('stopped')).toEqual([])
  })

  test('costs no more requests than the bare library', async () => {
    const sender = senderOver()
    const sent = await sender.broadcast(await sender.sign(call()))
    // Who asks before the block is there asks once more, here as there.
    await vi.waitFor(() => reader().getTransactionReceipt({ hash: sent.hash }), { timeout: 60_000, interval: 20 })
    await sender.confirm(sent, quick)
    const ours = requests()
    const account = toAccount({
      address: wallet().address,
      signTransaction: (transaction) => wallet().signTransaction(transaction),
      signMessage: () => Promise.reject(new Error('not asked for')),
      signTypedData: () => Promise.reject(new Error('not asked for')),
    })
    const bare = transport()
    const hash = await createWalletClient({ account, transport: bare }).sendTransaction({
      chain: null,
      to: bob,
      value: 1n,
      gas: 30_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      nonce: await reader().getTransactionCount({ address: wallet().address }),
    })
    await vi.waitFor(() => reader().getTransactionReceipt({ hash }), { timeout: 60_000, interval: 20 })
    await createPublicClient({ transport: bare, pollingInterval: 20 }).waitForTransactionReceipt({ hash })
    expect(ours).toBeLessThanOrEqual(requests() - ours + 6)
    expect(ours).toBeLessThanOrEqual(5)
  })
})

describe('many at once', () => {
  test('take consecutive nonces and are all mined', async () => {
    const sender = senderOver()
    const first = await reader().getTransactionCount({ address: wallet().address })
    const confirmed = await Promise.all(Array.from({ length: 30 }, () => run(sender, call())))
    expect(confirmed.map((one) => one.status)).toEqual(Array(30).fill('final'))
    const nonces = confirmed.map((one) => one.entry.nonce).sort((a, b) => a - b)
    expect(nonces).toEqual(Array.from({ length: 30 }, (_, index) => first + index))
  })

  test('from two senders over one journal never share a nonce', async () => {
    const senders = [senderOver(), senderOver()]
    const entries = await Promise.all(Array.from({ length: 20 }, (_, index) => senders[index % 2]!.sign(call())))
    expect(new Set(entries.map((entry) => entry.nonce)).size).toBe(20)
  })
})

describe('when the endpoint fails', () => {
  test('a reply lost after the send is not a second transaction', async () => {
    let sends = 0
    const sender = senderOver(async (method, forward) => {
      if (method === 'eth_sendRawTransaction') sends += 1
      const answer = await forward()
      if (method === 'eth_sendRawTransaction') throw new Error('socket hang up')
      return answer
    })
    const before = await reader().getBalance({ address: bob })
    expect((await run(sender, call())).status).toBe('final')
    expect(sends).toBe(2)
    expect(await reader().getBalance({ address: bob })).toBe(before + 1n)
  })

  test('a refusal after a lost reply is no refusal: the bytes may be out', async () => {
    let sends = 0
    const sender = senderOver(async (method, forward) => {
      if (method !== 'eth_sendRawTransaction') return forward()
      sends += 1
      if (sends > 1) throw new Error('insufficient funds for gas * price + value')
      await forward()
      throw new Error('socket hang up')
    })
    const sent = await sender.broadcast(await sender.sign(call()))
    expect(sends).toBe(2)
    expect(sent.state).toBe('broadcast')
    expect(await sender.confirm(sent, quick)).toMatchObject({ status: 'final' })
  })

  test('a refusal by an endpoint that forwarded the bytes is no refusal', async () => {
    const sender = senderOver(async (method, forward) => {
      const answer = await forward()
      if (method === 'eth_sendRawTransaction') throw new Error('insufficient funds for gas * price + value')
      return answer
    })
    const before = await reader().getBalance({ address: bob })
    expect(await run(sender, call())).toMatchObject({ status: 'final' })
    expect(await reader().getBalance({ address: bob })).toBe(before + 1n)

    await node().setAutomine(false)
    const pooled = await sender.broadcast(await sender.sign(call()))
    expect(pooled.state).toBe('broadcast')
    await node().mine({ blocks: 1 })
    expect(await sender.confirm(pooled, quick)).toMatchObject({ status: 'final' })
  })

  test.each(['eth_getTransactionByHash', 'eth_getTransactionCount'])(
    'a refusal is none while %s cannot say that the bytes are unknown',
    async (silent) => {
      let down = false
      const sender = senderOver(async (method, forward) => {
        if (down && method === silent) throw new Error('connect ECONNREFUSED')
        if (method === 'eth_sendRawTransaction') throw new Error('insufficient funds for gas * price + value')
        return forward()
      })
      const signed = await sender.sign(call())
      down = true
      expect(await sender.broadcast(signed)).toMatchObject({ state: 'broadcast' })
    },
  )

  test('an unknown outcome stays open, and is sent again by reconcile after a restart', async () => {
    const mute = senderOver(async (method, forward) => {
      if (method === 'eth_sendRawTransaction') throw new Error('connect ECONNREFUSED')
      return forward()
    })
    const entry = await mute.broadcast(await mute.sign(call()))
    expect(entry.state).toBe('broadcast')
    expect(await mute.confirm(entry, { timeoutMs: 200, pollMs: 20 })).toEqual({ status: 'pending', entry })

    const restarted = senderOver()
    expect((await restarted.reconcile()).map((one) => one.hash)).toEqual([entry.hash])
    expect(await restarted.confirm(entry, quick)).toMatchObject({ status: 'final' })
    expect(await restarted.reconcile()).toEqual([])
  })

  test('a crash between commit and send loses nothing', async () => {
    const first = senderOver()
    const signed = [await first.sign(call()), await first.sign(call())]
    const restarted = senderOver()
    expect((await restarted.reconcile()).map((one) => one.state)).toEqual(['broadcast', 'broadcast'])
    for (const entry of signed) expect(await restarted.confirm(entry, quick)).toMatchObject({ status: 'final' })
  })

  test('nothing is signed while the count cannot be read', async () => {
    const sender = senderOver(async () => {
      throw new Error('connect ECONNREFUSED')
    })
    await expect(sender.sign(call())).rejects.toThrow('ECONNREFUSED')
    expect(await journal().nextNonce(31337, wallet().address)).toBeNull()
  })

  test('a count that is wrong once gets nothing signed, and the next request goes through', async () => {
    let wrong = false
    const sender = senderOver(async (method, forward) => {
      const answer = await forward()
      if (!wrong || method !== 'eth_getTransactionCount') return answer
      wrong = false
      return `0x${(Number(answer) + 1).toString(16)}`
    })
    for (const known of [null, await reader().getTransactionCount({ address: wallet().address })]) {
      wrong = true
      await expect(sender.sign(call())).rejects.toMatchObject({ code: 'NONCE_CONTENDED' })
      expect(await journal().nextNonce(31337, wallet().address)).toBe(known === null ? null : known + 1)
      expect(await run(sender, call())).toMatchObject({ status: 'final' })
    }
  })

  test('a count that was handed in and is wrong gets nothing signed', async () => {
    const latestCount = 1 + (await reader().getTransactionCount({ address: wallet().address }))
    await expect(senderOver().sign(call({ latestCount }))).rejects.toMatchObject({ code: 'NONCE_CONTENDED' })
    expect(await journal().nextNonce(31337, wallet().address)).toBeNull()
  })

  test('the watch outlives an outage', async () => {
    let outages = 3
    const sender = senderOver(async (method, forward) => {
      if (method === 'eth_getTransactionReceipt' && outages-- > 0) throw new Error('connect ECONNREFUSED')
      return forward()
    })
    const sent = await sender.broadcast(await sender.sign(call()))
    expect(await sender.confirm(sent, quick)).toMatchObject({ status: 'final' })
    expect(outages).toBeLessThan(0)
  })
})
