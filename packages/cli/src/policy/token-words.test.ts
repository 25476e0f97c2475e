import { chains } from '@svc/wallet/core'
import { describe, expect, it } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { readTokenRequest, readTokenWords } from './token-words.ts'

const read = (...argv: readonly string[]) => readTokenRequest(readTokenWords(argv), chains)
const problems = (...argv: readonly string[]): readonly string[] => {
  try {
    read(...argv)
    return []
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    return error.message.split('\n  ').slice(1)
  }
}
const aero = '0x940181a94A35A4569E4529A3CDfB74e38FD98631'
const feed = '0x4EC5970fC728C5f65ba413992CD5fF6FD70fcfF0'

describe('the words after svc policy add-token', () => {
  it('name a chain, a token and perhaps a feed', () => {
    expect(read('base', aero.toLowerCase())).toMatchObject({ chain: { id: 8453 }, address: aero, feed: null })
    expect(read('8453', 'weth').address).toBe('0x4200000000000000000000000000000000000006')
    expect(read('base', aero, '--feed', feed, '--heartbeat', '86400', '--deviation-bps', '50').feed).toEqual({
      address: feed,
      heartbeatSeconds: 86_400,
      deviationBps: 50,
    })
  })

  it('are refused together, each by its name', () => {
    const found = problems('atlantis', 'PEPE', '--feed', '0x12', '--heartbeat', '1.5', '--deviation-bps', 'ten')
    expect(found.map((line) => line.split(':')[0])).toEqual([
      'CHAIN',
      'TOKEN',
      '--feed',
      '--heartbeat',
      '--deviation-bps',
    ])
    expect(found[0]).toContain('accepted: ')
  })

  it.each<readonly [string, readonly string[], string]>([
    ['a checksum that is wrong', ['base', aero.replace('9401', '9041')], 'TOKEN'],
    ['native currency, which has no contract', ['base', `0x${'0'.repeat(40)}`], 'TOKEN'],
    ['an address of other letters', ['base', 'ｗｅｔｈ'], 'TOKEN'],
    ['a feed without its heartbeat', ['base', aero, '--feed', feed, '--deviation-bps', '50'], '--heartbeat'],
    ['a heartbeat of nothing', ['base', aero, '--heartbeat', '60'], '--heartbeat'],
    ['a heartbeat of 0', ['base', aero, '--feed', feed, '--heartbeat', '0', '--deviation-bps', '50'], '--heartbeat'],
  ])('name %s', (_what, argv, field) => {
    expect(problems(...argv).map((line) => line.split(':')[0])).toEqual([field])
  })

  it('are a chain and a token, and nothing beside', () => {
    for (const argv of [[], ['base'], ['base', aero, aero], ['base', aero, '--force']]) {
      expect(() => readTokenWords(argv)).toThrow(UsageError)
    }
  })
})
