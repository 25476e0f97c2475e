import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { awaitReceipt, useDevnet } from '@svc/devnet/testing'
import { createWalletClient, http, keccak256, parseUnits, numberToHex, pad, toEventSelector } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { erc20Abi } from '../adapters/liquidity/abis/erc20.ts'
import { v2RouterAbi } from '../adapters/liquidity/abis/v2-router.ts'
import { createChainActor } from '../adapters/liquidity/chain-actor.fixture.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'
import { devnetPolicy } from './devnet-policy.ts'
import { lenient } from './fair-value/plans.fixture.ts'
import { sellHostile } from './hostile-token.fixture.ts'
import { mintIntent, swapIntent, wrapIntent } from './intents.fixture.ts'
import { mineAgain, mineNothing } from './mining.fixture.ts'
import { answering, methodsIn } from './network.fixture.ts'
import type { Road, RoadOptions } from './open-road.fixture.ts'
import { parsePolicy } from './policy.ts'
import { testClient } from './road-facts.fixture.ts'
import { bandOf } from './value/bands.fixture.ts'
import { useRoads } from './use-roads.fixture.ts'

const devnet = useDevnet()
const roads = useRoads(devnet)
const open = (breaker: object, options: RoadOptions = {}) =>
  roads.open({ policy: { ...devnetPolicy(), breaker }, ...options })

/** Whoever else has the key, without the server. */
async function steal(road: Road, amount: string): Promise<void> {
  const account = privateKeyToAccount(road.privateKey)
  const thief = createWalletClient({ account, transport: http(road.devnet.rpcUrl) })
  const args = ['0x000000000000000000000000000000000000dEaD', parseUnits(amount, 6)] as const
  const hash = await thief.writeContract({
    address: road.token('USDC'),
    abi: erc20Abi,
    functionName: 'transfer',
    args,
    chain: null,
  })
  await vi.waitFor(() => road.rpc.client(road.chain).getTransactionReceipt({ hash }), { timeout: 60_000, interval: 20 })
}

/** A transfer of nothing to itself that draws on no reservation and burns this much native currency. */
async function burn(road: Road, coins: string, state: 'broadcast' | 'final'): Promise<void> {
  const client = road.rpc.client(road.chain)
  const nonce = await road.nonce()
  const perGas = parseUnits(coins, 18) / 21_000n
  const rawTransaction = await privateKeyToAccount(road.privateKey).signTransaction({
    type: 'eip1559',
    chainId: road.chain.id,
    nonce,
    to: road.wallet,
    gas: 21_000n,
    maxFeePerGas: perGas,
    maxPriorityFeePerGas: perGas,
  })
  const slot = { requestId: `nobody-${nonce}`, step: 0, chainId: road.chain.id, from: road.wallet, nonce, attempt: 0 }
  const hash = keccak256(rawTransaction)
  await road.store.journal.recordSigned({ ...slot, rawTransaction, hash, reservationId: null })
  await client.sendRawTransaction({ serializedTransaction: rawTransaction })
  await awaitReceipt(client, hash)
  for (const step of ['broadcast', 'mined', 'final'] as const) {
    await road.store.journal.mark(hash, step)
    if (step === state) return
  }
}

const unread = { method: 'peg', pools: [], liquidityUsd: 1e7, confidence: 'HIGH', blockNumber: 0n } as const

const minuteLater = (road: Road) => void (road.clock.offsetMs += 61_000)
const causes = async (road: Road) =>
  (await road.auditLines()).filter(({ event }) => event === 'breaker.open').map(({ cause }) => cause)

describe('G9: a wallet that loses more than was spent on record', () => {
  it('signs no more from the next write on, until the operator re-arms the breaker', async () => {
    const road = await open({ maxBalanceDropPct: 20 })
    await road.run(swapIntent(road, '100'))
    await road.executor.watchBalances()
    // Of 65,000 USD: first too little to tell, then too much.
    minuteLater(road)
    await steal(road, '8000')
    await road.run(swapIntent(road, '100'))
    minuteLater(road)
    await steal(road, '8000')
    const nonce = await road.nonce()
    await expect(road.run(swapIntent(road, '100'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
    expect(await road.nonce()).toBe(nonce)
    expect((await road.auditLines()).filter(({ event }) => event === 'breaker.open')).toMatchObject([
      { cause: expect.stringMatching(/holds on \S+ fell by more than 20 % within 60 min/), openedBy: 'balance' },
    ])
    const { breaker: limits } = parsePolicy({}, { production: false })
    const breaker = createCircuitBreaker({ dataDir: road.dataDir, limits: () => limits, now: Date.now })
    await breaker.rearm({ by: 'operator:ada', at: new Date(road.clock.offsetMs + Date.now()).toISOString() })
    minuteLater(road)
    await road.run(swapIntent(road, '100'))
    await road.executor.watchBalances()
    expect(await causes(road)).toHaveLength(1)
  })

  it('notices native currency that goes, where tokens make it a small part of the whole', async () => {
    const road = await open({ maxBalanceDropPct: 20 })
    await devnet().fund(road.wallet, { USDC: '1000000' })
    await road.run(swapIntent(road, '100'))
    await road.executor.watchBalances()
    // Of 10 ETH beside a million dollars: first too little to tell, then too much.
    for (const [left, count] of [
      ['8.5', 0],
      ['7', 1],
    ] as const) {
      minuteLater(road)
      await testClient(road).setBalance({ address: road.wallet, value: parseUnits(left, 18) })
      await road.executor.watchBalances()
      expect(await causes(road)).toHaveLength(count)
    }
    expect(await causes(road)).toEqual([
      expect.stringMatching(/^the ETH the wallet holds on \S+ fell by more than 20 %/),
    ])
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
  })

  it('is noticed without a write, by a server that has started anew', async () => {
    const road = await open({ maxBalanceDropPct: 20 })
    await road.run(swapIntent(road, '100'))
    await road.executor.watchBalances()
    await road.close()
    roads.forget(road)
    await steal(road, '16000')
    const { dataDir, privateKey } = road
    const next = await open({ maxBalanceDropPct: 20 }, { dataDir, privateKey })
    minuteLater(next)
    await next.executor.watchBalances()
    expect(await causes(next)).toHaveLength(1)
  })

  it('is told from one of another wallet, which has less', async () => {
    const road = await open({ maxBalanceDropPct: 20 })
    await road.run(swapIntent(road, '100'))
    await road.executor.watchBalances()
    await road.close()
    roads.forget(road)
    const privateKey = generatePrivateKey()
    await devnet().fund(privateKeyToAddress(privateKey), { ETH: '1', USDC: '200' })
    const next = await open({ maxBalanceDropPct: 20 }, { dataDir: road.dataDir, privateKey })
    minuteLater(next)
    await next.run(swapIntent(next, '100'))
    await next.executor.watchBalances()
    expect(await causes(next)).toEqual([])
  })

  it('is told from one that spends within its limits', async () => {
    const road = await open({ maxBalanceDropPct: 5 })
    await road.run(swapIntent(road, '100'))
    await road.executor.watchBalances()
    for (const _ of [1, 2, 3]) {
      minuteLater(road)
      await road.run(await mintIntent(road))
      await road.executor.watchBalances()
    }
    expect(await causes(road)).toEqual([])
  })

  it('is told from one that sells what a stranger gave it and bid high for, and whose bid is gone', async () => {
    const breaker = { maxBalanceDropPct: 5, maxSimulationDriftPct: 5 }
    const road = await open(breaker, { policy: { ...devnetPolicy(), breaker, unnamedSales: 'allow' } })
    const stranger = await createChainActor(devnet(), devnet().accounts.at(-1)!.address)
    await devnet().fund(stranger.address, { USDC: '500000', HOSTILE: '100' })
    const [token, quote] = [road.token('HOSTILE'), road.token('USDC')]
    // As if each were worth 3,000 dollars: more than all else that the wallet holds.
    await stranger.addV2(token, quote, parseUnits('100', 18), parseUnits('300000', 6))
    await devnet().fund(road.wallet, { HOSTILE: '100' })
    await road.run(swapIntent(road, '100'))
    await road.executor.watchBalances()
    minuteLater(road)
    await road.run(await sellHostile(road))
    await testClient(road).mine({ blocks: 1 })
    await devnet().fund(stranger.address, { HOSTILE: '1000000' })
    const dump = [parseUnits('1000000', 18), 0n, [token, quote], stranger.address, 2n ** 40n] as const
    const router = road.chain.amm.v2!.router
    await stranger.write(token, erc20Abi, 'approve', [router, dump[0]])
    await stranger.write(router, v2RouterAbi, 'swapExactTokensForTokens', dump)
    minuteLater(road)
    await road.executor.watchBalances()
    expect(await causes(road)).toEqual([])
    await road.run(swapIntent(road, '100'))
  })

  it('is told from prices that move: up and back, down, or up after what was spent at them', async () => {
    const usd: Record<string, number> = {}
    const policy = { ...lenient, maxDailyLossUsd: '100000', breaker: { maxBalanceDropPct: 5 } }
    const road = await open({}, { usd, policy })
    const look = async (price: number) => {
      Object.assign(usd, { ETH: price, WETH: price })
      // Prices that are known are taken for a while.
      road.clock.offsetMs += 151_000
      await road.executor.watchBalances()
      expect(await causes(road)).toEqual([])
    }
    await road.run(swapIntent(road, '100'))
    await look(3_000)
    for (const _ of [1, 2, 3]) await road.run(await mintIntent(road))
    const [eth, weth] = [road.token('ETH'), road.token('WETH')]
    await road.run(wrapIntent(road, '0xd0e30db0', parseUnits('5', 18), [eth, weth]))
    for (const price of [9_000, 30_000, 3_000, 300]) await look(price)
    // What nobody has on record is noticed as before.
    await steal(road, '5000')
    minuteLater(road)
    await road.executor.watchBalances()
    expect(await causes(road)).toHaveLength(1)
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
    const road = await open({ maxBalanceDropPct: 20 }, { engine: { prices } })
    await road.run(swapIntent(road, '100'))
    await road.executor.watchBalances()
    await steal(road, '16000')
    for (const [pct, count] of [
      [11n, 0],
      [10n, 1],
    ] as const) {
      widthPct = pct
      road.clock.offsetMs += 151_000
      await road.executor.watchBalances()
      expect(await causes(road)).toHaveLength(count)
    }
  })

  it('is not looked for in the dollars that an older version kept', async () => {
    const road = await open({ maxBalanceDropPct: 20 })
    await road.run(swapIntent(road, '100'))
    const at = Date.now() + road.clock.offsetMs
    const older = {
      at,
      worth: { [road.token('USDC').toLowerCase()]: '900000000000' },
      nativeWei: '900000000000000000000',
    }
    const file = { [`${road.chain.id}:${road.wallet.toLowerCase()}`]: [older] }
    await writeFile(join(road.dataDir, 'balances.json'), JSON.stringify(file), { mode: 0o600 })
    minuteLater(road)
    await road.executor.watchBalances()
    expect(await causes(road)).toEqual([])
    await steal(road, '16000')
    minuteLater(road)
    await road.executor.watchBalances()
    expect(await causes(road)).toHaveLength(1)
  })

  it.each(['broadcast', 'final'] as const)(
    'is told from gas that nothing was reserved for, of what is %s and not counted yet',
    async (state) => {
      const road = await open({ maxBalanceDropPct: 20 })
      await road.run(swapIntent(road, '100'))
      await testClient(road).setBalance({ address: road.wallet, value: parseUnits('0.01', 18) })
      await rm(join(road.dataDir, 'balances.json'), { force: true })
      minuteLater(road)
      await road.executor.watchBalances()
      // More than a third of what there is: such as the last no-op of a wallet that is nearly empty.
      await burn(road, '0.004', state)
      minuteLater(road)
      await road.executor.watchBalances()
      expect(await causes(road)).toEqual([])
      await road.executor.reconcile()
      expect(await road.store.ledger.uncountedGas(road.chain.id)).toEqual([])
      minuteLater(road)
      await road.executor.watchBalances()
      expect(await causes(road)).toEqual([])
      // What nobody has on record is noticed as before.
      minuteLater(road)
      await testClient(road).setBalance({ address: road.wallet, value: parseUnits('0.003', 18) })
      await road.executor.watchBalances()
      expect(await causes(road)).toHaveLength(1)
    },
  )

  it('keeps the samples of a place beside others in the file that make no sense', async () => {
    const road = await open({ maxBalanceDropPct: 20 })
    await road.run(swapIntent(road, '100'))
    await road.executor.watchBalances()
    const path = join(road.dataDir, 'balances.json')
    const samples: unknown = JSON.parse(await readFile(path, 'utf8'))
    const former = { [`1:${road.wallet.toLowerCase()}`]: [{ at: 1, worth: {} }] }
    await writeFile(path, JSON.stringify({ ...former, nowhere: [], ...Object(samples) }), { mode: 0o600 })
    await steal(road, '16000')
    minuteLater(road)
    await road.executor.watchBalances()
    expect(await causes(road)).toHaveLength(1)
  })

  it.each([
    ['no price', { usd: { USDC: null } }, undefined],
    ['no balance', {}, answering('eth_getBalance', { code: -32_000, message: 'no' })],
  ])('opens nothing where there is %s', async (_what, options, network) => {
    const road = await open({ maxBalanceDropPct: 20 }, options)
    await road
      .run(
        swapIntent(road, '10', {
          tokenIn: 'WETH',
          amountIn: 10n ** 16n,
          intent: { spends: [{ token: road.token('WETH'), amount: 10n ** 16n }] },
        }),
      )
      .catch(() => {})
    await road.executor.watchBalances()
    await steal(road, '16000')
    minuteLater(road)
    if (network !== undefined) road.network.fetch = network
    await road.executor.watchBalances()
    expect(await causes(road)).toEqual([])
  })

  it('asks one batch more before a write than one that was just looked at, and nothing within a minute', async () => {
    const road = await open({})
    await road.run(swapIntent(road, '100'))
    await road.executor.watchBalances()
    const requestsOf = async () => {
      road.network.requests.length = 0
      await road.run(swapIntent(road, '100'))
      const { requests } = road.network
      return requests.slice(
        0,
        requests.findIndex((body) => methodsIn(body).includes('eth_simulateV1')),
      ).length
    }
    const without = await requestsOf()
    minuteLater(road)
    expect([without, await requestsOf()]).toEqual([1, 2])
  })
})

describe('G9: a call that ends worse than simulated', () => {
  it('opens the breaker, and its own result is told all the same', async () => {
    const road = await open({ maxSimulationDriftPct: 10 })
    const receipts = async (input: Parameters<typeof fetch>[0], init?: RequestInit) => {
      const response = await fetch(input, init)
      const body: unknown = await response.json()
      return Response.json(withoutArrivals(body, road))
    }
    road.network.fetch = (input, init) =>
      methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_getTransactionReceipt')
        ? receipts(input, init)
        : fetch(input, init)
    expect(await road.run(swapIntent(road, '300'))).toHaveProperty('main.hash')
    expect((await road.auditLines()).filter(({ event }) => event === 'breaker.open')).toMatchObject([
      { cause: expect.stringMatching(/ended more than 10 % worse than simulated/), openedBy: 'drift' },
    ])
    road.network.fetch = fetch
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'CIRCUIT_BREAKER_OPEN' })
  })

  it.each([
    ['of anybody is logged and opens nothing', null, false],
    ['on a list opens it', 'WETH', true],
  ] as const)('an announced transfer that was not simulated, of a token %s', async (_what, symbol, opens) => {
    const road = await open({ maxSimulationDriftPct: 10 })
    const token = symbol === null ? '0x00000000000000000000000000000000000bad00' : road.token(symbol)
    road.network.fetch = async (input, init) => {
      const response = await fetch(input, init)
      const isReceipt = methodsIn(typeof init?.body === 'string' ? init.body : '').includes('eth_getTransactionReceipt')
      return isReceipt ? Response.json(withTransfer(await response.json(), token, road)) : response
    }
    await road.run(swapIntent(road, '300'))
    expect(await causes(road)).toHaveLength(opens ? 1 : 0)
    const told = road.lines.filter(({ event }) => event === 'tx.strange-tokens')
    expect(told.map(({ facts }) => facts['tokens'])).toEqual(opens ? [] : [[token]])
  })

  it('never keeps what is out from being sent again', async () => {
    const road = await open({})
    await road.run(swapIntent(road, '1'))
    await mineNothing(road)
    await expect(road.run(swapIntent(road, '1'))).rejects.toMatchObject({ code: 'TRANSACTION_PENDING' })
    const [out] = await road.store.journal.open(road.chain.id, road.wallet)
    const { breaker: limits } = parsePolicy({}, { production: false })
    await createCircuitBreaker({ dataDir: road.dataDir, limits: () => limits, now: Date.now }).trip('a drill')
    await testClient(road).dropTransaction({ hash: out!.hash })
    road.network.requests.length = 0
    await road.executor.reconcile()
    expect(road.network.requests.filter((body) => body.includes(out!.rawTransaction))).toHaveLength(1)
    await mineAgain(road)
    await road.executor.reconcile()
    expect(await road.store.journal.open(road.chain.id, road.wallet)).toEqual([])
  })
})

/** Receipts in which a contract announces that ten of its tokens left the wallet. */
function withTransfer(body: unknown, address: string, road: Road): unknown {
  const log = {
    address,
    topics: [toEventSelector('Transfer(address,address,uint256)'), pad(road.wallet), pad('0xdead')],
    data: numberToHex(10n ** 19n, { size: 32 }),
  }
  return JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    key === 'logs' && Array.isArray(value) ? [...value, { ...value[0], ...log }] : value,
  )
}

/** Receipts in which nothing of WETH reaches the wallet. */
function withoutArrivals(body: unknown, road: Road): unknown {
  const paid = road.wallet.slice(2).toLowerCase()
  const isArrival = (log: { readonly address: string; readonly topics: readonly string[] }) =>
    log.address.toLowerCase() === road.token('WETH').toLowerCase() &&
    log.topics[2]?.toLowerCase().endsWith(paid) === true
  return JSON.parse(JSON.stringify(body), (key, value: unknown) =>
    key === 'logs' && Array.isArray(value) ? value.filter((log) => !isArrival(log)) : value,
  )
}
