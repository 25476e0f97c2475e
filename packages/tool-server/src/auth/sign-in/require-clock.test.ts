import { expect, it } from 'vitest'
import { requireClock } from './require-clock.ts'

const now = 1_800_000_000_000
const steady = { name: 'steady', maxHeadAgeSeconds: 60 }

/** What is said of a newest block of so many seconds after the clock's time. */
function outcome(seconds: number, chain: { name: string; local?: boolean; maxHeadAgeSeconds: number | null } = steady) {
  const heard: object[] = []
  const timestamp = BigInt(now / 1_000 + seconds)
  try {
    requireClock({ timestamp }, { chain, now: () => now, onClockOff: (facts) => heard.push(facts) })
    return heard.length === 0 ? 'in' : heard
  } catch (error) {
    return [(error as { readonly code: string }).code, ...heard]
  }
}

it('lets sign in while clock and chain are less than two minutes apart, either way', () => {
  expect([-120, -60, 0, 120].map((seconds) => outcome(seconds))).toEqual(['in', 'in', 'in', 'in'])
})

it.each([
  ['behind', 121],
  ['ahead', -121],
])('refuses by name where the clock is %s, and says by how much', (_name, seconds) => {
  expect(outcome(seconds)).toEqual(['CLOCK_OFF', { chain: 'steady', behindSeconds: seconds }])
})

it('grants a chain the age that its blocks may have, and one that names none no more than any', () => {
  const [slow, still] = [600, null].map((maxHeadAgeSeconds) => ({ name: 'slow', maxHeadAgeSeconds }))
  expect([outcome(-600, slow), outcome(-601, slow), outcome(-120, still), outcome(-121, still)]).toEqual([
    'in',
    ['CLOCK_OFF', { chain: 'slow', behindSeconds: -601 }],
    'in',
    ['CLOCK_OFF', { chain: 'slow', behindSeconds: -121 }],
  ])
})

it('asks nothing of a local chain, whose time is what it was told', () => {
  const local = { ...steady, local: true }
  expect([outcome(-90_000, local), outcome(90_000, local)]).toEqual(['in', 'in'])
})
