import { useDevnet } from '@svc/devnet/testing'
import { expect, it } from 'vitest'
import { dailyLossUsd } from '../guards/operator-policy.fixture.ts'
import { createServerGuard, serverLook } from '../guards/server-guard.fixture.ts'
import { worstPrograms } from '../programs/worst-programs.fixture.ts'
import { type Comparison, holdAgainstSearch, toleranceUsd } from './hold-against-search.fixture.ts'
import { replayPrograms } from './replay-programs.fixture.ts'

const devnet = useDevnet()

// A tenth of `npm run bench -- value-chain`, of the known attacks alone.
it('G13: the worst programs cost the owner on the real chain what they cost in the search, and no more than a day may lose', async () => {
  const size = { seed: 1, known: 1, programs: 0, climbs: 0, scenarios: 1 }
  const programs = worstPrograms({ ...size, createGuard: createServerGuard, look: serverLook }, 5)
  expect(programs).toHaveLength(5)
  const ends: Comparison[] = []
  await replayPrograms(devnet(), programs, (...end) => void ends.push(holdAgainstSearch(...end)))
  expect(ends).toHaveLength(programs.length)
  for (const { chainUsd, refusedAlone, allowedAlone, beyondUsd } of ends) {
    expect({ refusedAlone, allowedAlone }).toEqual({ refusedAlone: [], allowedAlone: [] })
    expect(Math.abs(beyondUsd)).toBeLessThanOrEqual(toleranceUsd)
    expect(chainUsd).toBeGreaterThan(0)
    expect(chainUsd).toBeLessThanOrEqual(dailyLossUsd)
  }
})
