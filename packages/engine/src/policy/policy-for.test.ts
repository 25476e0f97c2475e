import { describe, expect, it } from 'vitest'
import { parsePolicy } from './policy.ts'
import { grantRefusals, policyFor } from './policy-for.ts'

describe('what the policy grants to one caller', () => {
  const policy = parsePolicy(
    {
      principals: {
        'api-key:7e57000000000000': {
          tools: ['collect_fees'],
          limitsUsd: { perTransaction: '20', daily: '100' },
          approvalThresholdUsd: '10',
        },
        'api-key:0000000000000000': {},
      },
    },
    { production: false },
  )

  it('is the lower of the common limits and its own', () => {
    expect(policyFor(policy, 'api-key:7e57000000000000')).toMatchObject({
      limitsUsd: { perTransaction: '20', perSession: '1000', daily: '2000', principalDaily: '100' },
      approvalThresholdUsd: '10',
    })
  })

  it('is the common policy for others, whatever their name', () => {
    expect(policyFor(policy, 'api-key:0000000000000000')).toMatchObject({
      limitsUsd: policy.limitsUsd,
      approvalThresholdUsd: '250',
    })
    for (const id of ['key:unknown', 'toString', '__proto__']) expect(policyFor(policy, id)).toBe(policy)
  })

  it('never loosens, whatever a grant says', () => {
    const loose = {
      ...policy,
      principals: {
        'api-key:7e57000000000000': {
          limitsUsd: { perTransaction: '900', daily: '9000' },
          approvalThresholdUsd: '900',
        },
      },
    }
    expect(policyFor(loose, 'api-key:7e57000000000000')).toMatchObject({
      limitsUsd: { ...policy.limitsUsd, principalDaily: '2000' },
      approvalThresholdUsd: '250',
    })
  })

  it('can ask for a person where the policy asks nobody', () => {
    const silent = { ...policy, approvalThresholdUsd: null }
    expect(policyFor(silent, 'api-key:7e57000000000000').approvalThresholdUsd).toBe('10')
    expect(policyFor(silent, 'api-key:0000000000000000').approvalThresholdUsd).toBeNull()
  })

  it('refuses the tools it leaves out, and no others', () => {
    expect(grantRefusals('execute_swap', 'api-key:7e57000000000000', policy)).toEqual([
      expect.objectContaining({ code: 'PRINCIPAL_NOT_GRANTED' }),
    ])
    expect(grantRefusals('collect_fees', 'api-key:7e57000000000000', policy)).toEqual([])
    expect(grantRefusals('execute_swap', 'api-key:0000000000000000', policy)).toEqual([])
    const none = { ...policy, principals: { 'api-key:7e57000000000000': { tools: [] } } }
    expect(grantRefusals('collect_fees', 'api-key:7e57000000000000', none)).toHaveLength(1)
  })
})
