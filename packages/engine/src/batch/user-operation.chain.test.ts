import { type FakeBundler, type Paymaster, startFakeBundler, startPaymaster } from '@svc/devnet/sponsoring'
import { useDevnet } from '@svc/devnet/testing'
import { type Address, concat, encodeFunctionData, type Hex, parseEther, slice, type TypedDataDefinition } from 'viem'
import { openUserOperations, type UserOperations } from '@svc/wallet/core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { wrappedNativeAbi } from '@svc/amm/abis'
import { type Intent, type IntentCall, type Settled, ToolError } from '@svc/amm'
import { answering } from '../fixtures/network.fixture.ts'
import type { Pipeline, PipelineOptions } from '../fixtures/open-pipeline.fixture.ts'
import { principalOf } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'
import { pause } from '../switches/kill-switch.ts'
import { batchOf, naming, nodeOf, runBatch as run, thief } from './batch.fixture.ts'

const devnet = useDevnet()
const pipelines = usePipelines(devnet)
let bundler: FakeBundler
let paymaster: Paymaster

beforeEach(async () => {
  bundler = await startFakeBundler({ devnet: devnet() })
  paymaster = await startPaymaster({ devnet: devnet() })
})
afterEach(async () => {
  await bundler.stop()
  await paymaster.stop()
})

describe('a batch as a user operation', () => {
  it('delegates the wallet, makes all calls, leaves no allowance, and costs the wallet no gas', async () => {
    const pipeline = await open()
    const [weth, native, usdc] = await Promise.all(['WETH', 'ETH', 'USDC'].map((symbol) => pipeline.balance(symbol)))
    const settled = await run(pipeline, await twoSwaps(pipeline, [wrap(pipeline, parseEther('0.1'))]))
    expect(settled.transactions).toHaveLength(1)
    expect(settled.calls.map(({ label, hash }) => [label, hash === settled.main.hash])).toEqual([
      ['swap', true],
      ['swap', true],
      ['wrap', true],
    ])
    const of = pipeline.token('USDC').toLowerCase()
    const transfersOf = (logs: Settled['main']['logs']) =>
      logs.filter(({ address, topics }) => address.toLowerCase() === of && topics[0] === transfer).length
    expect(settled.calls.map(({ logs }) => transfersOf(logs))).toEqual([1, 1, 0])
    expect(await pipeline.balance('WETH')).toBeGreaterThan(weth! + parseEther('0.1'))
    expect(await pipeline.balance('USDC')).toBe(usdc! - 200_000_000n)
    expect(await pipeline.balance('ETH')).toBe(native! - parseEther('0.1'))
    expect(settled).toMatchObject({ gasCostWei: 0n, gasCostUsd: 0 })
    expect(settled.main.gasUsed).toBeGreaterThan(100_000n)
    expect(await pipeline.auditLines()).toContainEqual(
      expect.objectContaining({
        event: 'tx.confirmed',
        result: { status: 'final', gasUsed: `${settled.main.gasUsed}` },
      }),
    )
    expect(settled.gasOfBatch!.together).toBeGreaterThan(0n)
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(await pipeline.store.ledger.open()).toEqual([])
    const again = await run(pipeline, await twoSwaps(pipeline))
    expect(again.main.hash).not.toBe(settled.main.hash)
    // What delegated the wallet took one nonce of it, and the second operation none.
    expect(await pipeline.nonce()).toBe(1)
    await nodeOf(devnet()).mine({ blocks: 3 })
    await pipeline.executor.reconcile()
    expect(await pipeline.store.ledger.held(pipeline.chain.id)).toEqual([])
  })
})

describe('a bundler that', () => {
  it('declines: the caller hears that it is open, nothing else is done meanwhile, and it is over with its time', async () => {
    const pipeline = await open()
    const before = await holdings(pipeline)
    bundler.setFaults([{ fault: { kind: 'reject', message: 'not\u202e today' } }])
    const failure = await failureOf(pipeline.run(await twoSwaps(pipeline)))
    expect(failure).toMatchObject({ code: 'OPERATION_IN_DOUBT' })
    expect(failure.details[0]!.message).toBe('declined by the bundler: not\\u{202e} today')
    expect(await pipeline.store.ledger.open()).toHaveLength(1)
    await expect(pipeline.run(await twoSwaps(pipeline))).rejects.toMatchObject({ code: 'WALLET_BUSY' })
    expect(bundler.received()).toHaveLength(1)
    await passTime(pipeline, 200)
    expect(await pipeline.executor.reconcile()).toMatchObject({ chains: [{ pending: [] }] })
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect(await holdings(pipeline)).toEqual(before)
    bundler.setFaults([])
    await run(pipeline, await twoSwaps(pipeline))
    // One that somebody kept and includes now reverts, and its nonce is taken: it has no effect.
    const after = await holdings(pipeline)
    await bundler.release()
    expect(await holdings(pipeline)).toEqual(after)
  })

  it('holds it until its time is over: whoever includes it then, it reverts and moves nothing', async () => {
    const pipeline = await open()
    bundler.setFaults([{ fault: { kind: 'hold' } }])
    pipeline.patience.isShort = true
    const before = await holdings(pipeline)
    await expect(pipeline.run(await twoSwaps(pipeline))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    await passTime(pipeline, 200)
    await bundler.release()
    expect(await holdings(pipeline)).toEqual(before)
    await reconciledTo(pipeline, ['reverted'])
    expect(await pipeline.store.ledger.open()).toEqual([])
  })

  it('loses it: the next look offers it again, it is made once, and what it moved is counted', async () => {
    const pipeline = await open()
    bundler.setFaults([{ fault: { kind: 'lose' }, times: 1 }])
    pipeline.patience.isShort = true
    const usdc = await pipeline.balance('USDC')
    const pending = await failureOf(pipeline.run(await twoSwaps(pipeline)))
    expect(pending.code).toBe('TRANSACTION_PENDING')
    expect(await pipeline.balance('USDC')).toBe(usdc)
    await reconciledTo(pipeline, ['final'])
    // By the hash that its caller was given, as a repeat of the call asks.
    const given = pending.details[0]!['txHash'] as Hex
    expect(await pipeline.store.transactions.byHash(given)).toMatchObject({ state: 'final' })
    expect(await pipeline.balance('USDC')).toBe(usdc - 200_000_000n)
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect(await pipeline.store.ledger.usage(principal, { sessionIdleMs: 1 })).toMatchObject({
      dailyUsdMicros: 200_000_000n,
      dailyGasUsdMicros: 0n,
    })
  })

  it.each(['final', 'reverted'])(
    'puts it where the receipt cannot be had: it is %s, as its event says, and counts as reserved',
    async (end) => {
      const pipeline = await open()
      bundler.setFaults([{ fault: { kind: 'hold' } }])
      pipeline.patience.isShort = true
      expect((await failureOf(pipeline.run(await twoSwaps(pipeline)))).code).toBe('TRANSACTION_PENDING')
      pipeline.network.fetch = answering('eth_getTransactionReceipt', { code: -32_008, message: 'Response is too big' })
      if (end === 'reverted') await passTime(pipeline, 320)
      await bundler.release()
      await reconciledTo(pipeline, [end])
      expect(await pipeline.store.ledger.open()).toHaveLength(1)
      const unread = async () => (await pipeline.executor.safetyReport(principalOf())).unreadRequests
      expect(await unread()).toBe(1)
      pipeline.network.fetch = fetch
      expect(await pipeline.executor.reconcile()).toMatchObject({ chains: [{ pending: [] }] })
      expect([await pipeline.store.ledger.open(), await unread()]).toEqual([[], 0])
      pipeline.patience.isShort = false
      bundler.setFaults([])
      // What it moved nobody could read for a while, and what was reverted has moved nothing.
      const again = await run(pipeline, await twoSwaps(pipeline)).then(
        () => 'done',
        (error: unknown) => (error instanceof ToolError ? error.code : 'INTERNAL'),
      )
      expect(again).toBe(end === 'final' ? 'CIRCUIT_BREAKER_OPEN' : 'done')
    },
  )

  it('G4: brings it in, and the receipt cannot be had once the journal has its end: it is pending, and counts as reserved', async () => {
    const pipeline = await open()
    const usdc = await pipeline.balance('USDC')
    const refusing = answering('eth_getTransactionReceipt', { code: -32_008, message: 'Response is too big' })
    pipeline.network.fetch = async (input, init) =>
      (await states(pipeline)).includes('final') ? refusing(input, init) : fetch(input, init)
    const failure = await failureOf(pipeline.run(await twoSwaps(pipeline)))
    expect(await pipeline.balance('USDC')).toBe(usdc - 200_000_000n)
    expect(await pipeline.store.ledger.open()).toHaveLength(1)
    expect(failure).toMatchObject({ code: 'TRANSACTION_PENDING' })
    pipeline.network.fetch = fetch
    await pipeline.executor.reconcile()
    expect(await pipeline.store.ledger.open()).toEqual([])
    expect((await pipeline.store.ledger.usage(principal, { sessionIdleMs: 1 })).dailyUsdMicros).toBe(200_000_000n)
  })

  it('answers nothing and includes it all the same: it is done, once', async () => {
    const pipeline = await open({ sponsors: { ...sponsors(), offerTimeoutMs: 300 } })
    bundler.setFaults([{ fault: { kind: 'stall', executed: true }, times: 1 }])
    const usdc = await pipeline.balance('USDC')
    const settled = await run(pipeline, await twoSwaps(pipeline))
    expect(settled.calls).toHaveLength(2)
    expect(await pipeline.balance('USDC')).toBe(usdc - 200_000_000n)
  })
})

describe('a paymaster that', () => {
  it.each([
    ['refuses', { kind: 'refuse' }],
    ['signs with a key that its contract does not trust', { kind: 'foreign-signature' }],
    ['signs for a time that is over', { kind: 'expired' }],
  ] as const)('%s: nothing is signed', async (_what, fault) => {
    const pipeline = await open()
    paymaster.setFaults([{ fault, methods: ['pm_getPaymasterData'] }])
    await expect(pipeline.run(await twoSwaps(pipeline))).rejects.toMatchObject({ code: 'ATOMIC_EXECUTION_UNAVAILABLE' })
    expect(await states(pipeline)).toEqual([])
    expect(bundler.received()).toEqual([])
    expect(await pipeline.store.ledger.open()).toEqual([])
  })
})

describe('what bundler and paymaster made of the operation is held against what the pipeline decided', () => {
  it.each<readonly [string, string, (fields: Fields, pipeline: Pipeline) => Fields]>([
    ['other calls', 'SIGNATURE_NOT_ALLOWED', (fields) => ({ ...fields, callData: '0x34fcd5be' })],
    ['another account', 'SIGNATURE_NOT_ALLOWED', (fields) => ({ ...fields, sender: thief })],
    ['a nonce of another key', 'SIGNATURE_NOT_ALLOWED', (fields) => ({ ...fields, nonce: 1n << 64n })],
    ['another delegate', 'SIGNATURE_NOT_ALLOWED', (fields) => ({ ...fields, initCode: thief })],
    ['nobody who pays', 'SIGNATURE_NOT_ALLOWED', (fields) => ({ ...fields, paymasterAndData: '0x' })],
    ['the wallet as who pays', 'SIGNATURE_NOT_ALLOWED', (fields, { wallet }) => paidBy(fields, wallet)],
    [
      'the router as who pays',
      'SIGNATURE_NOT_ALLOWED',
      (fields, { chain }) => paidBy(fields, chain.amm.v3!.swapRouter02),
    ],
    [
      'dear gas',
      'SPENDING_LIMIT_EXCEEDED',
      (fields) => ({ ...fields, gasFees: `0x${'00'.repeat(8)}${'ff'.repeat(24)}` }),
    ],
  ])('%s: nothing is signed', async (_what, code, change) => {
    const pipeline = await open({ engine: { userOperations: () => tampering() } })
    const { chain, rpc, wallet } = pipeline
    const real = openUserOperations({ chain, client: rpc.client(chain), owner: wallet, sponsors: sponsors() })
    const tampering = (): UserOperations => ({
      ...real,
      sign: (calls, signer, options) =>
        real.sign(calls, { ...signer, signTypedData: (data) => signer.signTypedData(changed(data)) }, options),
    })
    const changed = (data: TypedDataDefinition) => ({ ...data, message: change({ ...data.message }, pipeline) })
    await expect(pipeline.run(await twoSwaps(pipeline))).rejects.toMatchObject({ code })
    expect(await states(pipeline)).toEqual([])
    expect(bundler.received()).toEqual([])
    expect(await pipeline.store.ledger.open()).toEqual([])
  })
})

it('a server that ends while the bundler has lost what it was sent: the next one sends the same once more, and it is made once', async () => {
  const second = await open()
  const { privateKey, dataDir } = second
  bundler.setFaults([{ fault: { kind: 'lose' } }])
  second.patience.isShort = true
  const usdc = await second.balance('USDC')
  await expect(second.run(await twoSwaps(second))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
  await pipelines.close(second)
  bundler.restart()
  bundler.setFaults([])
  const third = await open({ privateKey, dataDir })
  await third.store.ledger.releaseUnsigned()
  await reconciledTo(third, ['final'])
  expect(await third.balance('USDC')).toBe(usdc - 200_000_000n)
  expect(await third.store.ledger.open()).toEqual([])
  await run(third, await twoSwaps(third))
  expect(await third.balance('USDC')).toBe(usdc - 400_000_000n)
})

it('what reverts on the way is the failure of the operation, whatever its transaction says, and costs nothing', async () => {
  const pipeline = await open()
  const { address } = pipeline.chain.wrappedNative
  const code = await pipeline.rpc.client(pipeline.chain).getCode({ address })
  bundler.setFaults([{ fault: { kind: 'hold' } }])
  const before = await holdings(pipeline)
  const intent = await twoSwaps(pipeline)
  const running = failureOf(pipeline.run(intent))
  await expect.poll(() => states(pipeline), { timeout: 60_000 }).toEqual(['broadcast'])
  await nodeOf(devnet()).setCode({ address, bytecode: '0x60006000fd' })
  await bundler.release()
  expect(await running).toMatchObject({ code: 'TRANSACTION_REVERTED' })
  await nodeOf(devnet()).setCode({ address, bytecode: code! })
  expect(await holdings(pipeline)).toEqual(before)
  expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
  expect(await states(pipeline)).toEqual(['reverted'])
  expect(await pipeline.store.ledger.open()).toEqual([])
  const heldUsd = async () => Number((await pipeline.executor.safetyReport(principalOf())).heldUsd)
  expect(await heldUsd()).toBe(200)
  await nodeOf(devnet()).mine({ blocks: 3 })
  await pipeline.executor.reconcile()
  expect(await heldUsd()).toBe(0)
})

it('the batch of our own delegate stays the way where it works, and a plan for one way is not carried out by the other', async () => {
  const pipeline = await open({ policy: naming(devnet()) })
  await expect(pipeline.run(await twoSwaps(pipeline))).rejects.toMatchObject({ code: 'ATOMIC_EXECUTION_UNAVAILABLE' })
  await run(pipeline, { ...(await twoSwaps(pipeline)), atomicity: 'batch-7702' })
  expect(bundler.received()).toEqual([])
})

it('without a bundler, or without a name in the policy, there is no such way', async () => {
  const { simple7702Account } = devnet()
  const alone = await pipelines.open({ policy: naming(devnet(), simple7702Account) })
  const failure = await failureOf(alone.run(await twoSwaps(alone)))
  expect(failure).toMatchObject({ code: 'ATOMIC_EXECUTION_UNAVAILABLE' })
  expect(failure.message).toMatch(/no bundler and paymaster/)
  const unnamed = await open({ policy: { ...naming(devnet()), batchDelegate: {} } })
  await expect(unnamed.run(await twoSwaps(unnamed))).rejects.toMatchObject({ code: 'ATOMIC_EXECUTION_UNAVAILABLE' })
})

it('a pause while bundler and paymaster are asked keeps it from being signed', async () => {
  const pipeline = await open({ engine: { userOperations: () => pausing } })
  const { chain, rpc, wallet, dataDir } = pipeline
  const real = openUserOperations({ chain, client: rpc.client(chain), owner: wallet, sponsors: sponsors() })
  const signatures: unknown[] = []
  const pausing: UserOperations = {
    ...real,
    sign: async (calls, signer, options) => {
      await pause({ dataDir }, { by: 'operator:ada', at: new Date().toISOString(), reason: null })
      const noting = async <Value>(signing: Promise<Value>) => (signatures.push(await signing), await signing)
      const noted: typeof signer = {
        signAuthorization: (authorization) => noting(signer.signAuthorization(authorization)),
        signTypedData: (typedData) => noting(signer.signTypedData(typedData)),
      }
      return await real.sign(calls, noted, options)
    },
  }
  await expect(pipeline.run(await twoSwaps(pipeline))).rejects.toMatchObject({ code: 'SERVER_PAUSED' })
  expect([signatures, await states(pipeline), bundler.received()]).toEqual([[], [], []])
})

type Fields = Readonly<Record<string, unknown>>

function paidBy(fields: Fields, payer: Address): Fields {
  return { ...fields, paymasterAndData: concat([payer, slice(fields['paymasterAndData'] as Hex, 20)]) }
}

const principal = 'api-key:7e57000000000000'

async function failureOf(running: Promise<unknown>): Promise<ToolError> {
  const failure = await running.then(
    () => null,
    (error: unknown) => error,
  )
  if (failure instanceof ToolError) return failure
  throw failure ?? new Error('It was carried out.')
}

async function passTime(pipeline: Pipeline, seconds: number): Promise<void> {
  pipeline.clock.offsetMs += seconds * 1_000
  await nodeOf(devnet()).increaseTime({ seconds })
  // Blocks that no ordinary reorganisation takes back, and one whose time is later.
  await nodeOf(devnet()).mine({ blocks: 3 })
}

async function holdings(pipeline: Pipeline): Promise<readonly bigint[]> {
  return Promise.all(['USDC', 'WETH', 'ETH'].map((symbol) => pipeline.balance(symbol)))
}

/** As the server does again and again. */
async function reconciledTo(pipeline: Pipeline, ends: readonly string[]): Promise<void> {
  const look = async () => {
    await pipeline.executor.reconcile()
    return await states(pipeline)
  }
  await expect.poll(look, { timeout: 60_000 }).toEqual(ends)
}

async function states({ store, chain }: Pipeline): Promise<readonly string[]> {
  const all = await store.transactions.list({ states: ['signed', 'broadcast', 'final', 'reverted', 'refused'] })
  return all.filter(({ chainId }) => chainId === chain.id).map(({ state }) => state)
}

function open(options: PipelineOptions = {}): Promise<Pipeline> {
  const account = devnet().simple7702Account
  return pipelines.open({ policy: naming(devnet(), account), sponsors: sponsors(), ...options })
}

function sponsors() {
  return { bundlerUrl: bundler.url, paymasterUrl: paymaster.url }
}

/** With a deadline that outlasts the operation's own time, by the clock of a chain on which tests let time pass. */
async function twoSwaps(pipeline: Pipeline, more: readonly IntentCall[] = []): Promise<Intent> {
  const { timestamp } = await pipeline.rpc.client(pipeline.chain).getBlock()
  const deadline = BigInt(Math.max(Number(timestamp), Math.floor(Date.now() / 1_000)) + 400)
  return batchOf(pipeline, [{ deadline }, { deadline }], more, '100', 'user-operation')
}

function wrap({ chain }: Pipeline, valueWei: bigint): IntentCall {
  const data = encodeFunctionData({ abi: wrappedNativeAbi, functionName: 'deposit' })
  return { to: chain.wrappedNative.address, data, valueWei, label: 'wrap' }
}

const transfer = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
