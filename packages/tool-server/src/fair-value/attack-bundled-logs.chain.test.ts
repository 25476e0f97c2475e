import { startFakeBundler, startPaymaster } from '@svc/devnet/sponsoring'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, encodeFunctionData, type Hex, http, numberToHex } from 'viem'
import { entryPoint08Abi, toPackedUserOperation } from 'viem/account-abstraction'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, it } from 'vitest'
import { readUserOperation } from '../../../devnet/src/services/bundling.ts'
import { openWorld, ownPolicy, type World } from '../tools/chain-world.fixture.ts'
import { nextIn, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

/** Writes 42,200 empty logs when it is paid: 16 million of gas. */
const talker = '0x0000000000000000000000000000000000107107'

async function bundleWithLogs(bundlerUrl: string, hash: Hex): Promise<Hex> {
  const node = testClient(devnet())
  const hex = (value: number) => numberToHex(value, { size: 2 }).slice(2)
  await node.setCode({ address: talker, bytecode: `0x61${hex(422)}5b${'5f5fa0'.repeat(100)}600190038061${hex(3)}5700` })
  const asked = { jsonrpc: '2.0', id: 1, method: 'eth_getUserOperationByHash', params: [hash] }
  const said = await fetch(bundlerUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(asked),
  })
  const { result } = (await said.json()) as { result: { userOperation: unknown } }
  const operation = readUserOperation(result.userOperation)
  const account = privateKeyToAccount(devnet().accounts[8]!.privateKey)
  const wallet = createWalletClient({ account, transport: http(devnet().rpcUrl) })
  const { authorization } = operation
  return wallet.sendTransaction({
    chain: null,
    to: devnet().entryPoint,
    gas: 22_000_000n,
    data: encodeFunctionData({
      abi: entryPoint08Abi,
      functionName: 'handleOps',
      args: [[toPackedUserOperation(operation)], talker],
    }),
    ...(authorization && { authorizationList: [authorization] }),
  })
}

it('G13: an owner leaves also after a bundler has put a user operation into a transaction with more logs than are read', async () => {
  const [bundler, paymaster] = [
    await startFakeBundler({ devnet: devnet() }),
    await startPaymaster({ devnet: devnet() }),
  ]
  try {
    const sponsors = { bundlerUrl: bundler.url, paymasterUrl: paymaster.url }
    const { chainId, simple7702Account } = devnet()
    const policy = { ...ownPolicy(devnet()), batchDelegate: { [chainId]: simple7702Account } }
    world = await openWorld(devnet(), { policy, sponsors })
    const stranger = await openStranger(devnet())
    await syncClock(world)
    const pair = { token0: 'WETH', token1: 'USDC', amount0: '3', fee: 500, rangeStrategy: 'medium', version: 'v3' }
    const opened = await world.call('add_liquidity', pair)
    const positionId = opened.text('positionId')
    await devnet().trade(20, 3, [opened.text('pool.poolAddress') as Hex])
    await syncClock(world)
    bundler.setFaults([{ fault: { kind: 'hold' } }])
    world.patience.isShort = true
    const said = await world
      .call('compound_fees', { positionId, version: 'v3' })
      .then((answer) => answer.text('status'), String)
    expect(said).toContain('TRANSACTION_PENDING')
    world.patience.isShort = false
    await bundleWithLogs(bundler.url, bundler.received()[0]!)
    await nextIn(devnet(), stranger, 700)
    await devnet().feeds.ETH.post(devnet().market.prices().ETH)
    await testClient(devnet()).mine({ blocks: 40, interval: 12 })
    await syncClock(world)
    await world.executor.reconcile().catch(() => undefined)
    const left = await world
      .call('remove_liquidity', { positionId, version: 'v3', percentage: 100, slippageBps: 10_000 })
      .then((answer) => answer.text('status'), String)
    expect(left).toBe('success')
  } finally {
    await Promise.all([bundler.stop(), paymaster.stop()])
  }
})
