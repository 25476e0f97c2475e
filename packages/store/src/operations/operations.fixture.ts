import type { NewOperation } from './operations.ts'

/** An operation as a dry run stores it, with whatever a test changes of it. */
export function newOperation(id: string, change: Partial<NewOperation> = {}): NewOperation {
  return {
    id,
    state: 'planned',
    principalId: 'agent',
    principal: '{"id":"agent"}',
    tool: 'add_liquidity',
    input: '{"amount":"1.5"}',
    chainId: 1,
    planHash: 'hash',
    plan: '{"steps":[]}',
    intent: '{"why":"test"}',
    spendUsdMicros: 1_500_000n,
    expiresAt: null,
    executeAfter: null,
    ...change,
  }
}
