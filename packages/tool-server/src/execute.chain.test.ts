import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import {
  type Address,
  createWalletClient,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  http,
  parseAbiParameters,
  parseUnits,
  publicActions,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { erc20Abi } from './adapters/liquidity/abis/erc20.ts'
import { universalRouterAbi } from './adapters/liquidity/abis/universal-router.ts'
import { wrappedNativeAbi } from './adapters/liquidity/abis/wrapped-native.ts'
import type { Deferred, Intent, Settled } from './intent.ts'
import {
  approvalOf,
  mintIntent,
  openRoad,
  type Road,
  type RoadOptions,
  swapIntent,
} from './safety/open-road.fixture.ts'
import { verifyAuditLog } from './safety/verify-audit-log.ts'

const devnet = useDevnet()
const roads: Road[] = []

async function open(options: RoadOptions = {}): Promise<Road> {
  const road = await openRoad(devnet(), options)
  roads.push(road)
  return road
}

afterEach(async () => {
  await Promise.all(roads.splice(0).map((road) => road.close()))
})

describe('the road of an honest write', () => {
  it('takes its steps in this order', async () => {
    const road = await open()
    await road.run(swapIntent(road, '300'))
    const steps = road.lines.filter(({ event }) => event === 'road.step').map(({ facts }) => facts['step'])
    expect(steps).toEqual([
      'requireRunning',
      'checkPolicy',
      'simulate',
      'reserveSpend',
      'requireApproval',
      'waitForDelay',
      // the approval
      'revalidate',
      'sign',
      'broadcast',
      'confirm',
      // the swap
      'revalidate',
      'sign',
      'broadcast',
      'confirm',
      'settle',
    ])
  })

  it('has simulated, reserved, audited and journalled, in this order, before a byte is sent', async () => {
    const road = await open()
    await road.run(swapIntent(road, '300'))
    const marks = [
      'rpc eth_chainId',
      'rpc eth_simulateV1',
      'ledger reserve',
      'audit tx.intent',
      'journal recordSigned',
      'rpc eth_sendRawTransaction',
      'audit tx.confirmed',
      'ledger settle',
      'audit tx.settled',
    ]
    const effects = road.trace.filter((mark) => marks.includes(mark))
    const firsts = [...new Set(effects)]
    expect(firsts.slice(firsts.indexOf('rpc eth_simulateV1'))).toEqual(marks.slice(1))
    const perTransaction = effects.filter((mark) => /intent|recordSigned|sendRaw|confirmed/.test(mark))
    expect(perTransaction).toEqual([...marks.slice(3, 7), ...marks.slice(3, 7)])
  })

  it('swaps what it declares, reports what the chain holds to the wei, and leaves no allowance', async () => {
    const road = await open()
    const weth = await road.balance('WETH')
    const settled = settledOf(await road.run(swapIntent(road, '300')))
    const gained = (await road.balance('WETH')) - weth
    expect(await road.balance('USDC')).toBe(parseUnits('19700', 6))
    expect(deltasOf(road, settled)).toEqual({ USDC: -parseUnits('300', 6), WETH: gained })
    expect(gained).toBeGreaterThan(parseUnits('0.09', 18))
    expect(settled.transactions.map(({ label }) => label)).toEqual(['approve the exact amount', 'swap'])
    expect(settled.main.hash).toBe(settled.transactions[1]!.hash)
    expect(settled.safetyChecks).toEqual({
      tokenAllowlistPassed: true,
      spendingLimitPassed: true,
      simulationPassed: true,
    })
    expect(await road.allowance('USDC', road.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(parseUnits('10', 18) - (await road.balance('ETH'))).toBe(settled.gasCostWei)
    expect(settled.gasCostUsd).toBeCloseTo((Number(settled.gasCostWei) / 1e18) * 3000, 5)
    expect(await usedUsd(road)).toBe(300)
    expect(await verifyAuditLog(join(road.dataDir, 'audit.jsonl'))).toMatchObject({ brokenAt: null })
  })

  it('takes back what a call did not use', async () => {
    const road = await open()
    const settled = settledOf(await road.run(mintIntent(road)))
    const manager = road.chain.amm.v3!.positionManager
    expect([await road.allowance('USDC', manager), await road.allowance('WETH', manager)]).toEqual([0n, 0n])
    const spent = {
      USDC: 20_000n * 10n ** 6n - (await road.balance('USDC')),
      WETH: parseUnits('5', 18) - (await road.balance('WETH')),
    }
    expect(deltasOf(road, settled)).toEqual({ USDC: -spent.USDC, WETH: -spent.WETH })
    expect(spent.WETH < parseUnits('1', 18) || spent.USDC < parseUnits('3000', 6)).toBe(true)
  })

  it('goes through zero where another allowance stands, and ends at zero', async () => {
    const road = await open()
    const router = road.chain.amm.v3!.swapRouter02
    await road.run(approveIntent(road, router, '7'))
    expect(await road.allowance('USDC', router)).toBe(parseUnits('7', 6))
    const settled = settledOf(await road.run(swapIntent(road, '300')))
    expect(settled.transactions.map(({ label }) => label)).toEqual([
      'clear an allowance',
      'approve the exact amount',
      'swap',
    ])
    expect(await road.allowance('USDC', router)).toBe(0n)
  })

  it('leaves the allowance whose granting is the purpose, and counts it as spent', async () => {
    const road = await open()
    const router = road.chain.amm.v3!.swapRouter02
    const settled = settledOf(await road.run(approveIntent(road, router, '250')))
    expect(settled.transactions).toHaveLength(1)
    expect(settled.deltas).toEqual([])
    expect(await road.allowance('USDC', router)).toBe(parseUnits('250', 6))
    expect(await usedUsd(road)).toBe(250)
    await road.run(approveIntent(road, router, '0'))
    expect(await road.allowance('USDC', router)).toBe(0n)
  })

  it('approves through Permit2 exactly, with an end, and takes the allowance below it back', async () => {
    const road = await open()
    const { permit2, amm } = road.chain
    const router = amm.universalRouter!.address
    const settled = settledOf(await road.run(routerSwapIntent(road, '300')))
    expect(settled.transactions.map(({ label }) => label)).toEqual([
      'approve the exact amount',
      'approve through Permit2',
      'swap',
    ])
    expect(deltasOf(road, settled)['USDC']).toBe(-parseUnits('300', 6))
    expect(await road.allowance('USDC', permit2)).toBe(0n)
    const [amount, expiration] = await road.permit2Allowance('USDC', router)
    expect(amount).toBe(0n)
    expect(expiration).toBeLessThanOrEqual(Date.now() / 1000 + 30 * 60)
    expect(expiration).toBeGreaterThan(Date.now() / 1000 + 60)
  })

  it('counts native currency in and out, gas left out', async () => {
    const road = await open()
    const wrapped = road.chain.wrappedNative.address
    const amount = parseUnits('2', 18)
    const wrap = settledOf(
      await road.run(
        wrapIntent(road, encodeFunctionData({ abi: wrappedNativeAbi, functionName: 'deposit' }), amount, [
          zeroAddress,
          wrapped,
        ]),
      ),
    )
    expect(deltasOf(road, wrap)).toEqual({ ETH: -amount, WETH: amount })
    expect(await usedUsd(road)).toBe(6_000)
    const data = encodeFunctionData({ abi: wrappedNativeAbi, functionName: 'withdraw', args: [amount] })
    const unwrap = settledOf(
      await road.run({
        ...wrapIntent(road, data, amount, [wrapped, zeroAddress]),
        calls: [{ to: wrapped, data, valueWei: 0n, label: 'unwrap' }],
      }),
    )
    expect(deltasOf(road, unwrap)).toEqual({ ETH: amount, WETH: -amount })
    expect(parseUnits('10', 18) - (await road.balance('ETH'))).toBe(wrap.gasCostWei + unwrap.gasCostWei)
  })

  it('runs writes of the wallet one after the other, so that none overtakes a simulation', async () => {
    const road = await open()
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => road.run(swapIntent(road, '100'))))
    const blocks = outcomes.map((outcome) => settledOf(outcome).transactions.map(({ blockNumber }) => blockNumber))
    expect(blocks.flat()).toEqual(blocks.flat().toSorted((a, b) => Number(a - b)))
    expect(await road.balance('USDC')).toBe(parseUnits('19500', 6))
    expect(await road.nonce()).toBe(10)
  })

  it('costs at most six exchanges with the endpoint more than the bare library doing the same transactions', async () => {
    const road = await open()
    const honest = swapIntent(road, '300')
    const bare = await exchangesOfBareViem(road, [
      { to: road.token('USDC'), data: approveData(honest.approvals[0]!.spender, honest.approvals[0]!.amount) },
      { to: honest.calls[0]!.to, data: honest.calls[0]!.data },
    ])
    await road.run(swapIntent(road, '1'))
    road.network.requests.length = 0
    await road.run(swapIntent(road, '300'))
    expect(road.network.requests.length - bare).toBeLessThanOrEqual(6)
  })
})

describe('a dry run', () => {
  it('answers with the plan and leaves chain, ledger and journal as they were', async () => {
    const road = await open()
    const before = await road.balance('USDC')
    const deferred = await road.run(swapIntent(road, '300'), { dryRun: true })
    const { plan } = plannedOf(deferred)
    expect(plan).toMatchObject({
      atomicity: 'single',
      spendUsd: '300',
      steps: [
        { label: 'approve the exact amount', to: road.token('USDC'), valueWei: '0', selector: '0x095ea7b3' },
        { label: 'swap', to: road.chain.amm.v3!.swapRouter02, valueWei: '0', selector: '0x5ae401dc' },
      ],
      policy: { allowed: true, refusals: [] },
    })
    expect(plan.deltas).toContainEqual({ token: road.token('USDC'), symbol: 'USDC', amount: '-300', usd: -300 })
    expect(Number(plan.gasEstimate)).toBeGreaterThan(100_000)
    expect([await road.balance('USDC'), await road.nonce(), await usedUsd(road)]).toEqual([before, 0, 0])
    expect(road.trace.filter((mark) => /reserve|recordSigned|audit|sendRaw/.test(mark))).toEqual([])
    const settled = settledOf(await road.run(swapIntent(road, '300')))
    const planned = plan.deltas.find(({ symbol }) => symbol === 'WETH')!
    expect(parseUnits(planned.amount, 18)).toBe(deltasOf(road, settled)['WETH'])
  })

  it('a thousand times leaves the ledger unchanged', async () => {
    const road = await open()
    await road.run(swapIntent(road, '100'))
    const before = await road.store.ledger.usage('key:test', { sessionIdleMs: 60_000 })
    for (let round = 0; round < 20; round += 1) {
      await Promise.all(Array.from({ length: 50 }, () => road.run(swapIntent(road, '900'), { dryRun: true })))
    }
    expect(await road.store.ledger.usage('key:test', { sessionIdleMs: 60_000 })).toEqual(before)
    expect(await road.store.ledger.open()).toEqual([])
  }, 120_000)

  it('reports every refusal of the policy in the plan', async () => {
    const road = await open({
      policy: {
        limitsUsd: { perTransaction: '200', perSession: '200', daily: '200' },
        approvalThresholdUsd: '250',
        proxyDelay: true,
      },
    })
    await writeFile(join(road.dataDir, 'paused'), '')
    const intent = swapIntent(road, '300', { intent: { slippageBps: 501, riskTier: 'standard' } })
    const { plan } = plannedOf(await road.run(intent, { dryRun: true }))
    expect(plan.policy.allowed).toBe(false)
    expect(plan.policy.checks.spendingLimitPassed).toBe(false)
    expect(plan.policy.refusals.map(({ code }) => code)).toEqual([
      'SERVER_PAUSED',
      'SLIPPAGE_TOO_HIGH',
      'SPENDING_LIMIT_EXCEEDED',
      'APPROVAL_REQUIRED',
      'DELAY_REQUIRED',
    ])
  })

  it('fails as the call would where no plan can be formed', async () => {
    const road = await open()
    const intent = swapIntent(road, '300', { minimumOut: parseUnits('1', 18) })
    await expect(road.run(intent, { dryRun: true })).rejects.toMatchObject({
      code: 'SIMULATION_FAILED',
      message: 'The transaction would fail: "swap" reverted with the text "Too little received".',
    })
  })
})

function settledOf(outcome: Settled | Deferred): Settled {
  if ('plan' in outcome) throw new Error('only planned')
  return outcome
}

function plannedOf(outcome: Settled | Deferred): Deferred {
  if (!('plan' in outcome)) throw new Error('carried out')
  return outcome
}

function deltasOf(road: Road, { deltas }: Settled): Record<string, bigint> {
  const name = (token: string) =>
    token === zeroAddress ? 'ETH' : road.devnet.tokens.find(({ address }) => address === token)!.symbol
  return Object.fromEntries(deltas.map(({ token, amount }) => [name(token), amount]))
}

async function usedUsd(road: Road): Promise<number> {
  const { dailyUsdMicros } = await road.store.ledger.usage('key:test', { sessionIdleMs: 60_000 })
  return Number(dailyUsdMicros) / 1e6
}

/** Exchanges of a viem wallet client, batching on, that sends the transactions one after the other. */
async function exchangesOfBareViem(road: Road, calls: readonly { to: Address; data: Hex }[]): Promise<number> {
  let exchanges = 0
  const fetchFn: typeof fetch = (input, init) => {
    exchanges += 1
    return fetch(input, init)
  }
  const transport = http(road.devnet.rpcUrl, { batch: true, fetchFn })
  const account = privateKeyToAccount(road.privateKey)
  const client = createWalletClient({ account, transport, pollingInterval: 50 }).extend(publicActions)
  for (const call of calls) {
    const hash = await client.sendTransaction({ ...call, chain: null })
    await client.waitForTransactionReceipt({ hash })
  }
  return exchanges
}

function approveData(spender: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
}

function approveIntent(road: Road, spender: Address, amount: string): Intent {
  return {
    ...swapIntent(road, '1'),
    calls: [],
    spends: [],
    receives: [],
    recipients: [],
    slippageBps: null,
    deadline: null,
    approvals: [{ ...approvalOf(road.token('USDC'), spender, parseUnits(amount, 6)), revokeAfter: false }],
    why: 'approve a token',
  }
}

function wrapIntent(road: Road, data: Hex, amount: bigint, [from, to]: readonly [Address, Address]): Intent {
  return {
    ...swapIntent(road, '1'),
    calls: [{ to: road.chain.wrappedNative.address, data, valueWei: amount, label: 'wrap' }],
    spends: [{ token: from, amount }],
    receives: [{ token: to, amount }],
    approvals: [],
    slippageBps: null,
    deadline: null,
  }
}

/** V3_SWAP_EXACT_IN of the universal router, paid through Permit2. */
function routerSwapIntent(road: Road, amount: string): Intent {
  const router = road.chain.amm.universalRouter!.address
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 300)
  const amountIn = parseUnits(amount, 6)
  const path = `${road.token('USDC')}0001f4${road.token('WETH').slice(2)}` as const
  const input = encodeAbiParameters(parseAbiParameters('address, uint256, uint256, bytes, bool'), [
    road.wallet,
    amountIn,
    1n,
    path,
    true,
  ])
  const data = encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: ['0x00', [input], deadline],
  })
  const honest = swapIntent(road, amount)
  return {
    ...honest,
    calls: [{ to: router, data, valueWei: 0n, label: 'swap' }],
    approvals: [{ token: road.token('USDC'), spender: router, amount: amountIn, via: 'permit2', revokeAfter: true }],
  }
}
