import { useDevnet } from '@svc/devnet/testing'
import { type Address, encodeFunctionData, parseEther } from 'viem'
import { describe, expect, it } from 'vitest'
import { erc20Abi, wrappedNativeAbi } from '@svc/amm/abis'
import type { IntentCall, Settled } from '@svc/amm'
import { replayAuditDay } from '../audit/replay-audit-day.ts'
import { batchDelegate } from '../calldata/contracts.gen.ts'
import { swapIntent } from '../fixtures/intents.fixture.ts'
import { methodsIn } from '../fixtures/network.fixture.ts'
import type { Pipeline, PipelineOptions } from '../fixtures/open-pipeline.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'
import { batchOf, naming, nodeOf, runBatch as run, thief } from './batch.fixture.ts'

const devnet = useDevnet()
const pipelines = usePipelines(devnet)

describe('a batch', () => {
  it('delegates the wallet and makes all calls in one transaction, which leaves no allowance', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    const [weth, native] = await Promise.all([pipeline.balance('WETH'), pipeline.balance('ETH')])
    const settled = await run(pipeline, batchOf(pipeline, [{}, {}], [wrap(pipeline, parseEther('0.1'))]))
    expect(settled.transactions).toHaveLength(1)
    expect(settled.calls.map(({ label, hash }) => [label, hash === settled.main.hash])).toEqual([
      ['swap', true],
      ['swap', true],
      ['wrap', true],
    ])
    // Each call sees its own logs: one transfer of USDC in each swap, and none where native currency is wrapped.
    const usdc = pipeline.token('USDC').toLowerCase()
    const transfersOf = (logs: Settled['main']['logs']) =>
      logs.filter(({ address, topics }) => address.toLowerCase() === usdc && topics[0] === transfer).length
    expect(settled.calls.map(({ logs }) => transfersOf(logs))).toEqual([1, 1, 0])
    expect(await pipeline.balance('WETH')).toBeGreaterThan(weth + parseEther('0.1'))
    expect(await pipeline.balance('ETH')).toBe(native - parseEther('0.1') - settled.gasCostWei)
    expect(await pipeline.allowance('USDC', router)).toBe(0n)
    expect(await codeOf(pipeline)).toBe(`0xef0100${devnet().batchDelegate.slice(2).toLowerCase()}`)
    expect(await pipeline.nonce()).toBe(2)
    expect(settled.gasOfBatch!.together).toBeLessThan(settled.gasOfBatch!.apart)
  })

  it('of a wallet that is delegated already moves its nonce by one', async () => {
    const pipeline = await open()
    await run(pipeline, batchOf(pipeline, [{}, {}]))
    const again = await run(pipeline, batchOf(pipeline, [{}, {}]))
    expect(await pipeline.nonce()).toBe(3)
    const client = pipeline.rpc.client(pipeline.chain)
    expect(await client.getTransaction({ hash: again.main.hash })).toMatchObject({
      type: 'eip1559',
      to: lower(pipeline),
    })
    // What its calls leave of an allowance the batch itself takes back.
    const intent = batchOf(pipeline, [{}, {}])
    const approvals = intent.approvals.map((approval) => ({ ...approval, amount: approval.amount + 5n }))
    const { transactions } = await run(pipeline, { ...intent, approvals })
    expect(transactions).toHaveLength(1)
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    // Other writes go on as before.
    await pipeline.run(swapIntent(pipeline, '100'))
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
  })

  it('is counted, audited and simulated again with the calls inside', async () => {
    const pipeline = await open({ policy: { ...naming(devnet()), limitsUsd: { ...wide, perTransaction: '150' } } })
    const refused = pipeline.run(batchOf(pipeline, [{}, {}]))
    await expect(refused).rejects.toMatchObject({ code: 'SPENDING_LIMIT_EXCEEDED' })
    await run(pipeline, batchOf(pipeline, [{}, {}], [], '60'))
    const lines = await pipeline.auditLines()
    const intent = lines.find(({ event }) => event === 'tx.intent')!
    expect(intent['transaction']).toMatchObject({
      to: pipeline.wallet,
      delegate: devnet().batchDelegate,
      calls: [
        { kind: 'approve' },
        { kind: 'call', label: 'swap' },
        { kind: 'call', label: 'swap' },
        { kind: 'revoke' },
      ],
    })
    const day = new Date().toISOString().slice(0, 10)
    const client = () => pipeline.rpc.client(pipeline.chain)
    const replayed = []
    for await (const one of replayAuditDay({ dataDir: pipeline.dataDir, day, client, now: Date.now }))
      replayed.push(one)
    expect(replayed).toMatchObject([{ status: 'agrees' }])
  })

  it('is planned by a dry run that shows every call', async () => {
    const pipeline = await open()
    const planned = await pipeline.run(batchOf(pipeline, [{}, {}]), { dryRun: true })
    expect(planned).toMatchObject({
      plan: {
        atomicity: 'batch-7702',
        steps: [{ label: 'approve the exact amount' }, { label: 'swap' }, { label: 'swap' }, {}],
        policy: { allowed: true },
      },
    })
    expect(await pipeline.nonce()).toBe(0)
  })
})

describe('what is not allowed alone is not allowed inside', () => {
  it.each<readonly [string, (pipeline: Pipeline) => IntentCall, string]>([
    ['an unknown contract', () => ({ to: thief, data: '0x', valueWei: 1n, label: 'pay' }), 'CONTRACT_NOT_ALLOWED'],
    ['a token itself', (pipeline) => tokenCall(pipeline, 'transfer'), 'CONTRACT_NOT_ALLOWED'],
    ['an approval', (pipeline) => tokenCall(pipeline, 'approve'), 'CONTRACT_NOT_ALLOWED'],
    ['the wallet itself', (pipeline) => drain(pipeline, pipeline.wallet), 'CONTRACT_NOT_ALLOWED'],
    ['the delegate', (pipeline) => drain(pipeline, devnet().batchDelegate), 'CONTRACT_NOT_ALLOWED'],
    [
      'a payment to somebody else',
      (pipeline) => swapIntent(pipeline, '100', { recipient: thief }).calls[0]!,
      'RECIPIENT_NOT_ALLOWED',
    ],
  ])('%s', async (_what, call, code) => {
    const pipeline = await open()
    await expect(pipeline.run(batchOf(pipeline, [{}], [call(pipeline)]))).rejects.toMatchObject({ code })
    expect(await pipeline.nonce()).toBe(0)
  })

  it('more than is declared', async () => {
    const pipeline = await open()
    const intent = batchOf(pipeline, [{}, {}])
    const less = { ...intent, spends: swapIntent(pipeline, '100').spends }
    await expect(pipeline.run(less)).rejects.toMatchObject({ code: 'UNSAFE_TRANSACTION' })
    expect(await pipeline.nonce()).toBe(0)
  })

  it('an allowance that lasts', async () => {
    const pipeline = await open()
    const intent = batchOf(pipeline, [{}, {}])
    const approvals = intent.approvals.map((approval) => ({ ...approval, revokeAfter: false }))
    await expect(pipeline.run({ ...intent, approvals })).rejects.toMatchObject({ code: 'UNSAFE_TRANSACTION' })
  })
})

it('a contract that is called cannot make the wallet do anything', async () => {
  const hostile: Address = '0x0000000000000000000000000000000000605711'
  // Calls whoever calls it with what it was called with, and keeps in its first slot whether that went through.
  await nodeOf(devnet()).setCode({ address: hostile, bytecode: '0x365f5f375f5f365f5f335af15f5500' })
  const contracts = { [devnet().chainId]: [hostile] }
  const pipeline = await open({ policy: { ...naming(devnet()), contracts } })
  await run(pipeline, batchOf(pipeline, [{}, {}]))
  const native = await pipeline.balance('ETH')
  const settled = await run(pipeline, batchOf(pipeline, [{}], [drain(pipeline, hostile)]))
  const client = pipeline.rpc.client(pipeline.chain)
  expect(await client.getStorageAt({ address: hostile, slot: '0x0' })).toBe(`0x${'0'.repeat(64)}`)
  expect(await client.getBalance({ address: thief })).toBe(0n)
  expect(await pipeline.balance('ETH')).toBe(native - settled.gasCostWei)
  // It does call back: an account that runs no code lets it.
  const plain = devnet().accounts[0]!.address
  await nodeOf(devnet()).sendUnsignedTransaction({ from: plain, to: hostile, data: '0x01', gas: 100_000n })
  await expect.poll(() => client.getStorageAt({ address: hostile, slot: '0x0' })).toBe(`0x${'0'.repeat(63)}1`)
})

it('a contract that tells one transaction from several is refused', async () => {
  const teller: Address = '0x0000000000000000000000000000000000007e11'
  // Gives a wei to whoever calls it and runs no code.
  await nodeOf(devnet()).setCode({ address: teller, bytecode: '0x333b15600757005b5f5f5f5f6001335af100' })
  await nodeOf(devnet()).setBalance({ address: teller, value: parseEther('1') })
  const pipeline = await open({ policy: { ...naming(devnet()), contracts: { [devnet().chainId]: [teller] } } })
  const call = { to: teller, data: '0x01', valueWei: 0n, label: 'ask' } as const
  await expect(pipeline.run(batchOf(pipeline, [{}], [call]))).rejects.toThrow(/something else than one by one/)
  expect(await pipeline.nonce()).toBe(0)
})

describe('a call that fails', () => {
  it('before anything is signed is named, and nothing is', async () => {
    const pipeline = await open()
    const refused = pipeline.run(batchOf(pipeline, [{}, { minimumOut: parseEther('50') }]))
    await expect(refused).rejects.toMatchObject({ code: 'SIMULATION_DRIFT', details: [{ step: 'swap' }] })
    expect(await pipeline.nonce()).toBe(0)
  })

  it('in its block takes all others back with it', async () => {
    const pipeline = await open()
    const [usdc, weth] = await Promise.all([pipeline.balance('USDC'), pipeline.balance('WETH')])
    pipeline.hooks.afterAudit = async (event) => {
      if (event !== 'tx.intent') return
      // The second call meets a token that gives nothing any more.
      await nodeOf(devnet()).setCode({ address: pipeline.chain.wrappedNative.address, bytecode: '0x5f5ffd' })
    }
    const { address } = pipeline.chain.wrappedNative
    const before = await pipeline.rpc.client(pipeline.chain).getCode({ address })
    const refused = pipeline.run(batchOf(pipeline, [{ tokenOut: 'DAI', fee: 100 }, {}]))
    await expect(refused).rejects.toMatchObject({ code: 'TRANSACTION_REVERTED' })
    await nodeOf(devnet()).setCode({ address, bytecode: before! })
    expect(await Promise.all([pipeline.balance('USDC'), pipeline.balance('WETH')])).toEqual([usdc, weth])
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await pipeline.nonce()).toBe(2)
    pipeline.hooks.afterAudit = async () => {}
    await run(pipeline, batchOf(pipeline, [{}, {}]))
    expect(await pipeline.nonce()).toBe(3)
  })
})

it('a server that ends between signing and sending: the next one sends it once, and counts both nonces', async () => {
  const first = await open()
  const weth = await first.balance('WETH')
  const fetch = first.network.fetch
  first.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    if (methodsIn(body).includes('eth_sendRawTransaction')) throw new TypeError('cut off')
    return fetch(input, init)
  }
  first.patience.isShort = true
  await expect(first.run(batchOf(first, [{}, {}]))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  expect(await first.nonce()).toBe(0)
  const { privateKey, dataDir } = first
  await pipelines.close(first)
  const next = await open({ privateKey, dataDir })
  await next.executor.reconcile()
  await expect.poll(() => next.nonce(), { timeout: 60_000 }).toBe(2)
  await next.executor.reconcile()
  expect(await next.balance('WETH')).toBeGreaterThan(weth)
  expect(await next.allowance('USDC', next.chain.amm.v3!.swapRouter02)).toBe(0n)
  expect(await next.store.ledger.open()).toEqual([])
  await run(next, batchOf(next, [{}, {}]))
  expect(await next.nonce()).toBe(3)
})

const wide = { perTransaction: '50000', perSession: '100000', daily: '250000' }

function open(options: PipelineOptions = {}): Promise<Pipeline> {
  return pipelines.open({ policy: naming(devnet()), ...options })
}

function wrap({ chain }: Pipeline, valueWei: bigint): IntentCall {
  const data = encodeFunctionData({ abi: wrappedNativeAbi, functionName: 'deposit' })
  return { to: chain.wrappedNative.address, data, valueWei, label: 'wrap' }
}

function tokenCall(pipeline: Pipeline, functionName: 'transfer' | 'approve'): IntentCall {
  const data = encodeFunctionData({ abi: erc20Abi, functionName, args: [thief, 1n] })
  return { to: pipeline.token('USDC'), data, valueWei: 0n, label: functionName }
}

/** Would send an ether of the wallet away, if whoever is asked could. */
function drain(_pipeline: Pipeline, to: Address): IntentCall {
  const calls = [{ to: thief, value: parseEther('1'), data: '0x' as const }]
  const data = encodeFunctionData({ abi: batchDelegate.abi, functionName: 'execute', args: [calls] })
  return { to, data, valueWei: 0n, label: 'drain' }
}

async function codeOf(pipeline: Pipeline): Promise<string | undefined> {
  const code = await pipeline.rpc.client(pipeline.chain).getCode({ address: pipeline.wallet })
  return code?.toLowerCase()
}

function lower({ wallet }: Pipeline): string {
  return wallet.toLowerCase()
}

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
