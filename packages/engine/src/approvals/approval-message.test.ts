import { expect, it } from 'vitest'
import { bigPlan, depositingPlan } from '../../../tool-server/src/transports/asking.fixture.ts'
import { approvalMessage } from './operation-text.ts'
import { readStoredPlan } from '../operations/operations.ts'

const plan = readStoredPlan(JSON.stringify(bigPlan))
const facts = { operationId: 'op', planHash: bigPlan.planHash, tool: 'execute_swap', expiresAt: null, spendUsd: '9000' }
const question = { ...facts, plan }

it('says how many others of the caller await a decision, where there are any', () => {
  const lines = approvalMessage({ ...question, othersWaiting: 3 }, 0).split('\n')
  expect(lines.at(-1)).toBe('Besides this, 3 more of the same caller await a decision.')
  expect(approvalMessage({ ...question, othersWaiting: 0 }, 0)).not.toContain('Besides')
})

it('says where a deposit goes, at which prices, and what to weigh', () => {
  const depositing = readStoredPlan(JSON.stringify(depositingPlan))
  const lines = approvalMessage({ ...question, plan: depositing, othersWaiting: 0 }, 0).split('\n')
  expect(lines).toContainEqual(
    `Goes into: a new position in the v3 pool WETH/USDC at 0.05 %; range 2,700 to 3,300 USDC per WETH; price 3,000 USDC per WETH; value 50 % WETH, 50 % USDC; pool 0x${'aa'.repeat(20)}`,
  )
  expect(lines).toContainEqual('Note: Beware of\\u001b this.')
})

it('reads a plan that an earlier version stored, without chain, raw amounts and gas at its worst', () => {
  const { chain: _chain, gasCostAtMost: _most, gasCostAtMostUsd: _usd, ...plan } = bigPlan
  const spendsAtMost = plan.bounds.spendsAtMost.map(({ token, symbol, amount }) => ({ token, symbol, amount }))
  const old = readStoredPlan(JSON.stringify({ ...plan, bounds: { ...plan.bounds, spendsAtMost } }))
  const lines = approvalMessage({ ...question, plan: old, othersWaiting: 0 }, 0).split('\n')
  expect(lines).toContainEqual(
    expect.stringMatching(/^Leaves the wallet at most: 9,000 ".*" \(no price known, token 0x/),
  )
  expect(lines).toContainEqual(expect.stringMatching(/^Counts as 9,000 USD of the spending limits; gas [^,]*$/))
})
