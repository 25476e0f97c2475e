/**
 * Test files of ten seconds and more of a quiet worker each: long tables of cases, plays over hours of blocks, searches. They run in
 * `system`, with those whose names say so, and at every landing; `npm test` is for every change.
 */
export const longTests: readonly string[] = [
  'packages/amm/src/history/create-pool-history.chain.test.ts',
  'packages/amm/src/liquidity/kept-plan.chain.test.ts',
  'packages/amm/src/liquidity/plan-remove.chain.test.ts',
  'packages/amm/src/prices/named-sources.chain.test.ts',
  'packages/engine/src/calldata/declared-deposits.chain.test.ts',
  'packages/engine/src/pipeline-dry-run.chain.test.ts',
  'packages/engine/src/pipeline-plans.chain.test.ts',
  'packages/engine/src/switches/breaker.chain.test.ts',
  'packages/engine/src/upstream/guard-upstream.chain.test.ts',
  'packages/store/src/ledger/ledger-model.fuzz.test.ts',
  'packages/support-api/src/server.test.ts',
  'packages/tool-server/src/fair-value/attack-*.chain.test.ts',
  'packages/tool-server/src/fair-value/fair-value.chain.test.ts',
  'packages/tool-server/src/harvest/harvest-over-mcp.chain.test.ts',
  'packages/tool-server/src/managed-wallet.chain.test.ts',
  'packages/tool-server/src/open-server.chain.test.ts',
  'packages/tool-server/src/tools/liquidity/harvest-failures.chain.test.ts',
  'packages/tool-server/src/tools/liquidity/harvest-rewards.chain.test.ts',
  'packages/tool-server/src/tools/liquidity/migrate-position.chain.test.ts',
  'packages/tool-server/src/tools/liquidity/reorged-legs.chain.test.ts',
  'packages/tool-server/src/tools/liquidity/trading-api.chain.test.ts',
  'packages/tool-server/src/tools/operations/execute-plan-deposits.chain.test.ts',
  'packages/tool-server/src/tools/operations/execute-plan.chain.test.ts',
  'packages/wallet/src/gas/sponsored-registration.chain.test.ts',
  'packages/wallet/src/provider/bridge.chain.test.ts',
  'packages/wallet/src/user-operation/run-user-operation.chain.test.ts',
]
