import { expect, test } from 'vitest'
import { createClaimDesk } from './claim-desk.ts'

test('a cap that a commit found full is full for all who come under it, until it says', async () => {
  let at = 0
  const capped = { status: 'capped', scope: 'network', retryAfterMs: 1_000 } as const
  const claims = { make: async () => [capped], findAll: async () => [null] }
  const desk = createClaimDesk(claims, [], () => at)
  const request = { chainId: 1, address: '0xa1', appId: 'app-one', network: '203.0.113.0/24', amountWei: 1n }
  expect(desk.full(request)).toBeNull()
  await desk.make(request)
  at = 400
  expect(desk.full({ ...request, chainId: 2, appId: 'app-two' })).toEqual({ ...capped, retryAfterMs: 600 })
  expect(desk.full({ ...request, network: '198.51.100.0/24' })).toBeNull()
  at = 1_000
  expect(desk.full(request)).toBeNull()
})
