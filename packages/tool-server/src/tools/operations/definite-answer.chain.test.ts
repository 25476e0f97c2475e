import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { useDevnet } from '@svc/devnet/testing'
import { createTestClient, http } from 'viem'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openWorld, type World } from '../chain-world.fixture.ts'
import { storeEngines } from '../../../../engine/src/fixtures/store-engines.fixture.ts'

const devnet = useDevnet()
const node = () => createTestClient({ mode: 'anvil', transport: http(devnet().rpcUrl) })
const swap = { tokenIn: 'ETH', tokenOut: 'USDC', amount: '0.1', version: 'v3', idempotencyKey: 'k' }
const patience = { timeout: 30_000 }

let world: World
beforeEach(async () => {
  await node().setAutomine(true)
})
afterEach(async () => {
  await node().request({ method: 'anvil_dropAllTransactions' } as never)
  await node().setAutomine(true)
  await world.close()
})

describe.each(storeEngines)('the same key again, on $engine', ({ usePlaces }) => {
  const newPlace = usePlaces()
  const openPending = async () => {
    world = await openWorld(devnet(), { databaseUrl: await newPlace() })
    world.patience.isShort = true
    await node().setAutomine(false)
    const pending = await world.refuse('execute_swap', swap)
    expect(pending).toMatchObject({ code: 'TRANSACTION_PENDING' })
    expect(await world.refuse('execute_swap', swap)).toEqual(pending)
    return pending.details[0]?.['txHash'] as `0x${string}`
  }
  const decided = async (): Promise<void> => {
    await expect
      .poll(async () => {
        await world.executor.reconcile()
        return world.store.journal.open(world.chain.id, world.wallet)
      }, patience)
      .toEqual([])
  }

  it('tells what happened and what moved once a transaction that was waited for is mined', async () => {
    const hash = await openPending()
    await node().mine({ blocks: 1 })
    await node().setAutomine(true)
    await decided()
    const answer = await world.refuse('execute_swap', swap)
    expect(answer).toMatchObject({
      code: 'OPERATION_ENDED',
      message: expect.stringContaining('1 of 1 transactions did what they were for'),
      suggestion: expect.stringContaining('do not ask for it again'),
      details: [{ txHash: hash, message: 'mined' }, { moved: expect.any(Array) }],
    })
    expect(answer.details[1]?.['moved']).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ symbol: 'ETH', amount: '-0.1' }),
        expect.objectContaining({ symbol: 'USDC', amount: expect.stringMatching(/^\d/) }),
      ]),
    )
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(1)
  })

  it('tells that the operator cancelled it, and runs nothing again', async () => {
    const hash = await openPending()
    await world.store.transactions.ask(hash, { what: 'cancel', by: 'operator:ada' })
    await world.executor.carryOutRequests()
    await node().mine({ blocks: 1 })
    await node().setAutomine(true)
    await decided()
    const answer = await world.refuse('execute_swap', swap)
    const noOp = (await world.store.journal.byNonce(world.chain.id, world.wallet, 0)).at(-1)!.hash
    expect(answer).toMatchObject({
      code: 'CANCELLED_BY_OPERATOR',
      details: [{ txHash: hash, minedInstead: noOp, message: expect.stringContaining('cancelled by the operator') }],
    })
    expect(await world.refuse('execute_swap', swap)).toEqual(answer)
    expect(await world.client.getTransactionCount({ address: world.wallet })).toBe(1)
  })

  it('is not asked for again for ever where a call failed after its approval was mined, which is taken back', async () => {
    world = await openWorld(devnet(), { databaseUrl: await newPlace() })
    const usdc = { ...swap, tokenIn: 'USDC', tokenOut: 'WETH', amount: '100' }
    const paused = join(world.again.dataDir, 'paused')
    let hasSent = false
    world.network.fetch = async (input, init) => {
      hasSent ||= typeof init?.body === 'string' && init.body.includes('eth_sendRawTransaction')
      const answer = await fetch(input, init)
      if (hasSent) writeFileSync(paused, '')
      return answer
    }
    expect(await world.refuse('execute_swap', usdc)).toMatchObject({ code: 'SERVER_PAUSED', retryable: true })
    world.network.fetch = fetch
    rmSync(paused)
    await decided()
    expect(await world.refuse('execute_swap', usdc)).toMatchObject({
      code: 'OPERATION_ENDED',
      retryable: false,
      suggestion: expect.stringContaining('new idempotencyKey'),
    })
    const swapped = await world.call('execute_swap', { ...usdc, idempotencyKey: 'k2' })
    expect(swapped.data).toMatchObject({ amountIn: '100' })
  })
})
