import { inspect } from 'node:util'
import { createTestClient, http, parseUnits, type TestClient, zeroAddress } from 'viem'
import { createChainActor, v3PathOf } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import type { Deferred, Settled } from '@svc/amm'
import { expect, onTestFailed } from 'vitest'
import { swapIntent } from './intents.fixture.ts'
import { type Pipeline, openPipeline } from './open-pipeline.fixture.ts'
import { createOwedAllowances } from './owed-allowances.ts'

/** What counts against the limits beside gas, in millionths of a dollar. */
export async function used(pipeline: Pipeline): Promise<bigint> {
  const { dailyUsdMicros, dailyGasUsdMicros } = await pipeline.store.ledger.usage('api-key:7e57000000000000', {
    sessionIdleMs: 60_000,
  })
  return dailyUsdMicros - dailyGasUsdMicros
}

/** What gas counts against the limits, in millionths of a dollar. */
export async function usedGas(pipeline: Pipeline): Promise<bigint> {
  return (await pipeline.store.ledger.usage('api-key:7e57000000000000', { sessionIdleMs: 60_000 })).dailyGasUsdMicros
}

/**
 * Holds the gas in the ledger against the chain: what is missing of the 10 ETH a road's wallet begins with, at the table's
 * 3,000 USD, each transaction rounded up to a millionth. For roads on which native currency pays gas alone.
 */
export async function expectGasCounted(pipeline: Pipeline): Promise<void> {
  const burntWei = parseUnits('10', 18) - (await pipeline.balance('ETH'))
  const exact = (burntWei * 3_000n) / 10n ** 12n
  const counted = await usedGas(pipeline)
  expect(counted).toBeGreaterThanOrEqual(exact)
  expect(counted).toBeLessThanOrEqual(exact + BigInt(await pipeline.nonce()))
}

/** A price of ETH at which the gas of a write, or of a transaction, is worth a millionth of a dollar. */
export const nearlyFreeGas = { ETH: 0.000001 }

/** Where the test fails, says what the road warned of and what it still owes. */
export function tellTroubles({ lines, dataDir }: Pipeline): void {
  onTestFailed(async () => {
    const reported = lines.filter(({ level }) => level === 'warn' || level === 'error')
    process.stderr.write(`${inspect({ reported, owed: await createOwedAllowances(dataDir).list() }, { depth: 6 })}\n`)
  })
}

/** What the local chain's node does on command. */
export function testClient(pipeline: Pipeline): TestClient {
  return createTestClient({ mode: 'anvil', transport: http(pipeline.devnet.rpcUrl, { timeout: 120_000 }) })
}

/** What the swap brings now, exactly: any move of the price against it makes it fail. */
export async function quoteOf(pipeline: Pipeline, amount: string): Promise<bigint> {
  const deferred = await pipeline.run(swapIntent(pipeline, amount), { dryRun: true })
  if (!('plan' in deferred)) throw new Error('carried out')
  return parseUnits(deferred.plan.deltas.find(({ symbol }) => symbol === 'WETH')!.amount, 18)
}

/** Somebody else buys WETH for 5,000 USDC. */
export async function moveThePrice(pipeline: Pipeline): Promise<void> {
  const mover = await openPipeline(pipeline.devnet)
  await mover.run(swapIntent(mover, '5000'))
  await mover.close()
}

/** Somebody else buys WETH for 3 million USDC in the v3 pool of 0.05 %, which moves it by some hundred basis points. */
export async function pushThePrice({ devnet, token }: Pipeline): Promise<void> {
  const { address } = devnet.accounts[6]!
  await devnet.fund(address, { USDC: '3000000' })
  const actor = await createChainActor(devnet, address)
  await actor.swapV3(v3PathOf(token('USDC'), 500, token('WETH')), parseUnits('3000000', 6))
}

export function settledOf(outcome: Settled | Deferred): Settled {
  if ('plan' in outcome) throw new Error('only planned')
  return outcome
}

export function plannedOf(outcome: Settled | Deferred): Deferred {
  if (!('plan' in outcome)) throw new Error('carried out')
  return outcome
}

export function deltasOf(pipeline: Pipeline, { deltas }: Settled): Record<string, bigint> {
  const name = (token: string) =>
    token === zeroAddress ? 'ETH' : pipeline.devnet.tokens.find(({ address }) => address === token)!.symbol
  return Object.fromEntries(deltas.map(({ token, amount }) => [name(token), amount]))
}

export function principalOf() {
  return {
    id: 'api-key:7e57000000000000',
    stage: 'api-key',
    tier: 'write',
    scopes: new Set<never>(),
    expiresAt: null,
  } as const
}
