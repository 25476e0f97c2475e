import { expect, it } from 'vitest'
import { compareTwoPaths } from './two-paths.fixture.ts'

// A tenth of `npm run bench -- protocol`.
it('answers 200 requests of every kind alike with and without the protocol library', { timeout: 600_000 }, async () => {
  const { differing, compared, answeredFast } = await compareTwoPaths(1, 200)
  expect(differing).toEqual([])
  expect(compared).toBe(200)
  expect(answeredFast).toBeGreaterThan(40)
})
