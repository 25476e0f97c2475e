import { describe, expect, it } from 'vitest'
import { type FeedReading, feedWitness, type SequencerReading } from './feed-witness.ts'
import { feedOf } from './evidence.fixture.ts'

const now = 1_800_000_000
const cents = (dollars: number) => BigInt(Math.round(dollars * 100)) * 10n ** 16n

describe('feedWitness', () => {
  it('says how far the market may be from its answer', () => {
    const said = feedWitness(feedOf(3_000, now, { deviationBps: 50 }), null, now)
    expect(said).toEqual({ lowE18: cents(2_985), midE18: cents(3_000), highE18: cents(3_015), silent: null })
    const odd = feedOf(1, now, { deviationBps: 33, decimals: 0 })
    expect(feedWitness({ ...odd, round: { answer: 1n, updatedAt: BigInt(now) } }, null, now)).toMatchObject({
      lowE18: 996_700_000_000_000_000n,
      highE18: 1_003_300_000_000_000_000n,
    })
  })

  it.each<readonly [string, FeedReading, string | null]>([
    ['as old as its heartbeat and the time of landing', feedOf(3_000, now - 3_660), null],
    ['a second older', feedOf(3_000, now - 3_661), 'its answer is 3661 s old'],
    ['from the future', feedOf(3_000, now + 1), 'its answer has no time or one in the future'],
    ['without a time', feedOf(3_000, 0), 'its answer has no time or one in the future'],
    ['of zero', feedOf(0, now), 'its answer is not above zero'],
    ['below zero', feedOf(-1, now), 'its answer is not above zero'],
    ['at its lower bound', feedOf(3, now, { minAnswer: 3_00000000n }), 'its answer is at its lower bound'],
    ['beyond its upper bound', feedOf(4, now, { maxAnswer: 3_00000000n }), 'its answer is at its upper bound'],
    ['at its upper bound', feedOf(3, now, { maxAnswer: 3_00000000n }), 'its answer is at its upper bound'],
    ['between its bounds', feedOf(3, now, { minAnswer: 2_99999999n, maxAnswer: 3_00000001n }), null],
    ['of other decimals', { ...feedOf(3_000, now), decimals: 18 }, 'its decimals are not those of its row'],
    ['of unknown decimals', { ...feedOf(3_000, now), decimals: null }, 'its decimals are not those of its row'],
    ['without a round', { ...feedOf(3_000, now), round: null }, 'it answers no round'],
  ])('an answer %s', (_what, reading, silent) => {
    expect(feedWitness(reading, null, now)).toMatchObject({ silent })
  })

  it.each<readonly [string, SequencerReading['round'], string | null]>([
    ['up for long enough', { answer: 0n, startedAt: BigInt(now - 3_601) }, null],
    [
      'up for the grace period',
      { answer: 0n, startedAt: BigInt(now - 3_600) },
      'the sequencer has only just come back',
    ],
    ['down', { answer: 1n, startedAt: BigInt(now - 86_400) }, 'the sequencer is down'],
    ['of unknown state', { answer: 0n, startedAt: 0n }, 'nothing says whether the sequencer is up'],
    ['silent', null, 'nothing says whether the sequencer is up'],
  ])('under a sequencer that is %s', (_what, round, silent) => {
    const sequencer = {
      row: { address: '0x0000000000000000000000000000000000000005', graceSeconds: 3_600 },
      round,
    } as const
    expect(feedWitness(feedOf(3_000, now), sequencer, now)).toMatchObject({ silent })
  })
})
