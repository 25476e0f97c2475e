import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { awaitReceipt } from '@svc/devnet'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, http, keccak256, parseUnits, numberToHex, pad, toEventSelector } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { erc20Abi, v2RouterAbi } from '@svc/amm/abis'
import { createChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { devnetPolicy, parsePolicy } from '../policy/policy.ts'
import { lenient } from '../../../tool-server/src/fair-value/plans.fixture.ts'
import { sellHostile } from '../simulation/hostile-token.fixture.ts'
import { mintIntent, swapIntent, wrapIntent } from '../fixtures/intents.fixture.ts'
import { mineAgain, mineNothing } from '../fixtures/mining.fixture.ts'
import { answering, methodsIn } from '../fixtures/network.fixture.ts'
import type { Pipeline, PipelineOptions } from '../fixtures/open-pipeline.fixture.ts'
import { testClient } from '../fixtures/pipeline-facts.fixture.ts'
import { bandOf } from '../value/bands.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const pipelines = usePipelines(devnet)
const open = (breaker: object, options: PipelineOptions = {}) =>
  pipelines.open({ policy: { ...devnetPolicy(), breaker }, ...options })

/** Whoever else has the key, without the server. */
async function steal(pipeline: Pipeline, amount: string): Promise<void> {
  const account = privateKeyToAccount(pipeline.privateKey)
  const thief = createWalletClient({ account, transport: http(pipeline.devnet.rpcUrl) })
  const args = ['0x000000000000000000000000000000000000dEaD', parseUnits(amount, 6)] as const
  const hash = await thief.writeContract({
    address: pipeline.token('USDC'),
    abi: erc20Abi,
    functionName: 'transfer',
    args,
    chain: null,
  })
  await vi.waitFor(() => pipeline.rpc.client(pipeline.chain).getTransactionReceipt({ hash }), {
    timeout: 60_000,
    interval: 20,
  })
}

/** A transfer of nothing to itself that draws on no reservation and burns this much native currency. */
async function burn(pipeline: Pipeline, coins: string, state: 'broadcast' | 'final'): Promise<void> {
  const client = pipeline.rpc.client(pipeline.chain)
  const nonce = await pipeline.nonce()
  const perGas = parseUnits(coins, 18) / 21_000n
  const rawTransaction = await privateKeyToAccount(pipeline.privateKey).signTransaction({
    type: 'eip1559',
    chainId: pipeline.chain.id,
    nonce,
    to: pipeline.wallet,
    gas: 21_000n,
    maxFeePerGas: perGas,
    maxPriorityFeePerGas: perGas,
  })
  const slot = {
    requestId: `nobody-${nonce}`,
    step: 0,
    chainId: pipeline.chain.id,
    from: pipeline.wallet,
    nonce,
    attempt: 0,
  }
  const hash = keccak256(rawTransaction)
  await pipeline.store.journal.recordSigned({ ...slot, rawTransaction, hash, reservationId: null })
  await client.sendRawTransaction({ serializedTransaction: rawTransaction })
  await awaitReceipt(client, hash)
  for (const step of ['broadcast', 'mined', 'final'] as const) {
    await pipeline.store.journal.mark(hash, step)
    if (step === state) return
  }
}

const unread = { method: 'peg', pools: [], liquidityUsd: 1e7, confidence: 'HIGH', blockNumber: 0n } as const

const minuteLater = (pipeline: Pipeline) => void (pipeline.clock.offsetMs += 61_000)
const causes = async (pipeline: Pipeline) =>
  (await pipeline.auditLines()).filter(({ event }) => event === 'breaker.open').map(({ cause }) => cause)

describe('G9: a wallet that loses more than was spent on record', () => {
  it('signs no more from the next write on, until the operator re-arms the breaker', async () => {
    const pipeline = await open({ maxBalanceDropPct: 20 })
    await pipeline.run(swapIntent(pipeline, '100'))
    await pipeline.executor.watchBalances()
    // Of 65,000 USD: first too little to tell, then too much.
    minuteLater(pipeline)
    await steal(pipeline, '8000')
    await pipeline.run(swapIntent(pipeline, '100'))
    minuteLater(pipeline)
    await steal(pipeline, '8000')
    const nonce = await pipeline.nonce()
    await expect(pipeline.run(swapIntent(pipeline, '100'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
    expect(await pipeline.nonce()).toBe(nonce)
    expect((await pipeline.auditLines()).filter(({ event }) => event === 'breaker.open')).toMatchObject([
      { cause: expect.stringMatching(/holds on \S+ fell by more than 20 % within 60 min/), openedBy: 'balance' },
    ])
    const { breaker: limits } = parsePolicy({}, { production: false })
    const breaker = createCircuitBreaker({ dataDir: pipeline.dataDir, limits: () => limits, now: Date.now })
    await breaker.rearm({ by: 'operator:ada', at: new Date(pipeline.clock.offsetMs + Date.now()).toISOString() })
    minuteLater(pipeline)
    await pipeline.run(swapIntent(pipeline, '100'))
    await pipeline.executor.watchBalances()
    expect(await causes(pipeline)).toHaveLength(1)
  })

  it('notices native currency that goes, where tokens make it a small part of the whole', async () => {
    const pipeline = await open({ maxBalanceDropPct: 20 })
    await devnet().fund(pipeline.wallet, { USDC: '1000000' })
    await pipeline.run(swapIntent(pipeline, '100'))
    await pipeline.executor.watchBalances()
    // Of 10 ETH beside a million dollars: first too little to tell, then too much.
    for (const [left, count] of [
      ['8.5', 0],
      ['7', 1],
    ] as const) {
      minuteLater(pipeline)
      await testClient(pipeline).setBalance({ address: pipeline.wallet, value: parseUnits(left, 18) })
      await pipeline.executor.watchBalances()
      expect(await causes(pipeline)).toHaveLength(count)
    }
    expect(await causes(pipeline)).toEqual([
      expect.stringMatching(/^the ETH the wallet holds on \S+ fell by more than 20 %/),
    ])
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
  })

  it('is noticed without a write, by a server that has started anew', async () => {
    const pipeline = await open({ maxBalanceDropPct: 20 })
    await pipeline.run(swapIntent(pipeline, '100'))
    await pipeline.executor.watchBalances()
    await pipeline.close()
    pipelines.forget(pipeline)
    await steal(pipeline, '16000')
    const { dataDir, privateKey } = pipeline
    const next = await open({ maxBalanceDropPct: 20 }, { dataDir, privateKey })
    minuteLater(next)
    await next.executor.watchBalances()
    expect(await causes(next)).toHaveLength(1)
  })

  it('is told from one of another wallet, which has less', async () => {
    const pipeline = await open({ maxBalanceDropPct: 20 })
    await pipeline.run(swapIntent(pipeline, '100'))
    await pipeline.executor.watchBalances()
    await pipeline.close()
    pipelines.forget(pipeline)
    const privateKey = generatePrivateKey()
    await devnet().fund(privateKeyToAddress(privateKey), { ETH: '1', USDC: '200' })
    const next = await open({ maxBalanceDropPct: 20 }, { dataDir: pipeline.dataDir, privateKey })
    minuteLater(next)
    await next.run(swapIntent(next, '100'))
    await next.executor.watchBalances()
    expect(await causes(next)).toEqual([])
  })

  it('is told from one that spends within its limits', async () => {
    const pipeline = await open({ maxBalanceDropPct: 5 })
    await pipeline.run(swapIntent(pipeline, '100'))
    await pipeline.executor.watchBalances()
    for (const _ of [1, 2, 3]) {
      minuteLater(pipeline)
      await pipeline.run(await mintIntent(pipeline))
      await pipeline.executor.watchBalances()
    }
    expect(await causes(pipeline)).toEqual([])
  })

  it('is told from one that sells what a stranger gave it and bid high for, and whose bid is gone', async () => {
    const breaker = { maxBalanceDropPct: 5, maxSimulationDriftPct: 5 }
    const pipeline = await open(breaker, { policy: { ...devnetPolicy(), breaker, unnamedSales: 'allow' } })
    const stranger = await createChainActor(devnet(), devnet().accounts.at(-1)!.address)
    await devnet().fund(stranger.address, { USDC: '500000', HOSTILE: '100' })
    const [token, quote] = [pipeline.token('HOSTILE'), pipeline.token('USDC')]
    // As if each were worth 3,000 dollars: more than all else that the wallet holds.
    await stranger.addV2(token, quote, parseUnits('100', 18), parseUnits('300000', 6))
    await devnet().fund(pipeline.wallet, { HOSTILE: '100' })
    await pipeline.run(swapIntent(pipeline, '100'))
    await pipeline.executor.watchBalances()
    minuteLater(pipeline)
    await pipeline.run(await sellHostile(pipeline))
    await testClient(pipeline).mine({ blocks: 1 })
    await devnet().fund(stranger.address, { HOSTILE: '1000000' })
    const dump = [parseUnits('1000000', 18), 0n, [token, quote], stranger.address, 2n ** 40n] as const
    const router = pipeline.chain.amm.v2!.router
    await stranger.write(token, erc20Abi, 'approve', [router, dump[0]])
    await stranger.write(router, v2RouterAbi, 'swapExactTokensForTokens', dump)
    minuteLater(pipeline)
    await pipeline.executor.watchBalances()
    expect(await causes(pipeline)).toEqual([])
    await pipeline.run(swapIntent(pipeline, '100'))
  })

  it('is told from prices that move: up and back, down, or up after what was spent at them', async () => {
    const usd: Record<string, number> = {}
    const policy = { ...lenient, maxDailyLossUsd: '100000', breaker: { maxBalanceDropPct: 5 } }
    const pipeline = await open({}, { usd, policy })
    const look = async (price: number) => {
      Object.assign(usd, { ETH: price, WETH: price })
      // Prices that are known are taken for a while.
      pipeline.clock.offsetMs += 151_000
      await pipeline.executor.watchBalances()
      expect(await causes(pipeline)).toEqual([])
    }
    await pipeline.run(swapIntent(pipeline, '100'))
    await look(3_000)
    for (const _ of [1, 2, 3]) await pipeline.run(await mintIntent(pipeline))
    const [eth, weth] = [pipeline.token('ETH'), pipeline.token('WETH')]
    await pipeline.run(wrapIntent(pipeline, '0xd0e30db0', parseUnits('5', 18), [eth, weth]))
    for (const price of [9_000, 30_000, 3_000, 300]) await look(price)
    // What nobody has on record is noticed as before.
    await steal(pipeline, '5000')
    minuteLater(pipeline)
    await pipeline.executor.watchBalances()
    expect(await causes(pipeline)).toHaveLength(1)
  })

  it('is not looked for in a token whose sources lie further apart than the policy allows', async () => {
    let widthPct = 0n
    const usdOf = async (_chain: unknown, { symbol }: { readonly symbol: string }) => {
      const midE18 = parseUnits({ ETH: '3000', WETH: '3000', USDC: '1' }[symbol] ?? '0', 18)
      if (midE18 === 0n) return null
      const band = bandOf(midE18, symbol === 'USDC' ? { highE18: midE18 + (midE18 * widthPct) / 100n } : {})
      return { usd: 1, band, mostE18: null, doubt: null, readAt: 0, ...unread }
    }
    const prices = { usd: usdOf, ratio: async () => null, doubt: async () => 'unnamed' as const }
    const pipeline = await open({ maxBalanceDropPct: 20 }, { engine: { prices } })
    await pipeline.run(swapIntent(pipeline, '100'))
    await pipeline.executor.watchBalances()
    await steal(pipeline, '16000')
    for (const [pct, count] of [
      [11n, 0],
      [10n, 1],
    ] as const) {
      widthPct = pct
      pipeline.clock.offsetMs += 151_000
      await pipeline.executor.watchBalances()
      expect(await causes(pipeline)).toHaveLength(count)
    }
  })

  it('is not looked for in the dollars that an older version kept', async () => {
    const pipeline = await open({ maxBalanceDropPct: 20 })
    await pipeline.run(swapIntent(pipeline, '100'))
    const at = Date.now() + pipeline.clock.offsetMs
    const older = {
      at,
      worth: { [pipeline.token('USDC').toLowerCase()]: '900000000000' },
      nativeWei: '900000000000000000000',
    }
    const file = { [`${pipeline.chain.id}:${pipeline.wallet.toLowerCase()}`]: [older] }
    await writeFile(join(pipeline.dataDir, 'balances.json'), JSON.stringify(file), { mode: 0o600 })
    minuteLater(pipeline)
    await pipeline.executor.watchBalances()
    expect(await causes(pipeline)).toEqual([])
    await steal(pipeline, '16000')
    minuteLater(pipeline)
    await pipeline.executor.watchBalances()
    expect(await causes(pipeline)).toHaveLength(1)
  })

  it.each(['broadcast', 'final'] as const)(
    'is told from gas that nothing was reserved for, of what is %s and not counted yet',
    async (state) => {
      const pipeline = await open({ maxBalanceDropPct: 20 })
      await pipeline.run(swapIntent(pipeline, '100'))
      await testClient(pipeline).setBalance({ address: pipeline.wallet, value: parseUnits('0.01', 18) })
      await rm(join(pipeline.dataDir, 'balances.json'), { force: true })
      minuteLater(pipeline)
      await pipeline.executor.watchBalances()
      // More than a third of what there is: such as the last no-op of a wallet that is nearly empty.
      await burn(pipeline, '0.004', state)
      minuteLater(pipeline)
      await pipeline.executor.watchBalances()
      expect(await causes(pipeline)).toEqual([])
      await pipeline.executor.reconcile()
      expect(await pipeline.store.ledger.uncountedGas(pipeline.chain.id)).toEqual([])
      minuteLater(pipeline)
      await pipeline.executor.watchBalances()
      expect(await causes(pipeline)).toEqual([])
      // What nobody has on record is noticed as before.
      minuteLater(pipeline)
      await testClient(pipeline).setBalance({ address: pipeline.wallet, value: parseUnits('0.003', 18) })
      await pipeline.executor.watchBalances()
      expect(await causes(pipeline)).toHaveLength(1)
    },
  )

  it('keeps the samples of a place beside others in the file that make no sense', async () => {
    const pipeline = await open({ maxBalanceDropPct: 20 })
    await pipeline.run(swapIntent(pipeline, '100'))
    await pipeline.executor.watchBalances()
    const path = join(pipeline.dataDir, 'balances.json')
    const samples: unknown = JSON.parse(await readFile(path, 'utf8'))
    const former = { [`1:${pipeline.wallet.toLowerCase()}`]: [{ at: 1, worth: {} }] }
    await writeFile(path, JSON.stringify({ ...former, nowhere: [], ...Object(samples) }), { mode: 0o600 })
    await steal(pipeline, '16000')
    minuteLater(pipeline)
    await pipeline.executor.watchBalances()
    expect(await causes(pipeline)).toHaveLength(1)
  })

  it.each([
    ['no price', { usd: { USDC: null } }, undefined],
    ['no balance', {}, answering('eth_getBalance', { code: -32_000, message: 'no' })],
  ])('opens nothing where there is %s', async (_what, options, network) => {
    const pipeline = await open({ maxBalanceDropPct: 20 }, options)
    await pipeline
      .run(
        swapIntent(pipeline, '10', {
          tokenIn: 'WETH',
          amountIn: 10n ** 16n,
          intent: { spends: [{ token: pipeline.token('WETH'), amount: 10n ** 16n }] },
        }),
      )
      .catch(() => {})
    await pipeline.executor.watchBalances()
    await steal(pipeline, '16000')
    minuteLater(pipeline)
    if (network !== undefined) pipeline.network.fetch = network
    await pipeline.executor.watchBalances()
    expect(await causes(pipeline)).toEqual([])
  })

  it('asks one batch more before a write that comes a minute after the last, and nothing within a minute', async () => {
    const pipeline = await open({})
    await pipeline.run(swapIntent(pipeline, '100'))
    await pipeline.executor.watchBalances()
    const requestsOf = async () => {
      pipeline.network.requests.length = 0
      await pipeline.run(swapIntent(pipeline, '100'))
      const { requests } = pipeline.network
      return requests.slice(
        0,
        requests.findIndex((body) => methodsIn(body).includes('eth_simulateV1')),
      ).length
    }
    const without = await requestsOf()
    minuteLater(pipeline)
    // Without it the simulation goes with the first reading, on a head that was just seen; a minute later that is read again.
    expect([without, await requestsOf()]).toEqual([0, 2])
  })
})

describe('G9: a call that ends worse than simulated', () => {
  it('opens the breaker, and its own result is told all the same', async () => {
    const pipeline = await open({ maxSimulationDriftPct: 10 })
    const receipts = async (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
      const response = await fetch(input, init)
      const body: unknown = await response.json()
      return Response.json(withoutArrivals(body, pipeline))
    }
    pipeline.network.fetch = (input, init) =>
      methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_getTransactionReceipt')
        ? receipts(input, init)
        : fetch(input, init)
    expect(await pipeline.run(swapIntent(pipeline, '300'))).toHaveProperty('main.hash')
    expect((await pipeline.auditLines()).filter(({ event }) => event === 'breaker.open')).toMatchObject([
      { cause: expect.stringMatching(/ended more than 10 % worse than simulated/), openedBy: 'drift' },
    ])
    pipeline.network.fetch = fetch
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
  })

  it.each([
    ['of anybody is logged and opens nothing', null, false],
    ['on a list opens it', 'WETH', true],
  ] as const)('an announced transfer that was not simulated, of a token %s', async (_what, symbol, opens) => {
    const pipeline = await open({ maxSimulationDriftPct: 10 })
    const token = symbol === null ? '0x00000000000000000000000000000000000bad00' : pipeline.token(symbol)
    pipeline.network.fetch = async (input, init) => {
      const response = await fetch(input, init)
      const isReceipt = methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_getTransactionReceipt')
      return isReceipt ? Response.json(withTransfer(await response.json(), token, pipeline)) : response
    }
    await pipeline.run(swapIntent(pipeline, '300'))
    expect(await causes(pipeline)).toHaveLength(opens ? 1 : 0)
    const reported = pipeline.lines.filter(({ event }) => event === 'tx.strange-tokens')
    expect(reported.map(({ facts }) => facts['tokens'])).toEqual(opens ? [] : [[token]])
  })

  it('never keeps what is out from being sent again', async () => {
    const pipeline = await open({})
    await pipeline.run(swapIntent(pipeline, '1'))
    await mineNothing(pipeline)
    await expect(pipeline.run(swapIntent(pipeline, '1'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    const [out] = await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)
    const { breaker: limits } = parsePolicy({}, { production: false })
    await createCircuitBreaker({ dataDir: pipeline.dataDir, limits: () => limits, now: Date.now }).trip('a drill')
    await testClient(pipeline).dropTransaction({ hash: out!.hash })
    pipeline.network.requests.length = 0
    await pipeline.executor.reconcile()
    expect(pipeline.network.requests.filter((body) => body.includes(out!.rawTransaction))).toHaveLength(1)
    await mineAgain(pipeline)
    await pipeline.executor.reconcile()
    expect(await pipeline.store.journal.open(pipeline.chain.id, pipeline.wallet)).toEqual([])
  })
})

/** Receipts in which a contract announces that ten of its tokens left the wallet. */
function withTransfer(body: unknown, address: string, pipeline: Pipeline): unknown {
  const log = {
    address,
    topics: [toEventSelector('Transfer(address,address,uint256)'), pad(pipeline.wallet), pad('0xdead')],
    data: numberToHex(10n ** 19n, { size: 32 }),
  }
  return JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    key === 'logs' && Array.isArray(value) ? [...value, { ...value[0], ...log }] : value,
  )
}

/** Receipts in which nothing of WETH reaches the wallet. */
function withoutArrivals(body: unknown, pipeline: Pipeline): unknown {
  const paid = pipeline.wallet.slice(2).toLowerCase()
  const isArrival = (log: { readonly address: string; readonly topics: readonly string[] }) =>
    log.address.toLowerCase() === pipeline.token('WETH').toLowerCase() &&
    log.topics[2]?.toLowerCase().endsWith(paid) === true
  return JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    key === 'logs' && Array.isArray(value) ? value.filter((log) => !isArrival(log)) : value,
  )
}
