import type { Devnet } from '@svc/devnet'
import type { Address } from 'viem'
import { expect } from 'vitest'
import { type ChainActor, createChainActor } from '../../adapters/liquidity/chain-actor.fixture.ts'
import type { ErrorCode } from '../../errors.ts'
import type { Intent } from '../../intent.ts'
import { ToolError } from '../../tool-error.ts'
import type { Road, RoadOptions } from '../open-road.fixture.ts'
import { type OutsidePrices, outsidePrices, worthOf } from './worth.fixture.ts'

/** One way to give the owner's value away, or to forge a price, and how it ends. */
export type AttackRow = {
  readonly what: string
  readonly options?: RoadOptions | ((devnet: Devnet) => RoadOptions)
  /** What the stranger does first, and the calls of the agent that follow. All but the last are carried out. */
  readonly attack: (stage: Stage) => Promise<Intent | readonly Intent[]>
  readonly ends: RowEnd
  /** Where the row moves the market itself. */
  readonly usd?: OutsidePrices
}

/**
 * The code of the refusal, with nothing signed; or how much the owner may be poorer afterwards at outside prices, gas left
 * out, whether the call is carried out or ends in a failure of the chain.
 */
export type RowEnd = ErrorCode | { readonly losesAtMostUsd: number; readonly fails?: ErrorCode }

export type Stage = {
  readonly devnet: Devnet
  readonly road: Road
  /** Somebody with some 30 million dollars who trades bare. */
  readonly stranger: ChainActor
}

/** Plays a row: refused with nothing signed, or carried out for no more than it may cost. */
export async function playRow(row: AttackRow, stage: Stage): Promise<void> {
  const { road } = stage
  const attacked = await row.attack(stage)
  const calls = Array.isArray(attacked) ? attacked : [attacked as Intent]
  for (const call of calls.slice(0, -1)) await road.run(call)
  const last = calls.at(-1)
  if (last === undefined) throw new TypeError('A row makes a call')
  road.trace.length = 0
  if (typeof row.ends === 'string') return expectNothingSigned(road, last, row.ends)
  const usd = row.usd ?? outsidePrices
  const before = await worthOf(road, usd)
  const { code, gasWei } = await outcomeOf(road, last)
  const lostUsd = before - (Number(gasWei) / 1e18) * (usd['ETH'] ?? 0) - (await worthOf(road, usd))
  expect(code).toBe(row.ends.fails ?? 'carried out')
  expect(lostUsd).toBeLessThanOrEqual(row.ends.losesAtMostUsd)
}

async function expectNothingSigned(road: Road, call: Intent, code: ErrorCode): Promise<void> {
  const nonce = await road.nonce()
  const outcome = await outcomeOf(road, call)
  expect({ code: outcome.code, nonce: await road.nonce() }).toEqual({ code, nonce })
  expect(road.trace).not.toContain('journal recordSigned')
  expect(await road.store.ledger.open()).toEqual([])
}

async function outcomeOf(road: Road, call: Intent): Promise<{ readonly code: string; readonly gasWei: bigint }> {
  try {
    const outcome = await road.run(call)
    return { code: 'carried out', gasWei: 'gasCostWei' in outcome ? outcome.gasCostWei : 0n }
  } catch (failure) {
    if (failure instanceof ToolError) return { code: failure.code, gasWei: 0n }
    throw failure
  }
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

export async function openStage(devnet: Devnet, road: Road): Promise<Stage> {
  return { devnet, road, stranger: await createChainActor(devnet, strangerOf(devnet)) }
}

function strangerOf({ accounts }: Devnet): Address {
  const last = accounts.at(-1)
  if (last === undefined) throw new TypeError('The chain has no accounts')
  return last.address
}
