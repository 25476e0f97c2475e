import type { Devnet } from '@svc/devnet'
import type { Address } from 'viem'
import { expect } from 'vitest'
import { type ChainActor, createChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import type { Call } from '../../../engine/src/call/call.ts'
import { type ErrorCode, type Intent, ToolError } from '@svc/amm'
import { callOf, type Pipeline, type PipelineOptions } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { outsidePrices, worthOf } from './worth.fixture.ts'

/** One way to give the owner's value away, or to forge a price, and how it ends. */
export type AttackRow = {
  readonly what: string
  readonly options?: PipelineOptions | ((devnet: Devnet) => PipelineOptions)
  /** What the stranger does first, and the calls of the agent that follow. All but the last are carried out. */
  readonly attack: (stage: Stage) => Promise<Intent | readonly Intent[]>
  readonly ends: RowEnd
  /** Who makes each call, where it is not always the same caller. */
  readonly callers?: readonly string[]
  /** How much poorer the owner may be after all calls of the row, where they are several. */
  readonly losesInAllAtMostUsd?: number
}

/**
 * The code of the refusal, with nothing signed; or how much the owner may be poorer afterwards at outside prices, gas left
 * out, whether the call is carried out or ends in a failure of the chain.
 */
export type RowEnd = ErrorCode | { readonly losesAtMostUsd: number; readonly fails?: ErrorCode }

export type Stage = {
  readonly devnet: Devnet
  readonly pipeline: Pipeline
  /** Somebody with some 30 million dollars who trades bare. */
  readonly stranger: ChainActor
}

/** Plays a row: refused with nothing signed, or carried out for no more than it may cost. */
export async function playRow(row: AttackRow, stage: Stage): Promise<void> {
  const { pipeline } = stage
  const attacked = await row.attack(stage)
  const intents = Array.isArray(attacked) ? attacked : [attacked as Intent]
  const calls = intents.map((intent, index): RowCall => [intent, callBy(row.callers?.[index])])
  const last = calls.pop()
  if (last === undefined) throw new TypeError('A row makes a call')
  const before = row.losesInAllAtMostUsd === undefined ? null : await worthOf(pipeline)
  let gasWei = 0n
  for (const call of calls) gasWei += (await outcomeOf(pipeline, call, 'carried out')).gasWei
  pipeline.trace.length = 0
  if (typeof row.ends === 'string') await expectNothingSigned(pipeline, last, row.ends)
  else await expectLoss(pipeline, last, row.ends)
  if (before === null) return
  expect(before - usdOfGas(gasWei) - (await worthOf(pipeline))).toBeLessThanOrEqual(row.losesInAllAtMostUsd ?? 0)
}

type RowCall = readonly [intent: Intent, call: Partial<Call>]

function callBy(caller: string | undefined): Partial<Call> {
  return caller === undefined ? {} : { principal: { ...callOf().principal, id: caller } }
}

async function expectLoss(pipeline: Pipeline, call: RowCall, ends: Exclude<RowEnd, ErrorCode>): Promise<void> {
  const before = await worthOf(pipeline)
  const { gasWei } = await outcomeOf(pipeline, call, ends.fails ?? 'carried out')
  expect(before - usdOfGas(gasWei) - (await worthOf(pipeline))).toBeLessThanOrEqual(ends.losesAtMostUsd)
}

async function expectNothingSigned(pipeline: Pipeline, call: RowCall, code: ErrorCode): Promise<void> {
  const nonce = await pipeline.nonce()
  await outcomeOf(pipeline, call, code)
  expect(await pipeline.nonce()).toBe(nonce)
  expect(pipeline.trace).not.toContain('journal recordSigned')
  expect(await pipeline.store.ledger.open()).toEqual([])
}

async function outcomeOf(
  pipeline: Pipeline,
  [intent, call]: RowCall,
  expected: string,
): Promise<{ readonly gasWei: bigint }> {
  try {
    const outcome = await pipeline.run(intent, call)
    expect('carried out').toBe(expected)
    return { gasWei: 'gasCostWei' in outcome ? outcome.gasCostWei : 0n }
  } catch (failure) {
    if (!(failure instanceof ToolError)) throw failure
    expect(`${failure.code}: ${failure.message}`).toMatch(new RegExp(`^${expected}: `))
    return { gasWei: 0n }
  }
}

function usdOfGas(gasWei: bigint): number {
  return (Number(gasWei) / 1e18) * outsidePrices.ETH
}

/** Gives the stranger what every row may use. */
export async function fundStranger(devnet: Devnet): Promise<void> {
  await devnet.fund(strangerOf(devnet), {
    ETH: '1000',
    WETH: '4000',
    USDC: '10000000',
    USDT: '3000000',
    DAI: '3000000',
    WBTC: '50',
    FOT: '1000000',
    HOSTILE: '1000000',
  })
}

export async function openStage(devnet: Devnet, pipeline: Pipeline): Promise<Stage> {
  return { devnet, pipeline, stranger: await createChainActor(devnet, strangerOf(devnet)) }
}

function strangerOf({ accounts }: Devnet): Address {
  const last = accounts.at(-1)
  if (last === undefined) throw new TypeError('The chain has no accounts')
  return last.address
}
