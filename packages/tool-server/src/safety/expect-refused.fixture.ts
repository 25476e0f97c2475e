import { expect } from 'vitest'
import type { ErrorCode } from '../errors.ts'
import type { Intent } from '../intent.ts'
import type { Road } from './open-road.fixture.ts'

/** The write is refused with this code, nothing is signed, nothing stays reserved, nothing is spent. */
export async function expectRefused(road: Road, intent: Intent, code: ErrorCode): Promise<void> {
  const before = [await road.nonce(), await road.balance('USDC'), await road.balance('WETH')]
  await expect(road.run(intent)).rejects.toMatchObject({ code })
  expect([await road.nonce(), await road.balance('USDC'), await road.balance('WETH')]).toEqual(before)
  expect(road.trace).not.toContain('journal recordSigned')
  expect(await road.store.ledger.open()).toEqual([])
  expect(road.trace).toContainEqual(expect.stringMatching(/^audit tx\.(refused|failed|approval\.requested)$/))
}
