import { useDevnet } from '@svc/devnet/testing'
import {
  type Address,
  type Hex,
  createWalletClient,
  encodeFunctionData,
  http,
  parseUnits,
  publicActions,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, it, vi } from 'vitest'
import { erc20Abi, wrappedNativeAbi } from '@svc/amm/abis'
import { approveIntent, mintIntent, routerSwapIntent, swapIntent, wrapIntent } from './fixtures/intents.fixture.ts'
import type { Pipeline } from './fixtures/open-pipeline.fixture.ts'
import { deltasOf, expectGasCounted, settledOf, used } from './fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from './fixtures/use-pipelines.fixture.ts'
import { verifyAuditLog } from './audit/read-audit-log.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

describe('the pipeline of an honest write', () => {
  it('takes its steps in this order', async () => {
    const pipeline = await open()
    await pipeline.run(swapIntent(pipeline, '300'))
    const steps = pipeline.lines.filter(({ event }) => event === 'road.step').map(({ facts }) => facts['step'])
    expect(steps).toEqual([
      'requireRunning',
      'keepPlan',
      'checkPolicy',
      'requireNoOrder',
      'simulate',
      'keepBounds',
      'weighValue',
      'requireWayHome',
      'reserveSpend',
      'requireApproval',
      'waitForDelay',
      // the approval
      'revalidate',
      'recordOrder',
      'signPermit',
      'sign',
      'broadcast',
      'confirm',
      // the swap
      'revalidate',
      'recordOrder',
      'signPermit',
      'sign',
      'broadcast',
      'confirm',
      'settle',
    ])
  })

  it('has simulated, reserved, audited and journalled, in this order, before a byte is sent', async () => {
    const pipeline = await open()
    await pipeline.run(swapIntent(pipeline, '300'))
    const marks = [
      'rpc eth_chainId',
      'rpc eth_simulateV1',
      'ledger reserve',
      'audit tx.intent',
      'journal recordSigned',
      'rpc eth_sendRawTransaction',
      'audit tx.confirmed',
      'audit tx.settled',
      'ledger settle',
    ]
    const effects = pipeline.trace.filter((mark) => marks.includes(mark))
    const firsts = [...new Set(effects)]
    expect(firsts.slice(firsts.indexOf('rpc eth_simulateV1'))).toEqual(marks.slice(1))
    const perTransaction = effects.filter((mark) => /intent|recordSigned|sendRaw|confirmed/.test(mark))
    expect(perTransaction).toEqual([...marks.slice(3, 7), ...marks.slice(3, 7)])
  })

  it('swaps what it declares, reports what the chain holds to the wei, and leaves no allowance', async () => {
    const pipeline = await open()
    const weth = await pipeline.balance('WETH')
    const settled = settledOf(await pipeline.run(swapIntent(pipeline, '300')))
    const gained = (await pipeline.balance('WETH')) - weth
    expect(await pipeline.balance('USDC')).toBe(parseUnits('19700', 6))
    expect(deltasOf(pipeline, settled)).toEqual({ USDC: -parseUnits('300', 6), WETH: gained })
    expect(gained).toBeGreaterThan(parseUnits('0.09', 18))
    expect(settled.transactions.map(({ label }) => label)).toEqual(['approve the exact amount', 'swap'])
    expect(settled.main.hash).toBe(settled.transactions[1]!.hash)
    expect(settled.safetyChecks).toEqual({
      tokenAllowlistPassed: true,
      spendingLimitPassed: true,
      simulationPassed: true,
    })
    expect(await pipeline.allowance('USDC', pipeline.chain.amm.v3!.swapRouter02)).toBe(0n)
    expect(parseUnits('10', 18) - (await pipeline.balance('ETH'))).toBe(settled.gasCostWei)
    expect(settled.gasCostUsd).toBeCloseTo((Number(settled.gasCostWei) / 1e18) * 3000, 5)
    expect(await usedUsd(pipeline)).toBe(300)
    await expectGasCounted(pipeline)
    expect(await verifyAuditLog(pipeline.dataDir)).toMatchObject({ broken: null })
  })

  it('takes back what a call did not use', async () => {
    const pipeline = await open()
    const settled = settledOf(await pipeline.run(await mintIntent(pipeline)))
    const manager = pipeline.chain.amm.v3!.positionManager
    expect([await pipeline.allowance('USDC', manager), await pipeline.allowance('WETH', manager)]).toEqual([0n, 0n])
    const spent = {
      USDC: 20_000n * 10n ** 6n - (await pipeline.balance('USDC')),
      WETH: parseUnits('5', 18) - (await pipeline.balance('WETH')),
    }
    expect(deltasOf(pipeline, settled)).toEqual({ USDC: -spent.USDC, WETH: -spent.WETH })
    expect(spent.WETH < parseUnits('1', 18) || spent.USDC < parseUnits('3000', 6)).toBe(true)
  })

  it('goes through zero where another allowance stands, and ends at zero', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    await pipeline.run(approveIntent(pipeline, router, '7'))
    expect(await pipeline.allowance('USDC', router)).toBe(parseUnits('7', 6))
    const settled = settledOf(await pipeline.run(swapIntent(pipeline, '300')))
    expect(settled.transactions.map(({ label }) => label)).toEqual([
      'clear an allowance',
      'approve the exact amount',
      'swap',
    ])
    expect(await pipeline.allowance('USDC', router)).toBe(0n)
  })

  it('leaves the allowance whose granting is the purpose, and counts it as spent', async () => {
    const pipeline = await open()
    const router = pipeline.chain.amm.v3!.swapRouter02
    const settled = settledOf(await pipeline.run(approveIntent(pipeline, router, '250')))
    expect(settled.transactions).toHaveLength(1)
    expect(settled.deltas).toEqual([])
    expect(await pipeline.allowance('USDC', router)).toBe(parseUnits('250', 6))
    expect(await usedUsd(pipeline)).toBe(250)
    await pipeline.run(approveIntent(pipeline, router, '0'))
    expect(await pipeline.allowance('USDC', router)).toBe(0n)
  })

  it('approves through Permit2 exactly, with an end, and takes the allowance below it back', async () => {
    const pipeline = await open()
    const { permit2, amm } = pipeline.chain
    const router = amm.universalRouter!.address
    const settled = settledOf(await pipeline.run(routerSwapIntent(pipeline, '300')))
    expect(settled.transactions.map(({ label }) => label)).toEqual([
      'approve the exact amount',
      'approve through Permit2',
      'swap',
    ])
    expect(deltasOf(pipeline, settled)['USDC']).toBe(-parseUnits('300', 6))
    expect(await pipeline.allowance('USDC', permit2)).toBe(0n)
    const [amount, expiration] = await pipeline.permit2Allowance('USDC', router)
    expect(amount).toBe(0n)
    expect(expiration).toBeLessThanOrEqual(Date.now() / 1000 + 30 * 60)
    expect(expiration).toBeGreaterThan(Date.now() / 1000 + 60)
  })

  it('counts native currency in and out, gas left out', async () => {
    const pipeline = await open()
    const wrapped = pipeline.chain.wrappedNative.address
    const amount = parseUnits('2', 18)
    const wrap = settledOf(
      await pipeline.run(
        wrapIntent(pipeline, encodeFunctionData({ abi: wrappedNativeAbi, functionName: 'deposit' }), amount, [
          zeroAddress,
          wrapped,
        ]),
      ),
    )
    expect(deltasOf(pipeline, wrap)).toEqual({ ETH: -amount, WETH: amount })
    expect(await usedUsd(pipeline)).toBe(6_000)
    const data = encodeFunctionData({ abi: wrappedNativeAbi, functionName: 'withdraw', args: [amount] })
    const unwrap = settledOf(
      await pipeline.run({
        ...wrapIntent(pipeline, data, amount, [wrapped, zeroAddress]),
        calls: [{ to: wrapped, data, valueWei: 0n, label: 'unwrap' }],
      }),
    )
    expect(deltasOf(pipeline, unwrap)).toEqual({ ETH: amount, WETH: -amount })
    expect(parseUnits('10', 18) - (await pipeline.balance('ETH'))).toBe(wrap.gasCostWei + unwrap.gasCostWei)
  })

  it('runs writes of the wallet one after the other, so that none overtakes a simulation', async () => {
    const pipeline = await open()
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => pipeline.run(swapIntent(pipeline, '100'))))
    const blocks = outcomes.map((outcome) => settledOf(outcome).transactions.map(({ blockNumber }) => blockNumber))
    expect(blocks.flat()).toEqual(blocks.flat().toSorted((a, b) => Number(a - b)))
    expect(await pipeline.balance('USDC')).toBe(parseUnits('19500', 6))
    expect(await pipeline.nonce()).toBe(10)
  })

  it('costs at most six exchanges with the endpoint more than the bare library doing the same transactions', async () => {
    const pipeline = await open({ usd: 'chain' })
    const honest = swapIntent(pipeline, '300')
    const bare = await exchangesOfBareViem(pipeline, [
      { to: pipeline.token('USDC'), data: approveData(honest.approvals[0]!.spender, honest.approvals[0]!.amount) },
      { to: honest.calls[0]!.to, data: honest.calls[0]!.data },
    ])
    await pipeline.run(swapIntent(pipeline, '1'))
    pipeline.network.requests.length = 0
    await pipeline.run(swapIntent(pipeline, '300'))
    expect(pipeline.network.requests.length - bare).toBeLessThanOrEqual(6)
  })
})

async function usedUsd(pipeline: Pipeline): Promise<number> {
  return Number(await used(pipeline)) / 1e6
}

/** Exchanges of a viem wallet client, batching on, that sends the transactions one after the other. */
async function exchangesOfBareViem(pipeline: Pipeline, calls: readonly { to: Address; data: Hex }[]): Promise<number> {
  let exchanges = 0
  const fetchFn: typeof fetch = (input, init) => {
    exchanges += 1
    return fetch(input, init)
  }
  const transport = http(pipeline.devnet.rpcUrl, { batch: true, fetchFn })
  const account = privateKeyToAccount(pipeline.privateKey)
  const client = createWalletClient({ account, transport, pollingInterval: 50 }).extend(publicActions)
  for (const call of calls) {
    const hash = await client.sendTransaction({ ...call, chain: null })
    await vi.waitFor(() => client.getTransactionReceipt({ hash }), { timeout: 60_000, interval: 20 })
  }
  return exchanges
}

function approveData(spender: Address, amount: bigint): Hex {
  return encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [spender, amount] })
}
