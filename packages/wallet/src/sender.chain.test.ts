import { spawn, type ChildProcess } from 'node:child_process'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import {
  createPublicClient,
  createTestClient,
  createWalletClient,
  custom,
  http,
  parseEther,
  type Address,
  type PublicClient,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Journal, JournalEntry } from './journal.ts'
import { createMemoryJournal } from './memory-journal.ts'
import { createSender, type Sender, type SignRequest } from './sender.ts'
import { ServiceWallet } from './service-wallet.ts'

const privateKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const bob: Address = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const wallet = new ServiceWallet({ mode: 'local', privateKey })
const chain = { id: 31337, confirmations: 1, blockTimeSeconds: 0.2 }
const quick = { pollMs: 50, timeoutMs: 10_000 }

let anvil: ChildProcess
let url: string
let snapshot: `0x${string}`
let journal: Journal
let requests = 0

const test$ = () => createTestClient({ mode: 'anvil', transport: http(url) })

beforeAll(async () => {
  const require = createRequire(import.meta.url)
  const binary = join(dirname(require.resolve('@foundry-rs/anvil-linux-amd64/package.json')), 'bin', 'anvil')
  anvil = spawn(binary, ['--port', '0', '--chain-id', '31337'], { stdio: ['ignore', 'pipe', 'inherit'] })
  url = await new Promise((resolve, reject) => {
    let printed = ''
    anvil.on('error', reject)
    anvil.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const port = /Listening on 127\.0\.0\.1:(\d+)/.exec(printed)?.[1]
      if (port !== undefined) resolve(`http://127.0.0.1:${port}`)
    })
  })
})

afterAll(() => {
  anvil.kill('SIGKILL')
})

beforeEach(async () => {
  snapshot = await test$().snapshot()
  journal = createMemoryJournal({ now: Date.now })
})

afterEach(async () => {
  await test$().setAutomine(true)
  await test$().revert({ id: snapshot })
})

describe('a transaction', () => {
  test('is signed into the journal, sent, and settled with the facts of its block', async () => {
    const sender = senderOver()
    const signed = await sender.sign(call())
    expect(signed).toMatchObject({ state: 'signed', attempt: 0, from: wallet.address, chainId: 31337 })
    expect(await reader().getTransactionCount({ address: wallet.address })).toBe(signed.nonce)

    const sent = await sender.broadcast(signed)
    expect(sent.state).toBe('broadcast')
    const confirmed = await sender.confirm(sent, quick)
    const receipt = await reader().getTransactionReceipt({ hash: signed.hash })
    expect(confirmed).toMatchObject({ status: 'final', receipt: { transactionHash: signed.hash } })
    expect(await journal.byHash(signed.hash)).toMatchObject({
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
      if (method === 'eth_sendRawTransaction') atSend.push((await journal.open(31337, wallet.address))[0] ?? null)
      return forward()
    })
    const signed = await sender.sign(call())
    await sender.broadcast(signed)
    expect(atSend).toEqual([signed])
  })

  test('that reverts is settled as reverted', async () => {
    // PUSH0 PUSH0 REVERT
    await test$().setCode({ address: bob, bytecode: '0x5f5ffd' })
    const confirmed = await run(senderOver(), call({ data: '0x01' }))
    expect(confirmed).toMatchObject({ status: 'reverted', receipt: { status: 'reverted' } })
  })

  test('sent twice has one effect', async () => {
    const sender = senderOver()
    const before = await balanceOf(bob)
    const sent = await sender.broadcast(await sender.sign(call()))
    await sender.broadcast({ ...sent, state: 'signed' })
    await sender.confirm(sent, quick)
    await sender.broadcast(sent)
    expect(await balanceOf(bob)).toBe(before + 1n)
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

  test('costs no more requests than the bare library', async () => {
    requests = 0
    await run(senderOver(), call())
    const ours = requests
    requests = 0
    const transport = http(url, { batch: true, onFetchRequest: countRequest })
    const account = privateKeyToAccount(privateKey)
    const hash = await createWalletClient({ account, transport }).sendTransaction({
      chain: null,
      to: bob,
      value: 1n,
      gas: 30_000n,
      maxFeePerGas: 10n ** 10n,
      maxPriorityFeePerGas: 1n,
      nonce: await reader().getTransactionCount({ address: wallet.address }),
    })
    await createPublicClient({ transport, pollingInterval: 20 }).waitForTransactionReceipt({ hash })
    expect(ours).toBeLessThanOrEqual(requests + 6)
    expect(ours).toBeLessThanOrEqual(5)
  })
})

describe('many at once', () => {
  test('take consecutive nonces and are all mined', async () => {
    const sender = senderOver()
    const first = await reader().getTransactionCount({ address: wallet.address })
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
    const before = await balanceOf(bob)
    expect((await run(sender, call())).status).toBe('final')
    expect(sends).toBe(2)
    expect(await balanceOf(bob)).toBe(before + 1n)
  })

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
    expect(await journal.nextNonce(31337, wallet.address)).toBeNull()
  })

  test('the watch outlives an outage', async () => {
    let down = true
    const sender = senderOver(async (method, forward) => {
      if (down && method === 'eth_getTransactionReceipt') throw new Error('connect ECONNREFUSED')
      return forward()
    })
    const sent = await sender.broadcast(await sender.sign(call()))
    setTimeout(() => (down = false), 300)
    expect(await sender.confirm(sent, quick)).toMatchObject({ status: 'final' })
  })
})

describe('when the chain turns against it', () => {
  test('a caller who leaves or runs out of time gets pending, and the transaction goes on', async () => {
    await test$().setAutomine(false)
    const sender = senderOver()
    const sent = await sender.broadcast(await sender.sign(call()))
    const startedAt = performance.now()
    expect(await sender.confirm(sent, { signal: AbortSignal.timeout(100) })).toMatchObject({ status: 'pending' })
    expect(await sender.confirm(sent, { timeoutMs: 100 })).toMatchObject({ status: 'pending' })
    expect(performance.now() - startedAt).toBeLessThan(1_000)
    await test$().mine({ blocks: 1 })
    expect(await sender.confirm(sent, quick)).toMatchObject({ status: 'final' })
  })

  test('it counts only with the asked confirmations', async () => {
    const sender = senderOver()
    const sent = await sender.broadcast(await sender.sign(call()))
    const early = await sender.confirm(sent, { confirmations: 3, timeoutMs: 300, pollMs: 50 })
    expect(early).toMatchObject({ status: 'pending', entry: { state: 'mined' } })
    await test$().mine({ blocks: 2 })
    expect(await sender.confirm(sent, { ...quick, confirmations: 3 })).toMatchObject({ status: 'final' })
  })

  test('a reorg takes it back to broadcast, and the stored bytes go out again', async () => {
    const sender = senderOver()
    const sent = await sender.broadcast(await sender.sign(call()))
    const watch = sender.confirm(sent, { ...quick, confirmations: 3 })
    await until(async () => (await journal.byHash(sent.hash))?.state === 'mined')
    const lost = await journal.byHash(sent.hash)
    await test$().setAutomine(false)
    await test$().request({ method: 'anvil_reorg', params: [1, []] } as never)
    await until(async () => (await journal.byHash(sent.hash))?.state === 'broadcast')
    expect(await journal.byHash(sent.hash)).not.toHaveProperty('blockHash')
    await until(async () => (await test$().getTxpoolStatus()).pending === 1)
    await test$().mine({ blocks: 3 })
    const confirmed = await watch
    expect(confirmed).toMatchObject({ status: 'final', entry: { hash: sent.hash } })
    expect(confirmed.entry.blockHash).not.toBe(lost?.blockHash)
  })

  test('a dropped transaction is sent again', async () => {
    await test$().setAutomine(false)
    const sender = senderOver()
    const sent = await sender.broadcast(await sender.sign(call()))
    await test$().dropTransaction({ hash: sent.hash })
    const watch = sender.confirm(sent, { ...quick, resendAfterMs: 200 })
    await until(async () => (await test$().getTxpoolStatus()).pending === 1)
    await test$().mine({ blocks: 1 })
    expect(await watch).toMatchObject({ status: 'final' })
  })

  test('a foreign transaction that took the nonce supersedes it', async () => {
    const sender = senderOver()
    const signed = await sender.sign(call())
    await spendNonceElsewhere(signed.nonce)
    expect(await sender.broadcast(signed)).toMatchObject({ state: 'superseded' })
    expect(await sender.confirm(signed, quick)).toMatchObject({ status: 'superseded' })
    expect((await run(sender, call())).status).toBe('final')
  })

  test('a foreign transaction supersedes only once it is as deep as our own must be', async () => {
    const sender = senderOver(undefined, { ...chain, confirmations: 3 })
    const signed = await sender.sign(call())
    await spendNonceElsewhere(signed.nonce)
    const sent = await sender.broadcast(signed)
    expect(sent.state).toBe('broadcast')
    const watch = sender.confirm(sent, quick)
    await test$().mine({ blocks: 2 })
    expect(await watch).toMatchObject({ status: 'superseded' })
  })

  test('bytes the node declines are refused for certain, and their nonce is used again', async () => {
    const sender = senderOver()
    const [poor, next] = [await sender.sign(call({ valueWei: parseEther('99999999') })), await sender.sign(call())]
    const waiting = await sender.broadcast(next)
    expect(await sender.broadcast(poor)).toMatchObject({ state: 'refused' })
    expect(await sender.confirm(poor, quick)).toMatchObject({ status: 'refused' })
    const filler = await run(sender, call())
    expect(filler).toMatchObject({ status: 'final', entry: { nonce: poor.nonce, attempt: 1 } })
    expect(await sender.confirm(waiting, quick)).toMatchObject({ status: 'final' })
  })

  test('a chain that was reset is called by its name', async () => {
    const sender = senderOver()
    await run(sender, call())
    await test$().revert({ id: snapshot })
    snapshot = await test$().snapshot()
    await expect(sender.sign(call())).rejects.toMatchObject({ code: 'NONCE_AHEAD_OF_CHAIN' })
  })
})

type Fault = (method: string, forward: () => Promise<unknown>) => Promise<unknown>

function senderOver(fault?: Fault, row = chain): Sender {
  return createSender({ wallet, chain: row, journal, client: faultyClient(fault), random: () => 0 })
}

function faultyClient(fault: Fault | undefined): PublicClient {
  const transport = http(url, { batch: true, retryCount: 0, onFetchRequest: countRequest })
  if (fault === undefined) return createPublicClient({ transport })
  const inner = createPublicClient({ transport })
  return createPublicClient({
    transport: custom({ request: (body) => fault(body.method, () => inner.request(body as never)) }, { retryCount: 0 }),
  })
}

function countRequest(): void {
  requests += 1
}

function reader(): PublicClient {
  return createPublicClient({ transport: http(url), cacheTime: 0 })
}

function balanceOf(address: Address): Promise<bigint> {
  return reader().getBalance({ address })
}

let calls = 0
function call(change: Partial<SignRequest> = {}): SignRequest {
  calls += 1
  return {
    requestId: `request-${calls}`,
    step: 0,
    to: bob,
    data: '0x',
    valueWei: 1n,
    gasLimit: 60_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
    reservationId: null,
    ...change,
  }
}

async function run(sender: Sender, request: SignRequest): ReturnType<Sender['confirm']> {
  return sender.confirm(await sender.broadcast(await sender.sign(request)), quick)
}

async function spendNonceElsewhere(nonce: number): Promise<void> {
  const account = privateKeyToAccount(privateKey)
  const foreign = createWalletClient({ account, transport: http(url) })
  const hash = await foreign.sendTransaction({ chain: null, to: wallet.address, value: 7n, nonce })
  await reader().waitForTransactionReceipt({ hash, pollingInterval: 20 })
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 250; tries += 1) {
    if (await holds()) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error('did not happen within 5 s')
}
