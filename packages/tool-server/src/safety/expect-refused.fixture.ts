import { expect } from 'vitest'
import type { ErrorCode, Intent } from '@svc/amm'
import type { Pipeline } from './open-pipeline.fixture.ts'

/** The write is refused with this code, nothing is signed, nothing stays reserved, nothing is spent. */
export async function expectRefused(pipeline: Pipeline, intent: Intent, code: ErrorCode): Promise<void> {
  const before = [await pipeline.nonce(), await pipeline.balance('USDC'), await pipeline.balance('WETH')]
  await expect(pipeline.run(intent)).rejects.toMatchObject({ code })
  expect([await pipeline.nonce(), await pipeline.balance('USDC'), await pipeline.balance('WETH')]).toEqual(before)
  expect(pipeline.trace).not.toContain('journal recordSigned')
  expect(await pipeline.store.ledger.open()).toEqual([])
  expect(pipeline.trace).toContainEqual(expect.stringMatching(/^audit tx\.(refused|failed|approval\.requested)$/))
}
