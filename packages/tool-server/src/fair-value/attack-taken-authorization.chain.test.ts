import { useDevnet } from '@svc/devnet/testing'
import { createWalletClient, type Hash, type Hex, http, parseTransaction } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterEach, expect, it } from 'vitest'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'
import { syncClock, testClient } from './attack-kit.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(async () => {
  await testClient(devnet()).setAutomine(true)
  await world.close()
})

it('G3: who uses an authorization of a cancelled batch takes a nonce, and keeps nobody in', async () => {
  const batchDelegate = { [devnet().chainId]: devnet().batchDelegate }
  world = await openWorld(devnet(), { policy: { version: 1, allowlist: { mode: 'strict' }, batchDelegate } })
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'medium', amount0: '0.03' }
  const [one, other] = [
    await world.call('add_liquidity', { ...pair, version: 'v3' }),
    await world.call('add_liquidity', { ...pair, version: 'v4' }),
  ].map((opened) => opened.text('positionId'))
  await syncClock(world)
  const node = testClient(devnet())
  const count = () => world.client.getTransactionCount({ address: world.wallet })
  const raws: Hex[] = []
  world.network.fetch = async (input, init) => {
    const body = typeof init?.body === 'string' ? init.body : ''
    const raw = /"eth_sendRawTransaction","params":\["(0x[0-9a-f]+)"/.exec(body)?.[1]
    if (raw !== undefined) raws.push(raw as Hex)
    return fetch(input, init)
  }
  const sentRaw = async (index: number) => {
    await expect.poll(() => raws.length, { timeout: 60_000 }).toBeGreaterThan(index)
    return raws[index]!
  }
  await node.setAutomine(false)
  const operations = [
    { type: 'remove', positionId: one, params: { version: 'v3', percentage: 50 } },
    { type: 'remove', positionId: other, params: { version: 'v4', percentage: 50 } },
  ]
  const batch = world.call('batch_lp_operations', { operations }).catch((error: unknown) => String(error))
  const raw = await sentRaw(0)
  const { authorizationList } = parseTransaction(raw)
  expect(authorizationList).toHaveLength(1)
  const [{ hash }] = (await world.store.journal.byNonce(world.chain.id, world.wallet, await count())) as [
    { readonly hash: Hash },
  ]
  await world.store.transactions.ask(hash, { what: 'cancel', by: 'operator:ada' })
  await world.executor.carryOutRequests()
  await world.executor.carryOutRequests()
  await sentRaw(1)
  await node.mine({ blocks: 1 })
  expect(await batch).toContain('CANCELLED_BY_OPERATOR')
  // The next write is out; the stranger is mined before it, with what the wallet signed for the batch.
  world.patience.isShort = true
  const removing = world.call('remove_liquidity', { positionId: one, version: 'v3' }).then(
    () => 'removed',
    (error: unknown) => String(error),
  )
  await sentRaw(2)
  const account = privateKeyToAccount(devnet().accounts[8]!.privateKey)
  const thief = createWalletClient({ account, chain: null, transport: http(devnet().rpcUrl) })
  await thief.sendTransaction({
    to: account.address,
    authorizationList: authorizationList as never,
    gas: 200_000n,
    maxFeePerGas: 500n * 10n ** 9n,
    maxPriorityFeePerGas: 400n * 10n ** 9n,
  })
  await node.mine({ blocks: 1 })
  await node.setAutomine(true)
  await removing
  world.patience.isShort = false
  await node.mine({ blocks: 80 })
  for (let turn = 0; turn < 4; turn += 1) await world.executor.reconcile()
  const again = await world.call('remove_liquidity', { positionId: one, version: 'v3' }).then(
    () => 'removed',
    (error: unknown) => String(error),
  )
  expect(again).toBe('removed')
})
