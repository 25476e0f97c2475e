import { ToolError } from '@svc/amm'
import { expect, test } from 'vitest'
import { UsageError } from '../usage-error.ts'
import { ownChainFix, refusalForm, toolRefusal } from './tool-refusal.ts'

/** As it travels. */
function heard(error: ToolError): Error {
  return toolRefusal(refusalForm.parse(JSON.parse(JSON.stringify({ 'svc/error': error })))['svc/error'])
}

test('names the flag of a member, what it takes and the mend; words that are off are told apart', () => {
  const details = [{ field: 'startTime', message: 'Accepted: ISO 8601' }]
  const off = heard(new ToolError('VALIDATION_FAILED', 'backtest_lp_strategy refuses startTime.', { details }))
  expect(off).toBeInstanceOf(UsageError)
  expect(off.message.split('\n').slice(0, 2)).toEqual([
    'VALIDATION_FAILED: backtest_lp_strategy refuses startTime.',
    '  --start: Accepted: ISO 8601.',
  ])
  const list = [{ field: 'fee', message: 'No such pool.', accepted: ['500', '3000'] }]
  const none = heard(new ToolError('NO_POOL', 'There is no pool.', { details: list, suggestion: 'Mend.' }))
  expect(none).not.toBeInstanceOf(UsageError)
  expect(none.message).toBe('NO_POOL: There is no pool.\n  --fee: No such pool. Accepted: 500, 3000.\n  Mend.')
})

test('says a sentence once, numbers that were found, and the member of a list', () => {
  const message = '5 days; 14 are needed.'
  const found = [{ field: 'startTime', message, daysFound: 5, daysNeeded: 14, analytic: { pair: 'A/B' } }]
  const short = heard(new ToolError('INSUFFICIENT_HISTORY', message, { details: found, suggestion: 'Wait.' }))
  expect(short.message).toBe(`INSUFFICIENT_HISTORY: ${message}\n  --start: daysFound 5, daysNeeded 14.\n  Wait.`)
  const second = [{ field: 'strategies[1].rangePct', message: 'unknown' }]
  const strategy = heard(new ToolError('INVALID_STRATEGY', 'It is off.', { details: second }))
  expect(strategy.message).toContain('\n  --strategies: strategies[1].rangePct: unknown.\n')
  const bare = heard(new ToolError('SERVER_BUSY', 'Busy.', { details: [{ field: 'other', message: 'full' }] }))
  expect(bare.message).toContain('\n  other: full.\n')
})

test('a chain that the settings do not hold, of whatever name or id, comes with how one is made known', () => {
  const details = [{ field: 'chain', message: 'unknown chain', accepted: ['base (8453)'] }]
  const said = heard(new ToolError('CHAIN_NOT_SUPPORTED', 'Unknown.', { details })).message
  expect(said).toBe(`CHAIN_NOT_SUPPORTED: Unknown.\n  --chain: unknown chain. Accepted: base (8453).\n  ${ownChainFix}`)
  expect(said).toMatch(/SVC_CHAINS_FILE .* --data-dir .*`npm start` shows as "data"/)
})
