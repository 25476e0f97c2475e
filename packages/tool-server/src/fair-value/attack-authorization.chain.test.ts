import { startFakeBundler, startPaymaster } from '@svc/devnet/sponsoring'
import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, type Hex, http, type SignedAuthorization, zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { methodsIn } from '../../../engine/src/fixtures/network.fixture.ts'
import { readUserOperation } from '../../../devnet/src/services/bundling.ts'
import { openWorld, ownPolicy, type World } from '../tools/chain-world.fixture.ts'
import { nextIn, openStranger, syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

const strangerClient = () =>
  createWalletClient({
    account: privateKeyToAccount(devnet().accounts[8]!.privateKey),
    transport: http(devnet().rpcUrl, { timeout: 120_000 }),
  })

/** A position, and a user operation of the wallet that the bundler keeps: gives what it can do with it. */
async function withKept(
  work: (kept: { readonly positionId: string; readonly authorization: SignedAuthorization }) => Promise<void>,
): Promise<void> {
  const [bundler, paymaster] = [
    await startFakeBundler({ devnet: devnet() }),
    await startPaymaster({ devnet: devnet() }),
  ]
  try {
    const sponsors = { bundlerUrl: bundler.url, paymasterUrl: paymaster.url }
    const { chainId, simple7702Account } = devnet()
    const policy = { ...ownPolicy(devnet()), batchDelegate: { [chainId]: simple7702Account } }
    world = await openWorld(devnet(), { policy, sponsors })
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
    const asked = {
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_getUserOperationByHash',
      params: [bundler.received()[0]!],
    }
    const answer = await fetch(bundler.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(asked),
    })
    const { result } = (await answer.json()) as { result: { userOperation: unknown } }
    const { authorization } = readUserOperation(result.userOperation)
    await work({ positionId, authorization: authorization as SignedAuthorization })
  } finally {
    await Promise.all([bundler.stop(), paymaster.stop()])
  }
}

async function carry(authorization: SignedAuthorization): Promise<Hex> {
  const request = { chain: null, to: zeroAddress, gas: 200_000n, authorizationList: [authorization] }
  const client = strangerClient()
  return client.sendTransaction(request)
}

async function pass(seconds: number): Promise<void> {
  const stranger = await openStranger(devnet())
  await nextIn(devnet(), stranger, seconds)
  await devnet().feeds.ETH.post(devnet().market.prices().ETH)
  await testClient(devnet()).mine({ blocks: 5, interval: 12 })
  await syncClock(world)
}

const leave = (positionId: string) =>
  world
    .call('remove_liquidity', { positionId, version: 'v3', percentage: 100, slippageBps: 10_000 })
    .then((answer) => answer.text('status'), String)

describe('a bundler that keeps an operation and uses the authorization of the wallet that came with it', () => {
  it('G13: alone and at once: the owner leaves once the time of the operation is over', async () => {
    await withKept(async ({ positionId, authorization }) => {
      await carry(authorization)
      await pass(400)
      await world.executor.reconcile()
      expect(await leave(positionId)).toBe('success')
    })
  })

  it.each([0, 9])('G13: before the owner leaves, in a block with %s MB of calldata', async (mega) => {
    await withKept(async ({ positionId, authorization }) => {
      await pass(400)
      await world.executor.reconcile()
      const node = testClient(devnet())
      let isFirst = true
      world.network.fetch = async (input, init) => {
        const body = typeof init?.body === 'string' ? init.body : ''
        if (!isFirst || !methodsIn(body).includes('eth_sendRawTransaction')) return fetch(input, init)
        isFirst = false
        await node.setBlockGasLimit({ gasLimit: 400_000_000n })
        await node.setAutomine(false)
        await carry(authorization)
        const client = strangerClient()
        const nonce = await world.client.getTransactionCount({ address: client.account.address })
        for (let one = 0; one < mega; one += 1) {
          const data = `0x${'00'.repeat(1_000_000)}` as const
          await client.sendTransaction({
            chain: null,
            to: zeroAddress,
            data,
            gas: 12_000_000n,
            nonce: nonce + 1 + one,
          })
        }
        await node.mine({ blocks: 1 })
        await node.setAutomine(true)
        return fetch(input, init)
      }
      world.patience.isShort = true
      await leave(positionId)
      world.patience.isShort = false
      await pass(60)
      for (let look = 0; look < 4; look += 1) {
        await world.executor.reconcile().catch(() => undefined)
        await testClient(devnet()).mine({ blocks: 5, interval: 12 })
        await syncClock(world)
      }
      expect(await leave(positionId)).toBe('success')
    })
  })
})
