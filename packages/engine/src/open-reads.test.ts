import { expect, test } from 'vitest'
import { chainAccess, readConfig } from '../../tool-server/src/config.ts'
import { openReads, openTrading } from './open-reads.ts'
import { parsePolicy } from './policy/policy.ts'

test('reads know the tokens of the policy as it holds now', () => {
  const token = '0x1111111111111111111111111111111111111111'
  const withTokens = (tokens: object) => parsePolicy({ allowlist: { mode: 'strict', tokens } }, { production: true })
  let policy = withTokens({})
  const { chains, tokens } = openReads(chainAccess(readConfig({})), { memory: null, policy: () => policy })
  const base = chains.get('base')
  expect(tokens.isListed(base, token)).toBe(false)
  policy = withTokens({ 8453: [token] })
  expect(tokens.isListed(base, token)).toBe(true)
  expect(tokens.isListed(chains.get('celo'), token)).toBe(false)
})

test('without a key there is no trading API', async () => {
  const policy = () => {
    throw new Error('nothing is guarded')
  }
  expect(await openTrading({ tradingApi: null, policy })).toBeNull()
})
