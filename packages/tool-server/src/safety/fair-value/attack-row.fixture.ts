import type { Devnet } from '@svc/devnet'
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
  readonly options?: RoadOptions
  /** What the stranger does first, and the calls of the agent that follow. All but the last are carried out. */
  readonly attack: (stage: Stage) => Promise<Intent | readonly Intent[]>
  readonly ends: RowEnd
  /** Where the row moves the market itself. */
  readonly usd?: OutsidePrices
}

/** The code of the refusal, or how much the owner may be poorer afterwards at outside prices, gas left out. */
export type RowEnd = ErrorCode | { readonly losesAtMostUsd: number }

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
  const usd = row.usd ?? outsidePrices
  const before = await worthOf(road, usd)
  const nonce = await road.nonce()
  road.trace.length = 0
  let gasUsd = 0
  const failure = await road.run(last).then(
    (outcome) => {
      gasUsd = 'gasCostWei' in outcome ? (Number(outcome.gasCostWei) / 1e18) * (usd['ETH'] ?? 0) : 0
      return null
    },
    (error: unknown) => error,
  )
  const lostUsd = before - gasUsd - (await worthOf(road, usd))
  if (typeof row.ends === 'string') {
    expect({ code: codeOf(failure), lostUsd, nonce: await road.nonce() }).toEqual({ code: row.ends, lostUsd: 0, nonce })
    expect(road.trace).not.toContain('journal recordSigned')
    expect(await road.store.ledger.open()).toEqual([])
    return
  }
  expect(codeOf(failure)).toBe('carried out')
  expect(lostUsd).toBeLessThanOrEqual(row.ends.losesAtMostUsd)
}

export async function openStage(devnet: Devnet, road: Road): Promise<Stage> {
  const stranger = await createChainActor(devnet, devnet.accounts[9]!.address)
  await devnet.fund(stranger.address, {
    ETH: '1000',
    WETH: '4000',
    USDC: '10000000',
    USDT: '3000000',
    DAI: '3000000',
    WBTC: '50',
    FOT: '1000000',
    HOSTILE: '1000000',
  })
  return { devnet, road, stranger }
}

function codeOf(failure: unknown): string {
  if (failure === null) return 'carried out'
  if (failure instanceof ToolError) return failure.code
  throw failure
}
