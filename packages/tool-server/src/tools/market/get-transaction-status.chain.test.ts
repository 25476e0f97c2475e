import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, encodeFunctionData, http, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { v2RouterAbi } from '@svc/amm/abis'
import { answering } from '../../../../engine/src/fixtures/network.fixture.ts'
import { openWorld, type World } from '../chain-world.fixture.ts'

const devnet = useDevnet()
let world: World

beforeEach(async () => {
  world = await openWorld(devnet())
})
afterEach(async () => {
  await world.close()
})

describe('get_transaction_status', () => {
  test('tells the story of a swap, and of a position, by their events', async () => {
    const swap = await world.call('execute_swap', { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', version: 'v3' })
    const status = await world.call('get_transaction_status', { txHash: swap.text('txHash') })
    expect(status.data).toMatchObject({ status: 'success', revertReason: null, explorerUrl: null })
    const events = status.list('events')
    expect(events.map((event) => event.text('type'))).toEqual(expect.arrayContaining(['transfer', 'swap']))
    const received = events.find(
      (event) => event.at('values.to') === world.wallet && event.at('values.symbol') === 'USDC',
    )
    expect(received!.text('values.amount')).toBe(swap.text('amountOut'))
    const add = { token0: 'WETH', token1: 'USDC', fee: 500, amount0: '1', rangeStrategy: 'wide' }
    for (const version of ['v2', 'v3', 'v4']) {
      const { fee, rangeStrategy, ...rest } = add
      const mint = await world.call(
        'add_liquidity',
        version === 'v2' ? { ...rest, version } : { ...rest, fee, rangeStrategy, version },
      )
      const types = (await world.call('get_transaction_status', { txHash: mint.text('txHash') }))
        .list('events')
        .map((event) => event.text('type'))
      expect(types).toContain(version === 'v4' ? 'modify_liquidity' : 'mint')
    }
  })

  test('says success only after the confirmations of its chain', async () => {
    const patient = await openWorld(devnet(), { chain: { confirmations: 3 } })
    try {
      const hash = await send(patient, { to: world.wallet, value: 1n })
      const asked = async () => (await patient.call('get_transaction_status', { txHash: hash })).data
      expect(await asked()).toMatchObject({ status: 'confirming', confirmations: 1, confirmationsNeeded: 3 })
      await devnet().trade(1)
      expect(await asked()).toMatchObject({ status: 'success' })
    } finally {
      await patient.close()
    }
  })

  test('says of one whose receipt cannot be had that it is mined, and no more', async () => {
    const txHash = await send(world, { to: world.wallet, value: 1n })
    world.network.fetch = answering('eth_getTransactionReceipt', { code: -32_008, message: 'Response is too big' })
    const said = { status: 'unread', confirmations: 1, gasUsed: null, events: [] }
    expect((await world.call('get_transaction_status', { txHash })).data).toMatchObject(said)
    const unknown = { txHash: `0x${'1'.repeat(64)}` }
    await expect(world.call('get_transaction_status', unknown)).rejects.toThrow('TRANSACTION_NOT_FOUND')
    world.network.fetch = answering('eth_getTransactionReceipt', { code: -32_005, message: 'Too fast' })
    await expect(world.call('get_transaction_status', { txHash })).rejects.toThrow('RPC_REFUSED')
  })

  test('says why a transaction reverted', async () => {
    const data = encodeFunctionData({
      abi: v2RouterAbi,
      functionName: 'swapExactETHForTokens',
      args: [10n ** 30n, [world.address('WETH'), world.address('USDC')], world.wallet, 2n ** 40n],
    })
    const hash = await send(world, { to: world.chain.amm.v2!.router, data, value: parseEther('0.1'), gas: 400_000n })
    const status = await world.call('get_transaction_status', { txHash: hash })
    expect(status.data).toMatchObject({ status: 'reverted', events: [] })
    expect(status.text('revertReason')).toContain('INSUFFICIENT_OUTPUT_AMOUNT')
    expect(status.number('gasUsd')).toBeGreaterThan(0)
  })

  test('knows no transaction that nobody sent', async () => {
    const refusal = await world.refuse('get_transaction_status', { txHash: `0x${'12'.repeat(32)}` })
    expect(refusal.code).toBe('TRANSACTION_NOT_FOUND')
  })
})

async function send(of: World, transaction: { to: `0x${string}`; data?: `0x${string}`; value?: bigint; gas?: bigint }) {
  const account = privateKeyToAccount(devnet().accounts[5]!.privateKey)
  const client = createWalletClient({ account, transport: http(devnet().rpcUrl) })
  const hash = await client.sendTransaction({ ...transaction, chain: null })
  await vi.waitFor(() => of.client.getTransactionReceipt({ hash }), { timeout: 60_000, interval: 20 })
  return hash
}
