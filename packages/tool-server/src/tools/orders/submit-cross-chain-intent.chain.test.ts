import { erc20Abi } from '@svc/amm/abis'
import { startRelayer } from '@svc/devnet/relayer'
import { type Address, concat, formatUnits, type Hex, parseUnits, toFunctionSelector } from 'viem'
import { describe, expect, test, vi } from 'vitest'
import { createCircuitBreaker } from '../../../../engine/src/switches/circuit-breaker.ts'
import type { Answer } from '../answer.fixture.ts'
import { ownPolicy, type World } from '../chain-world.fixture.ts'
import { endpointBefore, fillFromDeposits, giveBack, turnSettler, useCrossChain } from './cross-chain.fixture.ts'
import { spentUsd } from './signed-order.fixture.ts'

const cross = useCrossChain()
const order = { tokenIn: 'USDC', tokenOut: 'USDC', amount: '1000', destinationChain: 'elsewhere' }

describe('submit_cross_chain_intent', () => {
  test('is filled on the other chain, and both ends stand in one operation', async () => {
    const world = await cross.open()
    const before = await world.balance('USDC')
    const answer = await world.call('submit_cross_chain_intent', order)
    expect(before - (await world.balance('USDC'))).toBe(parseUnits('1000', 6))
    expect(await cross.arrived('USDC', world.wallet)).toBe(0n)
    expect(await spentUsd(world)).toBeGreaterThan(999)
    expect(answer.text('recipient')).toBe(world.wallet)
    const operationId = answer.text('operationId')
    const open = await world.call('get_operation', { operationId })
    expect([open.at('state'), open.at('result.origin.txHash')]).toEqual(['open', answer.text('txHash')])
    expect(open.at('result.destination.txHash')).toBeNull()

    expect(await cross.relayer().opened()).toEqual([answer.text('orderId')])
    const txHash = await cross.relayer().fill(answer.text('orderId') as `0x${string}`)
    expect(txHash).not.toBeNull()
    const filled = await world.call('get_operation', { operationId })
    expect([filled.at('state'), filled.at('result.isFinal')]).toEqual(['filled', false])
    await cross.settle(world)
    const settled = await world.call('get_operation', { operationId })
    expect([settled.at('state'), settled.at('result.isFinal')]).toEqual(['filled', true])
    expect(settled.text('result.destination.txHash')).toBe(txHash)
    const came = formatUnits(await cross.arrived('USDC', world.wallet), 6)
    expect(settled.text('result.destination.amountOut')).toBe(came)
    expect(came).toBe(answer.text('minAmountOut'))
    expect(Number(came)).toBeGreaterThan(990)
    expect(Number(came)).toBeLessThan(1_000)
    // The bridge pays the relayer out of what lies at the settler, and nothing comes back.
    expect(await cross.relayer().release(answer.text('orderId') as `0x${string}`)).not.toBeNull()
    expect(await world.balance('USDC', world.chain.crossChainSettler)).toBe(0n)
    // What was traded goes on counting.
    expect(await spentUsd(world)).toBeGreaterThan(999)
    expect(await world.store.ledger.open()).toEqual([])
    expect(await world.audited('order.ended')).toEqual([
      expect.objectContaining({ operationId, result: expect.objectContaining({ state: 'filled' }) }),
    ])
  })

  test('counts until what nobody fills has come back, and a fill that is late fails', async () => {
    const world = await cross.open()
    const before = await world.balance('USDC')
    const answer = await world.call('submit_cross_chain_intent', order)
    const operationId = answer.text('operationId')
    const orderId = answer.text('orderId') as `0x${string}`
    expect(await cross.relayer().refund(orderId)).toBeNull()
    await cross.passDeadline(world, answer)
    expect(await cross.relayer().fill(orderId)).toBeNull()
    await cross.settle(world)
    const overdue = await world.call('get_operation', { operationId })
    expect([overdue.at('state'), overdue.at('result.isFinal')]).toEqual(['overdue', false])
    expect(await spentUsd(world)).toBeGreaterThan(999)

    const refunded = await cross.relayer().refund(orderId)
    expect(refunded).not.toBeNull()
    await cross.settle(world)
    const ended = await world.call('get_operation', { operationId })
    expect([ended.at('state'), ended.at('result.isFinal')]).toEqual(['refunded', true])
    expect(ended.text('result.origin.refundTxHash')).toBe(refunded)
    expect(ended.text('result.origin.refundedAmount')).toBe('1000')
    expect(await world.balance('USDC')).toBe(before)
    expect(await spentUsd(world)).toBeLessThan(5)
  })

  test('counts until nobody can fill it any more, also where the settler has given back what was put in', async () => {
    const world = await cross.open()
    const answer = await world.call('submit_cross_chain_intent', order)
    const operationId = answer.text('operationId')
    await giveBack(cross.origin(), world.wallet, parseUnits('1000', 6))
    await cross.settle(world)
    expect((await world.call('get_operation', { operationId })).at('state')).toBe('open')
    expect(await spentUsd(world)).toBeGreaterThan(999)
    await cross.passDeadline(world, answer)
    await cross.settle(world)
    expect((await world.call('get_operation', { operationId })).at('state')).toBe('refunded')
    expect(await spentUsd(world)).toBeLessThan(5)
  })

  test('is filled, and given back where nobody may fill it any more, by a relayer that goes on by itself', async () => {
    const world = await cross.open()
    const before = await world.balance('USDC')
    const late = await world.call('submit_cross_chain_intent', order)
    await cross.passDeadline(world, late)
    const relayer = await startRelayer(cross.origin(), cross.destination())
    try {
      const ended = async (answer: Answer) => {
        const read = () => world.call('get_operation', { operationId: answer.text('operationId') })
        await expect.poll(async () => (await read()).at('result.isFinal'), { timeout: 60_000 }).toBe(true)
        return (await read()).at('state')
      }
      expect(await ended(late)).toBe('refunded')
      expect(await world.balance('USDC')).toBe(before)
      const inTime = await world.call('submit_cross_chain_intent', order)
      expect(await ended(inTime)).toBe('filled')
      expect(formatUnits(await cross.arrived('USDC', world.wallet), 6)).toBe(inTime.text('minAmountOut'))
      // What lay at the settler has been paid to the relayer.
      await expect.poll(() => world.balance('USDC', world.chain.crossChainSettler)).toBe(0n)
    } finally {
      await relayer.stop()
    }
  })

  test('pays a relayer that could not be told of its fill at first', async () => {
    const world = await cross.open()
    const release = toFunctionSelector('release(bytes32,address)').slice(2)
    const refused: string[] = []
    const deaf = await endpointBefore(cross.origin().rpcUrl, (body) => {
      if (!body.includes(release) || refused.length > 0) return null
      refused.push(body)
      return { error: { code: -32_000, message: 'not now' } }
    })
    const relayer = await startRelayer({ ...cross.origin(), rpcUrl: deaf.url }, cross.destination())
    try {
      await world.call('submit_cross_chain_intent', order)
      const held = () => world.balance('USDC', world.chain.crossChainSettler)
      expect(await held()).toBeGreaterThan(0n)
      await expect.poll(held, { timeout: 60_000 }).toBe(0n)
      expect(refused).toHaveLength(1)
    } finally {
      await relayer.stop()
      await deaf.close()
    }
  })

  test('is not refunded by a part of what was put in', async () => {
    const world = await cross.open()
    const answer = await world.call('submit_cross_chain_intent', order)
    await giveBack(cross.origin(), world.wallet, parseUnits('999.999999', 6))
    await cross.passDeadline(world, answer)
    await cross.settle(world)
    const overdue = await world.call('get_operation', { operationId: answer.text('operationId') })
    expect([overdue.at('state'), overdue.at('result.isFinal')]).toEqual(['overdue', false])
    expect(await spentUsd(world)).toBeGreaterThan(999)
  })

  test('that is refunded ends alone: another, of another token, goes on', async () => {
    const world = await cross.open()
    const dollars = await world.call('submit_cross_chain_intent', order)
    const ether = await world.call('submit_cross_chain_intent', { ...order, tokenIn: 'WETH', amount: '0.3' })
    await cross.passDeadline(world, ether)
    // Of the other token some comes from the settler as well, which is not what was put in.
    await giveBack(cross.origin(), world.wallet, 1n)
    expect(await cross.relayer().refund(ether.text('orderId') as `0x${string}`)).not.toBeNull()
    await cross.settle(world)
    const states = await Promise.all(
      [dollars, ether].map(async (answer) =>
        (await world.call('get_operation', { operationId: answer.text('operationId') })).at('state'),
      ),
    )
    expect(states).toEqual(['overdue', 'refunded'])
    expect(await spentUsd(world)).toBeGreaterThan(999)
    expect(await spentUsd(world)).toBeLessThan(1_020)
  })

  test.each([
    ['the wallet', (wallet: Address) => wallet],
    // The settler pays the lower 20 bytes.
    ['the wallet with more before it', (wallet: Address): Hex => concat([`0x${'01'.repeat(12)}`, wallet])],
  ])('is not refunded by what the settler pays for an order of another chain to %s', async (_whom, recipientOf) => {
    const world = await cross.open()
    const answer = await world.call('submit_cross_chain_intent', order)
    const operationId = answer.text('operationId')
    const before = await world.balance('USDC')
    await fillFromDeposits(cross.origin(), cross.destination(), recipientOf(world.wallet), parseUnits('1000', 6))
    expect((await world.balance('USDC')) - before).toBe(parseUnits('1000', 6))
    await cross.passDeadline(world, answer)
    await cross.settle(world)
    expect((await world.call('get_operation', { operationId })).at('state')).toBe('overdue')
    expect(await spentUsd(world)).toBeGreaterThan(999)
    await cross.origin().fund(world.chain.crossChainSettler!, { USDC: '1000' })
    await giveBack(cross.origin(), world.wallet, parseUnits('1000', 6))
    await cross.settle(world)
    expect((await world.call('get_operation', { operationId })).at('state')).toBe('refunded')
  })

  test('of one token is opened once where two are asked for at a time', async () => {
    const world = await cross.open()
    const both = await Promise.allSettled([1, 2].map(() => world.call('submit_cross_chain_intent', order)))
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await cross.relayer().opened()).toHaveLength(1)
  })

  test('shows both ends in a plan, signs nothing, and is carried out for no less', async () => {
    const world = await cross.open()
    const planned = await world.call('submit_cross_chain_intent', { ...order, dryRun: true })
    const { address } = cross.destination().tokens.find(({ symbol }) => symbol === 'USDC')!
    const [arriving] = planned.at('plan.bounds.receivesAtLeast') as { chainId: number; token: string; amount: string }[]
    expect(arriving).toMatchObject({ chainId: 31_338, token: address, symbol: 'USDC' })
    expect(planned.at('plan.deltas')).toEqual(expect.arrayContaining([expect.objectContaining({ chainId: 31_338 })]))
    expect(await cross.relayer().opened()).toEqual([])
    expect(await world.store.orders.open(world.chain.id)).toEqual([])
    const answer = await world.call('execute_plan', { planId: planned.text('plan.planId') })
    expect(Number(answer.text('minAmountOut'))).toBeGreaterThanOrEqual(Number(arriving!.amount))
    expect(await cross.relayer().opened()).toEqual([answer.text('orderId')])
    const [placed] = (await world.call('list_operations', { state: 'open' })).list('operations')
    const shown = await world.call('get_operation', { operationId: answer.text('operationId') })
    expect(placed!.data).toEqual(
      Object.fromEntries(Object.keys(placed!.data as object).map((key) => [key, shown.at(key)])),
    )
  })

  test('opens no second order of the token before the first has ended, and leaves no allowance', async () => {
    const world = await cross.open()
    const answer = await world.call('submit_cross_chain_intent', order)
    const { code, details } = await world.refuse('submit_cross_chain_intent', order)
    expect([code, details[0]?.['operationId']]).toEqual(['ORDER_OPEN', answer.text('operationId')])
    const args = [world.wallet, world.chain.crossChainSettler!] as const
    const address = world.address('USDC')
    expect(await world.client.readContract({ address, abi: erc20Abi, functionName: 'allowance', args })).toBe(0n)
    await cross.relayer().fill(answer.text('orderId') as `0x${string}`)
    await cross.settle(world)
    await world.call('submit_cross_chain_intent', { ...order, amount: '10' })
  })

  test.each([
    ['a chain without a settler', { destinationChain: 'base' }, 'CHAIN_NOT_SUPPORTED'],
    ['the chain itself', { destinationChain: 'local' }, 'VALIDATION_FAILED'],
    ['native currency', { tokenIn: 'ETH' }, 'VALIDATION_FAILED'],
    ['a token that nobody lists there', { tokenOut: 'FEE' }, 'TOKEN_NOT_FOUND'],
    ['a deadline beyond the cap', { deadlineSeconds: 86_400 }, 'DEADLINE_TOO_LONG'],
    ['more slippage than may be lost', { slippageBps: 200 }, 'VALUE_LOSS_EXCEEDED'],
    ['a relayer who is paid more than may be lost', { relayerFeeBps: 200 }, 'VALUE_LOSS_EXCEEDED'],
    ['more than the wallet has', { amount: '100001' }, 'INSUFFICIENT_BALANCE'],
  ] as const)('refuses %s before anything is signed', async (_what, change, code) => {
    const world = await cross.open()
    expect((await world.refuse('submit_cross_chain_intent', { ...order, ...change })).code).toBe(code)
    expect(await cross.relayer().opened()).toEqual([])
    expect(await world.store.orders.open(world.chain.id)).toEqual([])
  })
})

describe('a settler that does what it should not', () => {
  test.each([
    ['resolves less', 'order.maxSpent.0.amount'],
    ['resolves elsewhere', 'order.maxSpent.0.recipient'],
  ] as const)('is not believed where it %s', async (oddity, field) => {
    await turnSettler(cross.origin(), oddity)
    const world = await cross.open()
    const { code, details } = await world.refuse('submit_cross_chain_intent', order)
    expect([code, details[0]?.field]).toEqual(['UNSAFE_TRANSACTION', field])
    expect(await world.store.orders.open(world.chain.id)).toEqual([])
  })

  test.each(['opens less', 'opens silently'] as const)('costs what it took where it %s', async (oddity) => {
    await turnSettler(cross.origin(), oddity)
    const world = await cross.open()
    const answer = await world.call('submit_cross_chain_intent', order)
    expect(answer.at('isOpened')).toBe(false)
    expect(await breakerOf(world)).toBe('shortfall')
    await cross.settle(world)
    const ended = await world.call('get_operation', { operationId: answer.text('operationId') })
    expect([ended.at('state'), ended.at('result.isFinal')]).toEqual(['lost', true])
    expect(await spentUsd(world)).toBeGreaterThan(999)
    expect(await lostUsd(world)).toBeGreaterThan(990)
    expect(await world.store.ledger.open()).toEqual([])
  })

  test.each([
    ['fills less', 0.5],
    ['fills nothing', 0],
  ] as const)('counts by what arrived where it %s, and opens the breaker', async (oddity, part) => {
    await turnSettler(cross.destination(), oddity)
    // However far what comes may drift from a simulation: an order says it to the unit.
    const own = ownPolicy(cross.origin())
    const world = await cross.open({ policy: { ...own, breaker: { ...own.breaker, maxSimulationDriftPct: 100 } } })
    const answer = await world.call('submit_cross_chain_intent', order)
    await cross.relayer().fill(answer.text('orderId') as `0x${string}`)
    await cross.settle(world)
    const ended = await world.call('get_operation', { operationId: answer.text('operationId') })
    expect([ended.at('state'), ended.at('result.isFinal')]).toEqual(['filled', true])
    const least = Number(answer.text('minAmountOut'))
    expect(Number(ended.text('result.destination.amountOut'))).toBeCloseTo(least * part, 4)
    expect(await lostUsd(world)).toBeGreaterThan(1_000 * (1 - part) - 20)
    expect(await breakerOf(world)).toBe('shortfall')
  })

  test('gets no amount lowered that a relayer words otherwise', async () => {
    const world = await cross.open()
    const answer = await world.call('submit_cross_chain_intent', order)
    const orderId = answer.text('orderId') as `0x${string}`
    const less = await cross.relayer().instruction(orderId, (amount) => amount / 2n)
    expect(await cross.relayer().fill(orderId, less)).toBeNull()
    expect(await cross.arrived('USDC', world.wallet)).toBe(0n)
    expect(await cross.relayer().fill(orderId)).not.toBeNull()
  })

  test('keeps what it took: after a day the order is lost, and counts so', async () => {
    const world = await cross.open()
    const answer = await world.call('submit_cross_chain_intent', order)
    await cross.passDeadline(world, answer)
    await cross.settle(world)
    expect(await breakerOf(world)).toBeNull()
    world.clock.offsetMs += 24 * 3_600_000
    await world.executor.reconcile()
    const ended = await world.call('get_operation', { operationId: answer.text('operationId') })
    expect([ended.at('state'), ended.at('result.isFinal')]).toEqual(['lost', true])
    expect(await lostUsd(world)).toBeGreaterThan(990)
    expect(await breakerOf(world)).toBe('shortfall')
  })
})

describe('an order outlives the process', () => {
  test('that was cut off before it knew that the order is opened', async () => {
    const world = await cross.open()
    vi.spyOn(world.store.orders, 'accept').mockRejectedValue(new Error('the process is gone'))
    await world.call('submit_cross_chain_intent', order)
    const [orderId] = await cross.relayer().opened()
    expect(await world.store.orders.open(world.chain.id)).toMatchObject([{ state: 'signed', orderId }])
    const next = await cross.open({ again: { ...world.again, offsetMs: world.clock.offsetMs } })
    await next.executor.reconcile()
    const [kept] = await next.store.orders.open(next.chain.id)
    expect(kept).toMatchObject({ kind: 'cross_chain', state: 'accepted', orderId })
    // What is reserved for it stays so: no sweep takes it for a call that is over.
    expect(await next.store.ledger.open()).toHaveLength(1)
    await cross.relayer().fill(orderId!)
    await cross.settle(next)
    const ended = await next.call('get_operation', { operationId: kept!.operationId })
    expect([ended.at('state'), ended.at('result.isFinal')]).toEqual(['filled', true])
    expect(await next.store.ledger.open()).toEqual([])
  })

  test.each([
    ['before it had signed', false],
    ['before it had noted that it signed nothing', true],
  ] as const)('that ended %s: nothing is followed, and nothing counts', async (_when, isCutOff) => {
    const world = await cross.open()
    if (isCutOff) vi.spyOn(world.store.orders, 'end').mockRejectedValueOnce(new Error('the process is gone'))
    const keep = world.store.orders.record.bind(world.store.orders)
    vi.spyOn(world.store.orders, 'record').mockImplementationOnce(async (row) => {
      await keep(row)
      throw new Error('the process is gone')
    })
    await world.refuse('submit_cross_chain_intent', order)
    expect(await world.store.orders.open(world.chain.id)).toHaveLength(isCutOff ? 1 : 0)
    await cross.settle(world)
    expect(await cross.relayer().opened()).toEqual([])
    expect(await world.store.orders.open(world.chain.id)).toEqual([])
    expect(await spentUsd(world)).toBeLessThan(5)
    const [{ operationId }] = (await world.audited('order.intent')) as [{ operationId: string }]
    const ended = await world.call('get_operation', { operationId })
    expect([ended.at('state'), ended.at('result.isFinal')]).toEqual(['unopened', true])
    // What was cut off before the order was kept as ended is done once more.
    const line = expect.objectContaining({ operationId, result: expect.objectContaining({ state: 'unopened' }) })
    expect(await world.audited('order.ended')).toEqual(isCutOff ? [line, line] : [line])
    await world.call('submit_cross_chain_intent', order)
  })
})

/** What a day has lost, in dollars. */
async function lostUsd({ store }: World): Promise<number> {
  return Number(await store.ledger.budgetUsage('loss')) / 1e6
}

async function breakerOf(world: World): Promise<string | null> {
  const { dataDir } = world.again
  const limits = () => world.executor.policy().breaker
  const { open, openedBy } = await createCircuitBreaker({ dataDir, limits, now: Date.now }).status()
  return open ? openedBy : null
}
