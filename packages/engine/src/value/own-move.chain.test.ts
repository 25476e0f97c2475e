import { useDevnet } from '@svc/devnet/testing'
import { parseUnits } from 'viem'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { AddRequest, Intent, Position, Token } from '@svc/amm'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import { afterSending } from '../fixtures/network.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { pushThePrice, used } from '../fixtures/pipeline-facts.fixture.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open, close } = usePipelines(devnet)

let pipeline: Pipeline
let position: Position

const stranger = '0x00000000000000000000000000000000000f0e1d'
const limitsUsd = { perTransaction: '300', perSession: '1000', daily: '2000' }

/** A position of some 6,000 USD, and a policy that lets no call spend more than 300. */
beforeEach(async () => {
  const generous = await open({ usd: 'chain' })
  const planned = await add(generous, '2', {})
  await generous.run(planned, { tool: 'add_liquidity' })
  const owned = await generous.liquidity.positionsByOwner(generous.chain, generous.wallet, ['v3'])
  position = owned.items.find((item): item is Position => item.version === 'v3')!
  await close(generous)
  const { privateKey } = generous
  const policy = { limitsUsd, approvalThresholdUsd: null, allowlist: { mode: 'lenient' } } as const
  pipeline = await open({ usd: 'chain', privateKey, policy })
})

const byAddress = (of: Pipeline, symbol: string): Promise<Token> => of.tokens.byAddress(of.chain, of.token(symbol))

async function common(of: Pipeline) {
  const { timestamp } = await of.rpc.head(of.chain)
  return { slippageBps: 50, deadline: Number(timestamp) + 600, recipient: of.wallet }
}

async function add(of: Pipeline, weth: string, change: Partial<Pick<AddRequest, 'fee' | 'range'>>): Promise<Intent> {
  const [token0, token1] = await Promise.all([byAddress(of, 'WETH'), byAddress(of, 'USDC')])
  const amounts = { amount0: parseUnits(weth, 18), amount1: null, range: { pctEachSide: 15 }, hooks: null }
  const request = { version: 'v3', token0, token1, fee: 500, ...amounts, ...(await common(of)), ...change } as const
  return (await of.liquidity.planAdd(of.chain, request)).intent
}

async function remove(change: { readonly recipient?: `0x${string}` } = {}): Promise<Intent> {
  const whole = { percentage: 100, collectFees: true }
  const request = { ...whole, ...(await common(pipeline)), ...change }
  return (await pipeline.liquidity.planRemove(pipeline.chain, position, request)).intent
}

async function swap(from: string, to: string, amount: string): Promise<Intent> {
  const [tokenIn, tokenOut] = await Promise.all([byAddress(pipeline, from), byAddress(pipeline, to)])
  const amountIn = parseUnits(amount, tokenIn.decimals)
  const quote = await pipeline.liquidity.quote(pipeline.chain, { tokenIn, tokenOut, amountIn })
  const request = { tokenIn, tokenOut, ...(await common(pipeline)) }
  return (await pipeline.liquidity.planSwap(pipeline.chain, quote, request)).intent
}

/** One after the other, declaring what a move declares: nothing leaves. */
function inTurn(...intents: readonly Intent[]): Intent {
  const [last] = intents.slice(-1)
  return {
    ...last!,
    calls: intents.flatMap(({ calls }) => calls),
    approvals: intents.flatMap(({ approvals }) => approvals),
    recipients: intents.flatMap(({ recipients }) => recipients),
    atomicity: 'sequential',
    spends: [],
    receives: [],
  }
}

async function spentUsd(): Promise<number> {
  const settled = (await pipeline.auditLines()).findLast(({ event }) => event === 'tx.settled')
  return Number(settled?.['spentUsd'])
}

describe('own liquidity that is moved within its pool', () => {
  it('counts as nothing where what comes out goes in again', async () => {
    await pipeline.run(inTurn(await remove(), await add(pipeline, '1.9', {})))
    expect(await spentUsd()).toBe(0)
  })

  it('counts as what is traded on the way, once it is mined too', async () => {
    const intent = inTurn(await remove(), await swap('USDC', 'WETH', '200'), await add(pipeline, '1.8', {}))
    await pipeline.run(intent)
    expect(await spentUsd()).toBeGreaterThan(199)
    expect(await spentUsd()).toBeLessThan(203)
  })

  it('counts whole what goes into another pool, or through another token', async () => {
    await expectRefused(pipeline, inTurn(await remove(), await add(pipeline, '1.9', { fee: 3000 })), limit)
    const through = inTurn(await remove(), await swap('USDC', 'DAI', '20'), await add(pipeline, '1.9', {}))
    await expectRefused(pipeline, through, limit)
  })

  it('counts what the wallet adds of its own', async () => {
    const range = { priceLower: 2_400, priceUpper: 3_060 }
    const deposit = await add(pipeline, '0.235', { range })
    const more = inTurn(await remove(), deposit)
    await expectRefused(pipeline, { ...more, spends: deposit.spends }, limit)
    await expectRefused(pipeline, more, 'UNSAFE_TRANSACTION')
  })

  it('ends with everything in the wallet where its pool is pushed between the transactions, and says so', async () => {
    const intent = inTurn(await remove(), await swap('USDC', 'WETH', '200'), await add(pipeline, '1.8', {}))
    // Three allowances, then the removal.
    afterSending(pipeline, 4, () => pushThePrice(pipeline))
    await expect(pipeline.run(intent)).rejects.toMatchObject({
      code: 'OPERATION_INCOMPLETE',
      details: expect.arrayContaining([expect.objectContaining({ message: 'remove liquidity' })]),
    })
    const left = await pipeline.liquidity.position(pipeline.chain, 'v3', position.positionId)
    expect(left).toMatchObject({ liquidity: 0n, fees0: 0n, fees1: 0n })
    // What is left is simulated anew once the position is closed: the swap is not signed any more.
    expect(await pipeline.balance('USDC')).toBeGreaterThanOrEqual(parseUnits('19999', 6))
    expect(await pipeline.balance('WETH')).toBeGreaterThanOrEqual(parseUnits('4.999', 18))
    const { swapRouter02, positionManager } = pipeline.chain.amm.v3!
    const standing = [swapRouter02, positionManager].map((spender) => pipeline.allowance('USDC', spender))
    expect(await Promise.all(standing)).toEqual([0n, 0n])
    expect(await pipeline.store.ledger.open()).toEqual([])
    const counted = await used(pipeline)
    expect(counted).toBeLessThan(parseUnits('6', 6))
  })

  it('counts as lost what its swap really lost where it is cut off after it', async () => {
    const intent = inTurn(await remove(), await swap('USDC', 'WETH', '200'), await add(pipeline, '1.8', {}))
    const [reserve, settle] = [vi.spyOn(pipeline.store.ledger, 'reserve'), vi.spyOn(pipeline.store.ledger, 'settle')]
    // Three allowances, the removal, then the swap.
    afterSending(pipeline, 5, () => pushThePrice(pipeline))
    await expect(pipeline.run(intent)).rejects.toMatchObject({
      code: 'OPERATION_INCOMPLETE',
      details: expect.arrayContaining([expect.objectContaining({ message: 'swap' })]),
    })
    const lossIn = (budgets: readonly { readonly name: string; readonly usdMicros: bigint }[] = []) =>
      budgets.find(({ name }) => name === 'loss')?.usdMicros ?? -1n
    const [reserved, lost] = [lossIn(reserve.mock.calls[0]?.[0].budgets), lossIn(settle.mock.calls[0]?.[3])]
    expect(lost).toBeGreaterThanOrEqual(0n)
    // The fee of 200 USD, and what two feeds may lie apart.
    expect(lost).toBeLessThan(parseUnits('2', 6))
    expect(reserved).toBeGreaterThan(lost * 3n)
  })

  it('pays nobody else on the way', async () => {
    const diverted = inTurn(await remove({ recipient: stranger }), await add(pipeline, '1.9', {}))
    await expectRefused(pipeline, diverted, 'RECIPIENT_NOT_ALLOWED')
  })
})

const limit = 'SPENDING_LIMIT_EXCEEDED'
